/**
 * Reads lines of Caddy's logs in JSON: the access log (`handled request`), the error log of requests, and what the reverse proxy says of
 * each attempt where its level is DEBUG.
 */

import { jsonIn } from '../../base/values.ts';
import { withoutContent } from '../log-content.ts';

/**
 * access: a request that has ended; error: why Caddy answered it with an error; attempt: one round trip to a service behind;
 * abort: an answer that broke off; health: of the active health checks
 */
type Kind = 'access' | 'error' | 'attempt' | 'abort' | 'health' | 'other';

export type Entry = {
	kind: Kind;
	/** when it was written, seconds since 1970 */
	t: number;
	message: string;
	/** of the request; empty where the line is about none, or it came without one */
	id: string;
	/** address and port that the request came from; empty as above */
	client: string;
	method: string;
	/** null: none was written */
	status: number | null;
	duration_s: number | null;
	/** of the answer's body, as far as it was sent */
	size: number | null;
	/** its length by its header */
	promised: number | null;
	/** as the configuration names it */
	upstream: string;
	/** that a health check is about */
	host: string;
	error: string;
	/** written by the lab's own logger */
	own: boolean;
	text: string;
};

/** The lab's logger writes its name under this key instead of `logger`, so that its lines are known among the service's. */
export const OWN_KEY = 'doubletake';

/** Fields beside those that any program may have. Caddy's names of hosts are those of its configuration. */
const OWN_FIELDS = new Set([OWN_KEY, 'upstream', 'remote_ip', 'remote_port', 'remote_addr']);

const ACCESS = /^http\.log\.access(?:\.|$)/;
const ERROR = /^http\.log\.error(?:\.|$)/;
const PROXY = 'http.handlers.reverse_proxy';
const HEALTH = `${PROXY}.health_checker.active`;

/**
 * @param stamped t: when the engine took the line, seconds since 1970
 * @returns null for what is no whole line of such a log
 */
export function readEntry({ t, text }: { t: number; text: string }): Entry | null {
	const values = text.startsWith('{') ? jsonIn(text) : null;
	if (values === null || typeof values.msg !== 'string') return null;
	const own = typeof values[OWN_KEY] === 'string';
	const logger = textOf(own ? values[OWN_KEY] : values.logger);
	const request = values.request ?? {};
	return {
		kind: kindOf(logger, values.msg),
		// A time in another format than seconds is that of the engine, which is the same moment.
		t: numberOf(values.ts) ?? t,
		message: values.msg,
		id: headerOf(request.headers, 'X-Request-Id'),
		client: request.remote_ip ? `${request.remote_ip}:${request.remote_port}` : textOf(request.remote_addr),
		method: textOf(request.method),
		status: numberOf(values.status) || null,
		duration_s: numberOf(values.duration),
		size: numberOf(values.size),
		promised: lengthOf(headerOf(values.resp_headers, 'Content-Length')),
		upstream: textOf(values.upstream),
		host: textOf(values.host),
		error: textOf(values.error),
		own,
		text,
	};
}

/**
 * @param line without the engine's time
 * @returns from which the same is read
 */
export const redact = (line: string): string => withoutContent(line, (field) => OWN_FIELDS.has(field));

function kindOf(logger: string, message: string): Kind {
	if (ACCESS.test(logger) && message === 'handled request') return 'access';
	if (ERROR.test(logger)) return 'error';
	if (logger === HEALTH) return 'health';
	if (logger === PROXY && message === 'upstream roundtrip') return 'attempt';
	if (logger === PROXY && message === 'aborting with incomplete response') return 'abort';
	return 'other';
}

/** Go spells headers in one way; a request over HTTP/2 comes in small letters and is spelt so too. */
const headerOf: (headers: any, name: string) => string = (headers, name) => textOf(headers?.[name]?.[0]);

const lengthOf = (value: string): number | null => (/^\d+$/.test(value) ? Number(value) : null);

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
