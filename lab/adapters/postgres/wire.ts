/**
 * PostgreSQL's protocol 3 on the wire, which poolers of connections speak too. A question is a simple query, or all messages up to a Sync;
 * the server ends its answer to each with ReadyForQuery, which says the state of the transaction.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 *
 * Where an answer is longer than what was recorded of a packet its end is in a hole. It is then taken to end with the last byte before the
 * client spoke again.
 */

import { answerBegins, answered, answeredUnseen, brokenOff, newCall, seenAt } from '../../wire/calls.ts';
import type { Call, Chunk, ConnectionEnd, ConnectionState, Decoder, Emit, Side } from '../../wire/contract.ts';
import { Queue } from '../../wire/queue.ts';
import { type Frame, FrameReader } from '../../wire/stream-reader.ts';
import { statementTemplate } from '../../wire/templates.ts';
import { beginsAnswer, beginsStart, isAskersFault, isTypedQuestion, readError, readTexts, START, STATES, stateAfter } from './messages.ts';

export type State = ConnectionState;

type Statement = { verb: string; template: string };

/** What is read of a question: a name or two, and a statement's tables. */
const QUESTION_BYTES = 2048;
/** What is read of an answer: of an error its severity and code, which come first. */
const ANSWER_BYTES = 96;
/** Prepared statements of a connection whose template is kept; drivers keep some hundred. */
const STATEMENTS_MOST = 512;
/** Questions under way on one connection, in a pipeline. */
const UNDER_WAY_MOST = 1024;
/** A type and a length. */
const HEAD = 5;
/** A length and a code: what has no type, before the session begins. */
const START_HEAD = 8;
/** A quarter of what the protocol allows: four characters of text, read as a length where it was lost what stands where, are more. */
const LONGEST = 0x10000000;
/** Of the server, at any time: notices, notifications, parameters. */
const UNASKED = new Set(['N', 'A', 'S']);

export const decoder: Decoder = {
	protocol: 'postgres',
	title: 'PostgreSQL',
	recognise(client, server, midway) {
		const start = beginsStart(client);
		if (start !== 'no' || !midway) return start;
		return isTypedQuestion(client) && beginsAnswer(server) ? 'yes' : 'no';
	},
	open: (emit, { midway }) => new PostgresConversation(emit, midway),
};

class PostgresConversation {
	#emit;
	/** Whether the session has begun, so that every message has a type. */
	#isTyped;
	/** Answers of one byte that the server owes: whether it can TLS. */
	#owesByte = 0;
	/** Asked, and not answered. */
	#underWay: Queue<Call> = new Queue();
	/** Whose Sync has not come. */
	#asking: Call | null = null;
	/** When bytes of a side that are in no message passed last; null: none since it spoke anew. */
	#lostAt: { client: number | null; server: number | null } = { client: null, server: null };
	#statements: Map<string, Statement> = new Map();
	#state: State = 'idle';
	#isOver = false;
	/** The question was answered before its Sync: what comes up to that is of the same. */
	#isRest = false;
	#questions;
	#answers;

	constructor(emit: Emit, midway: boolean) {
		this.#emit = emit;
		this.#isTyped = midway;
		this.#questions = new FrameReader({
			head: () => (this.#isTyped ? HEAD : START_HEAD),
			lengthOf: (head) => (this.#isTyped ? lengthOf(head) : bounded(head.readInt32BE())),
			want: QUESTION_BYTES,
			onFrame: (frame) => this.#onQuestion(frame),
			onLost: (bytes, at) => this.#onLost('client', bytes, at),
		});
		this.#answers = new FrameReader({
			head: () => (this.#owesByte > 0 ? 1 : HEAD),
			lengthOf: (head) => (this.#owesByte > 0 ? 1 : lengthOf(head)),
			want: ANSWER_BYTES,
			onFrame: (frame) => this.#onAnswer(frame),
			onLost: (bytes, at) => this.#onLost('server', bytes, at),
		});
	}

	client(chunk: Chunk) {
		if (chunk.turn) this.#endLostAnswer();
		this.#questions.push(chunk);
	}

	server(chunk: Chunk) {
		// Its last message was in a hole.
		if (chunk.turn && this.#lostAt.client !== null) this.#asked(this.#lostAt.client, true);
		if (chunk.turn) this.#lostAt.client = null;
		this.#answers.push(chunk);
	}

	close(end: ConnectionEnd) {
		if (this.#isOver) return;
		this.#endLostAnswer();
		const begun = this.#questions.partial;
		if (begun && !this.#asking && !this.#isRest) this.#asking = newCall(begun.began_at);
		const open = [...this.#underWay.takeAll(), ...(this.#asking ? [this.#asking] : [])];
		const answer = this.#answers.partial;
		if (answer && open[0]) answerBegins(open[0], answer.began_at);
		for (const call of open) this.#emit.call(brokenOff(call, end));
	}

	#onQuestion(frame: Frame) {
		if (!this.#isTyped) {
			this.#onStart(frame);
			return;
		}
		const type = String.fromCharCode(frame.bytes[0]);
		// A session's end; and what belongs to a copy, or to the password.
		if (type === 'X') return;
		if (this.#isRest) {
			this.#isRest = type !== 'S';
			return;
		}
		if (type === 'd' || type === 'c' || type === 'f' || type === 'p') {
			const call = this.#underWay.first ?? this.#asking;
			if (call) call.sent_bytes += frame.length;
			return;
		}
		const call = this.#askingSince(frame.began_at);
		call.sent_bytes += frame.length;
		const [first = '', second = ''] = readTexts(frame.bytes.subarray(HEAD));
		if (type === 'Q') this.#names(call, statementTemplate(first, '"'));
		if (type === 'P') this.#prepare(call, first, statementTemplate(second, '"'));
		if (type === 'B') this.#names(call, this.#statements.get(second));
		if (type === 'Q' || type === 'S' || type === 'F') this.#asked(frame.ended_at, frame.isCut && call.verb === '');
	}

	/** Before the session. */
	#onStart({ bytes, began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const code = bytes.readInt32BE(4);
		if (code === START.tls || code === START.gss) {
			this.#owesByte += 1;
			return;
		}
		const call = Object.assign(newCall(beganAt), { sent_at: endedAt, sent_bytes: length });
		this.#isTyped = code !== START.cancel;
		this.#underWay.push(Object.assign(call, code === START.cancel ? { verb: 'CANCEL' } : { verb: 'CONNECT', role: 'connect' }));
	}

	#askingSince(at: number): Call {
		this.#asking ??= newCall(at);
		return this.#asking;
	}

	/** The first statement of a question that is more than its transaction's begin names it. */
	#names(call: Call, statement: Statement | undefined) {
		if (statement && (call.verb === '' || call.verb === 'BEGIN')) Object.assign(call, statement);
	}

