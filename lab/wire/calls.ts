/**
 * How a call begins and ends: the same rules for every protocol.
 *
 *
 * @import { Call, Chunk, ConnectionEnd, Emit, End, Side } from './contract.ts'
 */

/**
 * A call as it stands when its question begins.
 * @param {number} at
 * @returns {Call}
 */
export const newCall = (at) => ({
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

/** The time of a last byte; what is not a number was not seen. @param {number} at @returns {number | null} */
export const seenAt = (at) => (Number.isNaN(at) ? null : at);

/**
 * The first byte of its answer has passed, if none has before. What passed before the question did is no answer to it.
 * @param {Call} call  is changed
 * @param {number} at
 */
export function answerBegins(call, at) {
	call.first_at ??= Math.max(at, call.began_at);
}

/**
 * Of a call whose answer is whole.
 * @param {Call} call  is changed
 * @param {number} at  its last byte passed
 * @returns {Call}
 */
export function answered(call, at) {
	answerBegins(call, at);
	const endedAt = Math.max(at, /** @type {number} */ (call.first_at));
	// A server may answer before it has the whole question.
	if (call.sent_at !== null && call.sent_at > endedAt) call.sent_at = null;
	call.end = 'answered';
	call.by = 'server';
	call.ended_at = endedAt;
	return call;
}

/**
 * Of a call whose client goes on, so that it has the answer, though its end was not recorded.
 * @param {Call} call  is changed
 * @param {number} at  the last of it passed that was noticed
 * @returns {Call}
 */
export const answeredUnseen = (call, at) => answered(Object.assign(call, { hole: true }), at);

/**
 * Bytes of a question that are in no message passed.
 * @param {Call} call  is changed
 * @param {number} bytes
 * @param {number} at
 */
export function sentUnseen(call, bytes, at) {
	call.sent_at = at;
	call.sent_bytes += bytes;
	call.hole = true;
}

/**
 * Of a call that gets no answer, by its protocol.
 * @param {Call} call  is changed
 * @param {number} at  its last byte passed
 * @returns {Call}
 */
export const wasSent = (call, at) =>
	Object.assign(call, { role: 'send', end: 'answered', by: 'client', sent_at: call.sent_at ?? at, ended_at: at });

/**
 * Of a call that was open when its connection ended.
 * @param {Call} call  is changed
 * @param {ConnectionEnd} end
 * @returns {Call}
 */
export function brokenOff(call, { at, by, how }) {
	if (how === 'open' || by === null) return Object.assign(call, { end: 'open', by: null, ended_at: null });
	// The server had gone when the question left: its client could not know.
	if (by === 'server' && call.began_at > at) call.raced = true;
	// A side that has ended to speak may still be spoken to.
	const last = Math.max(at, call.began_at, call.sent_at ?? at, call.first_at ?? at);
	return Object.assign(call, { end: endOf(call, by, how), by, ended_at: last });
}

/**
 * Of a call whose end was not seen, though its connection goes on: its number was used again, or all that follows is hidden.
 * @param {Call} call  is changed
 * @returns {Call}
 */
export const endUnseen = (call) => Object.assign(brokenOff(call, { at: call.began_at, by: null, how: 'open' }), { hole: true });

/** @param {Call} call @param {Side} by @param {'closed' | 'reset'} how @returns {End} */
function endOf({ first_at: firstAt }, by, how) {
	if (firstAt !== null) return 'cut';
	if (by === 'client') return 'given-up';
	return how === 'reset' ? 'reset' : 'closed';
}

/**
 * Bytes of a question that are in no message.
 * @param {Emit} emit
 * @param {Call | undefined} call  whose question they are of, where it is known
 * @param {number} bytes
 * @param {number} at
 */
export function questionLost(emit, call, bytes, at) {
	if (call) sentUnseen(call, bytes, at);
	else emit.unknown('client', bytes, at);
}

/** Bytes of answers that are in no message. The client has those answers once it goes on. */
class LostAnswers {
	#emit;
	#takeAll;
	/** When the last of them passed. @type {number | null} */
	#at = null;

	/** @param {Emit} emit @param {() => Iterable<Call>} takeAll  calls that are under way, which are so no longer */
	constructor(emit, takeAll) {
		this.#emit = emit;
		this.#takeAll = takeAll;
	}

	/** @param {Call | undefined} call  whose answer they are of; undefined where nobody asked @param {number} bytes @param {number} at */
	note(call, bytes, at) {
		if (!call) return this.#emit.unknown('server', bytes, at);
		call.answered_bytes += bytes;
		this.noteAt(at);
	}

	/** @param {number} at */
	noteAt(at) {
		this.#at = at;
	}

	/** The client goes on. */
	end() {
		const at = this.#at;
		this.#at = null;
		if (at !== null) for (const call of this.#takeAll()) this.#emit.call(answeredUnseen(call, at));
	}
}

/**
 * A conversation whose directions each have a reader. Its client has the answers that were lost once it goes on.
 * @template {{ push: (chunk: Chunk) => void }} R
 */
export class Exchange {
	/**
	 * @param {Emit} emit
	 * @param {() => Iterable<Call>} takeAll  calls that are under way, which are so no longer
	 * @param {R} questions
	 * @param {R} answers
	 */
	constructor(emit, takeAll, questions, answers) {
		this.emit = emit;
		this.lost = new LostAnswers(emit, takeAll);
		this.questions = questions;
		this.answers = answers;
	}

	/** @param {Chunk} chunk */
	client(chunk) {
		if (chunk.turn) this.lost.end();
		this.questions.push(chunk);
	}

	/** @param {Chunk} chunk */
	server(chunk) {
		this.answers.push(chunk);
	}
}
