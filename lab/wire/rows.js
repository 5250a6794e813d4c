/**
 * Calls and connections as rows of the record, and connections back (calls: read-calls.js). A run has hundreds of thousands of them, so that
 * each has one shape, written out: whatever goes by the names of columns takes several times the time, and keeps twice the memory.
 *
 * @typedef {import('./connection-record.js').ConnectionRecord} ConnectionRecord
 * @typedef {import('./lines.js').Lines} Lines
 *
 * A row begins with its kind. Times are whole microseconds from the record's zero.
 */

const MICRO = 1e6;
/** Of nearly all connections. @type {ConnectionRecord['closed_window']} */
const NEVER_CLOSED = Object.freeze({ client: null, server: null });

/**
 * @param {Lines} lines
 * @param {import('./contract.js').Call} call
 * @param {number} connection  its id
 * @param {number} template    its number
 * @param {number} zero        seconds since 1970
 */
export function writeCall(lines, call, connection, template, zero) {
  lines.begin('call');
  lines.number(connection);
  lines.number(toMicro(call.began_at, zero));
  lines.number(toMicro(call.sent_at, zero));
  lines.number(toMicro(call.first_at, zero));
  lines.number(toMicro(call.ended_at, zero));
  lines.text(call.verb);
  lines.number(template);
  lines.number(call.status);
  lines.text(call.code);
  lines.flag(call.bad);
  lines.text(call.end);
  lines.text(call.by);
  lines.number(call.sent_bytes);
  lines.number(call.answered_bytes);
  lines.text(call.id);
  lines.text(call.trace);
  lines.text(call.role);
  lines.text(call.state);
  lines.flag(call.hole);
  lines.number(toMicro(call.late_at, zero));
  lines.flag(call.raced);
  lines.object(call.addresses);
  lines.end();
}

/** @param {Lines} lines @param {ConnectionRecord} connection @param {number} zero */
export function writeConnection(lines, connection, zero) {
  lines.begin('connection');
  lines.number(connection.id);
  lines.text(connection.transport);
  lines.text(connection.client);
  lines.number(connection.client_port);
  lines.text(connection.server);
  lines.number(connection.server_port);
  lines.text(connection.protocol);
  lines.text(connection.outcome);
  lines.text(connection.by);
  lines.flag(connection.midway);
  lines.number(toMicro(connection.opened_at, zero));
  lines.number(connection.syns);
  lines.number(connection.accepts);
  lines.number(toMicro(connection.accepted_at, zero));
  lines.number(toMicro(connection.asked_at, zero));
  lines.number(toMicro(connection.answered_at, zero));
  lines.number(toMicro(connection.last_at, zero));
  lines.number(toMicro(connection.ended_at, zero));
  lines.number(connection.client_bytes);
  lines.number(connection.server_bytes);
  lines.number(connection.calls);
  lines.number(connection.unknown_bytes);
  lines.number(connection.hidden_bytes);
  lines.number(toMicro(connection.reset_at, zero));
  lines.number(connection.again);
  lines.number(toMicro(connection.again_at, zero));
  lines.object(connection.closed_window.client || connection.closed_window.server ? connection.closed_window : null);
  lines.text(connection.fault || null);
  lines.number(toMicro(connection.syn_at, zero));
  lines.end();
}

/** @param {any[]} row @param {number} zero @param {Texts} texts @returns {ConnectionRecord} */
export const connectionOfRow = (row, zero, texts) => ({
  id: row[1],
  transport: texts.own(row[2]),
  client: texts.own(row[3]),
  client_port: row[4],
  server: texts.own(row[5]),
  server_port: row[6],
  protocol: texts.own(row[7]),
  outcome: texts.own(row[8]),
  by: texts.own(row[9] ?? null),
  midway: row[10],
  opened_at: zero + row[11] / MICRO,
  syns: row[12],
  accepts: row[13],
  accepted_at: toSeconds(row[14], zero),
  asked_at: toSeconds(row[15], zero),
  answered_at: toSeconds(row[16], zero),
  last_at: toSeconds(row[17], zero),
  ended_at: toSeconds(row[18], zero),
  client_bytes: row[19],
  server_bytes: row[20],
  calls: row[21],
  unknown_bytes: row[22],
  hidden_bytes: row[23],
  reset_at: toSeconds(row[24], zero),
  again: row[25],
  again_at: toSeconds(row[26], zero),
  closed_window: row[27] ?? NEVER_CLOSED,
  fault: row[28] ?? '',
  syn_at: toSeconds(row[29], zero),
});

/** Texts that come again and again, such as an address, kept once. */
export class Texts {
  /** @type {Map<unknown, any>} */
  #known = new Map();

  /** @param {string | null | undefined} text @returns {any} */
  own(text) {
    if (text === null || text === undefined) return text;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, text);
    return text;
  }
}

/** @param {number | null | undefined} at @param {number} zero */
const toMicro = (at, zero) => (at === null || at === undefined ? null : Math.round((at - zero) * MICRO));

/** @param {number | null | undefined} micro @param {number} zero */
const toSeconds = (micro, zero) => (micro === null || micro === undefined ? null : zero + micro / MICRO);
