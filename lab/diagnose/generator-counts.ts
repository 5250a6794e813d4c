/** What the load generator counted: the requests of the load by their outcome, what users got of them in the end, and what never began. */

import { OPEN_USERS, type Shape } from '../../k6/lib/shapes.js';
import { ownOf } from '../base/values.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { countOf } from '../record/k6-requests.ts';
import type { Percentiles, TimelineRow } from '../record/types.js';
import { sum } from '../stats/numbers.ts';
import { damagedLoad } from './damage.ts';
import type { Facts } from './ledger/facts.ts';
import { SATURATED_SHARE } from './limits/saturation.ts';
import type { Raw } from './read-raw.ts';
import type { AskedSecond } from './time/seconds.ts';
import { type Standstill, stoodIn } from './time/standstill.ts';

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

/**
 * Arrivals that found no user to begin them because all users waited for a system that stood still. They are the system's doing: the generator
 * had as many users as it was given, and each of them asked.
 *
 */

/** Of the users: the others have just failed or are about to ask. */
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
