/**
 * Operational laws of a run: what a request cost each service in each stage, and how many requests a second users and CPU
 * allowed at most.
 *
 * A stage's own demand would bound nothing where the CPU is used up: there, capacity over demand is the measured rate by
 * definition. So the bound is reckoned with one demand for all the run, that of the calmest stage (`calmestOf`). Measured
 * far below it then means one of two things, which the demand of the stage itself tells apart: requests became dearer
 * (`dearerServices`), or something binds that is no CPU. Measured above it means that requests became cheaper, as failures
 * and large batches are. Other limits than CPU and users are in no bound.
 */

import type { Shape } from '../../../k6/lib/shapes.js';
import { ownOf } from '../../base/values.ts';
import { scenarios } from '../../catalog/scenarios.ts';
import { countOf } from '../../record/k6-requests.ts';
import type { StageRequests } from '../../record/percentile.ts';
import type { Stage, TimelineRow } from '../../record/types.js';
import { mean, median, min, rounded, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { isScript, stageSpans } from '../time/window.ts';

/*
 * Asymptotic bounds on throughput: X <= min(N / (R0 + Z), 1 / Dmax) (Denning & Buzen 1978; Lazowska, Zahorjan, Graham &
 * Sevcik, Quantitative System Performance, 1984, chapter 5).
 *
 * CPU: a tier finishes at most its capacity in cores over its demand. Its capacity is the sum of its services' quotas and
 * its demand the sum of their demands, so that two nodes with a quota each finish twice what one does. Whatever the quotas,
 * all tiers share the machine: its cores over the sum of all demands is a bound too, and the only one for tiers without quotas.
 *
 * Users: each sends its next request when the last is answered and it has thought for Z, so N of them finish at most
 * N / (R0 + Z) requests. R0 is what an answer takes when nobody else is there; the lab takes the smallest median of good
 * answers that any second of the run shows. Of an open load, arrivals are the bound.
 */

/** by: a tier, or `machine` */
type CpuBound = { by: string; rps: number };

/**
 * @param demands service to CPU seconds a request
 * @param cores of the machine
 * @returns the tightest first
 */
function cpuBounds(demands: Record<string, number | null>, services: Service[], cores: number): CpuBound[] {
	const demandOf = (some: Service[]) => sum(some.map(({ name }) => demands[name]));
	const bounds = [...new Set(services.map(({ tier }) => tier))].flatMap((tier) => {
		const own = services.filter((service) => service.tier === tier);
		if (own.some(({ cpu_quota_cores: quota }) => quota === null)) return [];
		return [{ by: tier, rps: sum(own.map(({ cpu_quota_cores: quota }) => quota)) / demandOf(own) }];
	});
	return [...bounds, { by: 'machine', rps: cores / demandOf(services) }]
		.filter(({ rps }) => Number.isFinite(rps))
		.sort((one, other) => one.rps - other.rps);
}

/**
 * What the load asks for in each second. Users are those that the shape plans for the end of the second, since k6's own
 * reading of them is of a moment at its start.
 * @returns requests a second; null outside the stages, and where it is not known
 */
function askedRates(shape: Shape, timeline: TimelineRow[], thinkTimeS: number): (number | null)[] {
	if (shape.unit === 'rps') return timeline.map(({ t_s }) => plannedAt(shape, t_s - 0.5));
	const quickestMs = min(timeline.filter(({ t_s }) => t_s > 0).map((row) => row.latency_ms_p50_ok));
	const roundS = quickestMs === null ? 0 : quickestMs / 1000 + thinkTimeS;
	return timeline.map(({ t_s }) => {
		const users = plannedAt(shape, t_s);
		return users === null || roundS === 0 ? null : users / roundS;
	});
}

/**
 * k6 moves users and arrivals in a straight line from target to target: arrivals from none, users from one, unless the first
 * stage is held.
 */
function plannedAt({ stages, unit }: Shape, at_s: number): number | null {
	if (at_s <= 0) return null;
	let from_s = 0;
	let level = unit === 'rps' ? 0 : stages[0]?.held ? stages[0].target : 1;
	for (const { duration_s: duration, target } of stages) {
		if (at_s <= from_s + duration) return level + ((target - level) * (at_s - from_s)) / duration;
		from_s += duration;
		level = target;
	}
	return null;
}

/*
 * The service demand of each service: the CPU that it used in a stage over the requests that were finished in it (the
 * service demand law, D = U / X; Denning & Buzen, "The operational analysis of queueing network models", 1978).
 *
 * A failed request is finished too. What it cost is in the sum, and so is what a service does whatever the load, such as a
 * node's timers: both are part of what a finished request costs, and both make demands of different stages differ.
 */

/** A demand that rests on fewer finished requests says more of a service's idle work than of a request. */
const FINISHED_LEAST = 50;
/** A stage that lost more of its requests than this does not say what a request costs that passes all tiers; the lab's choice. */
const FAILED_MOST = 0.01;

/** seconds of the load */
type Span = { from_s: number; to_s: number };

type Service = { name: string; tier: string; cpu_quota_cores: number | null };

/** of one stage */
type Demands = {
	finished: number;
	failed: number;
	/** service to CPU seconds for one finished request */
	seconds: Record<string, number | null>;
	/** the largest share of its quota, or of the machine, that any service used */
	busiest: number | null;
};

function demandsOf({ raw, window, snapshots, coresUnder }: Facts, span: Span): Demands {
	const [from, to] = [window.from + span.from_s, window.from + span.to_s];
	const counted = (metric: string) =>
		within(
			snapshots.map((snapshot, index) => ({
				from: snapshots[index - 1]?.t ?? snapshot.t - 1,
				to: snapshot.t,
				value: countOf(snapshot, metric),
			})),
			from,
			to,
		);
	const finished = counted('lab_finished') ?? 0;
	const seconds: Map<string, number | null> = new Map();
	let busiest = null as number | null;
	for (const { name, cpu_quota_cores: quota } of demandingServices(raw.manifest)) {
		const rows = raw.containers.filter((row) => row.name === name);
		const used = within(stepsOf(rows), from, to);
		seconds.set(name, used === null || finished < FINISHED_LEAST ? null : used / finished);
		if (used !== null) busiest = Math.max(busiest ?? 0, used / (to - from) / (quota ?? coresUnder(name)));
	}
	return { finished, failed: counted('lab_failed') ?? 0, seconds: Object.fromEntries(seconds), busiest };
}

/** Services that work for requests. An observer costs the same whatever the load. */
const demandingServices = (manifest: any): Service[] => ((manifest.services ?? []) as Service[]).filter(({ tier }) => tier !== 'observer');

/**
 * The stage that says best what a request costs while nothing is the matter: of those with enough finished requests, and
 * hardly a failure among them, the one whose busiest service was least busy.
 * @returns index, -1 when no stage finished enough requests
 */
function calmestOf(stages: Demands[]): number {
	const known = stages.filter(({ finished, busiest }) => finished >= FINISHED_LEAST && busiest !== null);
	const unharmed = known.filter(({ finished, failed }) => failed <= finished * FAILED_MOST);
	const [calmest] = (unharmed.length > 0 ? unharmed : known).toSorted((one, other) => Number(one.busiest) - Number(other.busiest));
	return calmest ? stages.indexOf(calmest) : -1;
}

/** @returns service to milliseconds */
const inMilliseconds = ({ seconds }: Demands): Record<string, number | null> =>
	Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, value === null ? null : rounded(value * 1000)]));

