/**
 * Recognises an access log in the common or combined form on a service's output, and counts its requests by status. Its lines
 * name no ids, so that no request can be followed into the service; neither paths nor clients are kept.
 */

import { completeLines, isDuring, type Window } from '../complete-lines.ts';
import type { About, HopRecord } from '../contract.ts';

/** `host ident user [time] "request" status size`: https://httpd.apache.org/docs/2.4/logs.html#common; gunicorn, Apache and Werkzeug write it. */
const COMMON = /^\S+ \S+ .*?\[[^\]]+\] "(?:[^"\\]|\\.)*" (\d{3}) (?:\d+|-)(?: |$)/;
/** `INFO:     host:port - "GET / HTTP/1.1" 200 OK`: Uvicorn's, alone or under gunicorn (uvicorn/logging.py). */
const UVICORN = /^(?:INFO: +)?\S+:\d+ - "[A-Z]+ \S* HTTP\/[\d.]+" (\d{3})\b/;
/** Traefik's, in JSON: its fields stand in the order of the alphabet. */
const TRAEFIK = /^\{.*"ClientHost":"(?!127\.|::1").*"DownstreamStatus":(\d{3}),/;
/** A container's health check asks from within it; nobody else has that address there. */
const ITSELF = /^(?:INFO: +)?(?:127\.|::1\b|\[::1\])/;
/** A line is stamped when the engine reads it; after its load nobody asks any more. */
const STAMPED_LATE_S = 1;
/** From here on an answer is an error. */
const ERROR_FROM = 400;

type Counted = {
	/** requests that it answered in the load, as far as it tells */
	received: number;
	answered_ok: number;
	answered_error: number;
};

/** @returns null when no line of the load has the form */
export function countAccess(log: string, window: Window): Counted | null {
	let errors = 0;
	let received = 0;
	for (const { t, text } of completeLines(log)) {
		if (!isDuring(t, { from: window.from, to: window.to + STAMPED_LATE_S })) continue;
		const status = (COMMON.exec(text) ?? UVICORN.exec(text) ?? TRAEFIK.exec(text))?.[1];
		if (status === undefined || ITSELF.test(text)) continue;
		received += 1;
		if (Number(status) >= ERROR_FROM) errors += 1;
	}
	return received === 0 ? null : { received, answered_ok: received - errors, answered_error: errors };
}

/** What an access log adds to a record that rests on its container alone. */
export function withAccess<Record extends HopRecord>(record: Record, log: string, { level, window }: About): Record {
	const counted = level === 0 ? null : countAccess(log, window);
	if (counted === null) return record;
	return {
		...record,
		coverage: { ...record.coverage, requests: 'partial' },
		source: 'access log',
		...counted,
	};
}
