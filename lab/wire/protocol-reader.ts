/**
 * Finds by its first bytes what a connection speaks, and gives it to that protocol's decoder.
 *
 * @typedef {{ side: Side, chunk: Chunk }} Given
 *
 * @typedef {object} ProtocolReader
 * @property {string} protocol       that was found; `unknown` where none was, empty where nothing was said
 * @property {number} unknownBytes
 * @property {number} hiddenBytes
 * @property {string} fault          kind of the error that its decoder made, which then reads no more of it; empty where it made none
 * @property {(side: Side, chunk: Chunk) => void} take
 * @property {(side: Side, at: number) => void} finish
 * @property {(end: ConnectionEnd) => void} close
 *
 * @import { About, Call, Chunk, ConnectionEnd, Conversation, Decoder, Side } from './contract.ts'
 * @import { Turns } from './turns.ts'
 */

import { RECOGNISE_BYTES } from './contract.ts';
import { UNREAD } from './turns.ts';

/** Chunks that are kept until it is found. */
const KEPT_MOST = 32;
/** How often the bytes of a connection that is not read from its beginning are looked at anew. */
const TRIES_MOST = 16;
const NOTHING = Buffer.alloc(0);

/**
 * @param {readonly Decoder[]} decoders
 * @param {About} about
 * @param {(call: Call) => void} onCall
 * @param {() => Turns} [openTurns]  which take what no decoder takes
 * @returns {ProtocolReader}
 */
export const readerOf = (decoders, about, onCall, openTurns) => new Reader(decoders, about, onCall, openTurns);

/** Nothing within it can be read, so that it has no decoder. */
const TLS = 'tls';

/** A ClientHello in its record. https://www.rfc-editor.org/rfc/rfc8446#section-5.1 @param {Buffer} client */
const beginsTls = (client) => client.length > 5 && client[0] === 0x16 && client[1] === 3 && client[2] <= 4 && client[5] === 1;

class Reader {
	protocol = '';
	unknownBytes = 0;
	hiddenBytes = 0;
	fault = '';
	#decoders;
	#about;
	#onCall;
	#openTurns;
	/** @type {Turns | null | undefined} */
	#turns = null;
	/** @type {Conversation | null} */
	#conversation = null;
	/** Of protocols that the connection spoke before: what of them is open is reported at its end. @type {Conversation[]} */
	#earlier = [];
	#isHidden = false;
	#isGivenUp = false;
	#tries = 0;
	/** @type {Given[]} */
	#kept = [];
	/** Sides that have sent no more. @type {{ side: Side, at: number }[]} */
	#finished = [];

	/** @param {readonly Decoder[]} decoders @param {About} about @param {(call: Call) => void} onCall @param {() => Turns} [openTurns] */
	constructor(decoders, about, onCall, openTurns) {
		this.#decoders = decoders;
		this.#about = about;
		this.#onCall = onCall;
		this.#openTurns = openTurns;
	}

