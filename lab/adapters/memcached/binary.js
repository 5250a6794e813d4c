/**
 * A connection of memcached's binary protocol, which is deprecated and which clients still speak.
 * https://docs.memcached.org/protocols/binary/
 *
 * @typedef {import('../../wire/contract.js').Call} Call
 * @typedef {import('../../wire/contract.js').Chunk} Chunk
 * @typedef {import('../../wire/frame-reader.js').Frame} Frame
 * @typedef {{ call: Call, opcode: number, mark: number, isQuiet: boolean }} Open  mark: a number that an answer repeats
 */
import { answerBegins, answered, brokenOff, newCall, wasSent } from '../../wire/calls.js';
import { FrameReader } from '../../wire/frame-reader.js';
import { Queue } from '../../wire/queue.js';

const HEAD = 24;
export const ASKS = 0x80;
export const ANSWERS = 0x81;
const LONGEST = 1 << 30;
const KEY_MOST = 250;
const UNDER_WAY_MOST = 64 * 1024;

/** By number: the verb, how many bytes stand before the key, and whether a good answer is left out. */
const OPCODES = new Map(
  (
    '0 get 0,1 set 8,2 add 8,3 replace 8,4 delete 0,5 incr 20,6 decr 20,7 quit 0,8 flush_all 0 4,9 get 0 q,10 noop 0,11 version 0,12 get 0,' +
    '13 get 0 q,14 append 0,15 prepend 0,16 stats 0,17 set 8 q,18 add 8 q,19 replace 8 q,20 delete 0 q,21 incr 20 q,22 decr 20 q,23 quit 0 q,' +
    '24 flush_all 0 4 q,25 append 0 q,26 prepend 0 q,27 verbosity 4,28 touch 4,29 gat 4,30 gat 4 q,32 sasl_list 0,33 sasl_auth 0,' +
    '34 sasl_step 0,35 gat 4,36 gat 4 q'
  )
    .split(',')
    .map((text) => text.split(' '))
    .map(([number, verb, ...rest]) => [
      Number(number),
      { verb, extras: rest.filter((word) => word !== 'q').map(Number), isQuiet: rest.includes('q') },
    ]),
);
const STATS = 16;
const QUIT_QUIETLY = 23;

/** Of an answer; those of the text protocol have the same names. @type {Record<number, string>} */
const CODES = {
  ...{ 1: 'NOT_FOUND', 2: 'EXISTS', 3: 'TOO_LARGE', 4: 'INVALID', 5: 'NOT_STORED', 6: 'NOT_NUMERIC', 7: 'WRONG_SERVER', 32: 'AUTH_ERROR' },
  ...{
    33: 'AUTH_CONTINUE',
    129: 'UNKNOWN_COMMAND',
    130: 'OUT_OF_MEMORY',
    131: 'NOT_SUPPORTED',
    132: 'INTERNAL_ERROR',
    133: 'BUSY',
    134: 'TEMPORARY_FAILURE',
  },
};
const BAD = new Set(['OUT_OF_MEMORY', 'INTERNAL_ERROR', 'BUSY', 'TEMPORARY_FAILURE']);
/** A value that is not there is an answer; a login goes on. */
const GOOD = new Set(['AUTH_CONTINUE']);
const READING = new Set(['get', 'gat']);

export class BinaryConversation {
  #emit;
  /** @type {Queue<Open>} */
  #underWay = new Queue();
  /** When bytes of an answer that are in no message passed last. @type {number | null} */
  #lostAt = null;
  #questions;
  #answers;

