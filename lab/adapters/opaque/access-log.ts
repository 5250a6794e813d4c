/**
 * Recognises an access log in the common or combined form on a service's output, and counts its requests by status. Its lines
 * name no ids, so that no request can be followed into the service; neither paths nor clients are kept.
 */

import type { Window } from '../complete-lines.ts';
import { bareRecord, completeLines, isDuring } from '../complete-lines.ts';
import type { About, Files, HopRecord, Message } from '../contract.ts';

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

/*
 * Finds in a service's output that a process of its server ended: gunicorn's master and Uvicorn's say so. Several lines tell of
 * one end; a worker is named by its process.
 */

/** Of gunicorn 19 to 23 (gunicorn/arbiter.py; 20.1 is Debian 12's), and of Uvicorn's supervisor. What matches is what is kept. */
const ENDED = [
	/\bWORKER TIMEOUT \(pid: ?(\d+)\)/,
	/\bWorker \(pid: ?(\d+)\) was sent \w+!( Perhaps out of memory\?)?/,
	/\bWorker with pid (\d+) was terminated due to signal \d+/,
	/\bWorker \(pid: ?(\d+)\) exited with code \d+/,
	/\bWorker exiting \(pid: ?(\d+)\)/,
	/\bChild process \[(\d+)\] died/,
];
/** A worker that has served its share (max_requests) ends between two requests, as it is meant to. */
const SERVED = /\[(\d+)\] \[INFO\] Autorestarting worker after current request/;
const BOOTED = /\bBooting worker with pid: \d+/;
/** Words after which a master boots workers that are in nobody's place, and that it boots them within. */
const BOOTS = /\bStarting gunicorn\b|\bHandling signal: (hup|ttin|usr2)\b/;
const BOOTS_S = 10;
/** Words after which a master ends workers itself, and how long it gives them: gunicorn's graceful_timeout. */
const ENDS = /\bHandling signal: (term|int|quit|hup|ttou|winch)\b/;
const ENDS_S = 30;

/** @returns of the load, in the order of time */
function readWorkers(log: string, window: Window): Message[] {
	const messages: Message[] = [];
	const tell = (t: number, text: string) => {
		if (isDuring(t, window)) messages.push({ signal: 'worker-died', t, text });
	};
	/** Processes whose end is reported. */
	const reported: Set<string> = new Set();
	/** Ends for which no new worker was booted yet. */
	let toReplace = 0;
	let bootsUntil = Number.NEGATIVE_INFINITY;
	let endsUntil = Number.NEGATIVE_INFINITY;
	for (const { t, text } of completeLines(log)) {
		const booted = BOOTED.exec(text);
		const served = SERVED.exec(text);
		const ended = ENDED.map((pattern) => pattern.exec(text)).find((found) => found !== null);
		if (BOOTS.test(text)) bootsUntil = t + BOOTS_S;
		if (ENDS.test(text)) endsUntil = t + ENDS_S;
		const process = (served ?? ended)?.[1];
		if (process !== undefined && !reported.has(process) && t > endsUntil) {
			reported.add(process);
			toReplace += 1;
			if (ended) tell(t, ended[0]);
		}
		if (booted && toReplace > 0) toReplace -= 1;
		// A worker in the place of one whose end nothing told: killed, in a version that does not say so.
		else if (booted && t > bootsUntil) tell(t, booted[0]);
	}
	return messages;
}

/*
 * What is known of a service whose product the lab does not know: from its output only what has a common form.
 */

export function read({ log }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	const floor = `${service} runs a product that Doubletake does not know: it sees the container (CPU, memory, sockets, ends), not single requests`;
	const messages = level === 0 ? [] : readWorkers(log, window);
	return withAccess({ ...bareRecord(about, 'opaque'), uncovered: [floor], messages }, log, about);
}