	#prepare(call: Call, name: string, statement: Statement) {
		this.#statements.delete(name);
		this.#statements.set(name, statement);
		if (this.#statements.size > STATEMENTS_MOST) this.#statements.delete(this.#statements.keys().next().value as string);
		this.#names(call, statement);
	}

	/** The question is whole. */
	#asked(at: number, hole: boolean) {
		const call = this.#asking;
		if (!call) return;
		this.#asking = null;
		if (this.#underWay.size >= UNDER_WAY_MOST) {
			this.#emit.unknown('client', call.sent_bytes, call.began_at);
			return;
		}
		call.sent_at = seenAt(at);
		if (hole) call.hole = true;
		this.#underWay.push(call);
	}

	#onAnswer(frame: Frame) {
		if (this.#owesByte > 0) {
			this.#onByte(frame.bytes[0]);
			return;
		}
		const type = String.fromCharCode(frame.bytes[0]);
		if (UNASKED.has(type)) return;
		// To a question that has not come as a whole.
		if (this.#isTyped && this.#underWay.size === 0 && !this.#asking) this.#questions.giveOpen();
		const call = this.#underWay.first ?? this.#asking;
		if (!call) {
			if (type === 'E') this.#onUnasked(frame);
			return;
		}
		answerBegins(call, frame.began_at);
		call.answered_bytes += frame.length;
		if (type === 'E') this.#onError(call, frame);
		if (type === 'Z') this.#onReady(call, STATES[frame.bytes[HEAD]], frame.ended_at);
	}

	/** To the question whether it can TLS, or another encryption. */
	#onByte(byte: number) {
		this.#owesByte -= 1;
		if (byte !== 0x53 && byte !== 0x47) return;
		this.#isOver = true;
		const sides = [
			['client', this.#questions.takeRest()],
			['server', this.#answers.takeRest()],
		] as const;
		this.#emit.becomes(
			byte === 0x53 ? 'tls' : 'gss',
			sides.flatMap(([side, chunks]) => chunks.map((chunk) => ({ side, chunk }))),
		);
	}

	/** Said to nobody's question: that it shuts down, or that this session is ended. */
	#onUnasked({ bytes, began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const { code } = readError(bytes.subarray(HEAD));
		const call = Object.assign(newCall(beganAt), { role: 'push', first_at: beganAt, ended_at: endedAt, answered_bytes: length });
		this.#emit.call(Object.assign(call, { code, bad: !isAskersFault(code), end: 'answered', by: 'server' }));
	}

	#onError(call: Call, { bytes, ended_at: endedAt }: Frame) {
		const { code, isFatal } = readError(bytes.subarray(HEAD));
		// What was to set the session up did not.
		if (call.code === null) Object.assign(call, { code, bad: call.role === 'connect' || !isAskersFault(code) });
		// Nothing follows it.
		if (isFatal) this.#answered(call, endedAt);
	}

	#onReady(call: Call, state: State | undefined, at: number) {
		this.#state = state ?? this.#state;
		call.state = this.#state;
		this.#answered(call, at);
	}

	#answered(call: Call, at: number) {
		this.#isRest = call === this.#asking;
		if (this.#isRest) this.#asking = null;
		else this.#underWay.shift();
		this.#emit.call(answered(call, at));
	}

	/** The client goes on, so it has the answers whose end was not recorded. */
	#endLostAnswer() {
		const at = this.#lostAt.server;
		this.#lostAt.server = null;
		if (at === null) return;
		for (const call of this.#underWay.takeAll()) {
			this.#state = stateAfter(call.verb, this.#state);
			this.#emit.call(answeredUnseen(Object.assign(call, { state: this.#state }), at));
		}
	}

	#onLost(side: Side, bytes: number, at: number) {
		// Of a message whose beginning is known they are the rest of a question or of an answer.
		const isKnown = side === 'client' ? this.#asking !== null : this.#underWay.size > 0;
		if (!isKnown) {
			this.#emit.unknown(side, bytes, at);
			return;
		}
		this.#lostAt[side] = at;
		const call = side === 'client' ? this.#asking : this.#underWay.first;
		if (call) call[side === 'client' ? 'sent_bytes' : 'answered_bytes'] += bytes;
	}
}

/** @param head a type and a length that counts itself */
const lengthOf = (head: Buffer) => (isType(head[0]) ? bounded(head.readInt32BE(1) + 1, HEAD) : null);
const bounded = (length: number, least: number = START_HEAD) => (length >= least && length <= LONGEST ? length : null);
/** Letters and digits. */
const isType = (byte: number) => (byte >= 0x31 && byte <= 0x33) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
