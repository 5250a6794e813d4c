/**
 * Rows as lines of JSON, written as bytes: a run has hundreds of thousands, and a list and a text for each cost twice as much.
 * What nulls stand at the end of a row are left out.
 */

/** Bytes that are given at a time: whoever packs them is woken for each. */
const TOGETHER = 256 * 1024;
/** Beyond them there is room for a line, longer than nearly all. */
const ROOM = TOGETHER + 4096;
/** Digits of the longest number, a sign, a point, and a comma. */
const NUMBER_BYTES = 32;
/** Digits are made of numbers of 31 bits, so that longer ones are made of two. */
const PART = 1e9;
const PART_DIGITS = 9;
const CODE = { comma: 44, zero: 48, quote: 34, backslash: 92, first: 32, last: 126, close: 93, line: 10 };

export class Lines {
	#give;
	#bytes = Buffer.allocUnsafe(ROOM);
	#at = 0;
	/** That stand before the next value. */
	#nulls = 0;

	/** @param give whole lines, whose memory is then the receiver's */
	constructor(give: (bytes: Buffer) => void) {
		this.#give = give;
	}

	/** A line of its own. */
	value(value: unknown) {
		this.#write(JSON.stringify(value));
		this.#endLine();
	}

	/** Begins a row. */
	begin(kind: 'call' | 'connection') {
		this.#plain('["');
		this.#plain(kind);
		this.#plain('"');
	}

	end() {
		this.#nulls = 0;
		this.#room(2);
		this.#bytes[this.#at++] = CODE.close;
		this.#endLine();
	}

	number(number: number | null | undefined) {
		if (number === null || number === undefined) {
			this.#nulls += 1;
			return;
		}
		this.#comma(NUMBER_BYTES);
		if (!Number.isSafeInteger(number) || number < 0 || number >= PART * PART) this.#write(JSON.stringify(number));
		else if (number < PART) this.#digits(number, 1);
		else {
			const high = Math.floor(number / PART);
			this.#digits(high, 1);
			this.#digits(number - high * PART, PART_DIGITS);
		}
	}

	text(text: string | null | undefined) {
		if (text === null || text === undefined) {
			this.#nulls += 1;
			return;
		}
		this.#comma(text.length + 2);
		const bytes = this.#bytes;
		const begin = this.#at;
		let at = begin;
		bytes[at++] = CODE.quote;
		for (let index = 0; index < text.length; index += 1) {
			const code = text.charCodeAt(index);
			if (code < CODE.first || code > CODE.last || code === CODE.quote || code === CODE.backslash) {
				this.#write(JSON.stringify(text));
				return;
			}
			bytes[at++] = code;
		}
		bytes[at++] = CODE.quote;
		this.#at = at;
	}

	flag(flag: boolean | null | undefined) {
		if (flag === null || flag === undefined) {
			this.#nulls += 1;
			return;
		}
		this.#comma(0);
		this.#plain(flag ? 'true' : 'false');
	}

	object(value: object | null | undefined) {
		if (value === null || value === undefined) {
			this.#nulls += 1;
			return;
		}
		this.#comma(0);
		this.#write(JSON.stringify(value));
	}

	flush() {
		if (this.#at === 0) return;
		this.#give(this.#bytes.subarray(0, this.#at));
		this.#bytes = Buffer.allocUnsafe(ROOM);
		this.#at = 0;
	}

	#endLine() {
		this.#room(1);
		this.#bytes[this.#at++] = CODE.line;
		if (this.#at >= TOGETHER) this.flush();
	}

	/** Between two values; then there is room for the next. */
	#comma(size: number) {
		for (; this.#nulls > 0; this.#nulls -= 1) this.#plain(',null');
		this.#room(size + 1);
		this.#bytes[this.#at++] = CODE.comma;
	}

	/**
	 * @param number whole, not below zero, below PART
	 * @param least digits
	 */
	#digits(number: number, least: number) {
		const bytes = this.#bytes;
		let size = least;
		for (let most = 10 ** least; number >= most; most *= 10) size += 1;
		let rest = number | 0;
		for (let at = this.#at + size - 1; at >= this.#at; at -= 1) {
			const tens = (rest / 10) | 0;
			bytes[at] = CODE.zero + rest - tens * 10;
			rest = tens;
		}
		this.#at += size;
	}

	/** @param text of any signs */
	#write(text: string) {
		this.#room(text.length * 3);
		this.#at += this.#bytes.write(text, this.#at);
	}

	/**
	 * As #write, in a fraction of the time.
	 * @param text short, of ASCII
	 */
	#plain(text: string) {
		this.#room(text.length);
		const bytes = this.#bytes;
		for (let index = 0; index < text.length; index += 1) bytes[this.#at + index] = text.charCodeAt(index);
		this.#at += text.length;
	}

	#room(size: number) {
		if (this.#at + size <= this.#bytes.length) return;
		const roomy = Buffer.allocUnsafe((this.#at + size) * 2);
		this.#bytes.copy(roomy, 0, 0, this.#at);
		this.#bytes = roomy;
	}
}
