/**
 * Redis' protocol on the wire, of Redis and what speaks like it. Answers come in the order of the questions, many of which may be under way.
 * After a subscription the server speaks without being asked.
 */
import { answerBegins, answered, brokenOff, Exchange, newCall, questionLost, seenAt } from '../../wire/calls.ts';
import type { Call, ConnectionEnd, Decoder, Emit } from '../../wire/contract.ts';
import { Queue } from '../../wire/queue.ts';
import { beginsCommand, readCommand, readError } from './commands.ts';
import type { Value } from './resp.ts';
import { RespReader } from './resp.ts';

/** Clients put whole batches on the wire at once. */
const UNDER_WAY_MOST = 64 * 1024;
/** What subscribers get, in RESP 2 as lists like any other. */
const MESSAGES = new Set(['message', 'pmessage', 'smessage']);
/** One for each channel; the first answers the question. */
const CONFIRMATION = /^[ps]?(?:un)?subscribe$/;

export const decoder: Decoder = {
	protocol: 'redis',
	title: 'Redis',
	recognise(client, server) {
		if (client.length > 0) return beginsCommand(client);
		if (server.length === 0) return 'more';
		return server.toString('latin1').startsWith('-ERR max number of clients') ? 'yes' : 'no';
	},
	open: (emit, about) => new RedisConversation(emit, about.opened_at),
};

class RedisConversation extends Exchange<RespReader> {
	#openedAt;
	#underWay: Queue<Call> = new Queue();
	/** No question has come, but what sets the connection up. */
	#isFirst = true;
	#isSubscribed = false;

	constructor(emit: Emit, openedAt: number) {
		super(
			emit,
			() => this.#underWay.takeAll(),
			new RespReader({
				onValue: (value) => this.#onQuestion(value),
				onLost: (bytes, at) => questionLost(emit, this.#underWay.last, bytes, at),
			}),
			new RespReader({
				onValue: (value) => this.#onAnswer(value),
				onLost: (bytes, at) => this.lost.note(this.#underWay.first, bytes, at),
			}),
		);
		this.#openedAt = openedAt;
	}

	close(end: ConnectionEnd) {
		this.lost.end();
		const begun = this.questions.beganAt;
		const open = this.#underWay.takeAll();
		if (begun !== null) open.push(newCall(begun));
		const answer = this.answers.beganAt;
		if (answer !== null && open[0]) answerBegins(open[0], answer);
		for (const call of open) this.emit.call(brokenOff(call, end));
	}

	#onQuestion({ began_at: beganAt, ended_at: endedAt, type, words, length, isCut }: Value) {
		if (type !== '*' || this.#underWay.size >= UNDER_WAY_MOST) {
			this.emit.unknown('client', length, beganAt);
			return;
		}
		const { verb, template, role, subscribes } = readCommand(words, this.#isFirst);
		const call = Object.assign(newCall(beganAt), { sent_at: seenAt(endedAt), verb, template, sent_bytes: length });
		if (role !== 'call') call.role = role;
		if (isCut) call.hole = true;
		this.#isFirst &&= role === 'connect';
		this.#isSubscribed ||= subscribes;
		this.#underWay.push(call);
	}

	#onAnswer({ began_at: beganAt, ended_at: endedAt, type, words, length }: Value) {
		const isError = type === '-' || type === '!';
		// To a command that has not come as a whole.
		if (isError && this.#underWay.size === 0) this.questions.giveOpen();
		const { first: call } = this.#underWay;
		const isMessage = MESSAGES.has(words[0]) && (type === '>' || this.#isSubscribed);
		if (isMessage) this.#onMessage(words[0], beganAt, endedAt, length);
		// To subscribers, who asked for it once, or pushed.
		if (CONFIRMATION.test(words[0] ?? '') ? !call?.verb.endsWith('SUBSCRIBE') : type === '>' || isMessage) return;
		const reported = isError ? readError(words[0] ?? '') : null;
		if (!call) {
			if (reported) this.#onUnasked(beganAt, reported, length);
			return;
		}
		answerBegins(call, beganAt);
		call.answered_bytes += length;
		if (reported) Object.assign(call, reported);
		// Its end was not recorded.
		if (Number.isNaN(endedAt)) return;
		this.#underWay.shift();
		this.emit.call(answered(call, endedAt));
	}

	/** A subscriber waits for it without a question. */
	#onMessage(verb: string, beganAt: number, endedAt: number, length: number) {
		const at = Number.isNaN(endedAt) ? beganAt : endedAt;
		const call = Object.assign(newCall(beganAt), { role: 'push', verb, template: verb, answered_bytes: length });
		this.emit.call(answered(call, at));
	}

	/** Said to nobody's question: that the connection is turned away. */
	#onUnasked(at: number, reported: { code: string; bad: boolean }, length: number) {
		const isFirst = this.#isFirst;
		const call = Object.assign(newCall(isFirst ? this.#openedAt : at), {
			role: isFirst ? 'connect' : 'push',
			verb: isFirst ? 'CONNECT' : '',
		});
		this.emit.call(Object.assign(call, { ...reported, first_at: at, ended_at: at, end: 'answered', by: 'server', answered_bytes: length }));
	}
}
