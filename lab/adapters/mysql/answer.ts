/**
 * Where the answer to a command of MySQL's ends: an OK; a text; or definitions of columns and then rows, each list with its end, once or
 * several times.
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response.html
 */

import type { ConnectionState } from '../../wire/contract.ts';
import { OK } from './packets.ts';

/**
 * What is read of single packets of MySQL's protocol, which MariaDB speaks too.
 * https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html
 */
type State = ConnectionState;
/** As long as a packet can be; one that goes on in the next one is. */
const LONGEST = 0xffffff;
const EOF = 0xfe;
const IN_TRANSACTION = 0x0001;
const MORE_RESULTS = 0x0008;

/**
 * A number of one, three, four or nine bytes.
 * @returns null: cut
 */
function readNumber(bytes: Buffer, at: number): { value: number; next: number } | null {
	const first = bytes[at];
	const size = { 252: 2, 253: 3, 254: 8 }[first] ?? 0;
	if (first === undefined || at + 1 + size > bytes.length) return null;
	if (size === 0) return { value: first, next: at + 1 };
	return { value: size === 8 ? Number(bytes.readBigUInt64LE(at + 1)) : bytes.readUIntLE(at + 1, size), next: at + 1 + size };
}

/**
 * What an OK or an EOF says of the connection.
 * @param body of a packet
 * @returns null: it was not recorded
 */
function readStatus(body: Buffer): { state: State; hasMore: boolean } | null {
	const flags = body[0] === EOF && body.length === 5 ? body.readUInt16LE(3) : flagsOfOk(body);
	if (flags === null) return null;
	return { state: flags & IN_TRANSACTION ? 'transaction' : 'idle', hasMore: (flags & MORE_RESULTS) !== 0 };
}

function flagsOfOk(body: Buffer): number | null {
	const rows = readNumber(body, 1);
	const id = rows && readNumber(body, rows.next);
	return id && id.next + 2 <= body.length ? body.readUInt16LE(id.next) : null;
}

/** The server asks for a file of the client's. */
const LOCAL_FILE = 0xfb;

export class Answer {
	isPrepare;
	/** In which it left the connection; null where it does not say. */
	state: State | null = null;
	#isText;
	#isLogin;
	#hasEof;
	#part: 'first' | 'definitions' | 'rows' = 'first';
	/** Definitions that are still to come, and ends of lists of them. */
	#definitions = 0;
	#ends = 0;

	/** @param about isText: one packet that is no OK; hasEof: lists of definitions have an end */
	constructor({ isPrepare, isText, isLogin, hasEof }: { isPrepare: boolean; isText: boolean; isLogin: boolean; hasEof: boolean }) {
		this.isPrepare = isPrepare;
		this.#isText = isText;
		this.#isLogin = isLogin;
		this.#hasEof = hasEof;
	}

	/**
	 * @param body of a packet that is no error, as far as it is read
	 * @param length of its body
	 * @returns whether it was the last
	 */
	takes(body: Buffer, length: number): boolean {
		if (this.#part === 'first') return this.#takesFirst(body, length);
		if (this.#part === 'definitions') return this.#takesDefinition(body, length);
		return isEnd(body, length) && this.#takesStatus(body);
	}

	#takesFirst(body: Buffer, length: number) {
		if (this.#isText) return true;
		// A login goes on until its OK: salts and keys come between.
		if (this.#isLogin) return body[0] === OK && this.#takesStatus(body);
		if (this.isPrepare) return this.#takesPrepared(body);
		if (body[0] === OK || isEnd(body, length)) return this.#takesStatus(body);
		if (body[0] === LOCAL_FILE) return false;
		const columns = readNumber(body, 0);
		// MariaDB may leave out definitions that the client has: https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/result-set-packets
		const areLeftOut = columns !== null && length === columns.next + 1 && body[columns.next] === 0;
		this.#expect(areLeftOut ? 0 : (columns?.value ?? 0), 1);
		this.#part = this.#definitions + this.#ends > 0 ? 'definitions' : 'rows';
		return false;
	}

	/** Its number, and how many columns and parameters have a definition. */
	#takesPrepared(body: Buffer) {
		if (body.length < 9) return true;
		const [columns, parameters] = [body.readUInt16LE(5), body.readUInt16LE(7)];
		this.#expect(columns + parameters, Number(columns > 0) + Number(parameters > 0));
		this.#part = 'definitions';
		return this.#definitions + this.#ends === 0;
	}

	#expect(definitions: number, lists: number) {
		this.#definitions = definitions;
		this.#ends = this.#hasEof ? lists : 0;
	}

	#takesDefinition(body: Buffer, length: number) {
		if (body[0] === EOF && length <= 5) this.#ends -= 1;
		else this.#definitions -= 1;
		if (this.#definitions > 0 || this.#ends > 0) return false;
		this.#part = 'rows';
		return this.isPrepare;
	}

	#takesStatus(body: Buffer) {
		const status = readStatus(body);
		if (!status) return true;
		this.state = status.state;
		this.#part = 'first';
		return !status.hasMore;
	}
}

/** Of rows: an EOF, or an OK in its place. A row that begins so is longer than a packet. */
const isEnd = (body: Buffer, length: number) => body[0] === EOF && length < LONGEST;
