/**
 * How a call ends that got no whole answer: the same rule for every protocol.
 *
 * @typedef {import('./contract.js').Call} Call
 * @typedef {import('./contract.js').ConnectionEnd} ConnectionEnd
 */

/**
 * A call as it stands when its question begins.
 * @param {number} at
 * @returns {Call}
 */
export const newCall = (at) => ({
  began_at: at,
  sent_at: null,
  first_at: null,
  ended_at: null,
  verb: '',
  template: '',
  status: null,
  code: null,
  bad: false,
  end: 'open',
  by: null,
  sent_bytes: 0,
  answered_bytes: 0,
});

/**
 * Of a call that was open when its connection ended.
 * @param {Call} call  is changed
 * @param {ConnectionEnd} end
 * @returns {Call}
 */
export function brokenOff(call, { at, by, how }) {
  if (how === 'open' || by === null) return Object.assign(call, { end: 'open', by: null, ended_at: null });
  // The server had gone when the question left: its client could not know.
  if (by === 'server' && call.began_at > at) call.raced = true;
  return Object.assign(call, { end: endOf(call, by, how), by, ended_at: Math.max(at, call.began_at) });
}

/** @param {Call} call @param {import('./contract.js').Side} by @param {'closed' | 'reset'} how @returns {import('./contract.js').End} */
function endOf({ first_at: firstAt }, by, how) {
  if (firstAt !== null) return 'cut';
  if (by === 'client') return 'given-up';
  return how === 'reset' ? 'reset' : 'closed';
}
