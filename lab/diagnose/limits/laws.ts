/**
 * Operational laws of a run: what a request cost each service in each stage, and how many requests a second users and CPU
 * allowed at most.
 *
 * A stage's own demand would bound nothing where the CPU is used up: there, capacity over demand is the measured rate by
 * definition. So the bound is reckoned with one demand for all the run, that of the calmest stage (`calmestOf`). Measured
 * far below it then means one of two things, which the demand of the stage itself tells apart: requests became dearer
 * (`dearerServices`), or something binds that is no CPU. Measured above it means that requests became cheaper, as failures
 * and large batches are. Other limits than CPU and users are in no bound.
 *
 * @import { Shape } from '../../../k6/lib/shapes.js'
 * @import { StageRequests } from '../../record/percentile.ts'
 * @import { Stage, TimelineRow } from '../../record/types.js'
 * @import { Facts } from '../ledger/facts.ts'
 */

import { ownOf } from '../../base/values.ts';
import { scenarios } from '../../catalog/scenarios.ts';
import { countOf } from '../../record/k6-requests.ts';
import { mean, median, min, rounded, sum } from '../../stats/numbers.ts';
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

/** @typedef {{ by: string, rps: number }} CpuBound by: a tier, or `machine` */

/**
 * @param {Record<string, number | null>} demands service to CPU seconds a request
 * @param {Service[]} services
 * @param {number} cores of the machine
 * @returns {CpuBound[]} the tightest first
 */
function cpuBounds(demands, services, cores) {
	const demandOf = (/** @type {Service[]} */ some) => sum(some.map(({ name }) => demands[name]));
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
 * @param {Shape} shape
 * @param {TimelineRow[]} timeline
 * @param {number} thinkTimeS
 * @returns {(number | null)[]} requests a second; null outside the stages, and where it is not known
 */
function askedRates(shape, timeline, thinkTimeS) {
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
 * @type {(shape: Shape, at_s: number) => number | null}
 */
function plannedAt({ stages, unit }, at_s) {
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

/**
 * @typedef {{ from_s: number, to_s: number }} Span seconds of the load
 * @typedef {{ name: string, tier: string, cpu_quota_cores: number | null }} Service
 *
 * @typedef {object} Demands              of one stage
 * @property {number} finished
 * @property {number} failed
 * @property {Record<string, number | null>} seconds  service to CPU seconds for one finished request
 * @property {number | null} busiest      the largest share of its quota, or of the machine, that any service used
 */

/**
 * @param {Facts} facts
 * @param {Span} span
 * @returns {Demands}
 */
function demandsOf({ raw, window, snapshots, coresUnder }, span) {
	const [from, to] = [window.from + span.from_s, window.from + span.to_s];
	const counted = (/** @type {string} */ metric) =>
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
	/** @type {Map<string, number | null>} */
	const seconds = new Map();
	let busiest = /** @type {number | null} */ (null);
	for (const { name, cpu_quota_cores: quota } of demandingServices(raw.manifest)) {
		const rows = raw.containers.filter((row) => row.name === name);
		const used = within(stepsOf(rows), from, to);
		seconds.set(name, used === null || finished < FINISHED_LEAST ? null : used / finished);
		if (used !== null) busiest = Math.max(busiest ?? 0, used / (to - from) / (quota ?? coresUnder(name)));
	}
	return { finished, failed: counted('lab_failed') ?? 0, seconds: Object.fromEntries(seconds), busiest };
}

/**
 * Services that work for requests. An observer costs the same whatever the load.
 * @param {any} manifest
 * @returns {Service[]}
 */
const demandingServices = (manifest) => /** @type {Service[]} */ (manifest.services ?? []).filter(({ tier }) => tier !== 'observer');

/**
 * The stage that says best what a request costs while nothing is the matter: of those with enough finished requests, and
 * hardly a failure among them, the one whose busiest service was least busy.
 * @param {Demands[]} stages
 * @returns {number} index, -1 when no stage finished enough requests
 */
function calmestOf(stages) {
	const known = stages.filter(({ finished, busiest }) => finished >= FINISHED_LEAST && busiest !== null);
	const unharmed = known.filter(({ finished, failed }) => failed <= finished * FAILED_MOST);
	const [calmest] = (unharmed.length > 0 ? unharmed : known).toSorted((one, other) => Number(one.busiest) - Number(other.busiest));
	return calmest ? stages.indexOf(calmest) : -1;
}

/** @param {Demands} demands @returns {Record<string, number | null>} service to milliseconds */
const inMilliseconds = ({ seconds }) =>
	Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, value === null ? null : rounded(value * 1000)]));

/** @typedef {{ from: number, to: number, value: number }} Step what was gained from one reading to the next */

