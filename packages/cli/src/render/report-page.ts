import type { Capture, Mark } from '../capture.ts';
import { html, type Markup } from './html.ts';
import { toOriginPairs } from './origin.ts';
import { toFacts, toJsonBlock, toPage } from './page.ts';
import { toFactPairs, toHeadline } from './result.ts';
import { classOf, toTimeline } from './timeline.ts';

/** An evidence file as a page of its own. */
export function toReportPage(capture: Capture): string {
  const { result, prompt, afterwards, marks, isProven, faults } = capture;
  const standing = isProven ? '' : ', which this file does not prove';
  const status = result ? toHeadline(result) : 'frames only';
  return toPage(
    `Compaction: ${status}${standing}`,
    html`<h1 class="${isProven ? (result?.status ?? '') : 'failed'}">${result ? `Compaction ${toHeadline(result)}${standing}` : 'Frames without a result'}</h1>
<p class="faint">${toLegend(result)}</p>
${faults.map((fault) => html`<p class="failed">${fault}</p>`)}
${toFacts([...toOriginPairs(capture), ...(result ? toFactPairs(result, { prompt, afterwards }) : [])])}
<h2>Time line</h2>
${toTimeline(capture)}
<p class="faint">${capture.operation ? 'The shaded band reaches from the dispatch to the last word on the compaction. ' : ''}Point at a mark to read what it is.</p>
<h2>Frames and records</h2>
<ol>
${marks.map((mark) => toRow(mark, result?.status === 'unconfirmed' ? 'seen' : 'proof'))}
</ol>`,
  );
}

function toLegend(result: Capture['result']): string {
  if (!result) return 'No result can be read in this file.';
  const shows = result.status === 'unconfirmed' ? 'are what was seen of it so far' : 'prove the result';
  return `Marks and rows that stand out ${shows}; the rest is dimmed. A row opens to the whole frame.`;
}

const kinds = {
  in: 'received',
  out: 'sent',
  end: 'ended',
  record: 'record',
  result: 'result',
  afterwards: 'looked for',
} as const;

function toRow(mark: Mark, word: string): Markup {
  return html`<li class="${classOf(mark)}"><details><summary><span class="time">${(mark.atMs / 1_000).toFixed(3)} s</span>
<span class="lane">${mark.lane}</span><span class="label">${mark.label}</span><span>${mark.isProof ? `${word}${mark.proves ? `: ${mark.proves}` : ''} · ` : ''}${kinds[mark.kind]}</span></summary>
${toJsonBlock(mark.content)}</details></li>
`;
}
