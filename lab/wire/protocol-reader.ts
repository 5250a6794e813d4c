/** Finds by its first bytes what a connection speaks, and gives it to that protocol's decoder. */

import type { About, Call, Chunk, ConnectionEnd, Conversation, Decoder, Side } from './contract.ts';
import { RECOGNISE_BYTES } from './contract.ts';
import type { Turns } from './turns.ts';
import { UNREAD } from './turns.ts';

type Given = { side: Side; chunk: Chunk };

export type ProtocolReader = {
	/** that was found; `unknown` where none was, empty where nothing was said */
	protocol: string;
	unknownBytes: number;
	hiddenBytes: number;
	/** kind of the error that its decoder made, which then reads no more of it; empty where it made none */
	fault: string;
	take: (side: Side, chunk: Chunk) => void;
	finish: (side: Side, at: number) => void;
	close: (end: ConnectionEnd) => void;
};

/** Chunks that are kept until it is found. */
const KEPT_MOST = 32;
/** How often the bytes of a connection that is not read from its beginning are looked at anew. */
const TRIES_MOST = 16;
const NOTHING = Buffer.alloc(0);

/** @param openTurns which take what no decoder takes */
export const readerOf = (
	decoders: readonly Decoder[],
	about: About,
	onCall: (call: Call) => void,
	openTurns?: () => Turns,
): ProtocolReader => new Reader(decoders, about, onCall, openTurns);

/** Nothing within it can be read, so that it has no decoder. */
const TLS = 'tls';

/** A ClientHello in its record. https://www.rfc-editor.org/rfc/rfc8446#section-5.1 */
const beginsTls = (client: Buffer) => client.length > 5 && client[0] === 0x16 && client[1] === 3 && client[2] <= 4 && client[5] === 1;

class Reader {
	protocol = '';
	unknownBytes = 0;
	hiddenBytes = 0;
	fault = '';
	#decoders;
	#about;
	#onCall;
	#openTurns;
	#turns: Turns | null | undefined = null;
	#conversation: Conversation | null = null;
	/** Of protocols that the connection spoke before: what of them is open is reported at its end. */
	#earlier: Conversation[] = [];
	#isHidden = false;
	#isGivenUp = false;
	#tries = 0;
	#kept: Given[] = [];
	/** Sides that have sent no more. */
	#finished: { side: Side; at: number }[] = [];

	constructor(decoders: readonly Decoder[], about: About, onCall: (call: Call) => void, openTurns?: () => Turns) {
		this.#decoders = decoders;
		this.#about = about;
		this.#onCall = onCall;
		this.#openTurns = openTurns;
	}

	take(side: Side, chunk: Chunk) {
		const size = chunk.bytes.length + chunk.hole;
		if (this.#isHidden) this.hiddenBytes += size;
		else if (this.#conversation) this.#give(side, chunk);
		else if (this.#isGivenUp) this.#takeUnread(side, chunk);
		else this.#keep(side, chunk);
	}

	finish(side: Side, at: number) {
		this.#finished.push({ side, at });
		if (!this.#isHidden) this.#guard(() => this.#conversation?.finish?.(side, at));
	}

	close(end: ConnectionEnd) {
		// One that fails takes none of the others with it.
		const last = this.#conversation;
		for (const earlier of this.#earlier) this.#guard(() => earlier.close(end));
		this.#guard(() => last?.close(end));
		if (this.#kept.length > 0) this.#giveUp();
		this.#turns?.close(end);
	}

	/** One decoder that is wrong must not cost the record of all others. Its error may have what was said in its words: its kind is kept. */
	#guard(action: () => void) {
		try {
			action();
		} catch (error) {
			this.#fail(error);
		}
	}

	#fail(error: unknown) {
		this.fault = error instanceof Error ? error.name : 'Error';
		this.#conversation = null;
		this.#isGivenUp = true;
	}

	/** As guarded as all else, without a function for each chunk. */
	#give(side: Side, chunk: Chunk) {
		try {
			this.#conversation?.[side](chunk);
		} catch (error) {
			this.#fail(error);
		}
	}

	#keep(side: Side, chunk: Chunk) {
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

	/** @returns null: none takes it, whatever comes */
	#recognise(midway: boolean): Decoder | null | undefined {
		const [client, server] = [this.#firstBytes('client'), this.#firstBytes('server')];
		let taker: Decoder | null = null;
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

	#verdictOf(decoder: Decoder, client: Buffer, server: Buffer, midway: boolean) {
		try {
			return decoder.recognise(client, server, midway);
		} catch (error) {
			this.fault = error instanceof Error ? error.name : 'Error';
			return 'no';
		}
	}

	/**
	 * Up to the first hole.
	 * @returns isAll: there will be no more of them
	 */
	#firstBytes(wanted: Side): { bytes: Buffer; isAll: boolean } {
		let bytes: Buffer = NOTHING;
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

	#takeUnread(side: Side, chunk: Chunk) {
		this.unknownBytes += chunk.bytes.length + chunk.hole;
		this.#turns?.[side](chunk);
	}

	#open(decoder: Decoder) {
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

	#change(protocol: string, rest: Given[]) {
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
 */
/** hole: bytes after them that were not recorded */
type Give = (at: number, bytes: Buffer, hole: number) => void;

/** a packet, as far as it is read here */
type Segment = { sequence: number; at: number; payload: Buffer; length: number };

/** Segments that wait for one before them: more than the kernel's own window of small ones. */
const WAITING_MOST = 256;
/** What is farther away is of another connection, or garbage. */
const FAR_BYTES = 64 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export class Sequence {
	/** Sequence number of the next byte; null before the first. */
	#next: number | null;
	/** In their order. */
	#waiting: Segment[] = [];
	#give;

	/** Segments that carried nothing new, and when the last of them passed. */
	again = 0;
	againAt: number | null = null;

	/** @param next null: the next segment begins it */
	constructor(next: number | null, give: Give) {
		this.#next = next;
		this.#give = give;
	}

	/** @returns whether that is all that came */
	isAll(acknowledged: number): boolean {
		return this.#next === null || distance(this.#next, acknowledged) <= 0;
	}

	/** What the next byte's number is now known to be. */
	begin(next: number) {
		this.#next ??= next;
	}

	/** @param segment with a payload */
	take(segment: Segment) {
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
	 * @param acknowledged null: nothing more will come
	 */
	settle(acknowledged: number | null, at: number = 0) {
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

	#skipTo(sequence: number, at: number) {
		const hole = distance(sequence, this.#next as number);
		this.#next = sequence;
		if (hole > 0) this.#give(at, EMPTY, hole);
	}

	#wait(segment: Segment) {
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
		while (this.#waiting.length > 0 && distance(this.#waiting[0].sequence, this.#next as number) <= 0)
			this.#deliver(this.#waiting.shift() as Segment);
	}

	/** @param segment that begins at the next byte, or before it */
	#deliver(segment: Segment) {
		const { sequence, at, payload, length } = segment;
		const known = distance(this.#next as number, sequence);
		if (known >= length) {
			this.#repeat(segment);
			return;
		}
		if (known > 0) this.#repeat(segment);
		this.#next = (sequence + length) >>> 0;
		const fresh = known === 0 ? payload : payload.subarray(Math.min(known, payload.length));
		this.#give(at, fresh, length - known - fresh.length);
	}

	/** One byte that was there already is how the kernel asks whether the other side is alive. */
	#repeat({ at, length }: Segment) {
		if (length <= 1) return;
		this.again += 1;
		this.againAt = at;
	}
}

/** How far one number is ahead of another, in a circle of 2^32. */
const distance = (one: number, other: number) => (one - other) | 0;
