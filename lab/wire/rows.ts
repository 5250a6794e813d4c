/**
 * Calls and connections as rows of the record, and back. A run has hundreds of thousands of them, so that each has one shape, written out:
 * whatever goes by the names of columns takes several times the time.
 *
 * A row begins with its kind. Times are whole microseconds from the record's zero.
 */

import type { ConnectionRecord } from './connection.ts';
import type { Call } from './contract.ts';
import type { Lines } from './lines.ts';
import {
	BAD,
	type CallColumns,
	type ConnectionColumns,
	HOLE,
	NO_STATUS,
	RACED,
	ReadCall,
	ReadConnection,
	SENT_LEAST_S,
	type WireCall,
} from './read-connections.ts';
import type { Row } from './row.ts';

const MICRO = 1e6;

/**
 * @param connection its id
 * @param template its number
 * @param zero seconds since 1970
 */
export function writeCall(lines: Lines, call: Call, connection: number, template: number, zero: number) {
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

/**
 * @param row behind its kind
 * @param columns with room for one more
 */
export function readCall(row: Row, columns: CallColumns, zero: number): WireCall {
	const at = columns.size++;
	columns.connection[at] = row.number();
	columns.began[at] = toSeconds(row.number(), zero);
	const sent = toSeconds(row.number(), zero);
	if (sent - columns.began[at] >= SENT_LEAST_S) columns.sent.set(at, sent);
	columns.first[at] = toSeconds(row.number(), zero);
	columns.ended[at] = toSeconds(row.number(), zero);
	columns.verb[at] = row.text();
	columns.template[at] = row.number();
	const status = row.number();
	columns.status[at] = Number.isNaN(status) ? NO_STATUS : status;
	columns.code[at] = row.text();
	const bad = row.flag() ? BAD : 0;
	columns.end[at] = row.text();
	columns.by[at] = row.text();
	columns.sentBytes[at] = row.number();
	columns.answered[at] = row.number();
	columns.id[at] = row.text();
	columns.trace[at] = row.text();
	columns.role[at] = row.text();
	columns.state[at] = row.text();
	const hole = row.flag() ? HOLE : 0;
	columns.late[at] = toSeconds(row.number(), zero);
	columns.flags[at] = bad | hole | (row.flag() ? RACED : 0);
	const addresses = row.object();
	if (addresses) columns.addresses.set(at, addresses);
	return new ReadCall(columns, at);
}

export function writeConnection(lines: Lines, connection: ConnectionRecord, zero: number) {
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

/**
 * @param row behind its kind
 * @param columns with room for one more
 */
export function readConnection(row: Row, columns: ConnectionColumns, zero: number): ConnectionRecord {
	const at = columns.size++;
	columns.id[at] = row.number();
	columns.transport[at] = row.text();
	columns.client[at] = row.text();
	columns.clientPort[at] = row.number();
	columns.server[at] = row.text();
	columns.serverPort[at] = row.number();
	columns.protocol[at] = row.text();
	columns.outcome[at] = row.text();
	columns.by[at] = row.text();
	columns.midway[at] = row.flag() ? 1 : 0;
	columns.opened[at] = toSeconds(row.number(), zero);
	columns.syns[at] = row.number();
	columns.accepts[at] = row.number();
	columns.accepted[at] = toSeconds(row.number(), zero);
	columns.asked[at] = toSeconds(row.number(), zero);
	columns.answered[at] = toSeconds(row.number(), zero);
	columns.last[at] = toSeconds(row.number(), zero);
	columns.ended[at] = toSeconds(row.number(), zero);
	columns.clientBytes[at] = row.number();
	columns.serverBytes[at] = row.number();
	columns.calls[at] = row.number();
	columns.unknownBytes[at] = row.number();
	columns.hiddenBytes[at] = row.number();
	columns.reset[at] = toSeconds(row.number(), zero);
	columns.again[at] = row.number();
	columns.againAt[at] = toSeconds(row.number(), zero);
	const closed = row.object();
	if (closed) columns.closedWindow.set(at, closed);
	columns.fault[at] = row.text();
	columns.syn[at] = toSeconds(row.number(), zero);
	return new ReadConnection(columns, at);
}

const toMicro = (at: number | null | undefined, zero: number) => (at === null || at === undefined ? null : Math.round((at - zero) * MICRO));

/** @param micro none that is a number of what has no such time */
const toSeconds = (micro: number, zero: number) => zero + micro / MICRO;
