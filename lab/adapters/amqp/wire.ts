/**
 * AMQP 0.9.1 on the wire. Methods that wait for an answer are calls. A message that is published is one too where the channel confirms what
 * it took; else it gets no answer. A message that is delivered is the server's own, and over when the client has acknowledged it.
 */

import { answerBegins, answered, brokenOff, endUnseen, newCall, wasSent } from '../../wire/calls.ts';
import type { Call, Chunk, ConnectionEnd, Decoder, Emit, Side } from '../../wire/contract.ts';
import { type Frame, FrameReader } from '../../wire/stream-reader.ts';
import { acknowledged, askedBy, BODY, deliveryTag, errorOf, isWithoutAck, METHOD, methodOf, questionName } from './methods.ts';

type Channel = {
	asked: { method: string; call: Call }[];
	confirms: boolean;
	published: bigint;
	isSilent: boolean;
	unconfirmed: Map<bigint, Call>;
	delivered: Map<bigint, Call>;
	sending: { call: Call; left: number | null } | null;
};

const HEADER = 'AMQP';
const HEADER_LENGTH = 8;
/** Type, channel, size; then as much, and a byte at the end. */
const HEAD = 7;
const WANTED = 600;
const LONGEST = 1 << 27;
const METHODS = 1;
const CONTENT = 2;
const BEAT = 8;
/** Of all channels: what is asked and not answered, and messages that are not acknowledged; more than any client is given. */
const OPEN_MOST = 64 * 1024;
/** Of one channel: asked and not answered. */
const ASKED_MOST = 256;
const CHANNELS_MOST = 2048;

export const decoder: Decoder = {
	protocol: 'amqp',
	title: 'AMQP',
	recognise(client, server) {
		if (client.length === 0) return server.length === 0 ? 'more' : 'no';
		const text = client.toString('latin1', 0, HEADER_LENGTH);
		if (text.length < HEADER_LENGTH) return `${HEADER}\0\0\x09\x01`.startsWith(text) ? 'more' : 'no';
		return text === `${HEADER}\0\0\x09\x01` ? 'yes' : 'no';
	},
	open: (emit, { midway }) => new AmqpConversation(emit, midway),
};

class AmqpConversation {
	#emit;
	#hasHeader;
	#connecting: Call | null = null;
	#blocked: Call | null = null;
	#channels: Map<number, Channel> = new Map();
	/** Calls in them. */
	#open = 0;
	#questions;
	#answers;

