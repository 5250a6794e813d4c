/**
 * FastCGI on the wire: records of several requests on one connection, each with its request's number.
 * https://fastcgi-archives.github.io/FastCGI_Specification.html
 */
import { answerBegins, answered, brokenOff, endUnseen, newCall, sentUnseen } from '../../wire/calls.ts';
import type { Call, Chunk, ConnectionEnd, Decoder, Emit, Side, Verdict } from '../../wire/contract.ts';
import type { Frame } from '../../wire/stream-reader.ts';
import { FrameReader } from '../../wire/stream-reader.ts';
import { noteParameter, readPairs, readStatusHead } from './parameters.ts';

const HEAD = 8;
/** Parameters are most often one record of some kilobytes. */
const QUESTION_BYTES = 8192;
/** An answer begins with its status where that is not 200. */
const ANSWER_BYTES = 128;
/** Of parameters that are cut into records within a name or a value; of all requests under way together. */
const PARAMETERS_MOST = 256 * 1024;
/** What each record takes in memory beside what is in it. */
const RECORD_BYTES = 128;
const UNDER_WAY_MOST = 1024;
const OK = 200;
const SERVER_ERROR = 500;

const BEGIN = 1;
const ABORT = 2;
const END = 3;
const PARAMETERS = 4;
const INPUT = 5;
const OUTPUT = 6;
const TYPES = 11;
/** Of an end: the server takes no further request on this connection, or at all. */
const TURNED_AWAY = ['', 'CANT_MPX_CONN', 'OVERLOADED', 'UNKNOWN_ROLE'];

type Open = { call: Call; parameters: Buffer[]; hasParameters: boolean; isCut: boolean };

export const decoder: Decoder = {
	protocol: 'fastcgi',
	title: 'FastCGI',
	recognise(client, server) {
		if (client.length === 0) return server.length === 0 ? 'more' : 'no';
		return beginsRequest(client);
	},
	open: (emit) => new FastcgiConversation(emit),
};

class FastcgiConversation {
	#emit;
	/** By number. */
	#underWay: Map<number, Open> = new Map();
	/** The one that was begun last. */
	#last: Open | null = null;
	/** Bytes of parameters that are kept. */
	#kept = 0;
	/** When bytes of an answer that are in no record passed last. */
	#lostAt: number | null = null;
	#questions;
	#answers;

