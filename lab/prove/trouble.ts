/** What a run suffered from, in figures that a trial can be compared with, and the shortest load that is likely to show it again. */

import { PROVABLE_LEAST } from '../diagnose/advice.ts';
import { SLOW_TIMES } from '../diagnose/limits/hurt.ts';
import type { Result } from '../record/types.js';
import { present, quantile } from '../stats/numbers.ts';
import type { Copy } from './decide.ts';

export type Trouble = {
	/** null where requests failed. Else none did, and p95 of a second from which on it was a slow one: what is counted below are seconds, and those of them that were slow */
	slow_ms: number | null;
	/** requests, those included that were open at the end */
	failed: number;
	requests: number;
	/** of them, in the seconds that a trial has and counts */
	share: number;
	/** of the load, from which on requests are counted; 0: all are */
	from_s: number;
	/** where they failed and why, the most first */
	places: { service: string; cause: string; title: string; count: number }[];
	/** of the load, in which they began */
	onset_s: number;
	/** that the load lasted */
	load_s: number;
	/** after which a trial may end */
	cut_s: number;
	/** that were there when they began, where the shape says it */
	users: number | null;
};

/** Of failed requests, until which a trial goes on, and for how long after the first of them at least. The rule's own choices. */
const FAILED_ENOUGH = 20;
const AFTER_ONSET_S = 8;
/** A request that is to fail may end some time after it began; what began until then is let end. */
const MARGIN_S = 2;
/** Of the load, from which on a cut saves nothing. */
const NEARLY_ALL = 0.85;
/** Of all failures, that have to come when the run's faults have ended, for them alone to be counted: the faults have made the others. The rule's own choice. */
const BEHIND_FAULTS = 0.5;
/** Of all failures, that have to be there by the onset: a single early one is another's. */
const ONSET_SHARE = 0.02;

/** A tenth of the seconds are as quick: the very quickest is chance. */
const CALM_SHARE = 0.1;
/** Below it nobody notices. Nielsen, Usability Engineering (1993), chapter 5. */
const NOTICED_MS = 100;
/** Slow seconds of a run, and their share of it, below which it had no trouble. The rule's own choices. */
const SLOW_LEAST = 8;
const SLOW_SHARE = 0.2;

/** @returns null where neither requests failed nor seconds were slow */
export function troubleOf(result: Result): Trouble | null {
	const { metrics } = result;
	const rows = result.timeline.filter(({ warmup, t_s: t }) => !warmup && t >= 0);
	return metrics.failures + metrics.unanswered < PROVABLE_LEAST ? slowness(result, rows) : losses(result, rows);
}

type Row = Result['timeline'][number];

const isSlow: (row: Row, slowMs: number) => boolean = ({ latency_ms_p95_ok: p95, failures_per_s: failures }, slowMs) =>
	(p95 ?? 0) >= slowMs || (failures ?? 0) > 0;

function slowness({ stages, duration_s: durationS, bottleneck, bottleneck_reason: reason }: Result, rows: Row[]): Trouble | null {
	const latencies = present(rows.map(({ latency_ms_p95_ok: p95 }) => p95)).sort((one, other) => one - other);
	const calm = quantile(latencies, CALM_SHARE);
	if (calm === null) return null;
	const slowMs = Math.max(calm * SLOW_TIMES, NOTICED_MS);
	const slow = rows.filter((row) => isSlow(row, slowMs));
	if (slow.length < Math.max(SLOW_LEAST, SLOW_SHARE * rows.length)) return null;
	const loadS = stages.at(-1)?.to_s ?? Math.ceil(durationS);
	const onset = slow.find(({ t_s: t }) => slow.some((other) => other.t_s === t + 1) && slow.some((other) => other.t_s === t + 2))?.t_s;
	const wanted = (onset ?? loadS) + SLOW_LEAST + MARGIN_S;
	const cut = Math.ceil(wanted > NEARLY_ALL * loadS ? loadS : wanted);
	const until = rows.filter(({ t_s: t }) => t < cut);
	const service = bottleneck?.service ?? '';
	return {
		slow_ms: slowMs,
		failed: slow.length,
		requests: rows.length,
		share: until.filter((row) => isSlow(row, slowMs)).length / Math.max(1, until.length),
		places: service === '' ? [] : [{ service, cause: '', title: reason, count: slow.length }],
		from_s: 0,
		onset_s: onset ?? 0,
		load_s: loadS,
		cut_s: cut,
		users: usersAt(stages, onset ?? 0),
	};
}

