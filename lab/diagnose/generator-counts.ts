/** What the load generator counted: the requests of the load by their outcome, what users got of them in the end, and what never began. */

import type { Shape } from '../../k6/lib/shapes.js';
import { OPEN_USERS } from '../../k6/lib/shapes.js';
import { ownOf } from '../base/values.ts';
import { published } from '../catalog/published.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { causes } from '../record/causes.ts';
import { countOf } from '../record/k6-requests.ts';
import type { Client, Failure, Ledger, Metrics, Percentiles, Published, Queue, Result, TimelineRow } from '../record/types.js';
import { rounded, sum } from '../stats/numbers.ts';
import { damagedLoad } from './damage.ts';
import type { Facts } from './ledger/facts.ts';
import { SATURATED_SHARE } from './limits/saturation.ts';
import type { Raw } from './read-raw.ts';
import type { AskedSecond } from './time/seconds.ts';
import type { Standstill } from './time/standstill.ts';
import { stoodIn } from './time/standstill.ts';
import { secondsOfLoad } from './time/window.ts';

const STATUS = 'lab_failed_status_';
const CODE = 'lab_failed_code_';
const KIND = 'lab_failed_kind_';

export type GeneratorCounts = {
	/** of who made the load */
	name: string;
	finished: number;
	ok: number;
	failed: number;
	/** failed because they were open when the load and its grace ended */
	unanswered: number;
	/** of an open load, that found no user to begin them */
	droppedArrivals: number;
	/** failures by HTTP status */
	status: Record<string, number>;
	/** failures without a status, by k6's error code */
	code: Record<string, number>;
	/** the same by k6's error text */
	kind: Record<string, number>;
	latencyMs: { all: Percentiles; ok: Percentiles };
	/** k6's own http_req_duration, which leaves out connecting: as sources publish it; null without a summary */
	durationMs: { all: Percentiles; ok: Percentiles } | null;
	/** good answers that each left a document behind */
	created: number;
	/** good answers that each took one away */
	deleted: number;
};

/**
 * k6's summary has every value; a run that was killed has its one-second record alone, whose counts add up as well but
 * whose percentiles do not.
 */
export function generatorCounts(raw: Raw): GeneratorCounts {
	const { manifest, summary, snapshots, program } = raw;
	if (program) return programCounts(program);
	// k6 counts the requests of a user's script, and not which of them failed.
	const isUnknown = raw.written === null && damagedLoad(raw) !== undefined;
	const written = scenarios[manifest.scenario]?.written;
	const values = (metric: string) => summary?.metrics[metric]?.values ?? {};
	const names = summary ? Object.keys(summary.metrics) : [...new Set(snapshots.flatMap((snapshot) => Object.keys(snapshot.metrics)))];
	const count = (metric: string) =>
		isUnknown ? 0 : summary ? (values(metric).count ?? 0) : sum(snapshots.map((snapshot) => countOf(snapshot, metric)));
	const group = (prefix: string) =>
		Object.fromEntries(
			names
				.filter((name) => name.startsWith(prefix))
				.map((name) => [name.slice(prefix.length), count(name)] as [string, number])
				.filter(([, value]) => value > 0),
		);
	const percentiles = (metric: string) => ({
		p50: values(metric).med ?? null,
		p95: values(metric)['p(95)'] ?? null,
		p99: values(metric)['p(99)'] ?? null,
		max: values(metric).max ?? null,
	});
	return {
		name: 'k6',
		finished: count('lab_finished'),
		ok: count('lab_ok'),
		failed: count('lab_failed'),
		unanswered: count('lab_unanswered'),
		droppedArrivals: droppedIn(manifest, count),
		status: group(STATUS),
		code: group(CODE),
		kind: group(KIND),
		latencyMs: { all: percentiles('lab_latency_all'), ok: percentiles('lab_latency_ok') },
		durationMs: summary
			? { all: percentiles('http_req_duration{scenario:load}'), ok: percentiles('http_req_duration{scenario:load,expected_response:true}') }
			: null,
		created: written ? count(written.created) : 0,
		deleted: written?.deleted ? count(written.deleted) : 0,
	};
}

/** k6 counts by one name arrivals that found no user and iterations that a script's other scenarios had no time for. */
const droppedIn = ({ shape: { arriving } }: { shape: Shape }, count: (metric: string) => number) =>
	sum((arriving?.map((scenario) => `dropped_iterations{scenario:${scenario}}`) ?? ['dropped_iterations']).map(count));

/** A program makes its load inside the system and times nothing by itself: what it set out to do, and what it says that it did. */
function programCounts({ program, writers }: { program: string; writers: { inserts: number; exit_code: number }[] }): GeneratorCounts {
	const finished = sum(writers.map(({ inserts }) => inserts));
	const ok = sum(writers.filter(({ exit_code: code }) => code === 0).map(({ inserts }) => inserts));
	const none = { p50: null, p95: null, p99: null, max: null };
	return {
		name: program,
		finished,
		ok,
		failed: finished - ok,
		unanswered: 0,
		droppedArrivals: 0,
		status: {},
		code: {},
		kind: {},
		latencyMs: { all: none, ok: none },
		durationMs: null,
		created: ok,
		deleted: 0,
	};
}

/*
 * What users got in the end, where they try again what failed or give up early: a request is what a user wanted answered, an attempt what
 * was sent for it. The ledger and every rate count attempts, because each is work for the tiers.
 */

