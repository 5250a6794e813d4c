/** The connections of a record as they are read: columns, of which each connection is a view. */

/**
 * Rows of a record as columns, of which each row is a view. A run has hundreds of thousands of them; as objects of their own they take twice the
 * memory, and a collector goes through all that again and again.
 */
/**
 * by their numbers; a text of the number 0 is none. Templates are known at the
 *   record's end
 */
type Book = { texts: any[]; templates: string[] };

import type { ConnectionRecord } from './connection.ts';
import type { Call } from './contract.ts';

/** Rows whose columns are made at a time. */
const TOGETHER = 16_384;

/**
 * Columns of rows of one kind.
 * @template Columns size: rows that they have
 */
export class Blocks<Columns extends { size: number }> {
	#make;
	#last: Columns | null = null;

	constructor(make: () => Columns) {
		this.#make = make;
	}

	/** @returns with room for one more */
	open(): Columns {
		if (this.#last === null || this.#last.size === TOGETHER) this.#last = this.#make();
		return this.#last;
	}
}

/** @param at none that is a number of what has no such time */
const timeOf = (at: number) => (Number.isNaN(at) ? null : at);

/** Of nearly all connections. */
const NEVER_CLOSED: ConnectionRecord['closed_window'] = Object.freeze({ client: null, server: null });

/** What has no such time has none that is a number. */
export class ConnectionColumns {
	book: Book;
	size = 0;
	id = new Int32Array(TOGETHER);
	clientPort = new Int32Array(TOGETHER);
	serverPort = new Int32Array(TOGETHER);
	midway = new Uint8Array(TOGETHER);
	opened = new Float64Array(TOGETHER);
	syns = new Int32Array(TOGETHER);
	accepts = new Int32Array(TOGETHER);
	accepted = new Float64Array(TOGETHER);
	asked = new Float64Array(TOGETHER);
	answered = new Float64Array(TOGETHER);
	last = new Float64Array(TOGETHER);
	ended = new Float64Array(TOGETHER);
	clientBytes = new Float64Array(TOGETHER);
	serverBytes = new Float64Array(TOGETHER);
	calls = new Int32Array(TOGETHER);
	unknownBytes = new Float64Array(TOGETHER);
	hiddenBytes = new Float64Array(TOGETHER);
	reset = new Float64Array(TOGETHER);
	again = new Int32Array(TOGETHER);
	againAt = new Float64Array(TOGETHER);
	syn = new Float64Array(TOGETHER);
	/** Numbers of texts. */
	transport = new Int32Array(TOGETHER);
	client = new Int32Array(TOGETHER);
	server = new Int32Array(TOGETHER);
	protocol = new Int32Array(TOGETHER);
	outcome = new Int32Array(TOGETHER);
	by = new Int32Array(TOGETHER);
	fault = new Int32Array(TOGETHER);
	/** Of the few that have any. */
	closedWindow: Map<number, ConnectionRecord['closed_window']> = new Map();

	constructor(book: Book) {
		this.book = book;
	}
}

export class ReadConnection implements ConnectionRecord {
	#of;
	#at;

	constructor(columns: ConnectionColumns, at: number) {
		this.#of = columns;
		this.#at = at;
	}

	get id() {
		return this.#of.id[this.#at];
	}

	get transport() {
		return this.#of.book.texts[this.#of.transport[this.#at]];
	}

	get client() {
		return this.#of.book.texts[this.#of.client[this.#at]];
	}

	get client_port() {
		return this.#of.clientPort[this.#at];
	}

	get server() {
		return this.#of.book.texts[this.#of.server[this.#at]];
	}

	get server_port() {
		return this.#of.serverPort[this.#at];
	}

	get protocol() {
		return this.#of.book.texts[this.#of.protocol[this.#at]];
	}

	get outcome() {
		return this.#of.book.texts[this.#of.outcome[this.#at]];
	}

	get by() {
		return this.#of.book.texts[this.#of.by[this.#at]] ?? null;
	}

	get midway() {
		return this.#of.midway[this.#at] === 1;
	}

	get opened_at() {
		return this.#of.opened[this.#at];
	}

	get syns() {
		return this.#of.syns[this.#at];
	}

	get accepts() {
		return this.#of.accepts[this.#at];
	}

