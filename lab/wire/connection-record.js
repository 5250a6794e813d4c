/**
 * What is kept of a connection.
 *
 * @typedef {import('./contract.js').Side} Side
 * @typedef {typeof OUTCOMES[number]} Outcome
 *
 * @typedef {object} ConnectionRecord  times in seconds since 1970
 * @property {number} id
 * @property {'tcp' | 'udp'} transport  of datagrams: what was said between two ends without a long silence
 * @property {string} client            address
 * @property {number} client_port
 * @property {string} server            address
 * @property {number} server_port
 * @property {boolean} midway           it was there before the capture
 * @property {number} opened_at         of its first packet
 * @property {number} syns              how often the client asked for it
 * @property {number | null} syn_at     the last time; null in a record from before
 * @property {number | null} accepted_at  by the server's kernel
 * @property {number} accepts           how often it said so: more than once where the client's last word of the handshake was not taken
 * @property {number | null} asked_at   first byte from the client
 * @property {number | null} answered_at  first byte from the server
 * @property {number | null} last_at    last packet with a byte
 * @property {number | null} ended_at   first FIN or RST
 * @property {Outcome} outcome
 * @property {Side | null} by           who ended it
 * @property {number | null} reset_at   first RST
 * @property {number} client_bytes      that were sent, recorded or not
 * @property {number} server_bytes
 * @property {number} again             segments that were sent again
 * @property {number | null} again_at   the last of them
 * @property {Record<Side, { times: number, first_at: number, last_at: number } | null>} closed_window  a side said that it takes no more bytes
 * @property {string} protocol          of a decoder; `unknown`; empty where nothing was said
 * @property {number} calls
 * @property {number} unknown_bytes     that its decoder could not understand, or that no decoder takes
 * @property {number} hidden_bytes      of a protocol that is known and is not read
 * @property {string} fault             kind of an error that its decoder made, which read no more of it; empty where it made none
 */

/**
 * `refused`: an RST for the SYN. `unanswered`: nothing for it. `closed`, `reset`: by `by`. `open`: when the capture ended, or its end was
 * not seen.
 */
export const OUTCOMES = /** @type {const} */ (['refused', 'unanswered', 'closed', 'reset', 'open']);

/**
 * @param {{ id: number, client: string, client_port: number, server: string, server_port: number, at: number, midway: boolean, transport?: 'tcp' | 'udp' }} about
 * @returns {ConnectionRecord} as it begins
 */
export const emptyRecord = (about) => ({
  id: about.id,
  transport: about.transport ?? 'tcp',
  client: about.client,
  client_port: about.client_port,
  server: about.server,
  server_port: about.server_port,
  midway: about.midway,
  opened_at: about.at,
  syns: 0,
  syn_at: null,
  accepted_at: null,
  accepts: 0,
  asked_at: null,
  answered_at: null,
  last_at: null,
  ended_at: null,
  outcome: 'open',
  by: null,
  reset_at: null,
  client_bytes: 0,
  server_bytes: 0,
  again: 0,
  again_at: null,
  closed_window: { client: null, server: null },
  protocol: '',
  calls: 0,
  unknown_bytes: 0,
  hidden_bytes: 0,
  fault: '',
});
