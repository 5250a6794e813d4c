/**
 * Finds in a service's output that a process of its server ended: gunicorn's master and Uvicorn's say so. Several lines tell of
 * one end; a worker is named by its process.
 */

import { completeLines, isDuring, type Window } from '../complete-lines.ts';
import type { Message } from '../contract.ts';

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
export function readWorkers(log: string, window: Window): Message[] {
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
