/** Heads of HTTP/1 messages: of all that they say, what tells how long a message is, and the ids. */

import type { Chunk, Side, Verdict } from '../../wire/contract.ts';
import { ID_LENGTH } from '../../wire/contract.ts';
import { StreamReader } from '../../wire/stream-reader.ts';
import { plainId, traceId } from '../../wire/templates.ts';

export type Head = {
	/** the first */
	line: string;
	/** content-length; null where it says none, or none that can be */
	length: number | null;
	isChunked: boolean;
	/** to which protocol, in lower case; empty where it says none */
	upgrade: string;
	id: string | undefined;
	trace: string | undefined;
};

/** Whatever else stands in their place is not kept. */
export const METHODS = new Set(
	(
		'GET HEAD POST PUT DELETE PATCH OPTIONS CONNECT TRACE PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH PURGE LINK UNLINK ' +
		'MKCALENDAR ACL BIND QUERY SUBSCRIBE NOTIFY'
	).split(' '),
);
const METHOD_LENGTH = 12;
/** Of headers that are read. */
const NAMES = new Set(['upgrade', 'traceparent', 'x-request-id', 'content-length', 'transfer-encoding']);
/** Of names of other lengths no text is made. */
const NAME_LENGTHS = new Set([...NAMES].map(({ length }) => length));
const REQUEST_LINE = /^[A-Z]+ [^ ]* HTTP\/1\.[01]$/;
const STATUS_LINE = /^HTTP\/1\.[01] \d{3}(?: |$)/;
const VERSION_LENGTH = ' HTTP/1.1'.length;

/** @param size up to the empty line, or as far as it was recorded: all of them unless given */
function readHead(bytes: Buffer, size: number = bytes.length): Head {
	const text = bytes.toString('latin1', 0, size);
	const end = indexOr(text.indexOf('\n'), text.length);
	const head: Head = {
		line: text.slice(0, text[end - 1] === '\r' ? end - 1 : end),
		length: null,
		isChunked: false,
		upgrade: '',
		id: undefined,
		trace: undefined,
	};
	let colon = 0;
	for (let from = end + 1; from > 0 && from < text.length; ) {
		const next = text.indexOf('\n', from);
		// Of a header that ends where the recording did it is not known how it goes on.
		if (next < 0) break;
		// One that lies beyond this line is the next one's too: a head without any must not be searched from each line on.
		if (colon < from) colon = indexOr(text.indexOf(':', from), text.length);
		const name = NAME_LENGTHS.has(colon - from) ? text.slice(from, colon).toLowerCase() : '';
		if (NAMES.has(name)) note(head, name, text.slice(colon + 1, next).trim());
		from = next + 1;
	}
	return head;
}

/** @param otherwise where there is none */
const indexOr = (index: number, otherwise: number) => (index < 0 ? otherwise : index);

function note(head: Head, name: string, value: string) {
	if (name === 'x-request-id') head.id = plainId(value, ID_LENGTH);
	else if (name === 'traceparent') head.trace = traceId(value);
	else if (name === 'content-length') head.length = /^\d{1,15}$/.test(value) ? Number(value) : null;
	else if (name === 'transfer-encoding') head.isChunked = /(?:^|[\s,])chunked$/i.test(value);
	else if (name === 'upgrade') head.upgrade = /^[\w./+-]+/.exec(value)?.[0].toLowerCase() ?? '';
}

/** @returns null: no request; method: empty where it is not one that is known */
export function readRequestLine(line: string): { method: string; target: string } | null {
	if (!REQUEST_LINE.test(line)) return null;
	const space = line.indexOf(' ');
	const method = line.slice(0, space);
	return { method: METHODS.has(method) ? method : '', target: line.slice(space + 1, -VERSION_LENGTH) };
}

/** Of a line that was recorded in part: as far as it goes. */
export function readCutRequestLine(line: string): { method: string; target: string } | null {
	const [method, target = ''] = line.split(' ');
	return METHODS.has(method) ? { method, target } : null;
}

export const readStatus = (line: string): number | null =>
	STATUS_LINE.test(line) ? Number(line.slice(VERSION_LENGTH, VERSION_LENGTH + 3)) : null;

