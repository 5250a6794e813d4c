/**
 * MongoDB's protocol on the wire: messages with a number each, and in an answer the number of what it answers.
 * https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */

import { answerBegins, answered, brokenOff, Exchange, endUnseen, newCall, seenAt } from '../../wire/calls.ts';
import type { Call, ConnectionEnd, Decoder, Emit, Verdict } from '../../wire/contract.ts';
import { type Frame, FrameReader } from '../../wire/stream-reader.ts';
import { readAnswer, readCommand } from './commands.ts';

const HEAD = 16;
/** The server's own bound of a message (maxMessageSizeBytes). */
const LONGEST = 48_000_000;
/** A command's name and collection come first; an answer has its code within the first hundreds of bytes. */
const WANTED = 512;
const UNDER_WAY_MOST = 1024;
const MESSAGE = 2013;
const COMPRESSED = 2012;
const QUERY = 2004;
const REPLY = 1;
const MORE_TO_COME = 1 << 1;
/** Sections of a message: a document, or a list of them with a name. */
const BODY = 0;
const SEQUENCE = 1;

export const decoder: Decoder = {
	protocol: 'mongodb',
	title: 'MongoDB',
	recognise(client, server) {
		if (client.length > 0) return begins(client, [MESSAGE, COMPRESSED, QUERY]);
		return server.length === 0 || begins(server, [MESSAGE, COMPRESSED, REPLY]) !== 'no' ? 'more' : 'no';
	},
	open: (emit) => new MongoConversation(emit),
};

class MongoConversation extends Exchange<FrameReader> {
	/** By the number of the question. */
	#underWay: Map<number, Call> = new Map();
	#isFirst = true;

	constructor(emit: Emit) {
		super(
			emit,
			() => this.#takeAll(),
			new FrameReader({
				head: headOf,
				lengthOf,
				want: WANTED,
				onFrame: (frame) => this.#onQuestion(frame),
				onLost: (bytes, at) => emit.unknown('client', bytes, at),
			}),
			new FrameReader({
				head: headOf,
				lengthOf,
				want: WANTED,
				onFrame: (frame) => this.#onAnswer(frame),
				// Whose they are is not known.
				onLost: (bytes, at) => (this.#underWay.size > 0 ? this.lost.noteAt(at) : emit.unknown('server', bytes, at)),
			}),
		);
	}

	close(end: ConnectionEnd) {
		this.lost.end();
		const begun = this.questions.partial;
		const answer = this.answers.partial;
		// Which question it answers is in its head.
		const asked = answer && answer.bytes.length >= 12 ? this.#underWay.get(answer.bytes.readInt32LE(8)) : undefined;
		if (answer && asked) answerBegins(asked, answer.began_at);
		const open = [...this.#takeAll(), ...(begun ? [newCall(begun.began_at)] : [])];
		for (const call of open) this.emit.call(brokenOff(call, end));
	}

	#onQuestion({ bytes, began_at: beganAt, ended_at: endedAt, length, isCut }: Frame) {
		const code = bytes.readInt32LE(12);
		const from = documentIn(bytes, code);
		if (code === MESSAGE && bytes.length >= 20 && bytes.readInt32LE(HEAD) & MORE_TO_COME) return;
		const number = bytes.readInt32LE(4);
		const before = this.#underWay.get(number);
		if (before) this.emit.call(endUnseen(before));
		else if (this.#underWay.size >= UNDER_WAY_MOST) {
			this.emit.unknown('client', length, beganAt);
			return;
		}
		const call = newCall(beganAt);
		call.sent_at = seenAt(endedAt);
		call.sent_bytes = length;
		if (from === null) {
			// Compressed, or longer lists than are read come first.
			call.hole = true;
		} else {
			const { verb, template, role } = readCommand(bytes, from, this.#isFirst);
			call.verb = verb;
			call.template = template;
			if (role !== 'call') call.role = role;
			if (verb === '' && isCut) call.hole = true;
		}
		this.#isFirst = false;
		this.#underWay.set(number, call);
	}

	#onAnswer({ bytes, began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const number = bytes.readInt32LE(8);
		if (!this.#underWay.has(number)) this.#giveOpen(number);
		const call = this.#underWay.get(number);
		// Further answers to a question that goes on by itself: the driver's look at the server.
		if (!call) return;
		this.#underWay.delete(number);
		const code = bytes.readInt32LE(12);
		const from = documentIn(bytes, code);
		const answer = from === null ? { code: null, bad: false, isCut: true } : readAnswer(bytes, from);
		call.code = answer.code;
		call.bad = answer.bad;
		call.answered_bytes = length;
		if (answer.isCut && length > bytes.length + HEAD) call.hole = true;
		answerBegins(call, beganAt);
		this.emit.call(answered(call, endedAt));
	}

	/** A question that is answered before it has come as a whole. */
	#giveOpen(number: number) {
		const begun = this.questions.partial;
		if (begun && begun.bytes.length >= HEAD && begun.bytes.readInt32LE(4) === number) this.questions.giveOpen();
	}

	#takeAll() {
		const all = [...this.#underWay.values()];
		this.#underWay.clear();
		return all;
	}
}

/** Where the document of a message begins that has the command or its answer. */
function documentIn(bytes: Buffer, code: number): number | null {
	if (code === REPLY) return HEAD + 20;
	if (code === QUERY) {
		const name = bytes.indexOf(0, HEAD + 4);
		return name < 0 ? null : name + 1 + 8;
	}
	if (code !== MESSAGE) return null;
	let at = HEAD + 4;
	// A length that is none is not taken for one: it counts itself.
	while (bytes[at] === SEQUENCE && at + 5 <= bytes.length && bytes.readInt32LE(at + 1) > 4) at += 1 + bytes.readInt32LE(at + 1);
	return bytes[at] === BODY ? at + 1 : null;
}

const headOf = () => HEAD;
function lengthOf(head: Buffer) {
	const length = head.readInt32LE(0);
	return length >= HEAD && length <= LONGEST && [MESSAGE, COMPRESSED, QUERY, REPLY].includes(head.readInt32LE(12)) ? length : null;
}

function begins(bytes: Buffer, codes: number[]): Verdict {
	if (bytes.length < HEAD) return 'more';
	const length = bytes.readInt32LE(0);
	return length > HEAD && length <= LONGEST && codes.includes(bytes.readInt32LE(12)) ? 'yes' : 'no';
}