	get accepted_at() {
		return timeOf(this.#of.accepted[this.#at]);
	}

	get asked_at() {
		return timeOf(this.#of.asked[this.#at]);
	}

	get answered_at() {
		return timeOf(this.#of.answered[this.#at]);
	}

	get last_at() {
		return timeOf(this.#of.last[this.#at]);
	}

	get ended_at() {
		return timeOf(this.#of.ended[this.#at]);
	}

	get client_bytes() {
		return this.#of.clientBytes[this.#at];
	}

	get server_bytes() {
		return this.#of.serverBytes[this.#at];
	}

	get calls() {
		return this.#of.calls[this.#at];
	}

	/** Those that are no calls are taken out when the record is read (turns.ts). */
	set calls(calls) {
		this.#of.calls[this.#at] = calls;
	}

	get unknown_bytes() {
		return this.#of.unknownBytes[this.#at];
	}

	get hidden_bytes() {
		return this.#of.hiddenBytes[this.#at];
	}

	get reset_at() {
		return timeOf(this.#of.reset[this.#at]);
	}

	get again() {
		return this.#of.again[this.#at];
	}

	get again_at() {
		return timeOf(this.#of.againAt[this.#at]);
	}

	get closed_window() {
		return this.#of.closedWindow.get(this.#at) ?? NEVER_CLOSED;
	}

	get fault() {
		return this.#of.book.texts[this.#of.fault[this.#at]] ?? '';
	}

	get syn_at() {
		return timeOf(this.#of.syn[this.#at]);
	}

	toJSON(): ConnectionRecord {
		const { id, transport, client, client_port, server, server_port, protocol, outcome, by, midway, opened_at, syns, accepts } = this;
		const { accepted_at, asked_at, answered_at, last_at, ended_at, client_bytes, server_bytes, calls, unknown_bytes } = this;
		const { hidden_bytes, reset_at, again, again_at, closed_window, fault, syn_at } = this;
		return {
			...{ id, transport, client, client_port, server, server_port, protocol, outcome, by, midway, opened_at, syns, accepts },
			...{ accepted_at, asked_at, answered_at, last_at, ended_at, client_bytes, server_bytes, calls, unknown_bytes },
			...{ hidden_bytes, reset_at, again, again_at, closed_window, fault, syn_at },
		};
	}
}

/**
 * The calls of a record as they are read: columns, of which each call is a view. When a question had passed is mostly in the record
 * alone: nobody who reads it asks for that.
 */
/**
 * connection: its id; sent_at: last byte of a question that took SENT_LEAST_S or longer; id_by_time: its id is not of the wire. The
 * generator's own record of when it ended says which request it was
 */
export type WireCall = Omit<Call, 'sent_at'> & { connection: number; sent_at?: number | null; id_by_time?: boolean };

/** Most questions pass at once; of the others it is kept when they had. */
export const SENT_LEAST_S = 0.5;

/** Of what has no status. */
export const NO_STATUS = -(2 ** 31);
/** Flags. */
export const [BAD, HOLE, RACED] = [1, 2, 4];

/** What has no such time has none that is a number. */
export class CallColumns {
	book: Book;
	size = 0;
	connection = new Int32Array(TOGETHER);
	began = new Float64Array(TOGETHER);
	first = new Float64Array(TOGETHER);
	ended = new Float64Array(TOGETHER);
	late = new Float64Array(TOGETHER);
	sentBytes = new Float64Array(TOGETHER);
	answered = new Float64Array(TOGETHER);
	status = new Int32Array(TOGETHER);
	flags = new Uint8Array(TOGETHER);
	/** Numbers of texts. */
	verb = new Int32Array(TOGETHER);
	code = new Int32Array(TOGETHER);
	end = new Int32Array(TOGETHER);
	by = new Int32Array(TOGETHER);
	id = new Int32Array(TOGETHER);
	trace = new Int32Array(TOGETHER);
	role = new Int32Array(TOGETHER);
	state = new Int32Array(TOGETHER);
	/** Number of a template. */
	template = new Int32Array(TOGETHER);
	/** Of the few that have any. */
	addresses: Map<number, string[]> = new Map();
	/** The same. */
	sent: Map<number, number> = new Map();

	constructor(book: Book) {
		this.book = book;
	}
}

export class ReadCall implements WireCall {
	#of;
	#at;

	constructor(columns: CallColumns, at: number) {
		this.#of = columns;
		this.#at = at;
	}

	get connection() {
		return this.#of.connection[this.#at];
	}

	get began_at() {
		return this.#of.began[this.#at];
	}

	get sent_at() {
		return this.#of.sent.get(this.#at);
	}

	get first_at() {
		return timeOf(this.#of.first[this.#at]);
	}

	get ended_at() {
		return timeOf(this.#of.ended[this.#at]);
	}

	get late_at() {
		return timeOf(this.#of.late[this.#at]) ?? undefined;
	}

	get sent_bytes() {
		return this.#of.sentBytes[this.#at];
	}

	get answered_bytes() {
		return this.#of.answered[this.#at];
	}

	get verb() {
		return this.#of.book.texts[this.#of.verb[this.#at]];
	}

	get template() {
		return this.#of.book.templates[this.#of.template[this.#at]] ?? '';
	}

	get status() {
		const status = this.#of.status[this.#at];
		return status === NO_STATUS ? null : status;
	}

	get code() {
		return this.#of.book.texts[this.#of.code[this.#at]] ?? null;
	}

	get bad() {
		return (this.#of.flags[this.#at] & BAD) !== 0;
	}

	get end() {
		return this.#of.book.texts[this.#of.end[this.#at]];
	}

	get by() {
		return this.#of.book.texts[this.#of.by[this.#at]] ?? null;
	}

	get id() {
		return this.#of.book.texts[this.#of.id[this.#at]];
	}

	get trace() {
		return this.#of.book.texts[this.#of.trace[this.#at]];
	}

	get role() {
		return this.#of.book.texts[this.#of.role[this.#at]];
	}

	get state() {
		return this.#of.book.texts[this.#of.state[this.#at]];
	}

	get hole() {
		return (this.#of.flags[this.#at] & HOLE) !== 0 || undefined;
	}

	get raced() {
		return (this.#of.flags[this.#at] & RACED) !== 0 || undefined;
	}

	get addresses() {
		return this.#of.addresses.get(this.#at);
	}

	toJSON(): WireCall {
		const { connection, began_at, sent_at, first_at, ended_at, verb, template, status, code, bad, end, by } = this;
		const { sent_bytes, answered_bytes, id, trace, role, state, hole, late_at, raced, addresses } = this;
		return {
			...{ connection, began_at, sent_at, first_at, ended_at, verb, template, status, code, bad, end, by },
			...{ sent_bytes, answered_bytes, id, trace, role, state, hole, late_at, raced, addresses },
		};
	}
}
