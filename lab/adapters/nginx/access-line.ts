/** A line of Nginx's access log in the lab's format, as a sighting. */

import type { Signal } from '../../base/signal.ts';
import { grouped } from '../../base/values.ts';
import type { Message, RequestRecord, UpstreamAttempt } from '../contract.ts';
import { serviceAt } from '../hop-counts.ts';

/** several attempts are told one after the other, in one text */
export type AccessLine = {
	/** end of the request, seconds since 1970 */
	t: number;
	/** of the request */
	id: string;
	status: number;
	request_s: number;
	/** number of the client's connection */
	connection: number;
	/** addresses that were asked; the name of the group of servers where none was left to ask */
	upstream: string;
	upstream_status: string;
	connect_s: string;
	upstream_s: string;
	/** name, of an answer with an error */
	error: string;
	/** `OK` when Nginx saw the request to its end */
	completion: string;
};

/** What the lines of Nginx's error log mean. */
/**
 * connection: number of the client's; `to` is an
 *   address without its port
 */
export type LogMessage = Message & { connection: number | null };

/** First match wins. */
const MEANINGS: [Signal, RegExp][] = [
	['table-full-idle', /worker_connections are not enough, reusing connections/],
	['table-full-new', /worker_connections are not enough/],
	['proxy_internal_error', /Too many open files/],
	['proxy_internal_error', /Cannot assign requested address/],
	['destination_unavailable', /no live upstreams/],
	['ejected', /upstream server temporarily disabled/],
	// Of a socket in a file: full (11), nobody listens (111), not there (2).
	['connection_refused', /connect\(\) (failed \(111|to unix:\S+ failed \((11|111|2):)/],
	['destination_ip_unroutable', /connect\(\) failed \(11[03]|No route to host/],
	['connection_timeout', /upstream timed out .*while connecting to upstream/],
	['http_response_timeout', /upstream timed out/],
	// The header had come by then.
	['http_response_incomplete', /(upstream prematurely closed connection|\w+\(\) failed \(104.*) while reading upstream$/],
	['connection_terminated', /(recv|send|writev)\(\) failed \((104|32)|Connection reset by peer.*upstream/],
	['connection_terminated', /upstream prematurely closed connection/],
	['http_protocol_error', /upstream sent (invalid|no valid|too big)/],
	['dns_error', /no resolver defined|could not be resolved/],
	['http_request_denied', /limiting (requests|connections)|client intended to send too large|access forbidden by rule/],
	['worker-died', /worker process \d+ exited (on signal|with fatal code)/],
];

/** Those that say why one attempt to ask a service behind failed. */
const OF_ATTEMPTS: Set<Signal> = new Set([
	'proxy_internal_error',
	'connection_refused',
	'destination_ip_unroutable',
	'connection_timeout',
	'http_response_timeout',
	'connection_terminated',
	'http_response_incomplete',
	'http_protocol_error',
	'dns_error',
]);

/** `2026/11/21 00:15:46 [warn] 6#6: *17 text`, read as UTC, which containers run in unless told otherwise (read.ts). https://nginx.org/en/docs/ngx_core_module.html#error_log */
const LINE = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) \[(\w+)\] \d+#\d+: (?:\*(\d+) )?(.*)$/;

/** Its address, whatever it is spoken to in. A socket in a file is no service's by its name. */
const UPSTREAM = /upstream: "(?:https?|fastcgi|uwsgi|scgi|grpcs?|memcached):\/\/([\d.]+|\[[^\]]+\])/;

/** Of a server that has no address. */
const UNRESOLVED = /^(\S+) could not be resolved|no resolver defined to resolve (\S+)/;

export type ErrorLine = { t: number; level: string; connection: number | null; text: string };

/** @param text of the error log */
export function parseErrorLog(text: string): ErrorLine[] {
	return text.split('\n').flatMap((line) => {
		const found = LINE.exec(line);
		if (!found) return [];
		const [, year, month, day, time, level, connection, message] = found;
		const t = Date.parse(`${year}-${month}-${day}T${time}Z`) / 1000;
		return [{ t, level, connection: connection === undefined ? null : Number(connection), text: message }];
	});
}

/** @returns one, or none where it means nothing known */
export function readMessage({ t, level, connection, text }: ErrorLine): LogMessage[] {
	// What follows is the client's to choose: its request line, its host and its referrer.
	const [said] = text.split(', client: ');
	const signal = MEANINGS.find(([, pattern]) => pattern.test(said))?.[0];
	if (signal === undefined) return [];
	const to = UPSTREAM.exec(text)?.[1] ?? UNRESOLVED.exec(said)?.slice(1).find(Boolean);
	return [{ signal, t, connection, text: `[${level}] ${text}`, ...(to === undefined ? {} : { to }) }];
}

/** The client hung up before the answer: Nginx's own status, never sent. */
const CLIENT_CLOSED = 499;
/** Nginx's own about a server that did not answer; it stands for the server's too. */
const NO_ANSWER = new Set([502, 504]);
/** Of a server, and not the name of a group; Nginx logs a socket's path too. */
const ADDRESS = /:\d+$|^unix:/;

/** @param text of a variable that names each attempt */
const attemptsIn = (text: string) => (text === '' ? [] : text.split(/ ?[,:] /));

/** @returns by the client's connection, in their order */
export const groupByConnection = (messages: LogMessage[]): Map<number | null, LogMessage[]> =>
	grouped(
		messages.filter(({ connection }) => connection !== null),
		({ connection }) => connection,
	);

/**
 * The error log names the client's connection, so a message belongs to the request that was on it in those seconds. Several may have been:
 * what failed takes its message from the group where that has another, so that the next one finds its own.
 * @param line in the order of the log
 */
export function requestRecordOf(
	line: AccessLine,
	{ service, names, byConnection }: { service: string; names: Map<string, string>; byConnection: Map<number | null, LogMessage[]> },
): RequestRecord {
	const group = byConnection.get(line.connection) ?? [];
	// The error log has whole seconds.
	const inTime = group.filter(({ t }) => t >= Math.floor(line.t - line.request_s) && t <= line.t);
	const asked = askedIn(
		line,
		inTime.filter(({ signal }) => OF_ATTEMPTS.has(signal)),
		{ group, names },
	);
	// Nginx calls the request complete too when the server broke off inside its answer, and only its error log tells.
	const isCut = asked.at(-1)?.message?.signal === 'http_response_incomplete';
	const sent = line.completion === 'OK' && line.status !== CLIENT_CLOSED && !isCut;
	return {
		service,
		id: line.id,
		received: line.t - line.request_s,
		ended: line.t,
		outcome: sent ? 'answered' : 'broken',
		status: line.status,
		error: line.error,
		place: '',
		asked,
		own: inTime.filter(({ signal }) => !OF_ATTEMPTS.has(signal) && isOwn(line, signal)),
		took_ms: { whole: line.request_s * 1000, behind: msIn(line.upstream_s), connect: msIn(line.connect_s) },
	};
}

/** What was turned away asked nobody; where no server was left, the group is what was asked last. */
function isOwn({ upstream }: AccessLine, signal: LogMessage['signal']): boolean {
	const last = attemptsIn(upstream).at(-1) ?? '-';
	if (signal === 'http_request_denied') return last === '-';
	return signal !== 'destination_unavailable' || !ADDRESS.test(last);
}

function askedIn(
	line: AccessLine,
	failures: LogMessage[],
	{ group, names }: { group: LogMessage[]; names: Map<string, string> },
): UpstreamAttempt[] {
	if (line.upstream === '' || line.upstream === '-') return unresolvedIn(failures, names);
	const statuses = attemptsIn(line.upstream_status);
	const connects = attemptsIn(line.connect_s);
	const times = attemptsIn(line.upstream_s);
	const left = [...failures];
	return attemptsIn(line.upstream).map((address, index) => {
		const bare = address.replace(/:\d+$/, '');
		const at = left.findIndex(({ to }) => to === bare);
		const message = at < 0 ? null : left.splice(at, 1)[0];
		const number = Number(statuses[index]);
		const status = statuses[index] === undefined || !Number.isInteger(number) || NO_ANSWER.has(number) ? null : number;
		if (message && status === null && left.some(({ to }) => to === bare)) group.splice(group.indexOf(message), 1);
		return {
			// A group often has the name of the service that is in it, and is none.
			to: names.has(address) && !ADDRESS.test(address) ? `group ${address}` : serviceAt(address, names),
			status,
			connected: /\d/.test(connects[index] ?? ''),
			message,
			took_s: Number(times[index]) || 0,
		};
	});
}

/** A server whose name was not found has no address to be logged by. */
const unresolvedIn: (failures: LogMessage[], names: Map<string, string>) => UpstreamAttempt[] = (failures, names) =>
	failures
		.filter(({ signal }) => signal === 'dns_error')
		.slice(0, 1)
		.map((message) => ({ to: serviceAt(message.to ?? '', names), status: null, connected: false, message, took_s: 0 }));

/** @param text seconds of each attempt; `-` where there was none */
const msIn = (text: string) => attemptsIn(text).reduce((sum, seconds) => sum + (Number(seconds) || 0), 0) * 1000;
