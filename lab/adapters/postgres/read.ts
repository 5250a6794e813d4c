/** What PostgreSQL recorded of a load: what it logged, and what its own views said once a second. */

import type { Level } from '../../base/tier.ts';
import { bareRecord } from '../bare-record.ts';
import { isDuring, limitOf, sampledExtent, type Window } from '../complete-lines.ts';
import type { About, Files, HopRecord, Message } from '../contract.ts';
import { readLog } from './log.ts';

/**
 * Statements that waited for a lock, by PostgreSQL's own views once a second. Its log tells of one only when it has ended, and by default
 * not even then: what waits to the end of the load stands here alone.
 */
/** seconds; began and seen since 1970 */
type Wait = { pid: number; began: number; waited: number; seen: number };

/** Samples are taken once a second: what waits for less is seen by chance. */
const LONG_S = 1;
/** A sample may be asked for, and answered, so much later than another. */
const APART_S = 1;

/**
 * @param logged the log has a line for each statement that took long and ended
 * @returns one for each wait that began in the load and is in no log
 */
function lockWaits(samples: any[], window: Window, logged: boolean): Message[] {
	const during = samples.filter(({ t, lock_waits: waits }) => isDuring(t, window) && waits !== undefined);
	const last = during.at(-1)?.t;
	return waitsIn(during)
		.filter(({ began, waited, seen }) => began >= window.from && waited >= LONG_S && (!logged || seen === last))
		.map(({ pid, waited, seen }) => ({
			signal: 'slow',
			t: seen,
			text: `process ${pid} waits for a lock, for ${Math.round(waited * 1000)} ms so far`,
			source: 'pg_stat_activity',
		}));
}

/** Each with the last that was seen of it. */
function waitsIn(samples: any[]): Wait[] {
	const waits: Wait[] = [];
	for (const { t, lock_waits: found } of samples) {
		for (const [pid, waited] of found ?? []) {
			const known = waits.findLast((wait) => wait.pid === pid);
			const isSame = known && waited > known.waited && Math.abs(t - waited - known.began) <= APART_S;
			if (isSame) Object.assign(known, { waited, seen: t });
			else waits.push({ pid, began: t - waited, waited, seen: t });
		}
	}
	return waits;
}

export function read({ log, samples: all }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	const samples = all.filter(({ failed }) => !failed);
	const settings = samples.findLast((sample) => sample.settings)?.settings ?? {};
	const own = level === 0 ? '' : log;
	const messages = [...readLog(own, all, window), ...lockWaits(samples, window, own !== '' && logsSlow(level, settings))];
	return {
		...bareRecord(about, 'postgres'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`PostgreSQL knows no requests: a statement that failed in ${service} belongs to no single one`],
		messages: messages.sort((one, other) => one.t - other.t),
		limits: limitOf(
			'connections',
			samples,
			window,
			(sample) => slotsOf(sample, samples),
			(sample, size) => (sample.refused ? size : sample.connections),
		),
	};
}

/** Into the log that comes here. */
const logsSlow = (level: Level, { log_min_duration_statement: from, logging_collector: collector }: any) =>
	collector !== 'on' && (from === undefined ? level >= 2 : from !== '-1');

/**
 * How many clients may be connected. Reserved slots are out of reach, except for superusers; an app that connects as the
 * container's own POSTGRES_USER is one.
 */
function slotsOf({ settings }: any, samples: any[]) {
	const most = settings?.max_connections;
	if (typeof most !== 'number' || samples.some(({ superusers }) => superusers > 0)) return most;
	return most - (settings.superuser_reserved_connections ?? 0) - (settings.reserved_connections ?? 0);
}