/** what was gained from one reading to the next */
type Step = { from: number; to: number; value: number };

/** @param rows of one container */
const stepsOf = (rows: any[]): Step[] =>
	rows.slice(1).map((row, index) => ({ from: rows[index].t, to: row.t, value: Math.max(0, row.cpu_s - rows[index].cpu_s) }));

/**
 * What was gained in a time: of a step that reaches beyond it the part that lies inside.
 * @returns null when no step touches it
 */
function within(steps: Step[], from: number, to: number): number | null {
	const parts = steps
		.filter((step) => step.to > from && step.from < to && step.to > step.from)
		.map((step) => (step.value * (Math.min(step.to, to) - Math.max(step.from, from))) / (step.to - step.from));
	return parts.length === 0 ? null : parts.reduce((total, part) => total + part, 0);
}

/** A request that costs a service more than twice its CPU in the calmest stage has become dearer; the lab's choice. */
const DEARER = 2;

export type Laws = {
	stages: StageLaws[];
	/** on the timeline's seconds */
	boundRps: (number | null)[];
	/** index of the stage whose demand the bound is reckoned with; -1 when there is none */
	calmest: number;
};

export type StageLaws = {
	/** by service */
	cpuMsPerRequest: Record<string, number | null>;
	/** mean over the stage's seconds */
	boundRps: number | null;
	/** the tightest bound: a tier, `machine`, or `load`: what users or arrivals ask for */
	boundBy: string | null;
	/** services that a request cost more than twice as much, dearest first */
	dearer: { service: string; times: number }[];
};