	constructor(emit: Emit) {
		this.#emit = emit;
		this.#questions = new FrameReader({
			head: headOf,
			lengthOf,
			want: QUESTION_BYTES,
			onFrame: (frame) => this.#onQuestion(frame),
			onLost: (bytes, at) => this.#onLost('client', bytes, at),
		});
		this.#answers = new FrameReader({
			head: headOf,
			lengthOf,
			want: ANSWER_BYTES,
			onFrame: (frame) => this.#onAnswer(frame),
			onLost: (bytes, at) => this.#onLost('server', bytes, at),
		});
	}

	client(chunk: Chunk) {
		if (chunk.turn && this.#lostAt !== null) this.#endLostAnswers();
		this.#questions.push(chunk);
	}

	server(chunk: Chunk) {
		this.#answers.push(chunk);
	}

	close(end: ConnectionEnd) {
		// Who closes after an answer whose end was not recorded has sent it.
		if (this.#lostAt !== null && end.by === 'server' && end.how === 'closed') this.#endLostAnswers();
		const { partial } = this.#answers;
		const asked = partial && partial.bytes.length >= 4 ? this.#underWay.get(partial.bytes.readUInt16BE(2)) : undefined;
		if (partial && asked) answerBegins(asked.call, partial.began_at);
		for (const open of this.#underWay.values()) {
			this.#readParameters(open);
			this.#emit.call(brokenOff(open.call, end));
		}
		this.#underWay.clear();
	}

	#onQuestion({ bytes, began_at: beganAt, ended_at: endedAt, length, isCut }: Frame) {
		const [type, number, content] = [bytes[1], bytes.readUInt16BE(2), bytes.readUInt16BE(4)];
		// About the server itself.
		if (number === 0) return;
		if (type === BEGIN) this.#begins(number, beganAt);
		const open = this.#underWay.get(number);
		if (!open) {
			// Of a body that its server did not wait for, or of more requests than anybody has under way.
			if (type === BEGIN) this.#emit.unknown('client', length, endedAt);
			return;
		}
		open.call.sent_bytes += length;
		if (type === PARAMETERS && content > 0) this.#keepParameters(open, bytes.subarray(HEAD, HEAD + content), isCut);
		if (type === PARAMETERS && content === 0) this.#readParameters(open);
		// The body's last record is empty.
		if ((type === INPUT && content === 0) || type === ABORT) open.call.sent_at ??= endedAt;
	}

	#begins(number: number, at: number) {
		const before = this.#underWay.get(number);
		if (before) {
			this.#readParameters(before);
			this.#emit.call(endUnseen(before.call));
		} else if (this.#underWay.size >= UNDER_WAY_MOST) return;
		this.#last = { call: newCall(at), parameters: [], hasParameters: false, isCut: false };
		this.#underWay.set(number, this.#last);
	}

	#keepParameters(open: Open, bytes: Buffer, isCut: boolean) {
		if (open.isCut || open.hasParameters) return;
		const size = bytes.length + RECORD_BYTES;
		open.isCut = isCut || this.#kept + size > PARAMETERS_MOST;
		if (this.#kept + size > PARAMETERS_MOST) return;
		this.#kept += size;
		open.parameters.push(Buffer.from(bytes));
	}

	#readParameters(open: Open) {
		if (open.hasParameters) return;
		open.hasParameters = true;
		const bytes = open.parameters.length === 1 ? open.parameters[0] : Buffer.concat(open.parameters);
		this.#kept -= bytes.length + open.parameters.length * RECORD_BYTES;
		open.parameters = [];
		for (const [name, value] of readPairs(bytes)) noteParameter(open.call, name, value);
		if (open.isCut) open.call.hole = true;
	}

	#onAnswer({ bytes, began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const [type, number, content] = [bytes[1], bytes.readUInt16BE(2), bytes.readUInt16BE(4)];
		const open = this.#underWay.get(number);
		if (!open) return;
		this.#readParameters(open);
		const { call } = open;
		call.answered_bytes += length;
		if (type === OUTPUT && content > 0 && call.status === null) {
			call.status = readStatusHead(bytes.toString('latin1', HEAD, HEAD + content)) ?? OK;
			call.bad = call.status >= SERVER_ERROR;
		}
		// What a program writes to its log comes before its answer, and is none.
		if (type === OUTPUT || type === END) answerBegins(call, beganAt);
		if (type === END) this.#answered(number, open, bytes[HEAD + 4] ?? 0, endedAt);
	}

	#answered(number: number, { call }: Open, end: number, at: number) {
		this.#underWay.delete(number);
		const code = TURNED_AWAY[end] || null;
		if (code !== null) Object.assign(call, { code, bad: true });
		this.#emit.call(answered(call, at));
	}

	/** The client goes on, or the server has closed: the answers whose end was not recorded are whole. */
	#endLostAnswers() {
		const at = this.#lostAt;
		this.#lostAt = null;
		for (const [number, open] of this.#underWay) {
			if (open.call.first_at === null) continue;
			open.call.hole = true;
			this.#answered(number, open, 0, at as number);
		}
	}

	#onLost(side: Side, bytes: number, at: number) {
		const open = this.#last && this.#last.call.end === 'open' ? this.#last : this.#underWay.values().next().value;
		if (!open) {
			this.#emit.unknown(side, bytes, at);
			return;
		}
		if (side === 'client') sentUnseen(open.call, bytes, at);
		else {
			open.call.answered_bytes += bytes;
			this.#lostAt = at;
		}
	}
}

const headOf = () => HEAD;
/** Content and padding. */
function lengthOf(head: Buffer) {
	if (head[0] !== 1 || head[1] < 1 || head[1] > TYPES) return null;
	return HEAD + head.readUInt16BE(4) + head[6];
}

/** A record that begins a request of a role, and is eight bytes long. */
function beginsRequest(bytes: Buffer): Verdict {
	const size = Math.min(bytes.length, BEGINNING.length);
	for (let at = 0; at < size; at += 1) if (BEGINNING[at]?.includes(bytes[at]) === false) return 'no';
	return bytes.length < BEGINNING.length ? 'more' : 'yes';
}
/** Type, number, length 8, no padding, then one of three roles and a flag; null: any. */
const BEGINNING = [[1], [1], null, null, [0], [8], null, [0], [0], [1, 2, 3], [0, 1], [0], [0], [0], [0], [0]];
