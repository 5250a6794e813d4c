/** One direction of a connection as bytes that come by and by, some of them missing. */
/** size: recorded bytes of it that were not read */
type Piece = { at: number; size: number; hole: number; turn: boolean };

import type { Chunk } from './contract.ts';

/** Recorded bytes of a direction that nobody reads on. The longest beginnings of messages, headers, are 64 KB by what servers take. */
const KEPT_BYTES = 128 * 1024;
/** As many packets without a byte read are noise. Each takes memory, however small it is. */
const KEPT_PIECES = 16 * 1024;
/** Pieces that were read are taken out so many at a time. */
const PASSED_PIECES = 1024;
const FIRST_BYTES = 512;
const NOTHING = Buffer.alloc(0);

export class StreamReader {
	/** The recorded bytes of all pieces, one after the other; holes take no room. */
	#buffer: Buffer = NOTHING;
	/** Whether it is the last chunk itself: most are read at once, and not copied. */
	#isLent = false;
	#start = 0;
	#end = 0;
	#pieces: Piece[] = [];
	#first = 0;
	/** Recorded bytes from the front to the first hole, and whether there is one. */
	#row = 0;
	#isCut = false;
	#debt = 0;
	#isLost = false;
	#dropped = 0;
	#passedAt = 0;
	#position = 0;

	/** Bytes that were read, skipped or dropped so far, those in holes too. */
	get position() {
		return this.#position;
	}

	/** When the last byte passed that was read, skipped or dropped. */
	get passedAt() {
		return this.#passedAt;
	}

	/** When the next byte passed; null where it has not come. */
	get at() {
		return this.#pieces[this.#first]?.at ?? null;
	}

	/** Whether nothing is here to be read. */
	get isEmpty() {
		return this.#first === this.#pieces.length;
	}

	/** Recorded bytes that can be read in a row. */
	get row() {
		return this.#row;
	}

	/** Bytes that are still to be skipped: they have not come. */
	get debt() {
		return this.#debt;
	}

	/** Whether bytes are dropped until the next turn. */
	get isLost() {
		return this.#isLost;
	}

	/** How many bytes were dropped since this was asked the last time. */
	takeDropped() {
		const dropped = this.#dropped;
		this.#dropped = 0;
		return dropped;
	}

	/**
	 * Takes a chunk, and reads what can be read with it.
	 * @param step reads one part; whether there may be more to read
	 * @returns bytes that were in none
	 */
	read(chunk: Chunk, step: () => boolean): number {
		this.push(chunk);
		while (step());
		this.keep();
		return this.takeDropped();
	}

