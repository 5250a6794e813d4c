/**
 * What passed an edge of the flow, and which record counted it.
 *
 * @typedef {import('../../record/result.js').FlowEdge} FlowEdge
 */
import { count, MISSING, percent, plural } from '../format.js';
import { numeric } from '../table.js';

/** As short as the picture needs it; of what is not read, connections. @param {FlowEdge} edge */
export function passedMark({ requests, at_least: atLeast, connections }) {
  if (requests !== null) return `${atLeast ? '≥ ' : ''}${count(requests)}`;
  if (connections === undefined) return 'not counted';
  return connections > 0 ? count(connections) : 'not read';
}

/** Beside it: its share of what was handed out, else by which record it is. @param {FlowEdge} edge @param {number | null} share  to be shown */
export const besideMark = (edge, share) => (edge.requests !== null && share !== null && share < 1 ? percent(share) : basisMark(edge));

/** In a word, beside a count in the picture; empty where a service or the generator counted it. @param {FlowEdge} edge */
function basisMark({ requests, source, connections }) {
  if (requests === null) return connections ? 'unread' : '';
  return source === 'wire' ? 'wire' : '';
}

/** @param {FlowEdge} edge */
function passedText({ requests, at_least: atLeast, connections }) {
  if (requests !== null) return `${atLeast ? 'at least ' : ''}${count(requests)}`;
  return connections ? plural(connections, 'connection') : MISSING;
}

/** @param {FlowEdge} edge */
function basisText({ requests, source, connections }) {
  if (requests === null) return connections === undefined ? 'nobody' : 'the wire, which does not read what passed';
  return source === 'wire' ? 'the wire, call by call' : 'their own records';
}

export const PASSED_COLUMNS = [{ title: 'From' }, { title: 'To' }, numeric('Requests'), numeric('Share'), { title: 'Counted by' }];

/** @param {Pick<import('../../record/result.js').Flow, 'nodes' | 'edges' | 'outlets'>} flow @returns {string[][]} a text for each column: what passed, and what was lost */
export function passedRows({ nodes, edges, outlets }) {
  const label = (/** @type {string} */ id) => nodes.find((node) => node.id === id)?.label ?? id;
  return [
    ...edges.map((edge) => [label(edge.from), label(edge.to), passedText(edge), percent(edge.share), basisText(edge)]),
    ...outlets.map(({ at, cause_title: cause, count: times, share }) => [label(at), `lost: ${cause}`, count(times), percent(share), '']),
  ];
}

/** What a picture with counts of the wire has to say of them; empty where it has none. @param {Pick<import('../../record/result.js').Flow, 'edges'>} flow */
export function wireWords({ edges }) {
  const marks = new Set(edges.map(basisMark));
  const calls = marks.has('wire') ? ' Counts marked wire are calls on the wire: a request may make several.' : '';
  return `${calls}${marks.has('unread') ? ' Those marked unread are connections; the lab does not read what passes on them.' : ''}`;
}
