/** A connection of the text protocol. Answers come in the order of the questions; a question may ask that none is given. */

import { answerBegins, answered, answeredUnseen, brokenOff, Exchange, newCall, questionLost, wasSent } from '../../wire/calls.ts';
import type { About, Call, ConnectionEnd, Emit } from '../../wire/contract.ts';
import { type Line, LineReader } from '../../wire/line-reader.ts';
import { Queue } from '../../wire/queue.ts';
import { readAnswer, readQuestion, TURNED_AWAY } from './commands.ts';

/** memcached's own bound of a line that asks for many keys is what it has room for. */
const QUESTION_MOST = 64 * 1024;
const ANSWER_MOST = 2048;
/** Clients put whole batches on the wire at once. */
const UNDER_WAY_MOST = 64 * 1024;
const PRINTED = /^[a-z][\x20-\x7e\x80-\xff]*$/;

type Open = { call: Call; quiet: string[] | null; mark: number | null };

export class TextConversation extends Exchange<LineReader> {
	#openedAt;
	#underWay: Queue<Open> = new Queue();
	/** How many `mn` are among them, which ask only that all before them be answered. */
	#noops = 0;
	#isFirst = true;

	constructor(emit: Emit, { midway, opened_at: openedAt }: About) {
		super(
			emit,
			() => this.#takeAll(),
			new LineReader({
				most: QUESTION_MOST,
				valueOf: (text) => (PRINTED.test(text) ? readQuestion(text).value : null),
				onLine: (line) => this.#onQuestion(line),
				onLost: (bytes, at) => questionLost(emit, this.#underWay.last?.call, bytes, at),
			}),
			new LineReader({
				most: ANSWER_MOST,
				valueOf: (text) => readAnswer(text)?.value ?? null,
				onLine: (line) => this.#onAnswer(line),
				onLost: (bytes, at) => this.lost.note(this.#underWay.first?.call, bytes, at),
			}),
		);
		this.#openedAt = openedAt;
		this.#isFirst = !midway;
	}

	close(end: ConnectionEnd) {
		this.lost.end();
		const begun = this.questions.beganAt;
		const verb = begun === null ? '' : readQuestion(this.questions.partial).verb;
		if (begun !== null) this.#underWay.push({ call: Object.assign(newCall(begun), named(verb)), quiet: null, mark: null });
		const answer = this.answers.beganAt;
		const { first } = this.#underWay;
		if (answer !== null && first) answerBegins(first.call, answer);
		for (const { call } of this.#underWay.takeAll()) this.emit.call(brokenOff(call, end));
	}

	#onQuestion({ began_at: beganAt, ended_at: endedAt, text, length }: Line) {
		const { verb, answers, quiet, mark } = readQuestion(text);
		this.#isFirst = false;
		if (answers === 'no') return;
		if (this.#underWay.size >= UNDER_WAY_MOST) {
			this.emit.unknown('client', length, beganAt);
			return;
		}
		const call = Object.assign(newCall(beganAt), named(verb), { sent_at: endedAt, sent_bytes: length });
		if (verb === 'watch') call.role = 'wait';
		else if (verb === 'version') call.role = 'beat';
		if (endedAt === null) call.hole = true;
		if (answers === 'errors' && endedAt !== null) this.emit.call(wasSent(call, endedAt));
		else this.#push({ call, quiet, mark });
	}

	#onAnswer(line: Line) {
		const answer = readAnswer(line.text) as NonNullable<ReturnType<typeof readAnswer>>;
		this.#passQuiet(answer, line.began_at);
		// To a value that has not come as a whole: it is larger than the server keeps.
		if (this.#underWay.size === 0) this.questions.giveOpen();
		const { first } = this.#underWay;
		const error = { code: answer.code, bad: answer.bad };
		if (!first) {
			if (answer.code === null) this.emit.unknown('server', line.length, line.began_at);
			else this.#onUnasked(line, error);
			return;
		}
		answerBegins(first.call, line.began_at);
		first.call.answered_bytes += line.length;
		if (answer.code !== null) Object.assign(first.call, error);
		if (line.ended_at === null || answer.goesOn) return;
		this.#underWay.shift();
		if (first.call.verb === 'mn') this.#noops -= 1;
		this.emit.call(answered(first.call, line.ended_at));
	}

	#push(open: Open) {
		this.#underWay.push(open);
		if (open.call.verb === 'mn') this.#noops += 1;
	}

	/** Quiet questions that this answer is none to have got none, and were sent. */
	#passQuiet({ word, mark }: { word: string; mark: number | null }, at: number) {
		if (word.endsWith('ERROR')) return;
		const isOther = ({ quiet, mark: own }: Open) => quiet && (!quiet.includes(word) || own !== mark);
		for (let { first } = this.#underWay; first; { first } = this.#underWay) {
			// All that was asked before it is answered.
			const isPassed = word === 'MN' && first.call.verb !== 'mn' && this.#noops > 0;
			if (!isPassed && !isOther(first)) return;
			this.#underWay.shift();
			if (first.quiet) this.emit.call(wasSent(first.call, first.call.sent_at ?? first.call.began_at));
			else this.emit.call(answeredUnseen(first.call, at));
		}
	}

	/** Said to nobody's question: that the connection is turned away, or an error of a question that wanted no answer. */
	#onUnasked({ began_at: beganAt, ended_at: endedAt, text, length }: Line, error: { code: string | null; bad: boolean }) {
		const isFirst = this.#isFirst && text.startsWith(TURNED_AWAY);
		const call = Object.assign(newCall(isFirst ? this.#openedAt : beganAt), error, { first_at: beganAt, answered_bytes: length });
		Object.assign(call, isFirst ? { role: 'connect', verb: 'CONNECT' } : { role: 'push' });
		this.emit.call(answered(call, endedAt ?? beganAt));
	}

	#takeAll() {
		this.#noops = 0;
		return this.#underWay.takeAll().map(({ call }) => call);
	}
}

const named = (verb: string) => ({ verb, template: verb });
