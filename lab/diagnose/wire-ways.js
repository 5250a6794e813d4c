/**
 * The record of the wire for those who compare it with other records: calls and connections of the load by who asked whom.
 *
 * @typedef {import('../wire/record.js').WireCall} WireCall
 * @typedef {import('../wire/connection.js').ConnectionRecord} ConnectionRecord
 *
 * @typedef {object} Way          from one service to another, whatever the port
 * @property {string} from
 * @property {string} to
 * @property {WireCall[]} calls     questions that began in the load or after it; without set-ups of connections and heartbeats
 * @property {ConnectionRecord[]} silent  connections that were asked for in that time, and on which no question came
 * @property {boolean} [isHidden]  what was said there is of a protocol that is known and not read, such as TLS, so that its calls are not known
 */

import { Numbering } from './joins/numbering.js';

/** What a service is asked for. */
const ASKING = new Set(['call', 'wait']);

/**
 * @param {import('./joins/numbering.js').Lined} lined
 * @param {number} from  the load's beginning. What k6 is done with others still work on, so there is no end
 * @returns {Map<string, Way>} by `from` and `to`, with a space between
 */
export function waysOf({ wire, lines, lineAt }, from) {
  /** @type {Map<string, Way>} */
  const ways = new Map();
  /** @type {Way[]} */
  const byNumber = [];
  const numbers = new Numbering();
  /** @type {Set<Way>} */
  const hiding = new Set();
  const byLine = lines.map((line) => {
    const { connection, from: asker, to: asked } = line;
    const number = numbers.of(asker, asked);
    if (byNumber[number] === undefined) {
      byNumber[number] = { from: asker, to: asked, calls: [], silent: [] };
      ways.set(`${asker} ${asked}`, byNumber[number]);
    }
    const way = byNumber[number];
    if (connection.hidden_bytes > 0) hiding.add(way);
    const isSilent = connection.asked_at === null && !connection.midway;
    if (isSilent && connection.opened_at >= from) way.silent.push(connection);
    return way;
  });
  for (let index = 0; index < wire.calls.length; index += 1) {
    const call = wire.calls[index];
    if (lineAt[index] >= 0 && call.began_at >= from && ASKING.has(call.role ?? 'call')) byLine[lineAt[index]].calls.push(call);
  }
  for (const way of hiding) if (way.calls.length === 0) way.isHidden = true;
  return ways;
}

/** @param {Map<string, Way>} ways @param {string} from */
export const waysFrom = (ways, from) => [...ways.values()].filter((way) => way.from === from);

/** @typedef {{ way: Way, call: WireCall }} Asked */

/** @param {Map<string, Way>} ways @param {Set<string>} wanted @returns {Map<string, Asked[]>} calls by their ids, in the order of time on each way */
export function callsById(ways, wanted) {
  /** @type {Map<string, Asked[]>} */
  const found = new Map();
  for (const way of ways.values())
    for (let index = 0; index < way.calls.length; index += 1) {
      const call = way.calls[index];
      const { id } = call;
      if (id === undefined || !wanted.has(id)) continue;
      const asked = found.get(id);
      if (asked) asked.push({ way, call });
      else found.set(id, [{ way, call }]);
    }
  return found;
}