/** @param took seconds that the load took, where it ended before its time */
export function lawsOf(facts: Facts, timeline: TimelineRow[], took?: number): Laws {
	const { manifest } = facts.raw;
	const spans = stageSpans(manifest.shape, timeline, took);
	const demands = spans.map(({ from_s, to_s }) => demandsOf(facts, { from_s, to_s: Math.min(to_s, took ?? to_s) }));
	const calmest = calmestOf(demands);
	const services = demandingServices(manifest);
	const [tightest] = calmest < 0 ? [] : cpuBounds(demands[calmest].seconds, services, manifest.machine.cores);
	const asked = asksUnknown(manifest)
		? timeline.map(() => null)
		: askedRates(manifest.shape, timeline, manifest.think_time_s ?? scenarios[manifest.scenario]?.think_time_s ?? 0);
	const inStages = (index: number) => spans.some(({ from_s, to_s }) => timeline[index].t_s > from_s && timeline[index].t_s <= to_s);
	const boundRps = timeline.map((_, index) => (inStages(index) ? rounded(min([asked[index], tightest?.rps]), 1) : null));
	return {
		calmest,
		boundRps,
		stages: spans.map(({ from_s, to_s }, at) => {
			const inside = [...timeline.keys()].filter((index) => timeline[index].t_s > from_s && timeline[index].t_s <= to_s);
			const askedMean = mean(inside.map((index) => asked[index]));
			const isAsked = askedMean !== null && (tightest === undefined || askedMean < tightest.rps);
			return {
				cpuMsPerRequest: inMilliseconds(demands[at]),
				boundRps: rounded(mean(inside.map((index) => boundRps[index])), 1),
				boundBy: isAsked ? 'load' : (tightest?.by ?? null),
				dearer: calmest < 0 ? [] : dearerServices(demands[at].seconds, demands[calmest].seconds),
			};
		}),
	};
}

/** How long users of a script wait between requests, and what they ask in between, it says itself. */
const asksUnknown = (manifest: { scenario: string; shape: Shape }) => isScript(manifest) && manifest.shape.unit !== 'rps';

function dearerServices(now: Record<string, number | null>, calm: Record<string, number | null>): { service: string; times: number }[] {
	return Object.entries(now)
		.map(([service, seconds]) => ({ service, times: seconds === null || !ownOf(calm, service) ? 0 : seconds / Number(calm[service]) }))
		.filter(({ times }) => times > DEARER)
		.sort((one, other) => other.times - one.times);
}

/** @param cpu shares on the timeline's seconds */
export function stagesOf(
	shape: Shape,
	timeline: TimelineRow[],
	cpu: Record<string, (number | null)[]>,
	laws?: Laws,
	{
		byStage = null,
		took,
		isQueued = false,
	}: {
		/** requests of each stage of the shape */
		byStage?: StageRequests[] | null;
		/** seconds that the load took, where it ended before its time */
		took?: number;
		/** what is accepted is done later, as the timeline has it */
		isQueued?: boolean;
	} = {},
): Stage[] {
	return stageSpans(shape, timeline, took).map(({ from_s, to_s, stage }, at) => {
		const { target, held } = stage;
		const inside = timeline.map((row, index) => ({ row, index })).filter(({ row }) => row.t_s > from_s && row.t_s <= to_s);
		const read = (key: keyof TimelineRow) => inside.map(({ row }) => row[key] as number | null);
		const finished = sum(read('throughput_rps'));
		return {
			from_s,
			to_s,
			target,
			unit: shape.unit,
			held: held === true,
			requests: null,
			throughput_rps: rounded(mean(read('throughput_rps')), 1),
			goodput_rps: rounded(mean(read('goodput_rps')), 1),
			failure_rate: finished === 0 ? null : rounded(sum(read('failures_per_s')) / finished, 5),
			latency_ms_p50_ok: rounded(median(read('latency_ms_p50_ok')), 1),
			latency_ms_p95_ok: rounded(median(read('latency_ms_p95_ok')), 1),
			latency_ms_p99_ok: rounded(median(read('latency_ms_p99_ok')), 1),
			...(byStage === null ? {} : ofRequests(byStage[shape.stages.indexOf(stage)], Math.min(to_s, took ?? to_s) - from_s, isQueued)),
			cpu_share: Object.fromEntries(
				Object.entries(cpu).map(([name, values]) => [name, rounded(mean(inside.map(({ index }) => values[index])))]),
			),
			cpu_ms_per_request: laws?.stages[at].cpuMsPerRequest ?? {},
			bound_rps: laws?.stages[at].boundRps ?? null,
		};
	});
}

/**
 * Of the stage's own requests: those that ended in it, as on the timeline, and in the last stage those that ended after it. Its rates are of
 * its own seconds.
 */
function ofRequests(
	{ requests, failures, ended_in: ended, good_in: good, latency_ms_ok: latency }: StageRequests,
	seconds: number,
	isQueued: boolean,
): Partial<Stage> {
	return {
		requests,
		throughput_rps: rounded(ended / seconds, 1),
		...(isQueued ? {} : { goodput_rps: rounded(good / seconds, 1) }),
		failure_rate: requests === 0 ? null : rounded(failures / requests, 5),
		latency_ms_p50_ok: rounded(latency.p50, 1),
		latency_ms_p95_ok: rounded(latency.p95, 1),
		latency_ms_p99_ok: rounded(latency.p99, 1),
	};
}
