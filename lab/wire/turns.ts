/**
 * Calls on a connection whose protocol nothing here reads, by whose turn it is to speak: what the client says after the server's last byte is a
 * question, what the server says then its answer. Nothing but times and sizes is known of them; an error in an answer is not seen.
 *
 * It is true only of protocols in which a client waits for the whole answer before it asks again. Packets tell where one does not: a side that
 * had not yet received what the other had sent was not answering it; who speaks again after a pause was not asked. Such turns are marked, and a
 * server of which more than a few are is taken out of the record when that is read: one connection alone may have had a bad moment.
 *
 *
 * @import { ConnectionRecord } from './connection.ts'
 * @import { Call, Chunk, ConnectionEnd } from './contract.ts'
 */

import { answerBegins, answered, brokenOff, newCall } from './calls.ts';

/** Of a connection that no decoder takes. */
export const UNREAD = 'unknown';
/** What calls by turns are called. */
export const TURN = 'turn';

/** Within a question or an answer. A kernel that waits to send a second small packet does so for 40 ms (delayed acknowledgement). */
const PAUSE_S = 0.1;
/** From an answer's first byte to its last: what goes on longer is a stream. The lab's own choice. */
const ANSWER_S = 1;
/** Of the turns. Of strict turns none is odd but by a bad moment. The lab's own choice. */
const ODD_SHARE = 0.1;
/** Turns of a connection after which it is told no more, where too many were odd. */
const REPORTED_LEAST = 20;

export class Turns {
	#onCall;
	/** @type {Call | null} */
	#call = null;
	#lastAt = 0;
	#isOdd = false;
	#turns = 0;
	#odd = 0;

	/** @param {(call: Call) => void} onCall */
	constructor(onCall) {
		this.#onCall = onCall;
	}

	/** @param {Chunk} chunk */
	client({ at, bytes, hole, crossed = false }) {
		const call = this.#call;
		if (call !== null && call.first_at === null) this.#isOdd ||= at - this.#lastAt > PAUSE_S;
		else {
			if (call !== null) this.#end(call, crossed);
			if (this.#isStream()) return;
			this.#call = Object.assign(newCall(at), { verb: TURN });
			this.#isOdd = false;
		}
		const asked = this.#call;
		if (asked !== null) {
			asked.sent_at = at;
			asked.sent_bytes += bytes.length + hole;
		}
		this.#lastAt = at;
	}

	/** @param {Chunk} chunk */
	server({ at, bytes, hole, crossed = false }) {
		const call = this.#call;
		// A greeting, or what goes on from before the record.
		if (call === null) return;
		if (call.first_at === null) {
			this.#isOdd ||= crossed;
			answerBegins(call, at);
		} else this.#isOdd ||= at - this.#lastAt > PAUSE_S || at - call.first_at > ANSWER_S;
		call.answered_bytes += bytes.length + hole;
		this.#lastAt = at;
	}

	/** @param {ConnectionEnd} end */
	close(end) {
		const call = this.#call;
		if (call === null) return;
		if (call.first_at !== null) this.#end(call, false);
		else this.#tell(brokenOff(call, end));
		this.#call = null;
	}

	/** @param {Call} call @param {boolean} crossed */
	#end(call, crossed) {
		this.#isOdd ||= crossed;
		this.#turns += 1;
		if (this.#isOdd) this.#odd += 1;
		this.#call = null;
		this.#tell(answered(call, this.#lastAt));
	}

	/** @param {Call} call */
	#tell(call) {
		this.#onCall(this.#isOdd ? Object.assign(call, { hole: true }) : call);
	}

	#isStream() {
		return this.#turns >= REPORTED_LEAST && this.#odd > ODD_SHARE * this.#turns;
	}
}

/** @param {Pick<ConnectionRecord, 'protocol' | 'calls'>} connection @returns {boolean} whether its calls are turns */
export const isByTurns = ({ protocol, calls }) => protocol === UNREAD && calls > 0;

/** @param {ConnectionRecord} connection @returns {number} bytes of which nothing is known, not even whose turn it was */
export const unreadBytes = (connection) => (isByTurns(connection) ? 0 : connection.hidden_bytes + connection.unknown_bytes);

/**
 * Leaves out the turns of servers that do not take them: of one that never answered, as whoever takes logs does, and of one with too many odd
 * ones.
 * @template {{ connections: ConnectionRecord[], calls: { connection: number, end: string, hole?: boolean }[] }} T
 * @param {T} record  is changed
 * @returns {T}
 */
export function withoutStreams(record) {
	const byTurns = record.connections.filter(isByTurns);
	if (byTurns.length === 0) return record;
	/** @type {Map<string, { answered: number, odd: number }>} */
	const servers = new Map();
	const keyOf = (/** @type {ConnectionRecord} */ { server, server_port: port }) => `${server} ${port}`;
	const serverOf = new Map(
		byTurns.map((connection) => {
			const key = keyOf(connection);
			const server = servers.get(key) ?? { answered: 0, odd: 0 };
			servers.set(key, server);
			return [connection.id, server];
		}),
	);
	for (const { connection, end, hole } of record.calls) {
		const server = serverOf.get(connection);
		if (server === undefined) continue;
		if (end === 'answered') server.answered += 1;
		if (hole) server.odd += 1;
	}
	const isStream = ({ answered = 0, odd = 0 }) => answered === 0 || odd > ODD_SHARE * answered;
	const streams = new Set(
		byTurns.flatMap(({ id }) => (isStream(/** @type {{ answered: number, odd: number }} */ (serverOf.get(id))) ? [id] : [])),
	);
	if (streams.size === 0) return record;
	for (const connection of byTurns) if (streams.has(connection.id)) connection.calls = 0;
	record.calls = record.calls.filter(({ connection }) => !streams.has(connection));
	return record;
}
