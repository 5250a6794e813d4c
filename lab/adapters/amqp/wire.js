/**
 * AMQP 0.9.1 on the wire. Methods that wait for an answer are calls. A message that is published is one too where the channel confirms what
 * it took; else it gets no answer. A message that is delivered is the server's own, and over when the client has acknowledged it.
 *
 * @typedef {import('../../wire/contract.js').Call} Call
 * @typedef {import('../../wire/contract.js').Chunk} Chunk
 * @typedef {import('../../wire/frame-reader.js').Frame} Frame
 * @typedef {{ asked: { method: string, call: Call }[], confirms: boolean, published: bigint, isSilent: boolean, unconfirmed: Map<bigint, Call>, delivered: Map<bigint, Call>, sending: { call: Call, left: number | null } | null }} Channel
 */
import { brokenOff, newCall } from '../../wire/calls.js';
import { FrameReader } from '../../wire/frame-reader.js';
import { acknowledged, askedBy, deliveryTag, isServersFault, isWithoutAck, METHOD, methodOf, questionName, replyCode } from './methods.js';

const HEADER = 'AMQP';
const HEADER_LENGTH = 8;
/** Type, channel, size; then as much, and a byte at the end. */
const HEAD = 7;
const WANTED = 600;
const LONGEST = 1 << 27;
const METHODS = 1;
const CONTENT = 2;
const BODY = 3;
const BEAT = 8;
/** Of one channel: messages that are not acknowledged; more than any client is given. */
const UNACKNOWLEDGED_MOST = 64 * 1024;
const CHANNELS_MOST = 2048;

