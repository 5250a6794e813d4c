/**
 * One TCP connection: what its packets say of its life, and its two streams for whoever reads its protocol.
 *
 *
 * @import { Call, Decoder, Side } from './contract.ts'
 * @import { TcpPacket } from './packets.ts'
 */

import { readerOf, Sequence } from './protocol-reader.ts';
import { Turns } from './turns.ts';

/**
 * What is kept of a connection.
 *
 * @typedef {'refused' | 'unanswered' | 'closed' | 'reset' | 'open'} Outcome  refused: an RST for the SYN; unanswered: nothing for it;
 *   closed, reset: by `by`; open: when the capture ended, or its end was not seen
 *
 * @typedef {object} ConnectionRecord  times in seconds since 1970
 * @property {number} id
 * @property {'tcp' | 'udp'} transport  of datagrams: what was said between two ends without a long silence
 * @property {string} client            address
 * @property {number} client_port
 * @property {string} server            address
 * @property {number} server_port
 * @property {boolean} midway           it was there before the capture
 * @property {number} opened_at         of its first packet
 * @property {number} syns              how often the client asked for it
 * @property {number | null} syn_at     the last time; null in a record from before
 * @property {number | null} accepted_at  by the server's kernel
 * @property {number} accepts           how often it said so: more than once where the client's last word of the handshake was not taken
 * @property {number | null} asked_at   first byte from the client
 * @property {number | null} answered_at  first byte from the server
 * @property {number | null} last_at    last packet with a byte
 * @property {number | null} ended_at   first FIN or RST
 * @property {Outcome} outcome
 * @property {Side | null} by           who ended it
 * @property {number | null} reset_at   first RST
 * @property {number} client_bytes      that were sent, recorded or not
 * @property {number} server_bytes
 * @property {number} again             segments that were sent again
 * @property {number | null} again_at   the last of them
 * @property {Record<Side, { times: number, first_at: number, last_at: number } | null>} closed_window  a side said that it takes no more bytes
 * @property {string} protocol          of a decoder; `unknown`; empty where nothing was said
 * @property {number} calls           by turns where no decoder takes it (turns.ts)
 * @property {number} unknown_bytes     that its decoder could not understand, or that no decoder takes
 * @property {number} hidden_bytes      of a protocol that is known and is not read
 * @property {string} fault             kind of an error that its decoder made, which read no more of it; empty where it made none
 */

/**
 * @param {{ id: number, client: string, client_port: number, server: string, server_port: number, at: number, midway: boolean, transport?: 'tcp' | 'udp' }} about
 * @returns {ConnectionRecord} as it begins
 */