	constructor(emit: Emit, midway: boolean) {
		this.#emit = emit;
		this.#hasHeader = midway;
		this.#questions = new FrameReader({
			head: () => (this.#hasHeader ? HEAD : HEADER_LENGTH),
			lengthOf: (head) => (this.#hasHeader ? lengthOf(head) : HEADER_LENGTH),
			want: WANTED,
			onFrame: (frame) => (this.#hasHeader ? this.#onFrame('client', frame) : this.#onHeader(frame)),
			onLost: (bytes, at) => emit.unknown('client', bytes, at),
		});
		this.#answers = new FrameReader({
			head: () => HEAD,
			lengthOf,
			want: WANTED,
			onFrame: (frame) => this.#onFrame('server', frame),
			onLost: (bytes, at) => emit.unknown('server', bytes, at),
		});
	}

	client(chunk: Chunk) {
		this.#questions.push(chunk);
	}

	server(chunk: Chunk) {
		this.#answers.push(chunk);
	}

	close(end: ConnectionEnd) {
		const open = [this.#connecting, this.#blocked].flatMap((call) => call ?? []);
		for (const { asked, unconfirmed, delivered, sending } of this.#channels.values())
			open.push(...asked.map(({ call }) => call), ...unconfirmed.values(), ...delivered.values(), ...(sending ? [sending.call] : []));
		for (const call of open) this.#emit.call(brokenOff(call, end));
		this.#channels.clear();
	}

	#onHeader({ began_at: beganAt, ended_at: endedAt, length }: Frame) {
		this.#hasHeader = true;
		this.#connecting = Object.assign(newCall(beganAt), { role: 'connect', verb: 'CONNECT', sent_at: endedAt, sent_bytes: length });
	}

	#onFrame(side: Side, frame: Frame) {
		const [type, number] = [frame.bytes[0], frame.bytes.readUInt16BE(1)];
		if (type === BEAT) return;
		const channel = this.#channel(number);
		if (!channel) {
			this.#emit.unknown(side, frame.length, frame.ended_at);
			return;
		}
		const payload = frame.bytes.subarray(HEAD);
		if (type === CONTENT || type === BODY) this.#onContent(side, channel, frame, type === CONTENT);
		else if (type !== METHODS) this.#emit.unknown(side, frame.length, frame.ended_at);
		else if (side === 'client') this.#onQuestion(channel, payload, frame);
		else this.#onAnswer(channel, payload, frame);
	}

	/** @returns null: there are more than anybody has */
	#channel(number: number): Channel | null {
		const known = this.#channels.get(number);
		if (known) return known;
		if (this.#channels.size >= CHANNELS_MOST) return null;
		const channel: Channel = {
			asked: [],
			confirms: false,
			published: 0n,
			isSilent: false,
			unconfirmed: new Map(),
			delivered: new Map(),
			sending: null,
		};
		this.#channels.set(number, channel);
		return channel;
	}

	#onQuestion(channel: Channel, payload: Buffer, { began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const method = methodOf(payload);
		const verb = questionName(method);
		if (method === METHOD.publish) {
			// Of the one before its content was missing.
			if (channel.sending) this.#emit.call(endUnseen(channel.sending.call));
			const call = Object.assign(newCall(beganAt), { verb: 'basic.publish', template: 'basic.publish', sent_bytes: length });
			channel.sending = { call, left: null };
			return;
		}
		if ([METHOD.ack, METHOD.nack, METHOD.reject].includes(method)) this.#acknowledges(channel.delivered, payload, endedAt, 'client');
		if (method === METHOD.consume) channel.isSilent = isWithoutAck(payload);
		// From here on messages are counted.
		if (method === METHOD.confirm) Object.assign(channel, { confirms: true, published: 0n });
		if (verb === undefined) return;
		if (channel.asked.length >= ASKED_MOST || this.#open >= OPEN_MOST) {
			this.#emit.unknown('client', length, endedAt);
			return;
		}
		const call = Object.assign(newCall(beganAt), { verb, template: verb, sent_at: endedAt, sent_bytes: length });
		channel.asked.push({ method, call });
		this.#open += 1;
	}

	/** What a published or delivered message consists of. */
	#onContent(side: Side, channel: Channel, { bytes, ended_at: endedAt, length }: Frame, isHead: boolean) {
		const { sending } = channel;
		if (side !== 'client' || !sending) return;
		sending.call.sent_bytes += length;
		if (isHead) sending.left = bytes.length >= HEAD + 12 ? Number(bytes.readBigUInt64BE(HEAD + 4)) : 0;
		else sending.left = Math.max(0, (sending.left ?? 0) - (length - HEAD - 1));
		if (sending.left > 0) return;
		channel.sending = null;
		sending.call.sent_at = endedAt;
		channel.published += 1n;
		if (!channel.confirms || !this.#keep(channel.unconfirmed, channel.published, sending.call))
			this.#emit.call(wasSent(sending.call, endedAt));
	}

	/**
	 * Until it is acknowledged.
	 * @returns whether there is room
	 */
	#keep(calls: Map<bigint, Call>, tag: bigint, call: Call): boolean {
		const before = calls.get(tag);
		if (!before && this.#open >= OPEN_MOST) return false;
		// Numbers are counted anew where what made them so was not recorded.
		if (before) this.#emit.call(endUnseen(before));
		else this.#open += 1;
		calls.set(tag, call);
		return true;
	}

	#onAnswer(channel: Channel, payload: Buffer, frame: Frame) {
		const method = methodOf(payload);
		const { began_at: beganAt, ended_at: endedAt } = frame;
		if (this.#connecting) this.#connects(method, payload, frame);
		else if (method === METHOD.blocked)
			this.#blocked ??= Object.assign(newCall(beganAt), { role: 'push', verb: 'connection.blocked', bad: true });
		else if (method === METHOD.unblocked) this.#unblocks(endedAt);
		else if (method === METHOD.ack || method === METHOD.nack) this.#acknowledges(channel.unconfirmed, payload, endedAt, 'server');
		else if (method === METHOD.deliver) this.#delivers(channel, payload, frame);
		else if (method === METHOD.close || method === METHOD.channelClose) this.#closes(method, channel, payload, frame);
		else {
			const question = askedBy(method);
			const index = channel.asked.findIndex((asked) => asked.method === question);
			if (index < 0) return;
			const [{ call }] = channel.asked.splice(index, 1);
			this.#open -= 1;
			this.#tell(call, frame);
			// Its numbers are used for another from now on.
			if (questionName(question) === 'channel.close') this.#empties(channel, { at: endedAt, by: 'client', how: 'closed' });
		}
	}

	/** The connection is set up, step by step, until it is open or refused. */
	#connects(method: string, payload: Buffer, { began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const call = this.#connecting as Call;
		call.first_at ??= beganAt;
		call.answered_bytes += length;
		if (method === METHOD.close) Object.assign(call, errorOf(payload));
		if (method !== METHOD.openOk && method !== METHOD.close) return;
		this.#connecting = null;
		this.#emit.call(answered(call, endedAt));
	}

	/** An answer of one message. */
	#tell(call: Call, { began_at: beganAt, ended_at: endedAt, length }: Frame) {
		answerBegins(call, beganAt);
		call.answered_bytes = length;
		this.#emit.call(answered(call, endedAt));
	}

	#unblocks(at: number) {
		const call = this.#blocked;
		this.#blocked = null;
		if (call) this.#emit.call(answered(call, at));
	}

	/** One message, or all up to it. */
	#acknowledges(calls: Map<bigint, Call>, payload: Buffer, at: number, by: Side) {
		const reported = acknowledged(payload);
		if (!reported) return;
		const isRefused = methodOf(payload) !== METHOD.ack;
		for (const tag of reported.multiple ? calls.keys() : [reported.tag]) {
			const call = calls.get(tag);
			// They are kept in the order of their numbers.
			if (!call || (reported.multiple && reported.tag !== 0n && tag > reported.tag)) break;
			calls.delete(tag);
			this.#open -= 1;
			// A consumer that gives a message back is not the server's fault.
			if (isRefused) Object.assign(call, { code: 'NACK', bad: by === 'server' });
			this.#emit.call(Object.assign(answered(call, at), { by }));
		}
	}

	#delivers(channel: Channel, payload: Buffer, { began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const tag = deliveryTag(payload);
		const call = Object.assign(newCall(beganAt), {
			role: 'push',
			verb: 'basic.deliver',
			template: 'basic.deliver',
			sent_at: endedAt,
			sent_bytes: length,
		});
		if (tag !== null && !channel.isSilent && this.#keep(channel.delivered, tag, call)) return;
		this.#emit.call(Object.assign(call, { end: 'answered', by: 'server', ended_at: endedAt }));
	}

	/** The server closes a channel or all of them, for an error of a question or by itself. */
	#closes(method: string, channel: Channel, payload: Buffer, frame: Frame) {
		const first = channel.asked.shift();
		if (first) this.#open -= 1;
		// A message that has not come as a whole: it is larger than the server takes, or nobody is there to take it.
		const { sending } = channel;
		if (!first) channel.sending = null;
		const verb = questionName(method) as string;
		const call = first?.call ?? sending?.call ?? Object.assign(newCall(frame.began_at), { role: 'push', verb, template: verb });
		this.#tell(Object.assign(call, errorOf(payload)), frame);
		this.#empties(channel, { at: frame.ended_at, by: 'server', how: 'closed' });
	}

	/** Nothing more is said of what is open on it. */
	#empties(channel: Channel, end: ConnectionEnd) {
		const { asked, unconfirmed, delivered, sending } = channel;
		const calls = [...asked.splice(0).map(({ call }) => call), ...unconfirmed.values(), ...delivered.values()];
		this.#open -= calls.length;
		for (const call of sending ? [...calls, sending.call] : calls) this.#emit.call(brokenOff(call, end));
		unconfirmed.clear();
		delivered.clear();
		Object.assign(channel, { confirms: false, published: 0n, isSilent: false, sending: null });
	}
}

function lengthOf(head: Buffer): number | null {
	const size = head.readUInt32BE(3);
	return [METHODS, CONTENT, BODY, BEAT].includes(head[0]) && size <= LONGEST ? HEAD + size + 1 : null;
}