/** @type {import('../../wire/contract.js').Decoder} */
export const decoder = {
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
  /** @type {Call | null} */
  #connecting = null;
  /** @type {Call | null} */
  #blocked = null;
  /** @type {Map<number, Channel>} */
  #channels = new Map();
  #questions;
  #answers;

  /** @param {import('../../wire/contract.js').Emit} emit @param {boolean} midway */
  constructor(emit, midway) {
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

  /** @param {Chunk} chunk */
  client(chunk) {
    this.#questions.push(chunk);
  }

  /** @param {Chunk} chunk */
  server(chunk) {
    this.#answers.push(chunk);
  }

  /** @param {import('../../wire/contract.js').ConnectionEnd} end */
  close(end) {
    const open = [this.#connecting, this.#blocked].flatMap((call) => call ?? []);
    for (const { asked, unconfirmed, delivered, sending } of this.#channels.values())
      open.push(...asked.map(({ call }) => call), ...unconfirmed.values(), ...delivered.values(), ...(sending ? [sending.call] : []));
    for (const call of new Set(open)) this.#emit.call(brokenOff(call, end));
    this.#channels.clear();
  }

  /** @param {Frame} frame */
  #onHeader({ began_at: beganAt, ended_at: endedAt, length }) {
    this.#hasHeader = true;
    this.#connecting = Object.assign(newCall(beganAt), { role: 'connect', verb: 'CONNECT', sent_at: endedAt, sent_bytes: length });
  }

  /** @param {import('../../wire/contract.js').Side} side @param {Frame} frame */
  #onFrame(side, frame) {
    const [type, number] = [frame.bytes[0], frame.bytes.readUInt16BE(1)];
    if (type === BEAT) return;
    const channel = this.#channel(number);
    const payload = frame.bytes.subarray(HEAD);
    if (type === CONTENT || type === BODY) this.#onContent(side, channel, frame, type === CONTENT);
    else if (type !== METHODS) this.#emit.unknown(side, frame.length, frame.ended_at);
    else if (side === 'client') this.#onQuestion(channel, payload, frame);
    else this.#onAnswer(channel, payload, frame);
  }

  /** @param {number} number @returns {Channel} */
  #channel(number) {
    let channel = this.#channels.get(number);
    if (!channel) {
      channel = { asked: [], confirms: false, published: 0n, isSilent: false, unconfirmed: new Map(), delivered: new Map(), sending: null };
      if (this.#channels.size < CHANNELS_MOST) this.#channels.set(number, channel);
    }
    return channel;
  }

  /** @param {Channel} channel @param {Buffer} payload @param {Frame} frame */
  #onQuestion(channel, payload, { began_at: beganAt, ended_at: endedAt, length }) {
    const method = methodOf(payload);
    const name = questionName(method);
    if (method === METHOD.publish) {
      const call = Object.assign(newCall(beganAt), { verb: 'basic.publish', template: 'basic.publish', sent_bytes: length });
      channel.sending = { call, left: null };
      return;
    }
    if ([METHOD.ack, METHOD.nack, METHOD.reject].includes(method)) this.#acknowledges(channel.delivered, payload, endedAt, 'client');
    if (method === METHOD.consume) channel.isSilent = isWithoutAck(payload);
    // From here on messages are counted.
    if (method === METHOD.confirm) Object.assign(channel, { confirms: true, published: 0n });
    if (name === undefined) return;
    const call = Object.assign(newCall(beganAt), { verb: name, template: name, sent_at: endedAt, sent_bytes: length });
    channel.asked.push({ method, call });
  }

  /** What a published or delivered message consists of. @param {import('../../wire/contract.js').Side} side @param {Channel} channel @param {Frame} frame @param {boolean} isHead */
  #onContent(side, channel, { bytes, ended_at: endedAt, length }, isHead) {
    const { sending } = channel;
    if (side !== 'client' || !sending) return;
    sending.call.sent_bytes += length;
    if (isHead) sending.left = bytes.length >= HEAD + 12 ? Number(bytes.readBigUInt64BE(HEAD + 4)) : 0;
    else sending.left = Math.max(0, (sending.left ?? 0) - (length - HEAD - 1));
    if (sending.left > 0) return;
    channel.sending = null;
    sending.call.sent_at = endedAt;
    channel.published += 1n;
    if (channel.confirms && channel.unconfirmed.size < UNACKNOWLEDGED_MOST) channel.unconfirmed.set(channel.published, sending.call);
    else this.#emit.call(Object.assign(sending.call, { role: 'send', end: 'answered', by: 'client', ended_at: endedAt }));
  }

  /** @param {Channel} channel @param {Buffer} payload @param {Frame} frame */
  #onAnswer(channel, payload, frame) {
    const method = methodOf(payload);
    const { began_at: beganAt, ended_at: endedAt, length } = frame;
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
      this.#emit.call(Object.assign(call, answeredAt(beganAt, endedAt, length)));
    }
  }

  /** The connection is set up, step by step, until it is open or refused. @param {string} method @param {Buffer} payload @param {Frame} frame */
  #connects(method, payload, { began_at: beganAt, ended_at: endedAt, length }) {
    const call = /** @type {Call} */ (this.#connecting);
    call.first_at ??= beganAt;
    call.answered_bytes += length;
    if (method === METHOD.close) Object.assign(call, errorOf(payload));
    if (method !== METHOD.openOk && method !== METHOD.close) return;
    this.#connecting = null;
    this.#emit.call(Object.assign(call, { end: 'answered', by: 'server', ended_at: endedAt }));
  }

  /** @param {number} at */
  #unblocks(at) {
    const call = this.#blocked;
    this.#blocked = null;
    if (call) this.#emit.call(Object.assign(call, { first_at: at, ended_at: at, end: 'answered', by: 'server' }));
  }

  /** One message, or all up to it. @param {Map<bigint, Call>} calls @param {Buffer} payload @param {number} at @param {import('../../wire/contract.js').Side} by */
  #acknowledges(calls, payload, at, by) {
    const told = acknowledged(payload);
    if (!told) return;
    const tags = told.multiple ? [...calls.keys()].filter((tag) => tag <= told.tag || told.tag === 0n) : [told.tag];
    const isRefused = methodOf(payload) !== METHOD.ack;
    for (const tag of tags) {
      const call = calls.get(tag);
      if (!call) continue;
      calls.delete(tag);
      // A consumer that gives a message back is not the server's fault.
      if (isRefused) Object.assign(call, { code: 'NACK', bad: by === 'server' });
      this.#emit.call(Object.assign(call, { first_at: at, ended_at: at, end: 'answered', by }));
    }
  }

  /** @param {Channel} channel @param {Buffer} payload @param {Frame} frame */
  #delivers(channel, payload, { began_at: beganAt, ended_at: endedAt, length }) {
    const tag = deliveryTag(payload);
    const call = Object.assign(newCall(beganAt), {
      role: 'push',
      verb: 'basic.deliver',
      template: 'basic.deliver',
      sent_at: endedAt,
      sent_bytes: length,
    });
    if (tag !== null && !channel.isSilent && channel.delivered.size < UNACKNOWLEDGED_MOST) channel.delivered.set(tag, call);
    else this.#emit.call(Object.assign(call, { end: 'answered', by: 'server', ended_at: endedAt }));
  }

  /** The server closes a channel or all of them, for an error of a question or by itself. @param {string} method @param {Channel} channel @param {Buffer} payload @param {Frame} frame */
  #closes(method, channel, payload, { began_at: beganAt, ended_at: endedAt, length }) {
    const told = errorOf(payload);
    const [first, ...others] = channel.asked.splice(0);
    const name = /** @type {string} */ (questionName(method));
    const call = first?.call ?? Object.assign(newCall(beganAt), { role: 'push', verb: name, template: name });
    this.#emit.call(Object.assign(call, told, answeredAt(beganAt, endedAt, length)));
    const lost = [...others.map((asked) => asked.call), ...channel.unconfirmed.values(), ...channel.delivered.values()];
    for (const open of lost) this.#emit.call(brokenOff(open, { at: endedAt, by: 'server', how: 'closed' }));
    channel.unconfirmed.clear();
    channel.delivered.clear();
    Object.assign(channel, { confirms: false, published: 0n, isSilent: false, sending: null });
  }
}

/** @param {Buffer} payload of a close */
function errorOf(payload) {
  const code = replyCode(payload);
  // 200: it goes in good order.
  return code === 200 ? { code: null, bad: false } : { code: String(code), bad: isServersFault(code) };
}

/** @param {number} firstAt @param {number} endedAt @param {number} length */
const answeredAt = (firstAt, endedAt, length) =>
  /** @type {const} */ ({ first_at: firstAt, ended_at: endedAt, answered_bytes: length, end: 'answered', by: 'server' });

/** @param {Buffer} head @returns {number | null} */
function lengthOf(head) {
  const size = head.readUInt32BE(3);
  return [METHODS, CONTENT, BODY, BEAT].includes(head[0]) && size <= LONGEST ? HEAD + size + 1 : null;
}