function losses(result: Result, rows: Row[]): Trouble {
	const { metrics, ledger, stages } = result;
	const failed = metrics.failures + metrics.unanswered;
	const loadS = stages.at(-1)?.to_s ?? Math.ceil(result.duration_s);
	const fromS = countedFrom(result, rows);
	const counted = rows.filter(({ t_s: t }) => t >= fromS);
	const failures = fromS === 0 ? metrics.failures : total(counted, 'failures_per_s');
	const onset = secondBy(counted, Math.max(1, ONSET_SHARE * failures)) ?? fromS;
	const enough = secondBy(counted, Math.min(FAILED_ENOUGH, failures));
	const wanted = Math.max(enough ?? loadS, onset + AFTER_ONSET_S) + MARGIN_S;
	const cut = wanted > NEARLY_ALL * loadS ? Math.ceil(loadS) : Math.ceil(wanted);
	return {
		slow_ms: null,
		failed,
		requests: metrics.requests + metrics.unanswered,
		share: cut >= loadS && fromS === 0 ? failed / (metrics.requests + metrics.unanswered) : shareUntil(counted, cut),
		from_s: fromS,
		places: ledger.failures
			.map(({ service, cause, cause_title: title, count }) => ({ service, cause, title, count }))
			.toSorted((one, other) => other.count - one.count),
		onset_s: onset,
		load_s: loadS,
		cut_s: cut,
		users: usersAt(stages, onset),
	};
}

/**
 * While a fault lasts that the run put in, requests fail by it, whatever else was changed. Where most failures come when the faults have ended, these
 * are the trouble.
 * @returns second of the load: the one behind that in which the last fault ended; 0 where all failures are counted
 */
function countedFrom({ faults }: Result, rows: Row[]): number {
	const ends = faults.map(({ ended_s: ended }) => ended);
	if (ends.length === 0 || ends.includes(null)) return 0;
	const from = Math.ceil(Math.max(...present(ends))) + 1;
	const behind = rows.filter(({ t_s: t }) => t >= from);
	return total(behind, 'failures_per_s') >= Math.max(PROVABLE_LEAST, BEHIND_FAULTS * total(rows, 'failures_per_s')) ? from : 0;
}

/** the second by whose end so many had failed */
function secondBy(rows: Result['timeline'], count: number): number | null {
	let failed = 0;
	for (const { t_s: t, failures_per_s: more } of rows) {
		failed += more ?? 0;
		if (failed >= count) return t;
	}
	return null;
}

function shareUntil(rows: Result['timeline'], seconds: number): number {
	const until = rows.filter(({ t_s: t }) => t < seconds);
	const sum = (of: (row: Result['timeline'][number]) => number | null) => until.reduce((total, row) => total + (of(row) ?? 0), 0);
	const ended = sum(({ throughput_rps: rps }) => rps);
	return ended === 0 ? 0 : sum(({ failures_per_s: failures }) => failures) / ended;
}

/** The most that the stage of the onset has: a trial that holds them is sure to have what brought the trouble. */
function usersAt(stages: Result['stages'], second: number): number | null {
	const stage = stages.find(({ from_s: from, to_s: to }) => second >= from && second < to) ?? stages.at(-1);
	return stage?.unit === 'users' ? stage.target : null;
}

/** What a copy showed. */
export function copyOf(
	result: Result,
	{
		probe,
		slowMs,
		fromS = 0,
		untilS = null,
	}: {
		/** id of what was changed in it */
		probe: string | null;
		/** of the trouble */
		slowMs: number | null;
		/** of its load, before which it is not looked at */
		fromS?: number;
		/** of its load, until which it is compared, where that went on */
		untilS?: number | null;
	},
): Copy {
	const { metrics, ledger, bottleneck } = result;
	const [worst] = ledger.failures.toSorted((one, other) => other.count - one.count);
	const place = slowMs !== null ? (bottleneck?.service ?? '') : worst === undefined ? '' : `${worst.service}/${worst.cause}`;
	const all = result.timeline.filter(({ warmup }) => !warmup);
	const rows = all.filter(({ t_s: t }) => t >= fromS && (untilS === null || t < untilS));
	const isWhole = fromS === 0 && untilS === null;
	const good = isWhole ? metrics.goodput_rps : rows.length === 0 ? 0 : total(rows, 'goodput_rps') / rows.length;
	const used = Object.fromEntries(
		Object.entries(result.resources)
			.filter(([, { tier }]) => tier !== 'generator')
			.map(([name, { cpu_cores: cpu, memory_bytes: memory }]) => [name, { cores: cpu.mean ?? 0, mib: (memory.mean ?? 0) / 2 ** 20 }]),
	);
	const about = { probe, good_rps: good, place, ...(untilS === null ? { used } : {}) };
	if (slowMs !== null) return { ...about, failed: rows.filter((row) => isSlow(row, slowMs)).length, requests: rows.length };
	if (isWhole) return { ...about, failed: metrics.failures + metrics.unanswered, requests: metrics.requests + metrics.unanswered };
	const later = untilS === null ? {} : { later: { from_s: untilS, ...endedIn(all.filter(({ t_s: t }) => t >= untilS)) } };
	return { ...about, ...endedIn(rows), ...later };
}

const total = (rows: Row[], of: 'throughput_rps' | 'failures_per_s' | 'goodput_rps') => rows.reduce((sum, row) => sum + (row[of] ?? 0), 0);

const endedIn = (rows: Row[]) => ({
	failed: Math.round(total(rows, 'failures_per_s')),
	requests: Math.round(total(rows, 'throughput_rps')),
});
