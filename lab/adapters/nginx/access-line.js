/**
 * A line of Nginx's access log in the lab's format, as a sighting.
 *
 * @typedef {object} AccessLine   several attempts are told one after the other, in one text
 * @property {number} t           end of the request, seconds since 1970
 * @property {string} id          of the request
 * @property {number} status
 * @property {number} request_s
 * @property {number} connection  number of the client's connection
 * @property {string} upstream    addresses that were asked; the name of the group of servers where none was left to ask
 * @property {string} upstream_status
 * @property {string} connect_s
 * @property {string} upstream_s
 * @property {string} error       name, of an answer with an error
 * @property {string} completion  `OK` when the answer went out whole
 *
 * @typedef {import('./messages.js').LogMessage} LogMessage
 */
import { serviceAt } from '../hop-counts.js';
import { OF_ATTEMPTS } from './messages.js';

/** The client hung up before the answer: Nginx's own status, never sent. */
const CLIENT_CLOSED = 499;
/** Nginx's own about a server that did not answer; it stands for the server's too. */
const NO_ANSWER = new Set([502, 504]);

/** @param {string} text of a variable that names each attempt */
export const attemptsIn = (text) => (text === '' ? [] : text.split(/ ?[,:] /));

/** @param {LogMessage[]} messages @returns {Map<number, LogMessage[]>} by the client's connection, in their order */
export function groupByConnection(messages) {
  const groups = new Map();
  for (const message of messages) {
    if (message.connection === null) continue;
    const group = groups.get(message.connection);
    if (group) group.push(message);
    else groups.set(message.connection, [message]);
  }
  return groups;
}

/**
 * The error log names the client's connection, so a message belongs to the request that was on it in those seconds.
 * @param {AccessLine} line
 * @param {{ service: string, names: Map<string, string>, byConnection: Map<number, LogMessage[]> }} about
 * @returns {import('../contract.js').Sighting}
 */
export function sightingOf(line, { service, names, byConnection }) {
  const inTime = (byConnection.get(line.connection) ?? []).filter(
    // The error log has whole seconds.
    ({ t }) => t >= Math.floor(line.t - line.request_s) && t <= line.t,
  );
  const sent = line.completion === 'OK' && line.status !== CLIENT_CLOSED;
  return {
    service,
    id: line.id,
    received: line.t - line.request_s,
    ended: line.t,
    outcome: sent ? 'answered' : 'broken',
    status: line.status,
    error: line.error,
    place: '',
    asked: askedIn(
      line,
      inTime.filter(({ signal }) => OF_ATTEMPTS.has(signal)),
      names,
    ),
    own: inTime.filter(({ signal }) => !OF_ATTEMPTS.has(signal)),
    took_ms: { whole: line.request_s * 1000, behind: msIn(line.upstream_s), connect: msIn(line.connect_s) },
  };
}

/** @type {(line: AccessLine, failures: LogMessage[], names: Map<string, string>) => import('../contract.js').Asked[]} */
function askedIn(line, failures, names) {
  if (line.upstream === '' || line.upstream === '-') return [];
  const statuses = attemptsIn(line.upstream_status);
  const connects = attemptsIn(line.connect_s);
  const times = attemptsIn(line.upstream_s);
  const left = [...failures];
  return attemptsIn(line.upstream).map((address, index) => {
    const bare = address.replace(/:\d+$/, '');
    const at = left.findIndex(({ to }) => to === bare);
    const status = Number(statuses[index]);
    return {
      to: serviceAt(address, names),
      status: statuses[index] === undefined || !Number.isInteger(status) || NO_ANSWER.has(status) ? null : status,
      connected: /\d/.test(connects[index] ?? ''),
      message: at < 0 ? null : left.splice(at, 1)[0],
      took_s: Number(times[index]) || 0,
    };
  });
}

/** @param {string} text seconds of each attempt; `-` where there was none */
const msIn = (text) => attemptsIn(text).reduce((sum, seconds) => sum + (Number(seconds) || 0), 0) * 1000;