/** Whether a request may begin so. */
export function beginsRequest(bytes: Buffer): Verdict {
	const text = bytes.toString('latin1', 0, METHOD_LENGTH + 2).replace(/^[\r\n]+/, '');
	const space = text.indexOf(' ');
	if (space < 0) return text.length <= METHOD_LENGTH && [...METHODS].some((method) => method.startsWith(text)) ? 'more' : 'no';
	if (!METHODS.has(text.slice(0, space))) return 'no';
	const line = /^[\r\n]*\S+ ([^ \r\n]*)(?: ([^\r\n]*))?(\r?\n)?/.exec(bytes.toString('latin1', 0, 512));
	const [, target = '', version = '', end] = line ?? [];
	// A target is longer than what is seen of it; no other protocol's first message is so.
	if (target.length > LONG_TARGET && /^(?:\/|[a-z]+:\/\/)/i.test(target)) return 'yes';
	if (end !== undefined) return /^HTTP\/1\.[01]$/.test(version) ? 'yes' : 'no';
	return target === '' || /^(?:\/|\*|[a-z]+:\/\/|[\w.-]+:\d*$)/i.test(target) ? 'more' : 'no';
}
const LONG_TARGET = 128;

/** Whether an answer may begin so. */
export function beginsAnswer(bytes: Buffer): Verdict {
	const text = bytes.toString('latin1', 0, 8);
	if (text.length < 8) return 'HTTP/1.1'.startsWith(text) || 'HTTP/1.0'.startsWith(text) ? 'more' : 'no';
	return /^HTTP\/1\.[01]$/.test(text) ? 'yes' : 'no';
}

/** One direction of an HTTP/1 connection as messages: where each head and each body ends, over holes. */
/** close: up to the end of the connection */
export type Body = 'none' | 'close' | number | 'chunked';

/** of both directions, which is cheaper than functions for each */
export type Reported = {
	/** says what follows; isCut: its end was not recorded, so that no length of it is sure. stop: nothing more is read, the rest is another protocol's. lost: it is no head */
	onHead: (side: Side, head: Head, began_at: number, isCut: boolean) => Body | 'stop' | 'lost';
	/** when the last byte of a message passed; bytes: of it, with its head */
	onEnd: (side: Side, at: number, bytes: number, isCut: boolean) => void;
	/** they are in no message */
	onLost: (side: Side, bytes: number, at: number) => void;
};

/** More than any server takes by default, so that what is longer is no head. */
const HEAD_MOST = 100 * 1024;
const SIZE_LINE_MOST = 64;
const TRAILERS_MOST = 16 * 1024;
const EVER = Number.MAX_SAFE_INTEGER;
const LF = 10;
const CR = 13;

export class Messages {
	stream = new StreamReader();
	#side;
	#reported;
	/** What is read next. `turn`: a message that ends where the other side speaks next. */
	#state: 'head' | 'body' | 'size' | 'trailers' | 'turn' | 'close' | 'stopped' = 'head';
	#searched = 0;
	#beganAt = 0;

	/** @param side that says them */
	constructor(side: Side, reported: Reported) {
		this.#side = side;
		this.#reported = reported;
	}

	get isInHead() {
		return this.#state === 'head';
	}

	/** Whether the end of the message that goes on is known by what comes after it alone. */
	get endsByOther() {
		return this.#state === 'turn' || this.#state === 'close';
	}

	get isUntilTurn() {
		return this.#state === 'turn';
	}

	get isStopped() {
		return this.#state === 'stopped';
	}

	/** Of the head that is waited for, as far as it has come; null between messages. */
	get begun(): { head: Head; began_at: number; bytes: number } | null {
		const { at, row } = this.stream;
		return this.#state === 'head' && at !== null ? { head: readHead(this.stream.peek(HEAD_MOST)), began_at: at, bytes: row } : null;
	}

	/** Bytes of the message that goes on. */
	get bytes() {
		return this.stream.position - this.#beganAt;
	}

