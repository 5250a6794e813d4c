/**
 * The capacity plan: from the runs of an experiment over numbers of nodes, how many a rate wants, with which response time, and what
 * saturates next. It refuses what its data does not carry.
 */

import { NotReadyError } from '../base/errors.ts';
import type { Counted } from '../catalog/experiments.ts';
import { doubtOf } from '../compare/comparison/doubt.ts';
import type { Run } from '../compare/comparison/runs.ts';
import { countingRuns, machineOf } from '../compare/comparison/runs.ts';
import type { Plan } from '../compare/plan.ts';
import { systemsOf } from '../compare/planned-systems.ts';
import type { CapacityPlan, DemandRow, ModelRow, Range, Resource, TierRow, Validity } from '../record/types.js';
import { VERSIONS } from '../record/versions.ts';
import { median, rangeOf, sum } from '../stats/numbers.ts';
import { PEAK_REACH } from '../stats/usl.ts';
import {
	aloneSentence,
	assumptionsOf,
	demandAt,
	demandRows,
	headlineOf,
	meanMsOf,
	NODES,
	p95OverMean,
	refusalOf,
	refuseUnfit,
	tierText,
	tooFewSentence,
	withTooFew,
} from './check.ts';
import type { Fit, Model } from './model.ts';
import {
	fitCapacity,
	fullRps,
	holdOut,
	isEnoughByEstimate,
	mostRps,
	numberRow,
	numbersOf,
	solveForUsers,
	stationOf,
	tooBusy,
} from './model.ts';

/**
 * What a capacity plan reads of an experiment's runs: of each that counts its goodput, latency, and the CPU of its tiers. As in a
 * comparison SUSPECT runs count, with the doubt told, and INVALID ones do not.
 */
/**
 * number: of services; cores: quota of all of
 *   them; used: cores in the mean, over the load
 */
type TierReading = { number: number; cores: number | null; used: number | null };

/** of one run */
type Reading = {
	block: number;
	/** good requests a second */
	rps: number;
	tiers: Record<string, TierReading>;
	/** of good answers */
	p95Ms: number | null;
	meanMs: number | null;
	/** VALID or SUSPECT */
	validity: Validity;
};

export type NumberOfNodes = {
	n: number;
	arm: string;
	/** by block */
	readings: Reading[];
	/** INVALID runs */
	leftOut: number;
};

/** What makes the load, and what only watches it. */
const BESIDE = ['generator', 'observer'];

/**
 * @param plan with a curve
 * @returns by their number
 */
function readingsOf({ curve }: Plan, runs: Run[]): NumberOfNodes[] {
	const stationOf = stationsOf(curve?.of);
	return Object.entries(curve?.x ?? {})
		.map(([arm, n]) => {
			const counting = [...countingRuns(runs, arm).values()];
			return {
				n,
				arm,
				readings: counting.map((run) => readingOf(run, stationOf)).sort((one, other) => one.block - other.block),
				leftOut: runs.filter(({ attempt }) => attempt.arm === arm).length - counting.length,
			};
		})
		.sort((one, other) => one.n - other.n);
}

/**
 * What is planned as one: of a shipped system a tier, which is one program; of a user's own a service, because two of one tier have quotas of
 * their own, and those that are counted together.
 */
function stationsOf(of?: Counted): (container: string, tier: string) => string {
	if (of === undefined) return (_, tier) => tier;
	return (container) => {
		const service = of.all.includes(container) ? container : container.replace(/-\d+$/, '');
		if (of.services.includes(service)) return NODES;
		return service === NODES ? `the service ${service}` : service;
	};
}

function readingOf({ attempt, result }: Run, stationOf: ReturnType<typeof stationsOf>): Reading {
	const services = Object.entries(result.resources)
		.filter(([, { tier }]) => !BESIDE.includes(tier))
		.map(([name, resource]) => ({ station: stationOf(name, resource.tier), resource }));
	const names = [...new Set(services.map(({ station }) => station))];
	const of = (name: string) => services.filter(({ station }) => station === name).map(({ resource }) => resource);
	return {
		block: attempt.block,
		rps: result.metrics.goodput_rps,
		tiers: Object.fromEntries(names.map((name) => [name, tierOf(of(name))])),
		p95Ms: result.metrics.latency_ms.ok.p95,
		meanMs: result.time_ledger?.check.measured_ms ?? null,
		validity: result.validity,
	};
}

const tierOf = (services: Resource[]): TierReading => ({
	number: services.length,
	cores: sumOf(services.map(({ cpu_quota_cores: quota }) => quota)),
	used: sumOf(services.map(({ cpu_cores: cpu }) => cpu.mean)),
});

/** @returns null where one is not known */
const sumOf = (values: (number | null)[]): number | null =>
	values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);

/** Residence in a queue with exponential service, served in the order of arrival, is exponential: 95 % are below ln 20 of its mean. */
const EXPONENTIAL = Math.log(20);
const LINE_POINTS = 61;

/** What an experiment says of capacity, whatever is asked of it. */
type Fitted = { plan: Plan; points: NumberOfNodes[]; check: CapacityPlan['hold_out'] } & ReturnType<typeof fitPoints>;

