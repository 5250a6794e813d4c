/**
 * Makes lines of what the engine sends of a container's output, piece by piece, so that a long log is never in memory as a whole.
 *
 * The engine frames each piece of output with a header of 8 bytes: stream, three zeros, length
 * (https://docs.docker.com/reference/api/engine/, "Stream format"). docker-modem's demuxStream reads such frames too: it calls itself for each,
 * and has no stack left at 5,000 in one piece of 0.3 MB; it holds nothing back where the reader is slow.
 */

import { secrets } from '../base/secrets.ts';
import type { Line } from './masked-lines.ts';
import { MaskedLines } from './masked-lines.ts';

const HEADER_BYTES = 8;
const NEWLINE = 0x0a;
/** Of a container with a terminal the engine sends the bytes as they are: one stream, no headers. */
const TERMINAL = 0;
/** Before each line, and the blank after it: the engine's time. */
const STAMP = /^\S+ /;
/** The engine cuts a line at 16 KB, and has the time before each part of it. */
const STAMP_WITHIN = /^\d{4}-\d\d-\d\dT[\d:.]+Z /;
const STAMP_MOST_BYTES = 40;

/**
 * Of a line so much is kept: a line that no program meant is no end of memory. The engine itself writes lines of a container in pieces of 16 KB
 * (daemon/logger/copier.go), and four of them are more than any product's line of a request.
 */
const LINE_MOST_BYTES = 65_536;

/** of a frame, or a part of one; isStart: of the frame */
type Output = { stream: number; bytes: Buffer; isStart: boolean };

/** Takes frames apart as they come; nothing but a header is ever waited for. */
export class Frames {
	#header = Buffer.alloc(HEADER_BYTES);
	/** Of the header. */
	#has = 0;
	/** Of what the frame holds. */
	#left = 0;
	#isStart = false;