	push(chunk: Chunk) {
		if (chunk.turn && this.#state === 'turn') this.end(true);
		const dropped = this.stream.read(chunk, this.#step);
		if (dropped > 0 && this.#state === 'head') this.#reported.onLost(this.#side, dropped, chunk.at);
	}

	/** The message that goes on is over. */
	end(isCut: boolean) {
		this.stream.stopSkipping();
		this.#state = 'head';
		this.#searched = 0;
		this.#reported.onEnd(this.#side, this.stream.passedAt, this.bytes, isCut);
	}

	/**
	 * Gives up the head that is waited for.
	 * @returns bytes of it
	 */
	drop(): number {
		this.#searched = 0;
		this.stream.lose();
		return this.stream.takeDropped();
	}

	/** @returns whether there may be more to read */
	#step = (): boolean => {
		const { stream } = this;
		switch (this.#state) {
			case 'head':
				return !stream.isEmpty && this.#readHead();
			case 'body':
				if (stream.debt > 0) return false;
				this.end(false);
				return true;
			case 'size':
				return stream.debt === 0 && !stream.isEmpty && this.#readSize();
			case 'trailers':
				return !stream.isEmpty && this.#readTrailers();
			default:
				return false;
		}
	};

	#readHead() {
		const { stream } = this;
		while (stream.first !== null && isBreak(stream.first)) stream.skip(1);
		if (stream.isEmpty) return false;
		const bytes = stream.peek(HEAD_MOST);
		const size = headSize(bytes, this.#searched);
		const isCut = size === null && (stream.isCutWithin(HEAD_MOST) || bytes.length === HEAD_MOST);
		if (size === null && !isCut) {
			this.#searched = bytes.length;
			return false;
		}
		this.#beganAt = stream.position;
		this.#searched = 0;
		const body = this.#reported.onHead(this.#side, readHead(bytes, size ?? bytes.length), stream.at as number, isCut);
		if (body === 'stop') {
			stream.skip(size ?? 0);
			this.#state = 'stopped';
			return false;
		}
		if (body === 'lost') {
			stream.lose(bytes.length === HEAD_MOST);
			return true;
		}
		if (size === null) return this.#untilTurn();
		stream.skip(size);
		return this.#follow(body);
	}

	#follow(body: Body) {
		if (body === 'none' || body === 0) {
			this.end(false);
		} else if (body === 'chunked') {
			this.#state = 'size';
		} else if (body === 'close') {
			this.#state = 'close';
			this.stream.skip(EVER);
			return false;
		} else {
			this.#state = 'body';
			this.stream.skip(body);
		}
		return true;
	}

	#readSize() {
		const line = this.stream.peek(SIZE_LINE_MOST);
		const end = line.indexOf(LF);
		if (end < 0) return line.length === SIZE_LINE_MOST || this.stream.isCutWithin(SIZE_LINE_MOST) ? this.#untilTurn() : false;
		const digits = /^([0-9a-f]{1,12})[ \t]*(?:;|\r?\n)/i.exec(line.toString('latin1', 0, end + 1));
		if (!digits) return this.#untilTurn();
		const size = Number.parseInt(digits[1], 16);
		if (size === 0) this.#state = 'trailers';
		this.stream.skip(end + 1 + (size === 0 ? 0 : size + '\r\n'.length));
		return true;
	}

	#readTrailers() {
		const bytes = this.stream.peek(TRAILERS_MOST);
		const isOver = bytes[0] === LF || (bytes[0] === CR && bytes[1] === LF);
		const size = isOver ? bytes.indexOf(LF) + 1 : headSize(bytes, 0);
		if (size === null) return bytes.length === TRAILERS_MOST || this.stream.isCutWithin(TRAILERS_MOST) ? this.#untilTurn() : false;
		this.stream.skip(size);
		this.end(false);
		return true;
	}

	/** Where the message ends was not recorded. */
	#untilTurn() {
		this.#state = 'turn';
		this.stream.lose();
		// They are of a message, whose end is not known.
		this.stream.takeDropped();
		if (this.stream.isEmpty) return false;
		this.end(true);
		return true;
	}
}

export const isBreak = (byte: number) => byte === CR || byte === LF;

/**
 * Up to and with the empty line.
 * @param searched bytes in which there is none
 */
function headSize(bytes: Buffer, searched: number): number | null {
	for (let at = bytes.indexOf(LF, Math.max(0, searched - 3)); at >= 0; at = bytes.indexOf(LF, at + 1)) {
		if (bytes[at + 1] === LF) return at + 2;
		if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
	}
	return null;
}
