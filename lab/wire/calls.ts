/** How a call begins and ends: the same rules for every protocol. */

import type { Call, Chunk, ConnectionEnd, Emit, End, Side } from './contract.ts';

/** A call as it stands when its question begins. */
export const newCall = (at: number): Call => ({
	began_at: at,
	sent_at: null,
	first_at: null,
	ended_at: null,
	verb: '',
	template: '',
	status: null,
	code: null,
	bad: false,
	end: 'open',
	by: null,
	sent_bytes: 0,
	answered_bytes: 0,
});

/** The time of a last byte; what is not a number was not seen. */
export const seenAt = (at: number): number | null => (Number.isNaN(at) ? null : at);

/**
 * The first byte of its answer has passed, if none has before. What passed before the question did is no answer to it.
 * @param call is changed
 */
export function answerBegins(call: Call, at: number) {
	call.first_at ??= Math.max(at, call.began_at);
}

/**
 * Of a call whose answer is whole.
 * @param call is changed
 * @param at its last byte passed
 */
export function answered(call: Call, at: number): Call {
	answerBegins(call, at);
	const endedAt = Math.max(at, call.first_at as number);
	// A server may answer before it has the whole question.
	if (call.sent_at !== null && call.sent_at > endedAt) call.sent_at = null;
	call.end = 'answered';
	call.by = 'server';
	call.ended_at = endedAt;
	return call;
}

/**
 * Of a call whose client goes on, so that it has the answer, though its end was not recorded.
 * @param call is changed
 * @param at the last of it passed that was noticed
 */
export const answeredUnseen = (call: Call, at: number): Call => answered(Object.assign(call, { hole: true }), at);

/**
 * Bytes of a question that are in no message passed.
 * @param call is changed
 */
export function sentUnseen(call: Call, bytes: number, at: number) {
	call.sent_at = at;
	call.sent_bytes += bytes;
	call.hole = true;
}

/**
 * Of a call that gets no answer, by its protocol.
 * @param call is changed
 * @param at its last byte passed
 */
export const wasSent = (call: Call, at: number): Call =>
	Object.assign(call, { role: 'send', end: 'answered', by: 'client', sent_at: call.sent_at ?? at, ended_at: at });

/**
 * Of a call that was open when its connection ended.
 * @param call is changed
 */
export function brokenOff(call: Call, { at, by, how }: ConnectionEnd): Call {
	if (how === 'open' || by === null) return Object.assign(call, { end: 'open', by: null, ended_at: null });
	// The server had gone when the question left: its client could not know.
	if (by === 'server' && call.began_at > at) call.raced = true;
	// A side that has ended to speak may still be spoken to.
	const last = Math.max(at, call.began_at, call.sent_at ?? at, call.first_at ?? at);
	return Object.assign(call, { end: endOf(call, by, how), by, ended_at: last });
}

/**
 * Of a call whose end was not seen, though its connection goes on: its number was used again, or all that follows is hidden.
 * @param call is changed
 */
export const endUnseen = (call: Call): Call => Object.assign(brokenOff(call, { at: call.began_at, by: null, how: 'open' }), { hole: true });

function endOf({ first_at: firstAt }: Call, by: Side, how: 'closed' | 'reset'): End {
	if (firstAt !== null) return 'cut';
	if (by === 'client') return 'given-up';
	return how === 'reset' ? 'reset' : 'closed';
}

/**
 * Bytes of a question that are in no message.
 * @param call whose question they are of, where it is known
 */
export function questionLost(emit: Emit, call: Call | undefined, bytes: number, at: number) {
	if (call) sentUnseen(call, bytes, at);
	else emit.unknown('client', bytes, at);
}

/** Bytes of answers that are in no message. The client has those answers once it goes on. */
class LostAnswers {
	#emit;
	#takeAll;
	/** When the last of them passed. */
	#at: number | null = null;

	/** @param takeAll calls that are under way, which are so no longer */
	constructor(emit: Emit, takeAll: () => Iterable<Call>) {
		this.#emit = emit;
		this.#takeAll = takeAll;
	}

	/** @param call whose answer they are of; undefined where nobody asked */
	note(call: Call | undefined, bytes: number, at: number) {
		if (!call) return this.#emit.unknown('server', bytes, at);
		call.answered_bytes += bytes;
		this.noteAt(at);
	}

	noteAt(at: number) {
		this.#at = at;
	}

	/** The client goes on. */
	end() {
		const at = this.#at;
		this.#at = null;
		if (at !== null) for (const call of this.#takeAll()) this.#emit.call(answeredUnseen(call, at));
	}
}

/** A conversation whose directions each have a reader. Its client has the answers that were lost once it goes on. */
export class Exchange<R extends { push: (chunk: Chunk) => void }> {
	emit: Emit;
	lost: LostAnswers;
	questions: R;
	answers: R;

	/** @param takeAll calls that are under way, which are so no longer */
	constructor(emit: Emit, takeAll: () => Iterable<Call>, questions: R, answers: R) {
		this.emit = emit;
		this.lost = new LostAnswers(emit, takeAll);
		this.questions = questions;
		this.answers = answers;
	}

	client(chunk: Chunk) {
		if (chunk.turn) this.lost.end();
		this.questions.push(chunk);
	}

	server(chunk: Chunk) {
		this.answers.push(chunk);
	}
}
