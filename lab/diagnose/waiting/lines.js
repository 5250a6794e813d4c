/**
 * In which state a connection is at a moment.
 *
 * @typedef {import('./seen.js').Seen} Seen
 * @typedef {import('./seen.js').Line} Line
 * @typedef {'connecting' | 'asking' | 'unread' | 'held' | 'idle'} State  unread: its asker does not read the answer to its end; held: in a
 *   transaction, and asking nothing
 */
import { average, middle, some, spread, upTo } from './spread.js';

/** More moments tell no more. */
const MOMENTS_MOST = 100;
const [LOW, HIGH] = [0.1, 0.9];

/** @param {Seen} seen @param {Line} line @param {number} at @returns {State | null} null where it is not open */
export function stateAt(seen, line, at) {
  const { opened_at: opened, accepted_at: accepted, ended_at: ended, midway } = line.connection;
  if (at < opened || (ended !== null && at >= ended)) return null;
  const last = lastBefore(seen, line, at);
  if (last === null) return accepted !== null || midway ? 'idle' : 'connecting';
  if (seen.waited[last] > at) return 'asking';
  if (seen.over[last] > at) return 'unread';
  return seen.isWithin[last] === 1 ? 'held' : 'idle';
}

/** @param {Seen} seen @param {Line} line @param {number} at @returns {number | null} the last call that had begun */
export function lastBefore({ began }, { calls }, at) {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const place = (low + high) >> 1;
    if (began[calls[place]] <= at) low = place + 1;
    else high = place;
  }
  return low === 0 ? null : calls[low - 1];
}

/**
 * Where there is a connection for each call, few are open at a moment.
 * @param {Line} line @param {number[]} moments  in the order of time
 * @returns {number[]} places of those at which it was open
 */
export function within({ connection: { opened_at: opened, ended_at: ended } }, moments) {
  const found = [];
  for (let index = upTo(moments, opened - CLOCK_S); index < moments.length && (ended === null || moments[index] < ended); index += 1)
    found.push(index);
  return found;
}
/** As fine as the record's times are. */
const CLOCK_S = 1e-6;

/**
 * @typedef {object} Pool        connections of one edge over moments
 * @property {string} to
 * @property {number} total      middle number of open ones
 * @property {boolean} isFlat    their number hardly changes
 * @property {Record<State, number>} states  mean numbers
 * @property {boolean} isKept    connections serve several calls each
 *
 * @param {Seen} seen @param {string} from @param {string} to @param {number[]} moments
 * @returns {Pool}
 */
export function poolAt(seen, from, to, moments) {
  const lines = seen.lines(from, to).filter(({ connection }) => connection.transport === 'tcp');
  const at = some(moments, MOMENTS_MOST);
  const looked = at.map(() => ({ connecting: 0, asking: 0, unread: 0, held: 0, idle: 0 }));
  for (const line of lines)
    for (const index of within(line, at)) {
      const state = stateAt(seen, line, at[index]);
      if (state !== null) looked[index][state] += 1;
    }
  const totals = looked.map(({ asking, unread, held, idle }) => asking + unread + held + idle);
  const mean = (/** @type {State} */ state) => average(looked.map((counts) => counts[state]));
  return {
    ...{ to, total: totals.length === 0 ? 0 : middle(totals), isFlat: totals.length > 0 && spread(totals, LOW) === spread(totals, HIGH) },
    states: { connecting: mean('connecting'), asking: mean('asking'), unread: mean('unread'), held: mean('held'), idle: mean('idle') },
    isKept: lines.filter(({ calls }) => calls.length > 1).length * 2 >= lines.filter(({ calls }) => calls.length > 0).length,
  };
}

/** @typedef {{ from: number, to: number, line: Line }} Transaction */

/**
 * Times in which a connection was in a transaction without an end.
 * @param {Seen} seen @param {Line} line
 * @returns {Transaction[]}
 */
export function transactionsOn({ isWithin, began, over, until }, line) {
  const spans = [];
  let from = /** @type {number | null} */ (null);
  for (const call of line.calls) {
    if (isWithin[call] === 1) from ??= began[call];
    if (isWithin[call] === 1 || from === null) continue;
    spans.push({ from, to: over[call], line });
    from = null;
  }
  if (from !== null) spans.push({ from, to: line.connection.ended_at ?? until, line });
  return spans;
}
