/**
 * Who waited for whom, as rows for the page, its script and Markdown.
 *
 * @typedef {import('../record/result.js').WireStanding} WireStanding
 * @typedef {import('../record/result.js').StandingSpell} StandingSpell
 * @typedef {Pick<StandingSpell['edges'][number], 'from' | 'to' | 'port' | 'waiting' | 'connections' | 'gave_up'> &
 *   Partial<Pick<StandingSpell['edges'][number], 'gave_up_after_ms'>>} Waits
 */
import { count, figure } from './format.js';
import { afterText } from './wire-rows.js';

/** Less is not told. */
const TOLD_LEAST = 0.05;

const STATES = /** @type {const} */ ([
  ['asking', 'asking'],
  ['unread', 'with an answer not read on'],
  ['in_transaction', 'idle in a transaction'],
  ['opening', 'being opened'],
  ['idle', 'idle'],
  ['refused', 'refused'],
]);

/** @param {Waits} waits */
export const edgeName = ({ from, to, port }) => `${from} → ${to}:${port}`;

/** @param {Waits} waits */
export const waitingText = ({ waiting }) => (waiting < TOLD_LEAST ? '0' : someText(waiting));

/** A mean number of things: of many of them a tenth is nothing. @param {number} value */
const someText = (value) => (value < TENTHS_BELOW ? figure(Number(value.toFixed(1))) : count(value));
const TENTHS_BELOW = 10;

/** @param {Waits} waits @returns {string} of its connections */
export const connectionsText = ({ connections }) =>
  STATES.filter(([state]) => connections[state] >= TOLD_LEAST)
    .map(([state, words]) => `${someText(connections[state])} ${words}`)
    .join(', ') || 'none';

/** @param {Waits} waits @returns {string} empty where none was given up */
export const gaveUpText = ({ from, gave_up: times, gave_up_after_ms: after = null }) =>
  times === 0 ? '' : `${from} gave up ${count(times)}${afterText(after)}`;

/** What a step was like. @param {Pick<WireStanding, 'edges'>} standing @param {number} step @returns {Waits[]} */
export const waitsAt = ({ edges }, step) =>
  edges.map(({ connections, waiting, gave_up, ...edge }) => ({
    ...edge,
    waiting: waiting[step],
    gave_up: gave_up[step],
    connections: /** @type {Waits['connections']} */ (
      Object.fromEntries(Object.entries(connections).map(([state, values]) => [state, values[step]]))
    ),
  }));

/** @param {StandingSpell} worst */
export const worstText = ({ from_s: from, to_s: to }) => `The worst ${figure(to - from)} seconds, ${figure(from)} to ${figure(to)}`;

export const STANDING_COLUMNS = [
  { title: 'Edge', numeric: false },
  { title: 'Waiting', numeric: true },
  { title: 'Connections', numeric: false },
  { title: 'Given up', numeric: false },
];

/** @param {StandingSpell} worst @returns {string[][]} a text for each column */
export const standingRows = ({ edges }) =>
  edges.map((edge) => [edgeName(edge), waitingText(edge), connectionsText(edge), gaveUpText(edge)]);

export const STOOD_COLUMNS = [
  { title: 'Service', numeric: false },
  { title: 'Requests standing', numeric: true },
  { title: 'Highest', numeric: true },
  { title: 'In second', numeric: true },
];

/** @param {WireStanding} standing @returns {string[][]} a text for each column, in the order of a request's way */
export const stoodRows = ({ services, worst, step_s: step, from_s: from }) =>
  services.map(({ name, standing }) => {
    const highest = standing.reduce((best, value, at) => (value > standing[best] ? at : best), 0);
    const mean = worst.services.find((service) => service.name === name)?.standing ?? 0;
    return [name, someText(mean), someText(standing[highest] ?? 0), figure(from + (highest + 1) * step)];
  });
