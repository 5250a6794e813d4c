/**
 * A row of the record, read from its bytes value by value, in the order in which lines.ts writes them: to make a list of each of hundreds of
 * thousands, and its texts, takes three times as long. Values that are missing at its end are null.
 */

import { Texts } from './texts.ts';

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
