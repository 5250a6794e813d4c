/** What HAProxy recorded, in neutral words: its HTTP log, its messages about servers and limits, and the counters that were sampled. */

import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { bareRecord } from '../complete-lines.ts';
import type { About, Files, HopRecord, Message, RequestRecord, Signal, UpstreamAttempt } from '../contract.ts';
import { countsOf, DROPPED_LINES, hasRisen, messagesOf, seenIn, serviceAt, stampedLines } from '../hop-counts.ts';
import { withoutContent } from '../log-content.ts';
import type { HttpLine } from './http-line.ts';
import { K6_ID, messageOf, readHttpLine } from './http-line.ts';
import { limitsOf } from './stats.ts';

/*
 * Reads what HAProxy says of itself and of its servers: checks that failed, limits that it ran into, its own end. It says much of it twice,
 * to its log and to its error output.
 */

/** Before what is written to the error output: `[WARNING]  (8) : `, in older versions with day and time. */
const LEVEL = /^\[(?:NOTICE|WARNING|ALERT|EMERG)\]\s+(?:\d+\/\d+\s+)?\(\d+\)\s+: /;

/** The two copies of a message are written one after the other. */
const SAME_S = 1;

/** Signals that end a process on purpose: 128 and SIGINT or SIGTERM. */
const REPORTED_TO_END = new Set([0, 130, 143]);

/** First match wins; the first group is what the message speaks of. */
const MESSAGES: { pattern: RegExp; signal: Signal }[] = [
	{ pattern: /^(?:Backup )?Server (\S+\/\S+) is (?:going )?DOWN/, signal: 'ejected' },
	{ pattern: /^(?:Backup )?Server (\S+\/\S+) is UP/, signal: 'reinstated' },
	{ pattern: /^backend '?([^' ]+)'? has no server available!/, signal: 'destination_unavailable' },
	// The connection that was one too many is closed at once.
	{ pattern: /^Proxy (\S+) reached the configured maximum connection limit/, signal: 'table-full-new' },
	{ pattern: /^Proxy (\S+) reached (?:the )?(?:process FD|system FD|system memory) limit/, signal: 'proxy_internal_error' },
	{ pattern: /^Connect\(\) failed for backend (\S+): (?:no free ports|local address already in use)/, signal: 'proxy_internal_error' },
];
const WORKER_ENDED = /^Current worker .*exited with code (\d+)/;

/**
 * @param lines that are no requests, in the order of time
 * @param serviceOf names the service that a server (`backend/server`) is
 */