  /** @param {import('../../wire/contract.js').Emit} emit */
  constructor(emit) {
    this.#emit = emit;
    this.#questions = new FrameReader({
      head: headOf,
      want: HEAD,
      lengthOf: (head) => lengthOf(head, ASKS),
      onFrame: (frame) => this.#onQuestion(frame),
      onLost: (bytes, at) => emit.unknown('client', bytes, at),
    });
    this.#answers = new FrameReader({
      head: headOf,
      want: HEAD,
      lengthOf: (head) => lengthOf(head, ANSWERS),
      onFrame: (frame) => this.#onAnswer(frame),
      onLost: (bytes, at) => this.#onLost(bytes, at),
    });
  }

  /** @param {Chunk} chunk */
  client(chunk) {
    if (chunk.turn) this.#endLostAnswers();
    this.#questions.push(chunk);
  }

  /** @param {Chunk} chunk */
  server(chunk) {
    this.#answers.push(chunk);
  }

  /** @param {import('../../wire/contract.js').ConnectionEnd} end */
  close(end) {
    this.#endLostAnswers();
    const { partial } = this.#answers;
    const { first } = this.#underWay;
    if (partial && first) answerBegins(first.call, partial.began_at);
    const begun = this.#questions.partial;
    const open = this.#underWay.takeAll().map(({ call }) => call);
    if (begun) open.push(newCall(begun.began_at));
    for (const call of open) this.#emit.call(brokenOff(call, end));
  }

  /** @param {Frame} frame */
  #onQuestion({ bytes, began_at: beganAt, ended_at: endedAt, length }) {
    const opcode = bytes[1];
    const { verb = '', isQuiet = false } = OPCODES.get(opcode) ?? {};
    if (opcode === QUIT_QUIETLY) return;
    if (this.#underWay.size >= UNDER_WAY_MOST) {
      this.#emit.unknown('client', length, endedAt);
      return;
    }
    const call = Object.assign(newCall(beganAt), { verb, template: verb, sent_at: endedAt, sent_bytes: length });
    if (verb.startsWith('sasl')) call.role = 'connect';
    else if (verb === 'version') call.role = 'beat';
    this.#underWay.push({ call, opcode, mark: bytes.readUInt32BE(12), isQuiet });
  }

  /** @param {Frame} frame */
  #onAnswer({ bytes, began_at: beganAt, ended_at: endedAt, length }) {
    const [opcode, mark] = [bytes[1], bytes.readUInt32BE(12)];
    for (let { first } = this.#underWay; first?.isQuiet && !(first.opcode === opcode && first.mark === mark); { first } = this.#underWay) {
      this.#underWay.shift();
      this.#emit.call(wasSent(first.call, /** @type {number} */ (first.call.sent_at)));
    }
    const { first } = this.#underWay;
    if (!first || first.opcode !== opcode) {
      this.#emit.unknown('server', length, endedAt);
      return;
    }
    answerBegins(first.call, beganAt);
    first.call.answered_bytes += length;
    const status = bytes.readUInt16BE(6);
    // Statistics come one a message, up to one without a name.
    if (opcode === STATS && status === 0 && bytes.readUInt16BE(2) > 0) return;
    this.#underWay.shift();
    this.#emit.call(answered(Object.assign(first.call, errorOf(first.call.verb, status)), endedAt));
  }

  /** The client goes on, so it has the answers that were not recorded. */
  #endLostAnswers() {
    const at = this.#lostAt;
    this.#lostAt = null;
    if (at === null) return;
    for (const { call } of this.#underWay.takeAll()) this.#emit.call(answered(Object.assign(call, { hole: true }), at));
  }

  /** @param {number} bytes @param {number} at */
  #onLost(bytes, at) {
    const { first } = this.#underWay;
    if (!first) {
      this.#emit.unknown('server', bytes, at);
      return;
    }
    first.call.answered_bytes += bytes;
    this.#lostAt = at;
  }
}

/** @param {string} verb @param {number} status */
function errorOf(verb, status) {
  if (status === 0) return { code: null, bad: false };
  const code = CODES[status] ?? 'unknown';
  if (GOOD.has(code) || (code === 'NOT_FOUND' && READING.has(verb))) return { code: null, bad: false };
  return { code, bad: BAD.has(code) };
}

const headOf = () => HEAD;
/** @param {Buffer} head @param {number} magic @returns {number | null} */
function lengthOf(head, magic) {
  const [key, body] = [head.readUInt16BE(2), head.readUInt32BE(8)];
  const isOne = head[0] === magic && head[5] === 0 && key <= KEY_MOST && key + head[4] <= body && body <= LONGEST;
  return isOne ? HEAD + body : null;
}

/** Whether a client begins so: a head that fits its command. @param {Buffer} client @returns {import('../../wire/contract.js').Verdict} */
export function beginsBinary(client) {
  if (client.length > 0 && client[0] !== ASKS) return 'no';
  if (client.length > 1 && !OPCODES.has(client[1])) return 'no';
  if (client.length < HEAD) return 'more';
  const { extras = [0] } = OPCODES.get(client[1]) ?? {};
  return lengthOf(client, ASKS) !== null && extras.includes(client[4]) && client.readUInt16BE(6) === 0 ? 'yes' : 'no';
}
