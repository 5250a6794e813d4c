/**
 * Calls and connections as rows of the record, and back. A run has hundreds of thousands of them, so that each has one shape, written out:
 * whatever goes by the names of columns takes several times the time.
 *
 * A row begins with its kind. Times are whole microseconds from the record's zero.
 */

import type { ConnectionRecord } from './connection.ts';
import type { Call } from './contract.ts';
import type { Lines } from './lines.ts';
import type { CallColumns, ConnectionColumns, WireCall } from './read-connections.ts';
import { BAD, HOLE, NO_STATUS, RACED, ReadCall, ReadConnection, SENT_LEAST_S } from './read-connections.ts';

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

/*
 * The texts of a record, each kept once and known by its number: hundreds of thousands of rows have few, and an id comes on every hop of a
 * request. They are looked up by their bytes, so that no text is made of what is known already.
 */

/** Of slots: a power of two. At most half of them are taken, so that a text is near its own. */
const SLOTS_FIRST = 4096;
/** FNV-1a. */
const [BASIS, PRIME] = [0x811c9dc5, 0x01000193];

class Texts {
	/** By their numbers; 0 is none. */
	all: any[] = [undefined];
	/** Numbers, each in the first slot from its hash on that was free. */
	#slots = new Int32Array(SLOTS_FIRST);
	/** Of each text. */
	#hashes = [0];

	/** @param to the text, of ASCII */
	numberOf(bytes: Buffer, from: number, to: number): number {
		let hash = BASIS;
		for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ bytes[at], PRIME);
		const last = this.#slots.length - 1;
		let slot = hash & last;
		for (let number = this.#slots[slot]; number !== 0; number = this.#slots[slot]) {
			if (this.#hashes[number] === hash && isAt(this.all[number], bytes, from, to)) return number;
			slot = (slot + 1) & last;
		}
		return this.#add(bytes.toString('latin1', from, to), hash, slot);
	}

	/** One of any signs, as hardly any is: it is not looked up. */
	add(text: string): number {
		this.#hashes.push(0);
		return this.all.push(text) - 1;
	}

	#add(text: string, hash: number, slot: number) {
		const number = this.all.push(text) - 1;
		this.#hashes.push(hash);
		this.#slots[slot] = number;
		if (number * 2 > this.#slots.length) this.#grow();
		return number;
	}

	#grow() {
		const known = this.#slots.filter((number) => number !== 0);
		this.#slots = new Int32Array(this.#slots.length * 2);
		const last = this.#slots.length - 1;
		for (const number of known) {
			let slot = this.#hashes[number] & last;
			while (this.#slots[slot] !== 0) slot = (slot + 1) & last;
			this.#slots[slot] = number;
		}
	}
}

function isAt(text: string, bytes: Buffer, from: number, to: number) {
	if (text.length !== to - from) return false;
	for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) !== bytes[from + index]) return false;
	return true;
}

/*
 * A row of the record, read from its bytes value by value, in the order in which lines.ts writes them: to make a list of each of hundreds of
 * thousands, and its texts, takes three times as long. Values that are missing at its end are null.
 */

const CODE = { comma: 44, quote: 34, backslash: 92, zero: 48, nine: 57, first: 32, last: 126, open: 91, close: 93, line: 10 };
const [BRACE_OPEN, BRACE_CLOSE] = [123, 125];
/** What these words begin with. */
const [NULL, TRUE, FALSE] = [110, 116, 102];
/** Digits of numbers that are added up exactly. */
const DIGITS_MOST = 15;

export class Row {
	texts = new Texts();
	#bytes = Buffer.alloc(0) as Buffer;
	/** Behind what was read. */
	#at = 0;

	/**
	 * @param bytes whole lines
	 * @param from where one begins
	 * @returns of the text that is its kind; 0 where it is no row
	 */
	begin(bytes: Buffer, from: number): number {
		this.#bytes = bytes;
		this.#at = from + 1;
		return bytes[from] === CODE.open && bytes[from + 1] === CODE.quote ? this.#text() : 0;
	}

	/** @returns where the next line begins */
	end(): number {
		return this.#bytes.indexOf(CODE.line, this.#at) + 1;
	}

	/** @returns NaN where there is none */
	number(): number {
		if (!this.#isGiven()) return Number.NaN;
		const bytes = this.#bytes;
		const from = this.#at;
		let [at, number] = [from, 0];
		for (let code = bytes[at]; code >= CODE.zero && code <= CODE.nine; code = bytes[++at]) number = number * 10 + (code - CODE.zero);
		if ((bytes[at] !== CODE.comma && bytes[at] !== CODE.close) || at - from > DIGITS_MOST) return this.#value('number');
		this.#at = at;
		return number;
	}

	/** @returns by which it is found in `texts`; 0 where there is none */
	text(): number {
		return this.#isGiven() ? this.#text() : 0;
	}

	/** @returns false where there is none */
	flag(): boolean {
		if (!this.#isGiven()) return false;
		const first = this.#bytes[this.#at];
		if (first !== TRUE && first !== FALSE) return this.#value('boolean');
		this.#at += first === TRUE ? 'true'.length : 'false'.length;
		return first === TRUE;
	}

	/** @returns undefined where there is none */
	object(): any {
		return this.#isGiven() ? this.#value('object') : undefined;
	}

	/**
	 * Goes to the next value.
	 * @returns whether there is one, and it is not null
	 */
	#isGiven(): boolean {
		const bytes = this.#bytes;
		if (bytes[this.#at] === CODE.close) return false;
		if (bytes[this.#at] !== CODE.comma) throw new SyntaxError('a row with something else between two values than a comma');
		this.#at += 1;
		if (bytes[this.#at] !== NULL) return true;
		this.#at += 'null'.length;
		return false;
	}

	#text() {
		const bytes = this.#bytes;
		const from = this.#at + 1;
		let at = from;
		for (let code = bytes[at]; code >= CODE.first && code <= CODE.last && code !== CODE.quote && code !== CODE.backslash; )
			code = bytes[++at];
		if (bytes[from - 1] !== CODE.quote || bytes[at] !== CODE.quote) return this.texts.add(this.#value('string'));
		this.#at = at + 1;
		return this.texts.numberOf(bytes, from, at);
	}

	/**
	 * One that is not plain, as few are.
	 * @throws {SyntaxError} of another kind
	 */
	#value(kind: 'number' | 'string' | 'boolean' | 'object'): any {
		const bytes = this.#bytes;
		const from = this.#at;
		let [at, depth, isText] = [from, 0, false];
		for (; at < bytes.length && bytes[at] !== CODE.line; at += 1) {
			const code = bytes[at];
			if (isText && code === CODE.backslash) at += 1;
			else if (code === CODE.quote) isText = !isText;
			else if (isText) continue;
			else if (depth === 0 && (code === CODE.comma || code === CODE.close)) break;
			else if (code === CODE.open || code === BRACE_OPEN) depth += 1;
			else if (code === CODE.close || code === BRACE_CLOSE) depth -= 1;
		}
		this.#at = at;
		const value = JSON.parse(bytes.toString('utf8', from, at));
		if (typeof value !== kind) throw new SyntaxError(`a ${typeof value} where a row has a ${kind}`);
		return value;
	}
}
