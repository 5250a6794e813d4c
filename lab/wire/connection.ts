/** One TCP connection: what its packets say of its life, and its two streams for whoever reads its protocol. */

import type { Call, Decoder, Side } from './contract.ts';
import type { TcpPacket } from './packets.ts';
import { readerOf, Sequence } from './protocol-reader.ts';
import { Turns } from './turns.ts';

/** What is kept of a connection. */
/**
 * refused: an RST for the SYN; unanswered: nothing for it;
 *   closed, reset: by `by`; open: when the capture ended, or its end was not seen
 */
type Outcome = 'refused' | 'unanswered' | 'closed' | 'reset' | 'open';

/** times in seconds since 1970 */
export type ConnectionRecord = {
	id: number;
	/** of datagrams: what was said between two ends without a long silence */
	transport: 'tcp' | 'udp';
	/** address */
	client: string;
	client_port: number;
	/** address */
	server: string;
	server_port: number;
	/** it was there before the capture */
	midway: boolean;
	/** of its first packet */
	opened_at: number;
	/** how often the client asked for it */
	syns: number;
	/** the last time; null in a record from before */
	syn_at: number | null;
	/** by the server's kernel */
	accepted_at: number | null;
	/** how often it said so: more than once where the client's last word of the handshake was not taken */
	accepts: number;
	/** first byte from the client */
	asked_at: number | null;
	/** first byte from the server */
	answered_at: number | null;
	/** last packet with a byte */
	last_at: number | null;
	/** first FIN or RST */
	ended_at: number | null;
	outcome: Outcome;
	/** who ended it */
	by: Side | null;
	/** first RST */
	reset_at: number | null;
	/** that were sent, recorded or not */
	client_bytes: number;
	server_bytes: number;
	/** segments that were sent again */
	again: number;
	/** the last of them */
	again_at: number | null;
	/** a side said that it takes no more bytes */
	closed_window: Record<Side, { times: number; first_at: number; last_at: number } | null>;
	/** of a decoder; `unknown`; empty where nothing was said */
	protocol: string;
	/** by turns where no decoder takes it (turns.ts) */
	calls: number;
	/** that its decoder could not understand, or that no decoder takes */
	unknown_bytes: number;
	/** of a protocol that is known and is not read */
	hidden_bytes: number;
	/** kind of an error that its decoder made, which read no more of it; empty where it made none */
	fault: string;
};

/** @returns as it begins */
export const emptyRecord = (about: {
	id: number;
	client: string;
	client_port: number;
	server: string;
	server_port: number;
	at: number;
	midway: boolean;
	transport?: 'tcp' | 'udp';
}): ConnectionRecord => ({
	id: about.id,
	transport: about.transport ?? 'tcp',
	client: about.client,
	client_port: about.client_port,
	server: about.server,
	server_port: about.server_port,
	midway: about.midway,
	opened_at: about.at,
	syns: 0,
	syn_at: null,
	accepted_at: null,
	accepts: 0,
	asked_at: null,
	answered_at: null,
	last_at: null,
	ended_at: null,
	outcome: 'open',
	by: null,
	reset_at: null,
	client_bytes: 0,
	server_bytes: 0,
	again: 0,
	again_at: null,
	closed_window: { client: null, server: null },
	protocol: '',
	calls: 0,
	unknown_bytes: 0,
	hidden_bytes: 0,
	fault: '',
});

/** The kernel asks again after a second; on one bridge an answer takes microseconds. */
const UNANSWERED_S = 1;

export class Connection {
	record: ConnectionRecord;
	/** No packet of it is to come but what belongs to its end. */
	overAt: number | null = null;
	#finAt: Record<Side, number | null> = { client: null, server: null };
	/** Sequence number of the byte after its last */
	#finAfter: Record<Side, number | null> = { client: null, server: null };
	#isFinished = { client: false, server: false };
	#resetBy: Side | null = null;
	#clientStart: number | null = null;
	#lastAt;
	#spoke: Side | null = null;
	/** The last packet with bytes was sent before its side had all that the other had sent. */
	#isCrossed = false;
	/** Worded as answered after the client had gone: it may have known, or not. */
	#late: Call[] = [];
	#onCall;
	#reader;
	#streams;

