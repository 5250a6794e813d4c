/**
 * Requests that are placed elsewhere than they were, by kind. Pure.
 *
 * @typedef {import('./placed.js').PlacedRequest} PlacedRequest
 * @typedef {{ count: number, from: string, to: string, text: string }} RequestMove
 */

const NONE = 'no failed request';

/** @param {PlacedRequest[]} before @param {PlacedRequest[]} now @returns {RequestMove[]} most first */
export function requestMoves(before, now) {
  const [was, is] = [before, now].map((all) => new Map(all.map(({ id, kind }) => [id, kind])));
  /** @type {Map<string, RequestMove>} */
  const moves = new Map();
  for (const id of new Set([...was.keys(), ...is.keys()])) {
    const [from, to] = [was.get(id) ?? NONE, is.get(id) ?? NONE];
    if (from === to) continue;
    const key = `${from} → ${to}`;
    const count = (moves.get(key)?.count ?? 0) + 1;
    moves.set(key, { count, from, to, text: `${count} ${count === 1 ? 'request' : 'requests'} from ${from} to ${to}` });
  }
  return [...moves.values()].sort((one, other) => other.count - one.count);
}