	/** Its bytes are used as they lie: whoever has read of them calls `keep`. */
	push({ at, bytes, hole, turn }: Chunk) {
		if (this.#isLost && !turn) {
			this.#dropped += bytes.length + hole;
			this.#position += bytes.length + hole;
			this.#passedAt = at;
			return;
		}
		this.#isLost = false;
		const from = Math.min(this.#debt, bytes.length);
		const missed = Math.min(this.#debt - from, hole);
		if (this.#debt > 0) this.#passedAt = at;
		this.#debt -= from + missed;
		this.#position += from + missed;
		const piece = { at, size: bytes.length - from, hole: hole - missed, turn };
		if (piece.size === 0 && piece.hole === 0) return;
		this.#append(bytes, from);
		this.#pieces.push(piece);
		if (!this.#isCut) {
			this.#row += piece.size;
			this.#isCut = piece.hole > 0;
		}
		if (this.#end - this.#start > KEPT_BYTES || this.#pieces.length - this.#first > KEPT_PIECES) this.lose();
	}

	/** What is left of the last chunk is copied: its memory is used again. */
	keep() {
		if (!this.#isLent) return;
		this.#isLent = false;
		const left = this.#start < this.#end ? this.#buffer.subarray(this.#start, this.#end) : NOTHING;
		this.#buffer = NOTHING;
		this.#start = 0;
		this.#end = 0;
		if (left.length > 0) this.#copy(left, 0);
	}

	/**
	 * Bytes that lie in a row at the front; a view, until `keep` is called, or the next chunk comes.
	 * @returns fewer where the rest has not come, or was not recorded (`isCutWithin`)
	 */
	peek(most: number): Buffer {
		const size = Math.min(most, this.#row);
		// Nearly always it is all of the chunk, and needs no view of its own.
		return this.#start === 0 && size === this.#buffer.length ? this.#buffer : this.#buffer.subarray(this.#start, this.#start + size);
	}

	/** The first byte that can be read; null where there is none. */
	get first() {
		return this.#row > 0 ? this.#buffer[this.#start] : null;
	}

	/** Whether a hole begins before so many bytes: to wait for them is no use. */
	isCutWithin(bytes: number) {
		return this.#isCut && this.#row < bytes;
	}

	/** Goes on by so many bytes, over holes and over what is still to come too. */
	skip(bytes: number) {
		let left = bytes;
		while (left > 0 && this.#first < this.#pieces.length) left -= this.#pass(left);
		this.#debt += left;
		this.#measureRow();
	}

	/** What was still to be skipped is not skipped: it was not known how much it is, and now it is over. */
	stopSkipping() {
		this.#debt = 0;
	}

	/**
	 * Drops what is here up to the next turn, or what comes up to it: where else a message begins is not known.
	 * @param isAll whatever is here: it was all looked at, and to look at it again from each turn on would take for ever
	 */
	lose(isAll: boolean = false) {
		this.#debt = 0;
		let isFirst = true;
		while (this.#first < this.#pieces.length) {
			const { turn, size, hole } = this.#pieces[this.#first];
			if (turn && !isFirst && !isAll) break;
			isFirst = false;
			this.#dropped += size + hole;
			this.#pass(size + hole);
		}
		this.#isLost = this.#first === this.#pieces.length;
		this.#measureRow();
	}

	/** Everything that is here, for whoever goes on with the connection. */
	takeRest(): Chunk[] {
		let at = this.#start;
		const rest = this.#pieces.slice(this.#first).map((piece) => {
			at += piece.size;
			return { at: piece.at, bytes: Buffer.from(this.#buffer.subarray(at - piece.size, at)), hole: piece.hole, turn: piece.turn };
		});
		this.skip(rest.reduce((sum, { bytes, hole }) => sum + bytes.length + hole, 0));
		return rest;
	}

	/**
	 * Passes at most so many bytes of the first piece.
	 * @returns how many
	 */
	#pass(most: number): number {
		const piece = this.#pieces[this.#first];
		this.#passedAt = piece.at;
		const read = Math.min(most, piece.size);
		const missed = Math.min(most - read, piece.hole);
		this.#position += read + missed;
		piece.size -= read;
		piece.hole -= missed;
		// What is left of it did not begin with it.
		piece.turn = false;
		this.#start += read;
		if (piece.size === 0 && piece.hole === 0) this.#first += 1;
		return read + missed;
	}

	#measureRow() {
		// A stream of which something is always left would else keep all its pieces.
		if (this.#first === this.#pieces.length) {
			// One by one, for nearly always there is one: to empty the list would throw its room away.
			while (this.#pieces.length > 0) this.#pieces.pop();
			this.#first = 0;
		} else if (this.#first >= PASSED_PIECES) {
			this.#pieces.splice(0, this.#first);
			this.#first = 0;
		}
		this.#row = 0;
		this.#isCut = false;
		for (let index = this.#first; index < this.#pieces.length && !this.#isCut; index += 1) {
			this.#row += this.#pieces[index].size;
			this.#isCut = this.#pieces[index].hole > 0;
		}
	}

	#append(bytes: Buffer, from: number) {
		if (this.#start === this.#end) {
			this.#buffer = bytes;
			this.#isLent = true;
			this.#start = from;
			this.#end = bytes.length;
			return;
		}
		this.keep();
		this.#copy(bytes, from);
	}

	#copy(bytes: Buffer, from: number) {
		const added = bytes.length - from;
		if (this.#end + added > this.#buffer.length) {
			const kept = this.#end - this.#start;
			const isRoomy = (kept + added) * 2 <= this.#buffer.length;
			const room = isRoomy ? this.#buffer : Buffer.allocUnsafe(Math.max(FIRST_BYTES, (kept + added) * 2));
			this.#buffer.copy(room, 0, this.#start, this.#end);
			this.#buffer = room;
			this.#start = 0;
			this.#end = kept;
		}
		bytes.copy(this.#buffer, this.#end, from);
		this.#end += added;
	}
}

/**
 * Messages that say their own length, one after the other in one direction: what most protocols of databases and queues are made of.
 * The beginning of each is given, and how long it was; the rest may be in a hole.
 */
export type Frame = {
	/** its first byte passed */
	began_at: number;
	/** its last byte passed; not a number of one that was given before it had (`giveOpen`) */
	ended_at: number;
	/** its beginning with its head: at most `want` bytes, fewer where not more was recorded. A view of what is used again: copy what is kept */
	bytes: Buffer;
	/** of the whole, with its head */
	length: number;
	/** bytes that were wanted were not recorded */
	isCut: boolean;
};

type FrameOptions = {
	/** bytes that the length is read from; asked anew for each message */
	head: () => number;
	/** of the whole message with its head; null: that is none. head: with what follows it */
	lengthOf: (head: Buffer) => number | null;
	/** bytes of each message that are given */
	want: number;
	/** when its last byte has passed */
	onFrame: (frame: Frame) => void;
	/** bytes that are in no message, up to the next turn: garbage, or the head was in a hole */
	onLost: (bytes: number, at: number) => void;
};

export class FrameReader {
	#options;
	#stream = new StreamReader();
	/** Whose head is read and whose end has not come. */
	#open: Frame | null = null;

	constructor(options: FrameOptions) {
		this.#options = options;
	}

	/** The message whose end has not come, as far as it is known; null between messages. */
	get partial(): { began_at: number; length: number | null; bytes: Buffer } | null {
		if (this.#open) return this.#open;
		const at = this.#stream.at;
		return at === null ? null : { began_at: at, length: null, bytes: this.#stream.peek(this.#options.want) };
	}

	push(chunk: Chunk) {
		const dropped = this.#stream.read(chunk, this.#step);
		if (dropped > 0) this.#options.onLost(dropped, chunk.at);
	}

	/** Ends to read: what is left goes on in another protocol. */
	takeRest() {
		return this.#stream.takeRest();
	}

	/** Gives the message whose end has not come, since its answer has: what still comes of it is passed over. None is given before its length is known. */
	giveOpen() {
		const open = this.#open ?? this.#openShort();
		this.#open = null;
		if (open) this.#options.onFrame({ ...open, ended_at: Number.NaN });
	}

	/** @returns whether there may be more to read */
	#step = (): boolean => {
		if (this.#open) return this.#close(this.#open);
		if (this.#stream.isEmpty) return false;
		const size = this.#options.head();
		const beginning = this.#stream.peek(Math.max(size, this.#options.want));
		if (beginning.length < size) return this.#stream.isCutWithin(size) ? this.#lose() : false;
		const length = this.#options.lengthOf(beginning);
		if (length === null || length < size) return this.#lose();
		const want = Math.min(this.#options.want, length);
		// With a hole in it nothing more of it comes; else what is wanted is waited for.
		const isCut = this.#stream.isCutWithin(want);
		if (this.#stream.row < want && !isCut) return false;
		const bytes = beginning.length > want ? beginning.subarray(0, want) : beginning;
		const open = { began_at: this.#stream.at as number, ended_at: 0, bytes, length, isCut };
		this.#stream.skip(length);
		// What is here as a whole is given as it lies; what is waited for would be written over.
		this.#open = this.#stream.debt > 0 ? { ...open, bytes: Buffer.from(bytes) } : open;
		return true;
	};

	/**
	 * Less of the message is here than is wanted of it.
	 * @returns null where its length is not here either
	 */
	#openShort(): Frame | null {
		const size = this.#options.head();
		const bytes = this.#stream.peek(this.#options.want);
		const { at } = this.#stream;
		const length = at === null || bytes.length < size ? null : this.#options.lengthOf(bytes);
		if (at === null || length === null || length < size) return null;
		this.#stream.skip(length);
		return { began_at: at, ended_at: 0, bytes, length, isCut: true };
	}

	#close(frame: Frame) {
		if (this.#stream.debt > 0) return false;
		this.#open = null;
		frame.ended_at = this.#stream.passedAt;
		this.#options.onFrame(frame);
		return true;
	}

	#lose() {
		this.#stream.lose();
		return !this.#stream.isEmpty;
	}
}