	constructor(
		about: { id: number; client: string; client_port: number; server: string; server_port: number; at: number; midway: boolean },
		decoders: readonly Decoder[],
		onCall: (call: Call, connection: ConnectionRecord) => void,
	) {
		const { at, midway } = about;
		this.#lastAt = at;
		this.#onCall = onCall;
		this.record = emptyRecord(about);
		const tell = (call: Call) => this.#takeCall(call);
		this.#reader = readerOf(decoders, { midway, opened_at: at }, tell, () => new Turns(tell));
		this.#streams = {
			client: new Sequence(null, (at, bytes, hole) => this.#give('client', at, bytes, hole)),
			server: new Sequence(null, (at, bytes, hole) => this.#give('server', at, bytes, hole)),
		};
	}

	/** Whether a SYN asks for this connection once more, and not for a new one on its ports. */
	isSynAgain({ sequence }: TcpPacket) {
		return this.overAt === null && this.#clientStart === sequence && this.record.asked_at === null;
	}

	/** @param side who sent it */
	take(packet: TcpPacket, side: Side) {
		const { at } = packet;
		this.#lastAt = at;
		if (packet.syn) this.#takeSyn(packet, side);
		if (packet.window === 0 && !packet.rst && !packet.syn) this.#closeWindow(at, side);
		const other = otherOf(side);
		// An answer comes after its question: what was not seen of that by now was not recorded.
		if (packet.ack && !packet.syn && !packet.rst) this.#streams[other].settle(this.#withoutFin(other, packet.acknowledged), at);
		if (packet.length > 0) {
			this.#isCrossed = packet.ack && !this.#streams[other].isAll(packet.acknowledged);
			this.#streams[side].take(packet);
		}
		if (packet.fin) this.#takeFin(packet, side);
		if (packet.rst) this.#takeReset(at, side);
	}

	/** @param at when the capture ended, or the ports were used for another */
	finish(at: number): ConnectionRecord {
		const { record } = this;
		for (const side of SIDES) this.#streams[side].settle(null);
		for (const side of SIDES) this.#finishSide(side);
		const isReset = this.#resetBy !== null && record.reset_at === record.ended_at;
		record.outcome = outcomeOf(record, isReset, at);
		const how = record.ended_at === null ? 'open' : isReset ? 'reset' : 'closed';
		this.#reader.close({ at: record.ended_at ?? this.#lastAt, by: record.by, how });
		for (const call of this.#late) this.#tell(this.#resetBy === 'client' ? givenUp(call, this.#finAt.client) : call);
		this.#late = [];
		const { client, server } = this.#streams;
		record.protocol = this.#reader.protocol;
		record.unknown_bytes = this.#reader.unknownBytes;
		record.hidden_bytes = this.#reader.hiddenBytes;
		record.fault = this.#reader.fault;
		record.again = client.again + server.again;
		record.again_at = Math.max(client.againAt ?? 0, server.againAt ?? 0) || null;
		return record;
	}

	#takeSyn({ at, sequence, ack }: TcpPacket, side: Side) {
		const { record } = this;
		// A SYN takes a number as if it were a byte.
		this.#streams[side].begin((sequence + 1) >>> 0);
		if (ack) {
			record.accepted_at ??= at;
			record.accepts += 1;
		} else {
			this.#clientStart ??= sequence;
			record.syns += 1;
			record.syn_at = at;
		}
	}

	#takeFin({ at, sequence, length }: TcpPacket, side: Side) {
		if (this.#finAt[side] !== null) return;
		this.#finAt[side] = at;
		this.#finAfter[side] = (sequence + length) >>> 0;
		this.#end(at, side);
		this.#streams[side].settle(this.#finAfter[side], at);
		this.#finishSide(side);
		if (this.#finAt[otherOf(side)] !== null) this.overAt ??= at;
	}

	#takeReset(at: number, side: Side) {
		this.#resetBy ??= side;
		this.record.reset_at ??= at;
		this.#end(at, side);
		this.overAt ??= at;
	}

	#end(at: number, side: Side) {
		this.record.ended_at ??= at;
		this.record.by ??= side;
	}

	#finishSide(side: Side) {
		const at = this.#finAt[side];
		if (at === null || this.#isFinished[side]) return;
		this.#isFinished[side] = true;
		this.#reader.finish(side, at);
	}

	#closeWindow(at: number, side: Side) {
		const window = this.record.closed_window[side] ?? { times: 0, first_at: at, last_at: at };
		this.record.closed_window[side] = { times: window.times + 1, first_at: window.first_at, last_at: at };
	}

	/** A FIN takes a number too, and is no byte. */
	#withoutFin(side: Side, acknowledged: number) {
		const after = this.#finAfter[side];
		return after !== null && ((acknowledged - after) | 0) > 0 ? after : acknowledged;
	}

	#give(side: Side, at: number, bytes: Buffer, hole: number) {
		const { record } = this;
		const size = bytes.length + hole;
		if (side === 'client') {
			record.client_bytes += size;
			record.asked_at ??= at;
		} else {
			record.server_bytes += size;
			record.answered_at ??= at;
		}
		record.last_at = at;
		const turn = this.#spoke !== side;
		this.#spoke = side;
		this.#reader.take(side, { at, bytes, hole, turn, crossed: this.#isCrossed });
	}

	#takeCall(call: Call) {
		const gone = this.#finAt.client;
		// Refused within the answer, its end was never sent.
		const isBegun = call.end === 'answered' || call.end === 'cut';
		if (isBegun && gone !== null && call.first_at !== null && call.first_at > gone) this.#late.push(call);
		else this.#tell(call);
	}

	#tell(call: Call) {
		this.record.calls += 1;
		this.record.protocol = this.#reader.protocol;
		this.#onCall(call, this.record);
	}
}

const SIDES = ['client', 'server'] as const;

const otherOf = (side: Side): Side => (side === 'client' ? 'server' : 'client');

/** The client's kernel refused the answer: its program had closed, and not only ended to ask. */
const givenUp = (call: Call, at: number | null): Call => ({
	...call,
	end: 'given-up',
	by: 'client',
	late_at: call.first_at ?? undefined,
	first_at: null,
	ended_at: at,
});

function outcomeOf(
	{ midway, accepted_at: acceptedAt, ended_at: endedAt, by, opened_at: openedAt, asked_at: askedAt }: ConnectionRecord,
	isReset: boolean,
	at: number,
): Outcome {
	const isMade = midway || acceptedAt !== null || askedAt !== null;
	if (!isMade && isReset && by === 'server') return 'refused';
	if (!isMade && endedAt === null) return at - openedAt >= UNANSWERED_S ? 'unanswered' : 'open';
	if (endedAt === null) return 'open';
	return isReset ? 'reset' : 'closed';
}