/**
 * @param plan of the experiment
 * @throws {NotReadyError} when the experiment does not carry a plan
 */
export function fitExperiment(plan: Plan, runs: Run[]): Fitted {
	const points = readingsOf(plan, runs).filter(({ readings, leftOut }) => readings.length + leftOut > 0);
	refuseUnfit(plan, points);
	const fitted = fitPoints(plan, points);
	return { plan, points, ...fitted, check: holdOut(fitted.measured) };
}

/** @throws {NotReadyError} when the target is outside of what was measured */
export function planCapacity(
	{ plan, points, measured, fit, demands, ratio, model, check }: Fitted,
	{
		target,
		around,
	}: {
		target: CapacityPlan['target'];
		/** where it stands; experiment: link to its page */
		around: Pick<CapacityPlan, 'id' | 'command' | 'index'> & { experiment: string };
	},
): CapacityPlan {
	const { nodes, most } = chooseNodes(model, target);
	const numbers = numbersOf(model).map((n) => numberRow(model, n, target));
	const byEstimate = Math.min(nodes, ...numbersOf(model).filter((n) => isEnoughByEstimate(model, n, target)));
	const tiers = tierRows({ model, demands, nodes, rps: target.rps });
	const found = {
		target,
		nodes,
		nodes_by_estimate: byEstimate,
		numbers,
		saturates: saturatesNext(tiers),
		hold_out: check,
		doubt: doubtOfPlan({ plan, points, target, nodes }),
		verdict: (check.inside ? 'HOLDS' : 'REFUTED') as CapacityPlan['verdict'],
	};
	const { experiment: href, ...place } = around;
	const machine = machineOf(plan);
	return {
		schema: VERSIONS.plan,
		...place,
		experiment: experimentOf(plan, points, href),
		...found,
		headline: headlineOf(found),
		most: { measured: model.measured, reach: model.reach },
		most_rps: most,
		tiers,
		curve: {
			points: points.map(({ n, arm }, index) => ({
				n,
				arm,
				values: measured[index].values,
				measured: rangeOf(measured[index].values),
				fitted: fit.at(n).estimate,
			})),
			line: lineOf(fit, points[0].n, model.reach),
		},
		law: { ...fit.law, method: fit.method },
		demands,
		model: modelRows({ plan, points, demands, thinkS: model.thinkS }),
		p95_over_mean: { factor: model.p95OverMean.high, measured: ratio },
		assumptions: assumptionsOf({
			nodes,
			nodeCores: rowAt(demands, NODES, model.measured).cores / model.measured,
			otherCores: sum(model.others.map((rows) => rows[rows.length - 1].cores)),
			cores: machine.cores,
			load: plan.load,
			isInDoubt: found.doubt !== null,
			factor: model.p95OverMean.high,
			ratio,
			thinkS: model.thinkS,
		}),
		machine: { text: machine.text, cores: machine.cores },
	};
}

function fitPoints(plan: Plan, points: NumberOfNodes[]) {
	const measured = points.map(({ n, readings }) => ({
		n,
		values: readings.map(({ rps }) => rps),
		blocks: readings.map(({ block }) => block),
	}));
	const fit = fitCapacity(measured);
	const demands = demandRows(points);
	const ratio = p95OverMean(points);
	return { measured, fit, demands, ratio, model: modelOf({ fit, points, demands, ratio, thinkS: systemsOf(plan).thinkTime() ?? 0 }) };
}

/** As a claim is judged twice, so is a plan: with its SUSPECT runs, and without them where enough are left. */
function doubtOfPlan({
	plan,
	points,
	target,
	nodes,
}: {
	plan: Plan;
	points: NumberOfNodes[];
	target: CapacityPlan['target'];
	nodes: number;
}): CapacityPlan['doubt'] {
	const doubt = doubtOf(points.flatMap(({ readings }) => readings.map(({ validity }) => validity)));
	if (doubt === null) return null;
	const valid = points.map((point) => ({ ...point, readings: point.readings.filter(({ validity }) => validity.verdict === 'VALID') }));
	const few = withTooFew(valid);
	if (few.length > 0) return { ...doubt, differs: null, without: tooFewSentence(few) };
	const { nodes: alone = null } = leastNodes(fitPoints(plan, valid).model, target);
	return { ...doubt, differs: alone !== nodes, without: aloneSentence(alone, nodes) };
}

function modelOf({
	fit,
	points,
	demands,
	ratio,
	thinkS,
}: {
	fit: Fit;
	points: NumberOfNodes[];
	demands: DemandRow[];
	ratio: Range;
	thinkS: number;
}): Model {
	const measured = points[points.length - 1].n;
	const others = [...new Set(demands.map(({ tier }) => tier))].filter((tier) => tier !== NODES);
	const reach = Math.floor(PEAK_REACH * measured);
	const capacities = new Map(Array.from({ length: reach }, (_, index) => [index + 1, fit.at(index + 1)]));
	return {
		capacityAt: (n) => capacities.get(n) ?? fit.at(n),
		others: others.map((tier) => demands.filter((row) => row.tier === tier)),
		thinkS,
		p95OverMean: {
			estimate: Math.max(EXPONENTIAL, ratio.median ?? 0),
			low: Math.min(EXPONENTIAL, ratio.low ?? EXPONENTIAL),
			high: Math.max(EXPONENTIAL, ratio.high ?? 0),
		},
		measured,
		reach,
	};
}

