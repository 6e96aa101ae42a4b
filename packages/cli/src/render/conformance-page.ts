import { type CaseReport, promisesOf } from '@native-compaction/conformance';
import { labelOf } from '../labels.ts';
import { type ConformanceRun, outcomeWords, toFindings, toHeadline, toVerdict } from './conformance.ts';
import { toDuration } from './duration.ts';
import { html, type Markup } from './html.ts';
import { toJsonBlock, toPage } from './page.ts';

/** A run of the suite as a page of its own. */
export function toConformancePage(run: ConformanceRun): string {
  const { title, report } = run;
  const { cases, failures, isWhole } = report;
  const [verdict, tone] =
    failures.length > 0 ? ['does not conform', 'failed'] : isWhole ? ['conforms', 'passed'] : ['was not looked at whole', ''];
  return toPage(
    `${title} ${report.version}: ${verdict}`,
    html`<h1 class="${tone}">${title} ${report.version} ${verdict}</h1>
${toHeadline(run).map((line) => html`<p class="faint">${line}</p>`)}
<p>${toVerdict(run)}</p>
${failures.length === 0 ? '' : html`<h2>What failed</h2>${failures.map(toFailure)}`}
<h2>Cases</h2>
<div class="scroll"><table><thead><tr><th>outcome</th><th>promises</th><th>took</th><th>case</th></tr></thead><tbody>
${cases.map(toRow)}
</tbody></table></div>`,
  );
}

function toRow(one: CaseReport): Markup {
  const { outcome, durationMs, title, message } = one;
  const tone = outcome === 'passed' ? 'passed' : outcome === 'failed' || outcome === 'stale_limit' ? 'failed' : 'faint';
  const note = message === undefined || tone === 'failed' ? '' : html`<br><span class="faint">${message}</span>`;
  return html`<tr><td class="${tone}">${outcomeWords[outcome]}</td><td>${promisesOf(one).join(' ')}</td><td>${toDuration(durationMs)}</td><td>${title}${note}</td></tr>
`;
}

function toFailure(failure: CaseReport): Markup {
  const { title, frames = [] } = failure;
  const { promise = 'none broke: a known limit did not show', seen } = toFindings(failure);
  return html`<h3>${title}</h3>
<dl><dt>promise</dt><dd>${promise}</dd><dt>seen</dt><dd>${seen}</dd></dl>
<ol>
${frames.map(
  ({ t, dir, frame }) => html`<li><details><summary><span class="time">${(t / 1_000).toFixed(3)} s</span>
<span class="lane">${dir === 'out' ? 'library' : 'native'}</span><span class="label">${labelOf(dir, frame)}</span><span>${kinds[dir]}</span></summary>
${toJsonBlock(frame)}</details></li>
`,
)}</ol>`;
}

const kinds = { in: 'received', out: 'sent', end: 'ended' } as const;