	feed(piece: Buffer): Output[] {
		const parts = [];
		for (let at = 0; at < piece.length; ) {
			if (this.#left > 0) {
				const bytes = piece.subarray(at, at + this.#left);
				parts.push({ stream: this.#header[0], bytes, isStart: this.#isStart });
				this.#isStart = false;
				this.#left -= bytes.length;
				at += bytes.length;
			} else {
				const read = piece.copy(this.#header, this.#has, at, at + HEADER_BYTES - this.#has);
				this.#has += read;
				at += read;
				if (this.#has < HEADER_BYTES) break;
				this.#left = this.#header.readUInt32BE(4);
				this.#has = 0;
				this.#isStart = true;
			}
		}
		return parts;
	}
}

/**
 * @param buffer framed; its last frame may be cut off
 * @returns output and errors together, in their order
 */
export const demultiplex = (buffer: Buffer): string => Buffer.concat(new Frames().feed(buffer).map(({ bytes }) => bytes)).toString('utf8');

/** The beginning of a line whose end is still to come. */
class Begun {
	#parts: Buffer[] = [];
	#kept = 0;
	#isCut = false;
	/** Of a further part, until its time is whole. */
	#part: Buffer | null = null;

	/** What comes is a further part of the line, with a time of its own. */
	goOn() {
		this.#takePart();
		if (!this.isEmpty) this.#part = Buffer.alloc(0);
	}

	add(bytes: Buffer) {
		if (this.#part === null) return this.#add(bytes);
		this.#part = this.#part.length === 0 ? bytes : Buffer.concat([this.#part, bytes]);
		if (this.#part.length >= STAMP_MOST_BYTES) this.#takePart();
	}

	#takePart() {
		const part = this.#part;
		this.#part = null;
		if (part !== null) this.#add(part.subarray(STAMP_WITHIN.exec(part.toString('latin1', 0, STAMP_MOST_BYTES))?.[0].length ?? 0));
	}

	#add(bytes: Buffer) {
		const kept = bytes.subarray(0, LINE_MOST_BYTES - this.#kept);
		if (kept.length < bytes.length) this.#isCut = true;
		if (kept.length === 0) return;
		// A part of a piece would keep all of it.
		this.#parts.push(kept.length === bytes.length ? kept : Buffer.from(kept));
		this.#kept += kept.length;
	}

	/** @returns the line */
	end(): string {
		this.#takePart();
		const text = (this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts)).toString('utf8').replace(/\r$/, '');
		const cut = this.#isCut ? CUT_LINE : '';
		this.#parts = [];
		this.#kept = 0;
		this.#isCut = false;
		return `${text}${cut}`;
	}

	get isEmpty() {
		return this.#kept === 0;
	}
}
const CUT_LINE = ` (The rest of the line is not on record: it is longer than ${LINE_MOST_BYTES.toLocaleString('en-US')} bytes.)`;

type LogLine = { stream: number; text: string };

/** Whole lines of framed output. Frames of standard output and of standard error come in turns, and each of the two has lines of its own. */
export class LogLines {
	#frames;
	#isStamped;
	#begun: Map<number, Begun> = new Map();

	/** @param options not framed: of a container with a terminal; stamped: with the engine's time before each line */
	constructor({ isFramed, isStamped = false }: { isFramed: boolean; isStamped?: boolean }) {
		this.#isStamped = isStamped;
		this.#frames = isFramed ? new Frames() : null;
	}

	/** @returns the lines that it completes */
	feed(piece: Buffer): LogLine[] {
		const parts = this.#frames ? this.#frames.feed(piece) : [{ stream: TERMINAL, bytes: piece, isStart: false }];
		return parts.flatMap((part) => this.#split(part));
	}

	/** @returns the last lines, which have no end */
	end(): LogLine[] {
		return [...this.#begun].flatMap(([stream, begun]) => (begun.isEmpty ? [] : { stream, text: begun.end() }));
	}

	#split({ stream, bytes, isStart }: Output): LogLine[] {
		const begun = this.#begun.get(stream) ?? new Begun();
		this.#begun.set(stream, begun);
		if (isStart && this.#isStamped) begun.goOn();
		const lines = [];
		let at = 0;
		for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
			begun.add(bytes.subarray(at, end));
			lines.push({ stream, text: begun.end() });
			at = end + 1;
		}
		if (at < bytes.length) begun.add(bytes.subarray(at));
		return lines;
	}
}

/**
 * The log as the record keeps it.
 * @param pieces that the engine sends, with its time before each line
 */
export async function* keptLog(
	pieces: AsyncIterable<Buffer>,
	{
		isFramed,
		redact,
		mostBytes,
		onCut,
	}: {
		isFramed: boolean;
		/** given each line without what is known to be secret */
		redact: (line: string) => string;
		mostBytes: number;
		/** called when what comes after that many bytes is left out */
		onCut: () => void;
	},
): AsyncGenerator<string> {
	const reader = new LogLines({ isFramed, isStamped: true });
	const masked = new MaskedLines((text) => secrets.without(text));
	const stamped = ({ stream, text }: LogLine) => {
		const stamp = STAMP.exec(text)?.[0] ?? '';
		return { stream, stamp, text: text.slice(stamp.length) };
	};
	const kept = (lines: Line[]) => lines.map(({ stamp, text }) => `${stamp}${redact(text)}\n`).join('');
	const rest = () => kept([...masked.feed(reader.end().map(stamped)), ...masked.end()]);
	// As they come, so that a line without an end counts too.
	let bytes = 0;
	try {
		for await (const piece of pieces) {
			bytes += piece.length;
			if (bytes > mostBytes) break;
			const text = kept(masked.feed(reader.feed(piece).map(stamped)));
			if (text !== '') yield text;
		}
	} catch (error) {
		yield rest();
		throw error;
	}
	const last = rest();
	if (last !== '') yield last;
	if (bytes <= mostBytes) return;
	onCut();
	// A line of its own, without a time: it is not the container's.
	yield `(The log is longer than ${mostBytes.toLocaleString('en-US')} bytes; the rest of it is not on record.)\n`;
}
