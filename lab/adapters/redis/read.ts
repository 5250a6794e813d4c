/** What Redis told of a load once a second, and what of its log tells how long something took. */

import { bareRecord } from '../bare-record.ts';
import { completeLines, isDuring, limitOf, sampledExtent, type Window } from '../complete-lines.ts';
import type { About, Files, HopRecord, Message } from '../contract.ts';

/** "1:M 21 Nov 2026 20:00:01.123 # text": process, role, time, level (serverLogRaw in server.c). */
const LINE = /^\d+:[XCSM] \d+ \w+ (?:\d{4} )?[\d:.]+ [.*#-] (.*)$/;
/** What matches is what is kept. Of 7.0 (src/script.c). */
const SLOW = /^(?:Lua slow|Slow) script detected: still in execution after \d+ milliseconds/;

const readLog = (log: string, window: Window): Message[] =>
	completeLines(log).flatMap(({ t, text }) => {
		const slow = isDuring(t, window) ? SLOW.exec(LINE.exec(text)?.[1] ?? '') : null;
		return slow ? [{ signal: 'slow' as const, t, text: slow[0] }] : [];
	});

export function read({ log, samples }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	return {
		...bareRecord(about, 'redis'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`Redis knows no requests: a command that failed in ${service} belongs to no single one`],
		messages: level === 0 ? [] : readLog(log, window),
		limits: [
			...limitOf(
				'client connections',
				samples,
				window,
				(sample) => sample.max_clients,
				(sample, size) => (sample.refused ? size : sample.clients),
			),
			...limitOf(
				'memory',
				samples,
				window,
				(sample) => sample.max_memory,
				(sample) => sample.used_memory,
			).map((limit) => ({ ...limit, unit: 'bytes', fills: true })),
		],
	};
}

export type State = {
	/** connected, without the lab */
	clients: number | null;
	/** null before 6.2, which does not tell it */
	max_clients: number | null;
	used_memory: number | null;
	/** 0: no limit */
	max_memory: number | null;
};
