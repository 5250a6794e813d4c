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
import type { StageRequests } from '../../record/percentile.ts';
import type { Stage, TimelineRow } from '../../record/types.js';
import { mean, median, min, rounded, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { isScript } from '../time/load-end.ts';
import { stageSpans } from '../time/stages.ts';
import { askedRates, cpuBounds } from './bounds.ts';
import { calmestOf, demandingServices, demandsOf, inMilliseconds } from './demands.ts';

/** by: a tier, or `machine` */
export type CpuBound = { by: string; rps: number };

export type Service = { name: string; tier: string; cpu_quota_cores: number | null };

/** of one stage */
export type Demands = {
	finished: number;
	failed: number;
	/** service to CPU seconds for one finished request */
	seconds: Record<string, number | null>;
	/** the largest share of its quota, or of the machine, that any service used */
	busiest: number | null;
};

/** A request that costs a service more than twice its CPU in the calmest stage has become dearer. */
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