	/** @param {Side} side @param {Chunk} chunk */
	take(side, chunk) {
		const size = chunk.bytes.length + chunk.hole;
		if (this.#isHidden) this.hiddenBytes += size;
		else if (this.#conversation) this.#give(side, chunk);
		else if (this.#isGivenUp) this.#takeUnread(side, chunk);
		else this.#keep(side, chunk);
	}

	/** @param {Side} side @param {number} at */
	finish(side, at) {
		this.#finished.push({ side, at });
		if (!this.#isHidden) this.#guard(() => this.#conversation?.finish?.(side, at));
	}

	/** @param {ConnectionEnd} end */
	close(end) {
		// One that fails takes none of the others with it.
		const last = this.#conversation;
		for (const earlier of this.#earlier) this.#guard(() => earlier.close(end));
		this.#guard(() => last?.close(end));
		if (this.#kept.length > 0) this.#giveUp();
		this.#turns?.close(end);
	}

	/** One decoder that is wrong must not cost the record of all others. Its error may have what was said in its words: its kind is kept. @param {() => void} action */
	#guard(action) {
		try {
			action();
		} catch (error) {
			this.#fail(error);
		}
	}

	/** @param {unknown} error */
	#fail(error) {
		this.fault = error instanceof Error ? error.name : 'Error';
		this.#conversation = null;
		this.#isGivenUp = true;
	}

	/** As guarded as all else, without a function for each chunk. @param {Side} side @param {Chunk} chunk */
	#give(side, chunk) {
		try {
			this.#conversation?.[side](chunk);
		} catch (error) {
			this.#fail(error);
		}
	}

	/** @param {Side} side @param {Chunk} chunk */
	#keep(side, chunk) {
		this.protocol = UNREAD;
		const { midway } = this.#about;
		// Of such a connection a message may begin at a turn, and nowhere else.
		if (midway && chunk.turn && this.#kept.some((kept) => kept.side === side)) this.#giveUpTry();
		const kept = { side, chunk };
		this.#kept.push(kept);
		if (beginsTls(this.#firstBytes('client').bytes)) {
			const rest = this.#kept;
			this.#kept = [];
			this.#change(TLS, rest);
			return;
		}
		const found = this.#recognise(midway);
		if (found) this.#open(found);
		else if (found === null || this.#kept.length > KEPT_MOST) {
			if (midway) this.#giveUpTry();
			else this.#giveUp();
		} else {
			// The file's memory is used again.
			kept.chunk = { ...chunk, bytes: Buffer.from(chunk.bytes) };
		}
	}

	/** @param {boolean} midway @returns {Decoder | null | undefined} null: none takes it, whatever comes */
	#recognise(midway) {
		const [client, server] = [this.#firstBytes('client'), this.#firstBytes('server')];
		/** @type {Decoder | null} */
		let taker = null;
		let takers = 0;
		let isOpen = false;
		for (const decoder of this.#decoders) {
			const verdict = this.#verdictOf(decoder, client.bytes, server.bytes, midway);
			if (verdict === 'more') isOpen = true;
			if (verdict !== 'yes') continue;
			taker = decoder;
			takers += 1;
		}
		if (takers > 0) return takers === 1 ? taker : null;
		const isAllThere = client.isAll && server.isAll;
		return isOpen && !isAllThere ? undefined : null;
	}

	/** @param {Decoder} decoder @param {Buffer} client @param {Buffer} server @param {boolean} midway */
	#verdictOf(decoder, client, server, midway) {
		try {
			return decoder.recognise(client, server, midway);
		} catch (error) {
			this.fault = error instanceof Error ? error.name : 'Error';
			return 'no';
		}
	}

	/** Up to the first hole. @param {Side} wanted @returns {{ bytes: Buffer, isAll: boolean }} isAll: there will be no more of them */
	#firstBytes(wanted) {
		/** @type {Buffer} */
		let bytes = NOTHING;
		let isCut = false;
		for (const { side, chunk } of this.#kept) {
			if (side !== wanted) continue;
			// Nearly always the first is all that is needed, and is not copied.
			bytes = bytes.length === 0 ? chunk.bytes : Buffer.concat([bytes, chunk.bytes]);
			isCut = chunk.hole > 0;
			if (isCut || bytes.length >= RECOGNISE_BYTES) break;
		}
		const isAll = isCut || bytes.length >= RECOGNISE_BYTES;
		return { bytes: bytes.length > RECOGNISE_BYTES ? bytes.subarray(0, RECOGNISE_BYTES) : bytes, isAll };
	}

	#giveUp() {
		this.#isGivenUp = true;
		this.#turns = this.#openTurns?.();
		const kept = this.#kept;
		this.#kept = [];
		for (const { side, chunk } of kept) this.#takeUnread(side, chunk);
	}

	#giveUpTry() {
		for (const { chunk } of this.#kept) this.unknownBytes += chunk.bytes.length + chunk.hole;
		this.#kept = [];
		this.#tries += 1;
		if (this.#tries >= TRIES_MOST) this.#giveUp();
	}

	/** @param {Side} side @param {Chunk} chunk */
	#takeUnread(side, chunk) {
		this.unknownBytes += chunk.bytes.length + chunk.hole;
		this.#turns?.[side](chunk);
	}

	/** @param {Decoder} decoder */
	#open(decoder) {
		const kept = this.#kept;
		this.#kept = [];
		this.protocol = decoder.protocol;
		const conversation = decoder.open(
			{
				call: this.#onCall,
				unknown: (_side, bytes) => {
					this.unknownBytes += bytes;
				},
				becomes: (protocol, rest = []) => {
					if (this.#conversation === conversation) this.#change(protocol, rest);
				},
			},
			this.#about,
		);
		this.#conversation = conversation;
		// What it becomes meanwhile gets the rest.
		for (const { side, chunk } of kept) this.take(side, chunk);
		for (const { side, at } of this.#finished)
			if (this.#conversation === conversation && !this.#isHidden) this.#guard(() => conversation.finish?.(side, at));
	}

	/** @param {string} protocol @param {Given[]} rest */
	#change(protocol, rest) {
		this.protocol = protocol;
		const next = this.#decoders.find((decoder) => decoder.protocol === protocol);
		if (this.#conversation) this.#earlier.push(this.#conversation);
		this.#conversation = null;
		if (next) {
			this.#kept = rest;
			this.#open(next);
		} else {
			this.#isHidden = true;
			for (const { side, chunk } of rest) this.take(side, chunk);
		}
	}
}

/**
 * Puts the segments of one direction in order: repeated bytes are left out, late ones wait for those before them, and what was never
 * recorded is a hole.
 *
 * @typedef {(at: number, bytes: Buffer, hole: number) => void} Give  hole: bytes after them that were not recorded
 * @typedef {{ sequence: number, at: number, payload: Buffer, length: number }} Segment  a packet, as far as it is read here
 */

/** Segments that wait for one before them: more than the kernel's own window of small ones. */
const WAITING_MOST = 256;
/** What is farther away is of another connection, or garbage. */
const FAR_BYTES = 64 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export class Sequence {
	/** Sequence number of the next byte; null before the first. @type {number | null} */
	#next;
	/** In their order. @type {Segment[]} */
	#waiting = [];
	#give;

	/** Segments that carried nothing new, and when the last of them passed. */
	again = 0;
	/** @type {number | null} */
	againAt = null;

	/**
	 * @param {number | null} next  null: the next segment begins it
	 * @param {Give} give
	 */
	constructor(next, give) {
		this.#next = next;
		this.#give = give;
	}

	/** @param {number} acknowledged @returns {boolean} whether that is all that came */
	isAll(acknowledged) {
		return this.#next === null || distance(this.#next, acknowledged) <= 0;
	}

	/** What the next byte's number is now known to be. @param {number} next */
	begin(next) {
		this.#next ??= next;
	}

	/** @param {Segment} segment  with a payload */
	take(segment) {
		this.#next ??= segment.sequence;
		const ahead = distance(segment.sequence, this.#next);
		if (Math.abs(ahead) > FAR_BYTES) {
			// It goes on from there, whatever it is.
			this.settle(null);
			this.#next = segment.sequence;
		}
		if (ahead > 0 && ahead <= FAR_BYTES) {
			this.#wait(segment);
			return;
		}
		this.#deliver(segment);
		this.#deliverWaiting();
	}

	/**
	 * The other side has everything before this number: what was not seen until now was not recorded.
	 * @param {number | null} acknowledged  null: nothing more will come
	 * @param {number} [at]
	 */
	settle(acknowledged, at = 0) {
		while (this.#waiting.length > 0) {
			const [{ sequence, at: cameAt }] = this.#waiting;
			if (acknowledged !== null && distance(acknowledged, sequence) < 0) break;
			this.#skipTo(sequence, cameAt);
			this.#deliverWaiting();
		}
		if (acknowledged !== null && this.#next !== null) {
			const ahead = distance(acknowledged, this.#next);
			if (ahead > 0 && ahead <= FAR_BYTES) this.#skipTo(acknowledged, at);
		}
	}

	/** @param {number} sequence @param {number} at */
	#skipTo(sequence, at) {
		const hole = distance(sequence, /** @type {number} */ (this.#next));
		this.#next = sequence;
		if (hole > 0) this.#give(at, EMPTY, hole);
	}

	/** @param {Segment} segment */
	#wait(segment) {
		const { sequence, at, length, payload } = segment;
		const index = this.#waiting.findIndex((waiting) => distance(waiting.sequence, sequence) >= 0);
		if (index >= 0 && this.#waiting[index].sequence === sequence && this.#waiting[index].length >= length) {
			this.#repeat(segment);
			return;
		}
		// The file's memory is used again.
		this.#waiting.splice(index < 0 ? this.#waiting.length : index, 0, { sequence, at, length, payload: Buffer.from(payload) });
		if (this.#waiting.length > WAITING_MOST) this.settle(this.#waiting[0].sequence);
	}

	#deliverWaiting() {
		while (this.#waiting.length > 0 && distance(this.#waiting[0].sequence, /** @type {number} */ (this.#next)) <= 0)
			this.#deliver(/** @type {Segment} */ (this.#waiting.shift()));
	}

	/** @param {Segment} segment  that begins at the next byte, or before it */
	#deliver(segment) {
		const { sequence, at, payload, length } = segment;
		const known = distance(/** @type {number} */ (this.#next), sequence);
		if (known >= length) {
			this.#repeat(segment);
			return;
		}
		if (known > 0) this.#repeat(segment);
		this.#next = (sequence + length) >>> 0;
		const fresh = known === 0 ? payload : payload.subarray(Math.min(known, payload.length));
		this.#give(at, fresh, length - known - fresh.length);
	}

	/** One byte that was there already is how the kernel asks whether the other side is alive. @param {Segment} segment */
	#repeat({ at, length }) {
		if (length <= 1) return;
		this.again += 1;
		this.againAt = at;
	}
}

/** How far one number is ahead of another, in a circle of 2^32. @param {number} one @param {number} other */
const distance = (one, other) => (one - other) | 0;
