/**
 * Where everything in the flow picture stands. Pure geometry: from left to right on wide screens, from top to bottom on
 * narrow ones. The thickness of a band, and of the outlet where requests are lost, is its share of all requests.
 *
 * @typedef {import('../../record/result.js').Flow} Flow
 * @typedef {import('./boxes.js').Box} Box
 * @typedef {{ path: string, edge: Flow['edges'][number], share: number | null, labelX: number, labelY: number, anchor: 'middle' | 'start' | 'end', top: number }} Band
 *   top: of its way, with its label
 * @typedef {{ width: number, height: number, boxes: Box[], bands: Band[] }} FlowLayout
 */
import { placeBands } from './bands.js';
import { draftBox } from './boxes.js';
import { hangOutlets, outletsHeight } from './outlets.js';
import { rankNodes } from './ranks.js';

const WIDE = Object.freeze({ width: 1120, boxMost: 172, boxOverPitch: 0.7, gapLeast: 56, stack: 14, thickness: 56, outletsX: 16 });
const NARROW = Object.freeze({ width: 358, between: 18, gap: 52, thickness: 40, outletsAt: 0.36, bandsBesideOutletsAt: 0.18 });

/**
 * @param {Flow} flow
 * @returns {FlowLayout}
 */
export function layoutWide(flow) {
  const ranks = rankNodes(flow);
  const share = WIDE.width / ranks.length;
  const boxWidth = Math.min(WIDE.boxMost, share * WIDE.boxOverPitch, share - WIDE.gapLeast);
  const pitch = ranks.length > 1 ? (WIDE.width - boxWidth) / (ranks.length - 1) : 0;
  const columns = ranks.map((nodes, rank) => {
    const drafts = nodes.map((node) => draftBox(node, { width: boxWidth, isNameBesideTier: false, least: WIDE.thickness + 10 }));
    const height = Math.max(...drafts.map((box) => box.height));
    return stackColumn(
      flow,
      drafts.map((box) => ({ ...box, height, x: rank * pitch })),
    );
  });
  const boxes = columns.flat();
  // The lowest box of a column may use the free lane below all boxes to its right, where there is room for a text in one
  // line. The lane is filled from the right, so that no stub crosses a text.
  let lane = -Infinity;
  for (const box of columns.map((column) => column[column.length - 1]).reverse()) {
    const room = WIDE.width - box.x - WIDE.outletsX;
    lane = Math.max(lane, box.y + box.height);
    box.outlets = hangOutlets(outletsAt(flow, box), {
      x: WIDE.outletsX,
      below: lane - box.y - box.height,
      room,
      thickness: WIDE.thickness,
    });
    if (box.outlets.length > 0) lane = box.y + box.height + outletsHeight(box);
  }
  return fitted(flow, boxes, { width: WIDE.width, isWide: true, thickness: WIDE.thickness, gap: 0, at: 0.5 });
}

/**
 * Centres a column on the axis, with the outlets of all but its lowest box between the boxes.
 * @type {(flow: Flow, column: Box[]) => Box[]}
 */
function stackColumn(flow, column) {
  const inner = column.map((box, index) => {
    if (index === column.length - 1) return box;
    const outlets = hangOutlets(outletsAt(flow, box), {
      x: WIDE.outletsX,
      below: 0,
      room: box.width - WIDE.outletsX,
      thickness: WIDE.thickness,
    });
    return { ...box, outlets };
  });
  const height = inner.reduce((sum, box) => sum + box.height + outletsHeight(box), 0) + WIDE.stack * (inner.length - 1);
  let y = -height / 2;
  return inner.map((box) => {
    const placed = { ...box, y };
    y += box.height + outletsHeight(box) + WIDE.stack;
    return placed;
  });
}

/**
 * @param {Flow} flow
 * @returns {FlowLayout}
 */
export function layoutNarrow(flow) {
  // Outlets hang on the right, so that the bands pass on the left.
  const at = flow.outlets.length > 0 ? NARROW.bandsBesideOutletsAt : 0.5;
  let y = 0;
  const boxes = rankNodes(flow).flatMap((nodes) => {
    const width = (NARROW.width - NARROW.between * (nodes.length - 1)) / nodes.length;
    const x = width * NARROW.outletsAt;
    const row = nodes.map((node, index) => {
      const box = draftBox(node, { width, isNameBesideTier: nodes.length === 1, least: 0 });
      const outlets = hangOutlets(outletsAt(flow, box), { x, below: 0, room: width - x, thickness: NARROW.thickness });
      return { ...box, outlets, x: index * (width + NARROW.between), y };
    });
    const height = Math.max(...row.map((box) => box.height));
    y += height + Math.max(...row.map(outletsHeight)) + NARROW.gap;
    return row.map((box) => ({ ...box, height }));
  });
  return fitted(flow, boxes, { width: NARROW.width, isWide: false, thickness: NARROW.thickness, gap: NARROW.gap, at });
}

/** @type {(flow: Flow, box: Box) => Flow['outlets']} */
const outletsAt = (flow, { node }) => flow.outlets.filter(({ at }) => at === node.id);

/**
 * Moves everything below the upper edge, and puts the bands in.
 * @type {(flow: Flow, boxes: Box[], style: import('./bands.js').BandStyle) => FlowLayout}
 */
function fitted(flow, boxes, style) {
  const top = Math.min(...boxes.map(({ y }) => y), ...placeBands(flow, boxes, style).map((band) => band.top));
  const moved = boxes.map((box) => ({ ...box, y: box.y - top }));
  const height = Math.max(...moved.map((box) => box.y + box.height + outletsHeight(box)));
  return { width: style.width, height, boxes: moved, bands: placeBands(flow, moved, style) };
}
