import { type Capture, type Lane, lanes, type Mark } from '../capture.ts';
import { toSeconds } from './duration.ts';
import { html, type Markup } from './html.ts';

const WIDTH = 1_000;
const LEFT = 80;
const RIGHT = 20;
const TOP = 16;
const LANE_HEIGHT = 44;
const BOTTOM = TOP + lanes.length * LANE_HEIGHT;
const TICKS = 5;

/** The time line: a lane for each side, a mark for each line of the file, the operation shaded, and the proof standing out. */
export function toTimeline({ marks, operation }: Capture): Markup {
  const [fromMs, toMs] = [marks[0]?.atMs ?? 0, marks.at(-1)?.atMs ?? 0];
  const x = (atMs: number) => Math.round(LEFT + ((atMs - fromMs) / Math.max(toMs - fromMs, 1)) * (WIDTH - LEFT - RIGHT));
  const ticks = Array.from({ length: TICKS }, (_, index) => fromMs + ((toMs - fromMs) * index) / (TICKS - 1));
  // What stands out is drawn last, so that nothing covers it.
  const drawn = marks.toSorted((a, b) => Number(a.isProof) - Number(b.isProof));
  return html`<div class="scroll"><svg viewBox="0 0 ${WIDTH} ${BOTTOM + 24}" role="img" aria-label="Time line of the frames">
${operation ? html`<rect x="${x(operation.fromMs)}" y="${TOP}" width="${Math.max(x(operation.toMs) - x(operation.fromMs), 2)}" height="${BOTTOM - TOP}"/>` : ''}
${lanes.map((lane) => html`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(lane)}" y2="${y(lane)}"/><text x="0" y="${y(lane) + 4}">${lane}</text>`)}
${ticks.map((atMs, index) => html`<text x="${x(atMs)}" y="${BOTTOM + 18}" text-anchor="${index === TICKS - 1 ? 'end' : 'middle'}">${toSeconds(atMs, toMs - fromMs)}</text>`)}
${drawn.map((mark) => html`<circle class="${classOf(mark)}" cx="${x(mark.atMs)}" cy="${y(mark.lane)}" r="${mark.isProof ? 8 : 5}"><title>${mark.label}${mark.proves === undefined ? '' : ` (${mark.proves})`}</title></circle>`)}
</svg></div>`;
}

export function classOf({ isProof, lane }: Mark): string {
  return isProof ? 'proof' : lane;
}

function y(lane: Lane): number {
  return TOP + LANE_HEIGHT * (lanes.indexOf(lane) + 0.5);
}