function chooseNodes(model: Model, target: CapacityPlan['target']): { nodes: number; most: number } {
	const most = mostRps(model, target.p95_ms);
	const { nodes, busy } = leastNodes(model, target);
	if (nodes !== undefined && busy === null) return { nodes, most };
	const tier = busy && { tier: busy[0].tier, busy: target.rps / fullRps(busy, nodes ?? model.reach) };
	const { problem, remedy } = refusalOf({ target, reach: model.reach, measured: model.measured, most, tier });
	throw new NotReadyError(`plan: expected ${problem}.`, remedy);
}

/**
 * @returns nodes: undefined where no number is enough; busy: the tier that
 * would be too busy with them
 */
function leastNodes(model: Model, target: CapacityPlan['target']): { nodes: number | undefined; busy: DemandRow[] | null } {
	const nodes = numbersOf(model).find((n) => numberRow(model, n, target).enough);
	return { nodes, busy: tooBusy(model, nodes ?? model.reach, target.rps) };
}

function tierRows({ model, demands, nodes, rps }: { model: Model; demands: DemandRow[]; nodes: number; rps: number }): TierRow[] {
	const own = demands.filter(({ tier }) => tier === NODES);
	const capacity = model.capacityAt(nodes).estimate;
	const ofNodes = { tier: NODES as string, number: nodes, full_rps: capacity, busy: rps / capacity };
	const others = model.others.map((rows) => {
		const full = fullRps(rows, nodes);
		return { tier: rows[0].tier, number: rows[rows.length - 1].number, full_rps: full, busy: rps / full };
	});
	return [ofNodes, ...others].map((row) => {
		const rows = row.tier === NODES ? own : demands.filter(({ tier }) => tier === row.tier);
		const { ms, basis } = demandAt(rows, nodes);
		return { ...row, demand_ms: ms, basis, text: tierText(row, { isNodes: row.tier === NODES }) };
	});
}

function saturatesNext(tiers: TierRow[]): CapacityPlan['saturates'] {
	const inTurn = tiers.toSorted((one, other) => one.full_rps - other.full_rps).map(({ tier, full_rps: rps }) => ({ tier, rps }));
	return { first: inTurn[0], second: inTurn[1] ?? null };
}

const lineOf: (fit: Fit, first: number, last: number) => CapacityPlan['curve']['line'] = (fit, first, last) =>
	Array.from({ length: LINE_POINTS }, (_, index) => {
		const n = first + ((last - first) * index) / (LINE_POINTS - 1);
		const { estimate, low, high } = fit.at(n);
		return { n, value: estimate, low, high };
	});

const rowAt: (demands: DemandRow[], tier: string, n: number) => DemandRow = (demands, tier, n) =>
	demands.find((row) => row.tier === tier && row.n === n) as DemandRow;

/** What the measured demands alone give at the users of the experiment, by the mean value analysis, beside what was measured. */
function modelRows({
	plan,
	points,
	demands,
	thinkS,
}: {
	plan: Plan;
	points: NumberOfNodes[];
	demands: DemandRow[];
	thinkS: number;
}): ModelRow[] {
	const { unit, stages } = systemsOf(plan).shape();
	const targets = new Set(stages.map(({ target }) => target));
	if (unit !== 'users' || targets.size !== 1) return [];
	const [users] = targets;
	return points.map((point) => {
		const stations = demands
			.filter(({ n }) => n === point.n)
			.map(({ tier, demand_ms: { median: ms }, cores }) => {
				const all = Number(ms) / 1000;
				return tier === NODES ? { demandS: all / cores, count: point.n } : stationOf(all, cores);
			});
		const { rps, responseS } = solveForUsers({ stations, thinkS }, users);
		return {
			n: point.n,
			users,
			measured_rps: Number(median(point.readings.map((reading) => reading.rps))),
			model_rps: rps,
			measured_ms: meanMsOf(point),
			model_ms: responseS * 1000,
		};
	});
}

function experimentOf(plan: Plan, points: NumberOfNodes[], href: string): CapacityPlan['experiment'] {
	const inBlocks = plan.schedule.map((_, index) => points.every(({ readings }) => readings.some(({ block }) => block === index + 1)));
	return {
		id: plan.id,
		title: plan.title,
		href,
		load: plan.load,
		load_title: systemsOf(plan).shape().title,
		budget: plan.budget,
		started: plan.started,
		runs: sum(points.map(({ readings }) => readings.length)),
		left_out: sum(points.map(({ leftOut }) => leftOut)),
		blocks: { complete: inBlocks.filter(Boolean).length, wanted: plan.repeats },
	};
}
