/**
 * Calls on a connection whose protocol nothing here reads, by whose turn it is to speak: what the client says after the server's last byte is a
 * question, what the server says then its answer. Nothing but times and sizes is known of them; an error in an answer is not seen.
 *
 * It is true only of protocols in which a client waits for the whole answer before it asks again. Packets tell where one does not: a side that
 * had not yet received what the other had sent was not answering it; who speaks again after a pause was not asked. Such turns are marked, and a
 * server of which more than a few are is taken out of the record when that is read: one connection alone may have had a bad moment.
 */

import { answerBegins, answered, brokenOff, newCall } from './calls.ts';
import type { ConnectionRecord } from './connection.ts';
import type { Call, Chunk, ConnectionEnd } from './contract.ts';

/** Of a connection that no decoder takes. */
export const UNREAD = 'unknown';
/** What calls by turns are called. */
export const TURN = 'turn';

/** Within a question or an answer. A kernel that waits to send a second small packet does so for 40 ms (delayed acknowledgement). */
const PAUSE_S = 0.1;
/** From an answer's first byte to its last: what goes on longer is a stream. */
const ANSWER_S = 1;
/** Of the turns. Of strict turns none is odd but by a bad moment. */
const ODD_SHARE = 0.1;
/** Turns of a connection after which it is told no more, where too many were odd. */
const REPORTED_LEAST = 20;

export class Turns {
	#onCall;
	#call: Call | null = null;
	#lastAt = 0;
	#isOdd = false;
	#turns = 0;
	#odd = 0;

	constructor(onCall: (call: Call) => void) {
		this.#onCall = onCall;
	}

	client({ at, bytes, hole, crossed = false }: Chunk) {
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

	server({ at, bytes, hole, crossed = false }: Chunk) {
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

	close(end: ConnectionEnd) {
		const call = this.#call;
		if (call === null) return;
		if (call.first_at !== null) this.#end(call, false);
		else this.#tell(brokenOff(call, end));
		this.#call = null;
	}

	#end(call: Call, crossed: boolean) {
		this.#isOdd ||= crossed;
		this.#turns += 1;
		if (this.#isOdd) this.#odd += 1;
		this.#call = null;
		this.#tell(answered(call, this.#lastAt));
	}

	#tell(call: Call) {
		this.#onCall(this.#isOdd ? Object.assign(call, { hole: true }) : call);
	}

	#isStream() {
		return this.#turns >= REPORTED_LEAST && this.#odd > ODD_SHARE * this.#turns;
	}
}

/** @returns whether its calls are turns */
export const isByTurns = ({ protocol, calls }: Pick<ConnectionRecord, 'protocol' | 'calls'>): boolean => protocol === UNREAD && calls > 0;

/** @returns bytes of which nothing is known, not even whose turn it was */
export const unreadBytes = (connection: ConnectionRecord): number =>
	isByTurns(connection) ? 0 : connection.hidden_bytes + connection.unknown_bytes;

/**
 * Leaves out the turns of servers that do not take them: of one that never answered, as whoever takes logs does, and of one with too many odd
 * ones.
 * @param record is changed
 */
export function withoutStreams<T extends { connections: ConnectionRecord[]; calls: { connection: number; end: string; hole?: boolean }[] }>(
	record: T,
): T {
	const byTurns = record.connections.filter(isByTurns);
	if (byTurns.length === 0) return record;
	const servers: Map<string, { answered: number; odd: number }> = new Map();
	const keyOf = ({ server, server_port: port }: ConnectionRecord) => `${server} ${port}`;
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
	const streams = new Set(byTurns.flatMap(({ id }) => (isStream(serverOf.get(id) as { answered: number; odd: number }) ? [id] : [])));
	if (streams.size === 0) return record;
	for (const connection of byTurns) if (streams.has(connection.id)) connection.calls = 0;
	record.calls = record.calls.filter(({ connection }) => !streams.has(connection));
	return record;
}
