/**
 * Reads what HAProxy says of itself and of its servers: checks that failed, limits that it ran into, its own end. It says much of it twice,
 * to its log and to its error output.
 */

import type { Signal } from '../../base/signal.ts';
import type { Message } from '../contract.ts';
import { messageOf } from './http-line.ts';

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
export function readStateLines(lines: { t: number; text: string }[], serviceOf: (server: string) => string): Message[] {
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
export function isOfState(text: string) {
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
