/** What HAProxy recorded, in neutral words: its HTTP log, its messages about servers and limits, and the counters that were sampled. */

import type { Signal } from '../../base/signal.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { bareRecord } from '../bare-record.ts';
import type { About, Files, HopRecord, Message, RequestRecord, UpstreamAttempt } from '../contract.ts';
import { countsOf, hasRisen, messagesOf, seenIn, serviceAt } from '../hop-counts.ts';
import { DROPPED_LINES, stampedLines } from '../log-lines.ts';
import { type HttpLine, readHttpLine } from './http-line.ts';
import { readStateLines } from './state-lines.ts';
import { limitsOf } from './stats.ts';
import { outcomeOf, placeOf, reasonOf } from './termination.ts';

export type Reason = {
	signal: Signal;
	/** it speaks of the last attempt to ask a server, and not of the request as a whole */
	ofAttempt: boolean;
};

export function read(files: Files, about: About): HopRecord {
	const all = stampedLines(files.log).map((stamped) => ({ stamped, line: readHttpLine(stamped) }));
	const lines = all.flatMap(({ line }) => (line ? [line] : []));
	const serviceOf = namer(lines, about.names);
	const requestRecords = seenIn(
		lines.map((line) => requestRecordOf(line, about.service, serviceOf)),
		about.window,
	);
	const others = readStateLines(
		all
			.filter(({ line }) => line === null)
			.map(({ stamped }) => stamped)
			// Of a shipped service its own log comes after what the engine kept.
			.toSorted((one, other) => one.t - other.t),
		serviceOf,
	);
	const dropped = files.samples.map(({ t, info }) => ({ t, value: info.DroppedLogs ?? 0 }));
	const limits = limitsOf(files.samples);
	return {
		...bareRecord(about, 'haproxy'),
		...coverageOf({ lines, requestRecords, dropped: hasRisen(dropped), limited: limits.length > 0 }),
		source: 'HTTP log',
		...(lines.length > 0 && countsOf(requestRecords)),
		requestRecords,
		messages: messagesOf(requestRecords, others, about.window),
		counters: { [DROPPED_LINES]: dropped },
		limits,
		silent_close: true,
	};
}

/**
 * Names a server's service: by the address that the lab's columns have, else by the server's own name.
 * @returns takes `backend/server`
 */
function namer(lines: HttpLine[], names: Map<string, string>): (server: string) => string {
	const addresses = new Map(lines.filter(({ address }) => address !== '').map((line) => [`${line.backend}/${line.server}`, line.address]));
	return (server) => serviceAt(addresses.get(server) ?? server.slice(server.indexOf('/') + 1), names);
}

function requestRecordOf(line: HttpLine, service: string, serviceOf: (server: string) => string): RequestRecord {
	const reason = reasonOf(line);
	const server = line.server === null ? null : serviceOf(`${line.backend}/${line.server}`);
	const message = reason && {
		signal: reason.signal,
		t: line.ended,
		text: line.text,
		...(server === null ? {} : { to: server }),
	};
	const state = line.state.slice(0, 2);
	return {
		service,
		id: line.id,
		received: line.received,
		ended: line.ended,
		outcome: outcomeOf(line),
		status: line.status,
		error: state !== '--' && (line.status === null || line.status >= FIRST_BAD_STATUS) ? state : '',
		place: placeOf(line),
		asked: askedOf(line, server, reason?.ofAttempt ? message : null),
		own: message && !reason?.ofAttempt ? [message] : [],
		...tookOf(line),
	};
}

/**
 * The server has it from the beginning of the connection on: what comes before is the wait for the whole request, and in the queue.
 * @returns nothing where no server answered
 */
function tookOf({ timers_ms: { request, queue, connect, response, active } }: HttpLine): Pick<RequestRecord, 'took_ms'> {
	if (response === null) return {};
	return { took_ms: { whole: active, behind: active - (request ?? 0) - (queue ?? 0), connect: connect ?? 0 } };
}

/**
 * The attempts: those that were repeated, of which the log has only the number, and the last. A repeated one failed to connect, unless the
 * configuration repeats for other reasons (`retry-on`).
 */
function askedOf(line: HttpLine, server: string | null, message: Message | null): UpstreamAttempt[] {
	const earlier = line.redispatched ? line.backend : (server ?? line.backend);
	const repeated = Array.from({ length: line.retries }, () => ({ to: earlier, status: null, connected: false, message: null }));
	// Who ended in the queue or before it was sent to no server, though one may have been chosen.
	if (server === null || 'RQT'.includes(line.state[1])) return repeated;
	const answered = line.timers_ms.response !== null && !line.state.startsWith('PH');
	return [...repeated, { to: server, status: answered ? line.status : null, connected: line.timers_ms.connect !== null, message }];
}

function coverageOf({
	lines,
	requestRecords,
	dropped,
	limited,
}: {
	lines: HttpLine[];
	requestRecords: RequestRecord[];
	dropped: boolean;
	limited: boolean;
}): Pick<HopRecord, 'coverage' | 'uncovered'> {
	const withoutId = requestRecords.filter(({ id }) => id === '').length;
	const retried = lines.some(({ retries }) => retries > 0);
	const early = lines.some((line) => line.early);
	const gaps = [
		[
			lines.length === 0,
			'HAProxy’s output has no line of its default HTTP log; add "log stdout format raw local0" and "option httplog", or allow Doubletake to lay its own configuration over (watch: 2).',
		],
		[
			withoutId > 0 && withoutId === requestRecords.length,
			'HAProxy’s log has no request id: its lines cannot be joined to k6’s; add "capture request header X-Request-Id len 64", or allow Doubletake to lay its own configuration over (watch: 2).',
		],
		[withoutId > 0 && withoutId < requestRecords.length, `${withoutId} of HAProxy’s ${requestRecords.length} lines have no request id.`],
		[dropped, 'HAProxy could not write all of its log lines: some requests are missing.'],
		[early, 'HAProxy logs before a request ends ("option logasap"): answers that broke off later look whole.'],
		[retried, 'HAProxy counts the repeated attempts of a request, and does not say why or, after a redispatch, where each failed.'],
		[!limited, 'How full HAProxy’s connections and queues were is not watched (watch: 2).'],
		[
			true,
			'A client that HAProxy does not accept, because its connections are all taken, waits in the kernel and leaves no line in its log.',
		],
	] as [boolean, string][];
	const isComplete = lines.length > 0 && withoutId === 0 && !dropped;
	return {
		coverage: {
			requests: lines.length === 0 ? 'none' : isComplete ? 'full' : 'partial',
			reasons: lines.length === 0 ? 'none' : retried || dropped || early ? 'partial' : 'full',
			limits: limited ? 'full' : 'none',
		},
		uncovered: gaps.filter(([applies]) => applies).map(([, sentence]) => sentence),
	};
}
