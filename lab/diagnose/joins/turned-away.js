/**
 * Connections that were turned away before anything was asked on them, as bad calls of whoever asked for them: refused, not answered, closed
 * by their server, or answered with an error where a login was to be.
 *
 * @typedef {import('../../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../../wire/record.js').WireCall} WireCall
 * @typedef {import('../../wire/connection-record.js').ConnectionRecord} ConnectionRecord
 */
import { newCall } from '../../wire/calls.js';

/** @param {WireRecord} wire @returns {WireCall[]} its calls, and one for each of those that have none */
export function withTurnedAway({ calls, connections }) {
  const made = connections.filter((connection) => turnedAwayBy(connection) !== null).map(callOf);
  return made.length === 0 ? calls : [...calls, ...made];
}

/**
 * Whether it was to set a connection up, and did not.
 * @param {WireCall} call
 */
export const isTurnedAway = (call) => call.role === 'connect' && (call.bad || (call.end !== 'answered' && call.end !== 'open'));

/** Of one that was turned away. @param {ConnectionRecord} connection @returns {WireCall} */
function callOf(connection) {
  const { id, opened_at: at, outcome, by } = connection;
  // Whoever gives up a connection that is not answered says nothing.
  const endedAt = outcome === 'unanswered' ? (connection.syn_at ?? at) : connection.ended_at;
  const made = { role: /** @type {const} */ ('connect'), verb: 'CONNECT', bad: true, by, ended_at: endedAt };
  return { ...newCall(at), ...made, end: endOf(connection), connection: id };
}

/** @param {ConnectionRecord} connection @returns {WireCall['end']} */
function endOf({ outcome, by }) {
  if (outcome === 'open') return 'open';
  if (by === 'client') return 'given-up';
  return outcome === 'closed' ? 'closed' : 'reset';
}

/**
 * How a connection was turned away, of which no decoder tells a call.
 * @param {ConnectionRecord} connection
 * @returns {'refused' | 'unanswered' | 'unasked-closed' | 'unasked-reset' | null} null: it was not
 */
export function turnedAwayBy({ transport, midway, accepted_at: acceptedAt, asked_at: askedAt, calls, outcome, by }) {
  if (transport !== 'tcp' || midway || askedAt !== null || calls > 0) return null;
  if (outcome === 'refused') return outcome;
  if (by === 'server') return outcome === 'closed' ? 'unasked-closed' : outcome === 'reset' ? 'unasked-reset' : null;
  return acceptedAt === null ? 'unanswered' : null;
}
