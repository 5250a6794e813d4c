/**
 * The bands between the boxes of the flow picture, as thick as the requests that passed.
 *
 * @typedef {import('../../define/result.js').Flow} Flow
 * @typedef {import('./boxes.js').Box} Box
 * @typedef {import('./layout.js').Band} Band
 * @typedef {{ width: number, isWide: boolean, thickness: number, gap: number, at: number }} BandStyle  width: of the picture.
 *   thickness: of all requests. gap: length of the free way before the next box, when narrow. at: where on a box's side bands meet it, 0 to 1
 */
import { besideMark, passedMark } from './passed.js';
import { SIZES, textWidth } from './text.js';

const LEAST_THICKNESS = 2;
const LABEL_BESIDE = 8; // narrow: from a band to its label
const LABEL_FROM_BOX = 12; // narrow: from the box's edge to the middle of a label
const SHARE_LEAST_WIDTH = 150; // narrow: of a box that has room for a share beside the count

/** @typedef {{ edge: Flow['edges'][number], thickness: number, from: Box, to: Box, start: number, end: number }} Run  start and end: centre across the way */

/**
 * @param {Flow} flow
 * @param {Box[]} boxes
 * @param {BandStyle} style
 * @returns {Band[]}
 */
export function placeBands({ edges }, boxes, style) {
  // A request may make many calls: what is counted on the wire is no measure of requests.
  const most = Math.max(1, ...edges.map(({ requests, source }) => (source === 'wire' ? 0 : (requests ?? 0))));
  const boxOf = new Map(boxes.map((box) => [box.node.id, box]));
  const runs = edges.flatMap((edge) => {
    const from = boxOf.get(edge.from);
    const to = boxOf.get(edge.to);
    if (!from || !to) return [];
    const thickness = Math.max(LEAST_THICKNESS, Math.min(1, (edge.requests ?? 0) / most) * style.thickness);
    return [{ edge, thickness, from, to, start: 0, end: 0 }];
  });
  for (const box of boxes) {
    spread(
      runs.filter(({ from }) => from === box),
      ({ to }) => across(to, style),
      across(box, style),
      (run, centre) => {
        run.start = centre;
      },
    );
    spread(
      runs.filter(({ to }) => to === box),
      ({ from }) => across(from, style),
      across(box, style),
      (run, centre) => {
        run.end = centre;
      },
    );
  }
  const fansOut = (/** @type {Run} */ run) => runs.some((other) => other !== run && other.from === run.from);
  return runs.map((run) => (style.isWide ? wideBand(run) : narrowBand(run, style, fansOut(run))));
}

/** @type {(box: Box, style: BandStyle) => number} */
const across = (box, { isWide, at }) => (isWide ? box.y + box.height * at : box.x + box.width * at);

/**
 * Puts bands side by side around a centre, in the order of their other ends so that they do not cross.
 * @type {(runs: Run[], orderOf: (run: Run) => number, centre: number, put: (run: Run, centre: number) => void) => void}
 */
function spread(runs, orderOf, centre, put) {
  let edge = centre - runs.reduce((sum, { thickness }) => sum + thickness, 0) / 2;
  for (const run of runs.toSorted((one, other) => orderOf(one) - orderOf(other))) {
    put(run, edge + run.thickness / 2);
    edge += run.thickness;
  }
}

/** @type {(run: Run) => Band} */
function wideBand({ edge, thickness, from, to, start, end }) {
  const x0 = from.x + from.width;
  const x1 = to.x;
  const middle = (x0 + x1) / 2;
  const half = thickness / 2;
  const path = `M${x0},${start - half}C${middle},${start - half} ${middle},${end - half} ${x1},${end - half}V${end + half}C${middle},${end + half} ${middle},${start + half} ${x0},${start + half}Z`;
  return { edge, share: edge.share, path, labelX: middle, labelY: (start + end) / 2, anchor: 'middle' };
}

/**
 * Straight past what hangs below the box, then over to the next one. Where bands spread or meet, the label stands at the
 * side where they are apart.
 * @type {(run: Run, style: BandStyle, fansOut: boolean) => Band}
 */
function narrowBand({ edge, thickness, from, to, start, end }, { gap, width }, fansOut) {
  const y0 = from.y + from.height;
  const bend = Math.max(y0, to.y - gap);
  const y1 = to.y;
  const middle = (bend + y1) / 2;
  const half = thickness / 2;
  const path = `M${start - half},${y0}V${bend}C${start - half},${middle} ${end - half},${middle} ${end - half},${y1}H${end + half}C${end + half},${middle} ${start + half},${middle} ${start + half},${bend}V${y0}Z`;
  const isStraight = Math.abs(end - start) < 1;
  const beside = fansOut ? end : start;
  const labelY = isStraight ? middle : fansOut ? y1 - LABEL_FROM_BOX : bend + LABEL_FROM_BOX;
  const share = to.width < SHARE_LEAST_WIDTH ? null : edge.share;
  const label = [passedMark(edge), besideMark(edge, share)].filter(Boolean).join(' · ');
  const right = beside + half + LABEL_BESIDE;
  // On the left where the picture ends before it does.
  if (right + textWidth(label, SIZES.small) > width)
    return { edge, share, path, labelX: beside - half - LABEL_BESIDE, labelY, anchor: 'end' };
  return { edge, share, path, labelX: right, labelY, anchor: 'start' };
}
