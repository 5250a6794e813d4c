/**
 * One direction of a Redis connection as values of its protocol (RESP 2 and 3), over holes: where each begins and ends, the first words of
 * a list, the first word of an error. https://redis.io/docs/latest/develop/reference/protocol-spec/
 */

import type { Chunk } from '../../wire/contract.ts';
import { StreamReader } from '../../wire/stream-reader.ts';

export type Value = {
	began_at: number;
	/** not a number where it was not recorded, or had not come when it was given (`giveOpen`) */
	ended_at: number;
	/** the sign that it begins with */
	type: string;
	/** the first texts of a list, each as far as it was wanted and recorded; of an error or a line, itself */
	words: string[];
	/** in bytes */
	length: number;
	/** what was wanted of it was not recorded */
	isCut: boolean;
};

const LF = 10;
/** A sign and a number. */
const LINE_MOST = 32;
/** Simple texts and errors. */
const TEXT_MOST = 4096;
const WORD_BYTES = 24;
const WORDS_MOST = 10;
/** More values than any command or answer has. */
const VALUES_MOST = 1e9;
const LISTS = new Map([
	['*', 1],
	['~', 1],
	['>', 1],
	['%', 2],
	['|', 2],
]);
const TEXTS = new Set('$=!');
const SIMPLE = new Set('+-:_#,(');

export class RespReader {
	stream = new StreamReader();
	#reported;
	/** Values that are still to come until the one that was begun is whole. */
	#left = 0;
	#value: Value | null = null;
	#beganAt = 0;
	/** A text whose end has not come. */
	#isInText = false;
	/** The value was given before its end had come. */
	#isGiven = false;

	constructor(reported: { onValue: (value: Value) => void; onLost: (bytes: number, at: number) => void }) {
		this.#reported = reported;
	}

	/** When the value began whose end has not come; null between values. */
	get beganAt() {
		return this.#isGiven ? null : (this.#value?.began_at ?? this.stream.at);
	}

	/** Gives the value whose end has not come, since its answer has: the rest of it is read, and not given. */
	giveOpen() {
		if (!this.#value || this.#isGiven) return;
		this.#isGiven = true;
		this.#reported.onValue({ ...this.#value, ended_at: Number.NaN, length: this.stream.position - this.#beganAt });
	}

	push(chunk: Chunk) {
		const dropped = this.stream.read(chunk, this.#step);
		if (dropped > 0) this.#reported.onLost(dropped, chunk.at);
	}

	/** @returns whether there may be more to read */
	#step = (): boolean => {
		const { stream } = this;
		if (this.#isInText) {
			if (stream.debt > 0) return false;
			this.#isInText = false;
			this.#ends();
			return true;
		}
		if (stream.isEmpty) return false;
		const sign = String.fromCharCode(stream.first ?? 0);
		const most = SIMPLE.has(sign) ? TEXT_MOST : LINE_MOST;
		const line = stream.peek(most);
		const end = line.indexOf(LF);
		if (end < 0) return line.length === most || stream.isCutWithin(most) ? this.#lose(sign, line) : false;
		return this.#takes(sign, line.toString('latin1', 1, end).replace(/\r$/, ''), end + 1);
	};

	/** @param size of the line */
	#takes(sign: string, text: string, size: number) {
		const { stream } = this;
		if (SIMPLE.has(sign)) {
			const value = this.#begins(sign);
			if (this.#isWanted(value)) value.words.push(text.slice(0, WORD_BYTES * 2));
			stream.skip(size);
			this.#ends();
			return true;
		}
		const number = /^-?\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
		if (Number.isNaN(number) || !(LISTS.has(sign) || TEXTS.has(sign))) return this.#lose(sign, Buffer.alloc(0));
		if (TEXTS.has(sign)) return this.#takesText(sign, number, size);
		const value = this.#begins(sign);
		stream.skip(size);
		// Attributes come before the value that they are of.
		this.#left += Math.max(0, number) * (LISTS.get(sign) as number) + (sign === '|' ? 1 : 0);
		if (this.#left > VALUES_MOST) return this.#lose(sign, Buffer.alloc(0));
		value.type = value.type === '|' ? sign : value.type;
		this.#ends();
		return true;
	}

	/** @param size of the line */
	#takesText(sign: string, length: number, size: number) {
		const { stream } = this;
		const want = Math.min(Math.max(0, length), WORD_BYTES);
		const isWanted = this.#value === null || this.#isWanted(this.#value);
		const bytes = stream.peek(size + want);
		if (isWanted && bytes.length < size + want && !stream.isCutWithin(size + want)) return false;
		const value = this.#begins(sign);
		if (isWanted) {
			value.words.push(bytes.toString('latin1', size));
			if (bytes.length < size + want) value.isCut = true;
		}
		stream.skip(size + (length < 0 ? 0 : length + '\r\n'.length));
		this.#isInText = true;
		return true;
	}

	#isWanted({ words }: Value) {
		return words.length < WORDS_MOST;
	}

	#begins(type: string): Value {
		if (!this.#value) {
			this.#value = { began_at: this.stream.at as number, ended_at: 0, type, words: [], length: 0, isCut: false };
			this.#beganAt = this.stream.position;
			this.#left = 1;
		}
		return this.#value;
	}

	/** One value less is still to come. */
	#ends() {
		this.#left -= 1;
		const value = this.#value;
		if (this.#left > 0 || !value) return;
		this.#value = null;
		if (this.#isGiven) this.#isGiven = false;
		else this.#reported.onValue({ ...value, ended_at: this.stream.passedAt, length: this.stream.position - this.#beganAt });
	}

	/** Where the next value begins is not known. */
	#lose(sign: string, line: Buffer) {
		const value = this.#value;
		this.#value = null;
		this.#left = 0;
		const isGiven = this.#isGiven;
		this.#isGiven = false;
		if (!isGiven && (value || SIMPLE.has(sign))) {
			const words = value?.words ?? [line.toString('latin1', 1, WORD_BYTES * 2)];
			const { at } = this.stream;
			this.#reported.onValue({
				...{ began_at: value?.began_at ?? (at as number), ended_at: Number.NaN, type: value?.type ?? sign },
				...{ words, length: 0, isCut: true },
			});
		}
		this.stream.lose();
		return !this.stream.isEmpty;
	}
}