/** @returns null where users only wait for their answer, as published */
export function clientOf({ manifest, summary }: Pick<Raw, 'manifest' | 'summary'>): Client | null {
	const values = (metric: string) => summary?.metrics[metric]?.values;
	const [requests, attempts, gaveUp] = ['lab_requests', 'lab_finished', 'lab_gave_up'].map((metric) => values(metric)?.count);
	if (manifest.client === undefined || typeof requests !== 'number') return null;
	const { med, max, 'p(95)': p95, 'p(99)': p99 } = values('lab_latency_request_ok') ?? {};
	return {
		...manifest.client,
		requests,
		gave_up: gaveUp,
		attempts,
		amplification: requests === 0 ? null : rounded(attempts / requests),
		latency_ms_ok: { p50: rounded(med, 2), p95: rounded(p95, 2), p99: rounded(p99, 2), max: rounded(max, 2) },
	};
}

/**
 * Arrivals that found no user to begin them because all users waited for a system that stood still. They are the system's doing: the generator
 * had as many users as it was given, and each of them asked.
 *
 */

/** Of the users: the others have just failed or are about to ask. The lab's own choice. */
const ALL_SHARE = 0.9;

/** @returns of all that were dropped */
export function droppedAtStandstill(
	{ raw, generator }: Pick<Facts, 'raw' | 'generator'>,
	{
		standstill,
		asked,
		cpu,
		timeline,
	}: {
		standstill: Standstill | null;
		asked: AskedSecond[] | null;
		/** shares on the timeline's seconds */
		cpu: Record<string, (number | null)[]>;
		timeline: TimelineRow[];
	},
): number {
	if (standstill === null || asked === null || generator.droppedArrivals === 0) return 0;
	const { shape, services = [] } = raw.manifest;
	const most = usersOf(shape) * ALL_SHARE;
	const generators = services.filter(({ tier }: { tier: string }) => tier === 'generator');
	const isBusy = busyIn(generators, cpu, timeline);
	// Only then can an arrival find none. In which of these seconds one did is on no record: in each as many as were meant to come.
	const taken = asked.filter(({ users }) => users >= most);
	const wasted = taken.filter(({ t_s }) => stoodIn(standstill, { from_s: t_s - 1, to_s: t_s }) && !isBusy(t_s));
	const due = (seconds: AskedSecond[]) => sum(seconds.map(({ demand }) => demand));
	return due(taken) === 0 ? 0 : Math.round((generator.droppedArrivals * due(wasted)) / due(taken));
}

/** That the generator has at most. */
const usersOf = ({ model, usersMost = OPEN_USERS, stages }: Shape) =>
	model === 'open' ? usersMost : stages.reduce((most, { target }) => Math.max(most, target), 0);

/** Then it is the generator that could not begin them. */
function busyIn(
	generators: { name: string }[],
	cpu: Record<string, (number | null)[]>,
	timeline: TimelineRow[],
): (second: number) => boolean {
	const places = new Map(timeline.map(({ t_s }, index) => [t_s, index]));
	return (second) => {
		const at = places.get(second);
		return at !== undefined && generators.some(({ name }) => (ownOf(cpu, name)?.[at] ?? 0) >= SATURATED_SHARE);
	};
}

/*
 * What every run is measured by, and the published figures that it stands beside.
 */

export function metricsOf(
	{ generator, window, raw }: Facts,
	{ failures }: Ledger,
	userTime: Result['user_time'],
	queue: Queue | null,
): Metrics {
	const seconds = secondsOfLoad(raw, window);
	return {
		requests: generator.finished,
		throughput_rps: rounded(generator.finished / seconds, 2) ?? 0,
		// What is accepted is not done.
		goodput_rps: rounded((queue?.completed_in_load ?? generator.ok) / seconds, 2) ?? 0,
		failures: generator.failed,
		refused: sum(failures.filter(isRefused).map(({ count }) => count)),
		unanswered: generator.unanswered,
		dropped_arrivals: generator.droppedArrivals,
		failure_rate: generator.finished === 0 ? null : generator.failed / generator.finished,
		failures_per_user_minute: userTime === null || userTime.total_s === 0 ? null : rounded((generator.failed * 60) / userTime.total_s, 3),
		failed_user_time_share: userTime?.parts.find(({ id }) => id === 'failed')?.share ?? null,
		latency_ms: { all: roundEach(generator.latencyMs.all), ok: roundEach(generator.latencyMs.ok) },
		duration_ms: generator.durationMs && { all: roundEach(generator.durationMs.all), ok: roundEach(generator.durationMs.ok) },
	};
}

/** Whatever made the tier refuse. */
const isRefused = ({ cause, amplifier }: Failure) => [cause, amplifier?.cause ?? ''].some((id) => causes[id]?.refusal);

export function publishedOf(key: string | undefined, isQueued: boolean): Published | null {
	if (!key) return null;
	const [section, run] = key.split('.');
	const figures = published[section].runs[run];
	return {
		source: published[section].source,
		requests: figures.requests,
		throughput_rps: figures.throughput_rps,
		// Not published as such: what is left of the throughput without the published failures. Of what a queue had accepted nobody said when it
		// was done.
		goodput_rps: isQueued ? null : rounded(figures.throughput_rps * (1 - figures.failure_rate), 2),
		failures: figures.failures,
		failure_rate: figures.failure_rate,
		latency_ms_p95_all: figures.latency_ms_p95_all ?? null,
		latency_ms_p95_ok: figures.latency_ms_p95_ok ?? null,
	};
}

const roundEach = ({ p50, p95, p99, max }: Percentiles): Percentiles => ({
	p50: rounded(p50, 2),
	p95: rounded(p95, 2),
	p99: rounded(p99, 2),
	max: rounded(max, 2),
});
