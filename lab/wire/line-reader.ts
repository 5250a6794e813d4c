/** One direction of a connection in a text protocol: lines, some of which have a value behind them, over holes. */

import type { Chunk } from './contract.ts';
import { StreamReader } from './stream-reader.ts';

export type Line = {
	began_at: number;
	/** with its value; null where its end was not recorded, or had not come when it was given (`giveOpen`) */
	ended_at: number | null;
	/** as far as it is wanted and was recorded, without its line break */
	text: string;
	/** with its value */
	length: number;
	/** its beginning, as far as it is wanted and was recorded */
	value: string;
};

type LineOptions = {
	/** bytes of a line; what is longer is none */
	most: number;
	/** bytes of a value that are given; none unless given */
	want?: number;
	/** bytes behind the line that belong to it; null: it is no line of this protocol */
	valueOf: (text: string) => number | null;
	onLine: (line: Line) => void;
	/** bytes that are in no line, up to the next turn; of a line whose end was not recorded too */
	onLost: (bytes: number, at: number) => void;
};

const LF = 10;
const TEXT_BYTES = 1024;

export class LineReader {
	#stream = new StreamReader();
	#options;
	/** Bytes in which there is no line break. */
	#searched = 0;
	/** Whose value has not passed. */
	#open: Line | null = null;

	constructor(options: LineOptions) {
		this.#options = options;
	}

	/** When the line began whose end has not come; null between lines. */
	get beganAt() {
		return this.#open?.began_at ?? this.#stream.at;
	}

	/** As far as it has come. */
	get partial() {
		return this.#open?.text ?? this.#stream.peek(TEXT_BYTES).toString('latin1');
	}

	/** Gives the line whose value has not come as a whole, since its answer has: what still comes of the value is passed over. */
	giveOpen() {
		const line = this.#open;
		this.#open = null;
		if (line) this.#options.onLine(line);
	}

	push(chunk: Chunk) {
		const dropped = this.#stream.read(chunk, this.#step);
		if (dropped > 0) this.#options.onLost(dropped, chunk.at);
	}

	/** @returns whether there may be more to read */
	#step = (): boolean => {
		const stream = this.#stream;
		if (this.#open) {
			if (stream.debt > 0) return false;
			const line = this.#open;
			this.#open = null;
			this.#options.onLine({ ...line, ended_at: stream.passedAt });
			return true;
		}
		if (stream.isEmpty) return false;
		const { most } = this.#options;
		const bytes = stream.peek(most);
		const end = bytes.indexOf(LF, this.#searched);
		const text = () => bytes.toString('latin1', 0, Math.min(TEXT_BYTES, end < 0 ? bytes.length : end)).replace(/\r$/, '');
		if (end < 0) {
			this.#searched = bytes.length;
			return bytes.length === most || stream.isCutWithin(most) ? this.#lose(bytes.length === most ? '' : text()) : false;
		}
		const line = text();
		const size = this.#options.valueOf(line);
		if (size === null) return this.#lose('');
		const wanted = end + 1 + Math.min(size, this.#options.want ?? 0);
		if (stream.row < wanted && !stream.isCutWithin(wanted)) {
			this.#searched = end;
			return false;
		}
		this.#searched = 0;
		const value = stream.peek(wanted).toString('latin1', end + 1);
		this.#open = { began_at: stream.at as number, ended_at: null, text: line, length: end + 1 + size, value };
		stream.skip(end + 1 + size);
		return true;
	};

	/**
	 * Where the next line begins is not known.
	 * @param text of this one; empty where it is none
	 */
	#lose(text: string) {
		const beganAt = this.#stream.at as number;
		this.#searched = 0;
		if (text !== '' && this.#options.valueOf(text) !== null)
			this.#options.onLine({ began_at: beganAt, ended_at: null, text, length: 0, value: '' });
		this.#stream.lose();
		return !this.#stream.isEmpty;
	}
}