function readStateLines(lines: { t: number; text: string }[], serviceOf: (server: string) => string): Message[] {
	const said: Map<string, number> = new Map();
	return lines.flatMap(({ t, text }) => {
		const plain = messageOf(text).replace(LEVEL, '');
		const found = meaningOf(plain);
		if (!found) return [];
		// One copy has its names in quotes, one may have a full stop.
		const key = plain.replace(/'/g, '').replace(/\.$/, '');
		const before = said.get(key);
		said.set(key, t);
		if (before !== undefined && t - before < SAME_S) return [];
		const to = found.server === undefined ? {} : { to: serviceOf(found.server) };
		return [{ signal: found.signal, t, text, ...to }];
	});
}

/** Whether HAProxy speaks of itself or of its servers: of no request. */
function isOfState(text: string) {
	const message = messageOf(text);
	return LEVEL.test(message) || meaningOf(message) !== null;
}

function meaningOf(plain: string): { signal: Signal; server?: string } | null {
	const ended = WORKER_ENDED.exec(plain);
	if (ended) return REPORTED_TO_END.has(Number(ended[1])) ? null : { signal: 'worker-died' };
	for (const { pattern, signal } of MESSAGES) {
		const found = pattern.exec(plain);
		if (found) return signal === 'ejected' || signal === 'reinstated' ? { signal, server: found[1] } : { signal };
	}
	return null;
}

/*
 * What HAProxy's termination state says (configuration manual, section 8.5): why a request ended as it did, where it was then, and
 * whether its client had a whole answer.
 */

type Ending = Pick<HttpLine, 'state' | 'server' | 'status'>;

type Reason = {
	signal: Signal;
	/** it speaks of the last attempt to ask a server, and not of the request as a whole */
	ofAttempt: boolean;
};

const REQUEST_TIMEOUT = 408;
const BAD_REQUEST = 400;
const INTERNAL_ERROR = 500;

/**
 * By the first two characters of the state; first match wins. The manual lists the common ones. `SQ` (the server's queue was full) and
 * `IC` stand in `http_return_srv_error()` alone.
 */
const REASONS: { state: RegExp; when?: (ending: Ending) => boolean; signal: Signal; ofAttempt?: boolean }[] = [
	{ state: /^[Cc]/, signal: 'client-gone' },
	{ state: /^SC/, when: ({ server }) => server === null, signal: 'destination_unavailable' },
	// A reset in answer to the connection; "under some circumstances" that there is no route. The log does not tell the two apart.
	{ state: /^SC/, signal: 'connection_refused', ofAttempt: true },
	{ state: /^sC/, signal: 'connection_timeout', ofAttempt: true },
	{ state: /^SQ/, signal: 'connection_limit_reached' },
	{ state: /^sQ/, signal: 'queue-timeout' },
	{ state: /^SH/, signal: 'connection_terminated', ofAttempt: true },
	{ state: /^sH/, signal: 'http_response_timeout', ofAttempt: true },
	{ state: /^[Ss][DL]/, signal: 'http_response_incomplete', ofAttempt: true },
	// A header could not be rewritten for lack of room in the buffer (`tune.maxrewrite`).
	{ state: /^P[RH]/, when: ({ status }) => status === INTERNAL_ERROR, signal: 'proxy_internal_error' },
	{ state: /^P[RT]/, signal: 'http_request_denied' },
	// A request with an invalid chunk, blocked before the server answered.
	{ state: /^PH/, when: ({ status }) => status === BAD_REQUEST, signal: 'http_request_denied' },
	{ state: /^P[HDL]/, signal: 'http_protocol_error', ofAttempt: true },
	{ state: /^PC/, signal: 'proxy_internal_error' },
	{ state: /^[RI]/, signal: 'proxy_internal_error' },
	// Killed with its server's other sessions when a check found it down (`on-marked-down shutdown-sessions`), or up (`on-marked-up`).
	{ state: /^D/, signal: 'ejected' },
	{ state: /^U/, signal: 'reinstated' },
	{ state: /^K/, signal: 'shut-down' },
];

/** By the second character: where the request was. */
const PLACES = {
	R: 'reading the request',
	Q: 'queue',
	C: 'connecting to the server',
	H: 'waiting for the answer',
	D: 'sending the answer',
	L: 'sending the last of the answer',
	T: 'tarpit',
} as Record<string, string>;

/** @returns null for a normal end, and for an answer of HAProxy's own (`L`) */
function reasonOf(ending: Ending): Reason | null {
	const found = REASONS.find(({ state, when }) => state.test(ending.state) && (when === undefined || when(ending)));
	if (!found) return null;
	// Of an attempt that reached no server nothing can be said but of the request.
	return { signal: found.signal, ofAttempt: found.ofAttempt === true && ending.server !== null };
}

function outcomeOf({ state, status }: Ending): 'answered' | 'broken' {
	if (status === null) return 'broken';
	// Who takes too long to send a request is answered so; who left is not.
	if (/^[Cc]/.test(state)) return state[0] === 'c' && status === REQUEST_TIMEOUT ? 'answered' : 'broken';
	const isNormal = state[0] === '-' || state[0] === 'L';
	return !isNormal && (state[1] === 'D' || state[1] === 'L') ? 'broken' : 'answered';
}

/** @returns empty after a normal end */
const placeOf = ({ state }: Ending): string => (state[0] === '-' || state[0] === 'L' ? '' : (PLACES[state[1]] ?? ''));

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

/*
 * What of HAProxy's log the record keeps of a request: all but captured cookies and headers, of which an id stays, and its path as a template.
 */

/** Between the bytes and the state of the end stand a cookie of the request and one of the answer (configuration manual, section 8.2.3). */
const COOKIES = /( -?\d+ \+?\d+ )\S+ \S+( [CSPLRIDUKcs-][RQCHDLT-][A-Z-][A-Z-] )/;
/** Then two numbers of queues end what is the log's own. */
const REST = /( \d+\/\d+)((?: \{[^}]*\}){0,2})( ".*)?$/;
const HEADER = /[^{}| ][^{}|]*/g;

/**
 * @param line without the engine's time
 * @returns from which the same is read
 */
export function redact(line: string): string {
	if (readHttpLine({ t: 0, text: line }) === null) return isOfState(line) ? line : withoutContent(line);
	return line
		.replace(COOKIES, '$1- -$2')
		.replace(
			REST,
			(_, queues, captured, request = '') =>
				`${queues}${captured.replace(HEADER, (header: string) => (K6_ID.test(header) ? header : '?'))}${withoutContent(request)}`,
		);
}