/** @param {any[]} rows of one container @returns {Step[]} */
const stepsOf = (rows) =>
	rows.slice(1).map((row, index) => ({ from: rows[index].t, to: row.t, value: Math.max(0, row.cpu_s - rows[index].cpu_s) }));

/**
 * What was gained in a time: of a step that reaches beyond it the part that lies inside.
 * @param {Step[]} steps
 * @param {number} from
 * @param {number} to
 * @returns {number | null} null when no step touches it
 */
function within(steps, from, to) {
	const parts = steps
		.filter((step) => step.to > from && step.from < to && step.to > step.from)
		.map((step) => (step.value * (Math.min(step.to, to) - Math.max(step.from, from))) / (step.to - step.from));
	return parts.length === 0 ? null : parts.reduce((total, part) => total + part, 0);
}

/** A request that costs a service more than twice its CPU in the calmest stage has become dearer; the lab's choice. */
const DEARER = 2;

/**
 * @typedef {object} Laws
 * @property {StageLaws[]} stages
 * @property {(number | null)[]} boundRps    on the timeline's seconds
 * @property {number} calmest                index of the stage whose demand the bound is reckoned with; -1 when there is none
 *
 * @typedef {object} StageLaws
 * @property {Record<string, number | null>} cpuMsPerRequest  by service
 * @property {number | null} boundRps        mean over the stage's seconds
 * @property {string | null} boundBy         the tightest bound: a tier, `machine`, or `load`: what users or arrivals ask for
 * @property {{ service: string, times: number }[]} dearer  services that a request cost more than twice as much, dearest first
 */

/**
 * @param {Facts} facts
 * @param {TimelineRow[]} timeline
 * @param {number} [took]  seconds that the load took, where it ended before its time
 * @returns {Laws}
 */
export function lawsOf(facts, timeline, took) {
	const { manifest } = facts.raw;
	const spans = stageSpans(manifest.shape, timeline, took);
	const demands = spans.map(({ from_s, to_s }) => demandsOf(facts, { from_s, to_s: Math.min(to_s, took ?? to_s) }));
	const calmest = calmestOf(demands);
	const services = demandingServices(manifest);
	const [tightest] = calmest < 0 ? [] : cpuBounds(demands[calmest].seconds, services, manifest.machine.cores);
	const asked = asksUnknown(manifest)
		? timeline.map(() => null)
		: askedRates(manifest.shape, timeline, manifest.think_time_s ?? scenarios[manifest.scenario]?.think_time_s ?? 0);
	const inStages = (/** @type {number} */ index) =>
		spans.some(({ from_s, to_s }) => timeline[index].t_s > from_s && timeline[index].t_s <= to_s);
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

/** How long users of a script wait between requests, and what they ask in between, it says itself. @param {{ scenario: string, shape: Shape }} manifest */
const asksUnknown = (manifest) => isScript(manifest) && manifest.shape.unit !== 'rps';

/** @type {(now: Record<string, number | null>, calm: Record<string, number | null>) => { service: string, times: number }[]} */
function dearerServices(now, calm) {
	return Object.entries(now)
		.map(([service, seconds]) => ({ service, times: seconds === null || !ownOf(calm, service) ? 0 : seconds / Number(calm[service]) }))
		.filter(({ times }) => times > DEARER)
		.sort((one, other) => other.times - one.times);
}

/**
 * @param {Shape} shape
 * @param {TimelineRow[]} timeline
 * @param {Record<string, (number | null)[]>} cpu shares on the timeline's seconds
 * @param {Laws} [laws]
 * @param {object} [of]
 * @param {StageRequests[] | null} [of.byStage]  requests of each stage of the shape
 * @param {number} [of.took]       seconds that the load took, where it ended before its time
 * @param {boolean} [of.isQueued]  what is accepted is done later, as the timeline has it
 * @returns {Stage[]}
 */
export function stagesOf(shape, timeline, cpu, laws, { byStage = null, took, isQueued = false } = {}) {
	return stageSpans(shape, timeline, took).map(({ from_s, to_s, stage }, at) => {
		const { target, held } = stage;
		const inside = timeline.map((row, index) => ({ row, index })).filter(({ row }) => row.t_s > from_s && row.t_s <= to_s);
		const read = (/** @type {keyof TimelineRow} */ key) => inside.map(({ row }) => /** @type {number | null} */ (row[key]));
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
 * @param {StageRequests} reported
 * @param {number} seconds
 * @param {boolean} isQueued
 * @returns {Partial<Stage>}
 */
function ofRequests({ requests, failures, ended_in: ended, good_in: good, latency_ms_ok: latency }, seconds, isQueued) {
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
