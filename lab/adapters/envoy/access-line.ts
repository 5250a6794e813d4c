/**
 * Reads lines of Envoy's access log: its default text format (https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage),
 * and JSON with whatever fields the configuration gives it, the lab's own among them.
 */

import { jsonIn } from '../../base/values.ts';
import { withoutContent } from '../log-content.ts';

export type AccessLine = {
	id: string;
	/** seconds since 1970 */
	received: number;
	ended: number;
	/** the line has its own time; else the engine's stands for its end, which comes late */
	timed: boolean;
	/** null: no answer was begun */
	status: number | null;
	/** response flags */
	flags: string[];
	/** response code details; null where the log has none */
	details: string | null;
	/** why the transport failed; else empty */
	failure: string;
	/** of the last attempt; empty where there was none */
	host: string;
	/** empty where the log does not have it */
	cluster: string;
	/** null where the log does not have it */
	attempts: number | null;
	/** from the first byte in to the last byte out */
	durationMs: number;
	/** from the first byte in until it was sent on; null where it was not, or the log does not have it */
	sentMs: number | null;
	/** by the time that the upstream took; null where the log does not have it */
	upstreamAnswered: boolean | null;
	/** written in the lab's format */
	own: boolean;
	text: string;
};

/** The field and value by which a line of the lab's own format is known. */
export const OWN_FIELD = 'log';
export const OWN_MARK = 'doubletake1';

/**
 * The text is anchored at both ends: what a client writes into its headers (agent, authority) stands between. One more word after the
 * flags is the response code's details, which many add there.
 */
const TEXT = new RegExp(
	[
		/^\[(?<start>\d{4}-\d\d-\d\dT[\d:.]+Z)\] "(?<request>.*?)" (?<status>\d+|-) (?<flags>[A-Z][A-Z,]*|-) (?:(?<details>[A-Za-z]\S*) )?/,
		/(?<bytesIn>\d+|-) (?<bytesOut>\d+|-) (?<duration>\d+|-) (?<upstreamTime>\d+|-) "/,
		/.*" "(?<id>[^"]*)" "(?<authority>[^"]*)" "(?<host>[^"]*)"$/,
	]
		.map(({ source }) => source)
		.join(''),
);

/** Forwarded for whom, and by which agent; then after the id the host that was asked for. */
const OF_CLIENT = /("[^"]*")( \d+| -)( [A-Z][A-Z,]*| -)(.*?) "[^"]*" "[^"]*" ("[^"]*") "[^"]*" ("[^"]*")$/;

/** What fields are called in JSON, after everything but letters and digits has become an underscore. */
const FIELDS = {
	start: ['start_time', 'timestamp', 'time'],
	duration: ['duration', 'duration_ms', 'total_duration'],
	status: ['response_code', 'status', 'status_code'],
	flags: ['response_flags', 'flags'],
	details: ['response_code_details', 'details'],
	failure: ['upstream_transport_failure_reason'],
	host: ['upstream_host', 'upstream_address', 'upstream_remote_address'],
	cluster: ['upstream_cluster', 'upstream_cluster_raw'],
	attempts: ['upstream_request_attempt_count', 'attempt_count'],
	sent: ['request_tx_duration'],
	upstreamTime: ['x_envoy_upstream_service_time', 'upstream_service_time'],
	id: ['request_id', 'x_request_id', 'requestid'],
};

const OWN_FIELDS = new Set([OWN_FIELD, ...Object.values(FIELDS).flat()]);

/**
 * @param stamped t: when the engine took the line, seconds since 1970
 * @returns null for what is no whole line of an access log
 */
export function readAccessLine({ t, text }: { t: number; text: string }): AccessLine | null {
	return text.startsWith('{') ? readJson(t, text) : readText(t, text);
}

/**
 * @param text without the engine's time
 * @returns from which the same is read
 */
export function redact(text: string): string {
	const asText = OF_CLIENT.exec(TEXT.test(text) ? text : '');
	if (asText === null) return withoutContent(text, (field) => OWN_FIELDS.has(plainName(field)));
	const [all, request, status, flags, figures, id, host] = asText;
	return `${text.slice(0, -all.length)}${withoutContent(request)}${status}${flags}${figures} "?" "?" ${id} "?" ${host}`;
}

function readText(t: number, text: string): AccessLine | null {
	const found = TEXT.exec(text)?.groups;
	if (!found) return null;
	return lineOf({ ...found, details: found.details ?? null }, t, text, false);
}

function readJson(t: number, text: string): AccessLine | null {
	const values = jsonIn(text);
	if (values === null) return null;
	const fields = new Map(Object.entries<any>(values).map(([name, value]) => [plainName(name), value]));
	const field = (names: string[]) => {
		const name = names.find((one) => fields.has(one));
		return name === undefined ? undefined : fields.get(name);
	};
	// Without these two it is some other JSON.
	if (field(FIELDS.status) === undefined || field(FIELDS.duration) === undefined) return null;
	const found = Object.fromEntries(Object.entries(FIELDS).map(([key, names]) => [key, field(names)]));
	return lineOf(found, t, text, values[OWN_FIELD] === OWN_MARK);
}

const plainName = (name: string) =>
	name
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '_')
		.replace(/^_|_$/g, '');

/** No request is tried as often: it is no number of Envoy's. */
const ATTEMPTS_MOST = 1000;

function attemptsIn(value: unknown): number | null {
	const count = numberOf(value);
	return Number.isInteger(count) && Number(count) <= ATTEMPTS_MOST ? count : null;
}

function lineOf(found: Record<string, any>, t: number, text: string, own: boolean): AccessLine {
	const durationMs = numberOf(found.duration) ?? 0;
	const start = typeof found.start === 'string' ? Date.parse(found.start) / 1000 : Number.NaN;
	const timed = Number.isFinite(start);
	const received = timed ? start : t - durationMs / 1000;
	const status = numberOf(found.status);
	return {
		id: textOf(found.id),
		received,
		ended: received + durationMs / 1000,
		timed,
		// Envoy writes 0 where it sent no answer.
		status: status === null || status === 0 ? null : status,
		flags: textOf(found.flags)
			.split(',')
			.filter((flag) => flag !== ''),
		details: found.details === undefined || found.details === null ? null : textOf(found.details),
		failure: textOf(found.failure),
		host: textOf(found.host),
		cluster: textOf(found.cluster),
		attempts: attemptsIn(found.attempts),
		durationMs,
		sentMs: numberOf(found.sent),
		upstreamAnswered: found.upstreamTime === undefined ? null : numberOf(found.upstreamTime) !== null,
		own,
		text,
	};
}

/** Envoy writes a hyphen, or in JSON null, for what is not there. */
const textOf = (value: unknown) => (typeof value === 'string' && value !== '-' ? value : '');

function numberOf(value: unknown): number | null {
	const number = typeof value === 'string' && value !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