export const emptyRecord = (about) => ({
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
	/** @type {ConnectionRecord} */
	record;
	/** No packet of it is to come but what belongs to its end. @type {number | null} */
	overAt = null;
	/** @type {Record<Side, number | null>} */
	#finAt = { client: null, server: null };
	/** @type {Record<Side, number | null>} Sequence number of the byte after its last */
	#finAfter = { client: null, server: null };
	#isFinished = { client: false, server: false };
	/** @type {Side | null} */
	#resetBy = null;
	/** @type {number | null} */
	#clientStart = null;
	#lastAt;
	/** @type {Side | null} */
	#spoke = null;
	/** The last packet with bytes was sent before its side had all that the other had sent. */
	#isCrossed = false;
	/** Told as answered after the client had gone: it may have known, or not. @type {Call[]} */
	#late = [];
	#onCall;
	#reader;
	#streams;

	/**
	 * @param {{ id: number, client: string, client_port: number, server: string, server_port: number, at: number, midway: boolean }} about
	 * @param {readonly Decoder[]} decoders
	 * @param {(call: Call, connection: ConnectionRecord) => void} onCall
	 */
	constructor(about, decoders, onCall) {
		const { at, midway } = about;
		this.#lastAt = at;
		this.#onCall = onCall;
		this.record = emptyRecord(about);
		const tell = (/** @type {Call} */ call) => this.#takeCall(call);
		this.#reader = readerOf(decoders, { midway, opened_at: at }, tell, () => new Turns(tell));
		this.#streams = {
			client: new Sequence(null, (at, bytes, hole) => this.#give('client', at, bytes, hole)),
			server: new Sequence(null, (at, bytes, hole) => this.#give('server', at, bytes, hole)),
		};
	}

	/** Whether a SYN asks for this connection once more, and not for a new one on its ports. @param {TcpPacket} packet */
	isSynAgain({ sequence }) {
		return this.overAt === null && this.#clientStart === sequence && this.record.asked_at === null;
	}

	/** @param {TcpPacket} packet @param {Side} side  who sent it */
	take(packet, side) {
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

	/** @param {number} at  when the capture ended, or the ports were used for another @returns {ConnectionRecord} */
	finish(at) {
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

	/** @param {TcpPacket} packet @param {Side} side */
	#takeSyn({ at, sequence, ack }, side) {
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

	/** @param {TcpPacket} packet @param {Side} side */
	#takeFin({ at, sequence, length }, side) {
		if (this.#finAt[side] !== null) return;
		this.#finAt[side] = at;
		this.#finAfter[side] = (sequence + length) >>> 0;
		this.#end(at, side);
		this.#streams[side].settle(this.#finAfter[side], at);
		this.#finishSide(side);
		if (this.#finAt[otherOf(side)] !== null) this.overAt ??= at;
	}

	/** @param {number} at @param {Side} side */
	#takeReset(at, side) {
		this.#resetBy ??= side;
		this.record.reset_at ??= at;
		this.#end(at, side);
		this.overAt ??= at;
	}

	/** @param {number} at @param {Side} side */
	#end(at, side) {
		this.record.ended_at ??= at;
		this.record.by ??= side;
	}

	/** @param {Side} side */
	#finishSide(side) {
		const at = this.#finAt[side];
		if (at === null || this.#isFinished[side]) return;
		this.#isFinished[side] = true;
		this.#reader.finish(side, at);
	}

	/** @param {number} at @param {Side} side */
	#closeWindow(at, side) {
		const window = this.record.closed_window[side] ?? { times: 0, first_at: at, last_at: at };
		this.record.closed_window[side] = { times: window.times + 1, first_at: window.first_at, last_at: at };
	}

	/** A FIN takes a number too, and is no byte. @param {Side} side @param {number} acknowledged */
	#withoutFin(side, acknowledged) {
		const after = this.#finAfter[side];
		return after !== null && ((acknowledged - after) | 0) > 0 ? after : acknowledged;
	}

	/** @param {Side} side @param {number} at @param {Buffer} bytes @param {number} hole */
	#give(side, at, bytes, hole) {
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

	/** @param {Call} call */
	#takeCall(call) {
		const gone = this.#finAt.client;
		// Refused within the answer, its end was never sent.
		const isBegun = call.end === 'answered' || call.end === 'cut';
		if (isBegun && gone !== null && call.first_at !== null && call.first_at > gone) this.#late.push(call);
		else this.#tell(call);
	}

	/** @param {Call} call */
	#tell(call) {
		this.record.calls += 1;
		this.record.protocol = this.#reader.protocol;
		this.#onCall(call, this.record);
	}
}

const SIDES = /** @type {const} */ (['client', 'server']);

/** @param {Side} side @returns {Side} */
const otherOf = (side) => (side === 'client' ? 'server' : 'client');

/** The client's kernel refused the answer: its program had closed, and not only ended to ask. @param {Call} call @param {number | null} at @returns {Call} */
const givenUp = (call, at) => ({
	...call,
	end: 'given-up',
	by: 'client',
	late_at: call.first_at ?? undefined,
	first_at: null,
	ended_at: at,
});

/** @param {ConnectionRecord} record @param {boolean} isReset @param {number} at @returns {Outcome} */
function outcomeOf({ midway, accepted_at: acceptedAt, ended_at: endedAt, by, opened_at: openedAt, asked_at: askedAt }, isReset, at) {
	const isMade = midway || acceptedAt !== null || askedAt !== null;
	if (!isMade && isReset && by === 'server') return 'refused';
	if (!isMade && endedAt === null) return at - openedAt >= UNANSWERED_S ? 'unanswered' : 'open';
	if (endedAt === null) return 'open';
	return isReset ? 'reset' : 'closed';
}
