/** What numbers of nodes bear at a rate: the fitted capacity says how much, the mean value analysis how long an answer takes. */

import type { CapacityPlan, DemandRow, HoldOut, Interval, NumberRow } from '../record/types.js';
import { bootstrap, expandedInterval, SAMPLES } from '../stats/bootstrap.ts';
import { count, many, significant } from '../stats/figure-words.ts';
import { median, rangeOf } from '../stats/numbers.ts';
import { createRandom } from '../stats/random.ts';
import type { Law, Point } from '../stats/usl.ts';
import { leastSquares, throughputOf } from '../stats/usl-fit.ts';
import { BUSY_MOST, busiestOf, demandAt, RESPONSE_MOST_S } from './check.ts';

type Target = CapacityPlan['target'];

export type Model = {
	/** good requests a second */
	capacityAt: (n: number) => Interval;
	/** of every other tier than the nodes, by the number of nodes */
	others: DemandRow[][];
	thinkS: number;
	p95OverMean: Interval;
	/** the largest number of nodes that was */
	measured: number;
	/** the largest that is answered for */
	reach: number;
};

/**
 * Mean value analysis, exact, of a closed network with one class of users: Reiser & Lavenberg, Mean-Value Analysis of Closed Multichain
 * Queuing Networks, J. ACM 27, 1980; in these words, Menascé, Almeida & Dowdy, Performance by Design, 2004, chapter 12. What a user
 * meets at a station is the queue of a network with one user less:
 *
 *   R_i(k) = D_i (1 + Q_i(k - 1)),  X(k) = k / (Z + sum of R_i(k)),  Q_i(k) = X(k) R_i(k)
 *
 * It is exact for networks of product form: exponential service at stations that serve in the order of arrival, any at those that share.
 */
type Station = {
	/** service of one request here, seconds */
	demandS: number;
	/** on top of it, without a queue */
	delayS?: number;
	/** so many alike, over which requests are spread evenly: demandS is that of each, for all requests */
	count?: number;
};

type Network = { stations: Station[]; thinkS: number };

/** responseS: mean, without the thinking */
type Solution = { users: number; rps: number; responseS: number };

/**
 * A tier with `cores` of CPU as a station. Of several cores a request uses one at a time: Seidmann, Schweitzer & Shalev-Oren,
 * Computerized Closed Queueing Network Models of Flexible Manufacturing Systems, 1987, put a queue with the speed of all of them and
 * a delay for the rest. Below one core it is a single server that is slower.
 * @param cpuS of a request, seconds
 * @param cores more than 0
 */
export function stationOf(cpuS: number, cores: number): Station {
	const servers = Math.max(1, cores);
	return { demandS: cpuS / cores, delayS: (cpuS * (servers - 1)) / servers };
}

/** With one user, two, three, and so on, without end. */
function* solutionsOf({ stations, thinkS }: Network): Generator<Solution, never> {
	const queues = stations.map(() => 0);
	for (let users = 1; ; users += 1) {
		const residences = stations.map(({ demandS }, index) => demandS * (1 + queues[index]));
		const responseS = stations.reduce((total, { delayS = 0, count = 1 }, index) => total + delayS + count * residences[index], 0);
		const rps = users / (thinkS + responseS);
		for (const [index, residence] of residences.entries()) queues[index] = rps * residence;
		yield { users, rps, responseS };
	}
}

/** @param users 1 or more */
export function solveForUsers(network: Network, users: number): Solution {
	for (const solution of solutionsOf(network)) if (solution.users >= users) return solution;
	throw new RangeError('the solutions have no end');
}

/**
 * The least number of users who ask for as many requests a second.
 * @param mostS mean response at which it is given up
 * @returns null where the network does not bear the rate
 */
export function solveForRate(network: Network, rps: number, mostS: number): Solution | null {
	// As many users as there may be keep a station no more than busy.
	if (network.stations.some(({ demandS }) => rps * demandS >= 1)) return null;
	for (const solution of solutionsOf(network)) {
		if (solution.responseS > mostS) return null;
		if (solution.rps >= rps) return solution;
	}
	throw new RangeError('the solutions have no end');
}

/** Halvings of the span in which the largest rate is looked for: to a millionth of it. */
const HALVINGS = 20;

export const numbersOf = ({ reach }: Model): number[] => Array.from({ length: reach }, (_, index) => index + 1);

/**
 * Each node is a station; the fitted capacity is the rate at which all of them are full. The other tiers have their measured CPU.
 * @param capacityRps of all nodes
 */
function networkAt({ others, thinkS }: Model, n: number, capacityRps: number): Network {
	const tiers = others.map((rows) => stationOf(demandAt(rows, n).ms / 1000, rows[rows.length - 1].cores));
	return { stations: [{ demandS: 1 / capacityRps, count: n }, ...tiers], thinkS };
}

/** mean response in ms; null where it is not borne */
function meanMs(model: Model, n: number, capacityRps: number, rps: number): number | null {
	const found = solveForRate(networkAt(model, n, capacityRps), rps, RESPONSE_MOST_S);
	return found && found.responseS * 1000;
}

/** Whether the low bound of what n nodes serve meets the target. */
function isEnough(model: Model, n: number, { rps, p95_ms: p95Ms }: Target): boolean {
	const mean = meanMs(model, n, model.capacityAt(n).low, rps);
	return mean !== null && (p95Ms === null || mean * model.p95OverMean.high <= p95Ms);
}

/** The same by the estimates. */
export function isEnoughByEstimate(model: Model, n: number, { rps, p95_ms: p95Ms }: Target): boolean {
	const mean = meanMs(model, n, model.capacityAt(n).estimate, rps);
	return mean !== null && (p95Ms === null || mean * model.p95OverMean.estimate <= p95Ms);
}

export function numberRow(model: Model, n: number, target: Target): NumberRow {
	const capacity = model.capacityAt(n);
	const [estimate, low, high] = [capacity.estimate, capacity.high, capacity.low].map((rps) => meanMs(model, n, rps, target.rps));
	const { p95OverMean: factor } = model;
	const response =
		estimate === null || low === null
			? null
			: {
					mean_ms: { estimate, low, high },
					p95_ms: { estimate: estimate * factor.estimate, low: low * factor.low, high: high && high * factor.high },
				};
	const cap = fullFirst(model, n);
	const capped = (rps: number) => Math.min(rps, cap?.rps ?? rps);
	return {
		n,
		capacity_rps: { estimate: capped(capacity.estimate), low: capped(capacity.low), high: capped(capacity.high) },
		capped_by: cap && cap.rps < capacity.high ? cap : null,
		response,
		enough: isEnough(model, n, target),
		basis: n <= model.measured ? 'fitted' : 'extrapolated',
	};
}

/** The share that a tier may be busy at the target. */
const busyMost = (rows: DemandRow[]) => Math.max(BUSY_MOST, busiestOf(rows));

/** The rate up to which a tier other than the nodes is answered for. */
const answeredRps: (rows: DemandRow[], n: number) => number = (rows, n) => busyMost(rows) * fullRps(rows, n);

/** The rate at which a tier has no CPU left. */
export const fullRps: (rows: DemandRow[], n: number) => number = (rows, n) => (rows[rows.length - 1].cores * 1000) / demandAt(rows, n).ms;

/** The tier other than the nodes that has no CPU left at the least rate. */
const fullFirst: (model: Model, n: number) => { tier: string; rps: number } | null = ({ others }, n) =>
	others.map((rows) => ({ tier: rows[0].tier, rps: fullRps(rows, n) })).toSorted((one, other) => one.rps - other.rps)[0] ?? null;

/** The tier that is too busy at a rate for an answer, at the least rate. */
export const tooBusy: (model: Model, n: number, rps: number) => DemandRow[] | null = ({ others }, n, rps) =>
	others.filter((rows) => rps > answeredRps(rows, n)).toSorted((one, other) => answeredRps(one, n) - answeredRps(other, n))[0] ?? null;

/**
 * The largest rate that is answered for.
 * @returns 0 where there is none
 */
export function mostRps(model: Model, p95Ms: number | null): number {
	const numbers = numbersOf(model);
	const isBorne = (rps: number) => numbers.some((n) => tooBusy(model, n, rps) === null && isEnough(model, n, { rps, p95_ms: p95Ms }));
	let [least, most] = [0, Math.max(...numbers.map((n) => model.capacityAt(n).low))];
	for (let times = 0; times < HALVINGS; times += 1) {
		const middle = (least + most) / 2;
		if (isBorne(middle)) least = middle;
		else most = middle;
	}
	return least;
}

/**
 * Capacity against the number of nodes: the Universal Scalability Law, and in which interval a new measurement would lie.
 *
 * Two things make a new median differ from the law: the law was fitted to few runs, and the new runs vary too. The first is the bootstrap
 * over blocks; for the second each of its samples is multiplied by the median of as many residuals as a number of nodes has runs, drawn
 * from all of them (Davison & Hinkley, Bootstrap Methods and their Application, 1997, section 6.3.3). The residuals are those from the
 * law, so that a law that misses its points has the wider interval.
 *
 */

const SEED = 2;

export type Fit = {
	law: Law;
	/** the rate of n nodes, and the 95 % prediction interval of the median of as many runs */
	at: (n: number) => Interval;
	method: string;
};

/** @param points of at least two runs each, not all of them 0 */
export function fitCapacity(points: Point[]): Fit {
	const runs = points.flatMap(({ n, values }) => values.map((value) => ({ n, value })));
	const fewest = Math.min(...points.map(({ values }) => values.length));
	const law = leastSquares(runs);
	const residuals = runs.map(({ n, value }) => value / throughputOf(law, n));
	const random = createRandom(SEED);
	const samples = bootstrap(points, leastSquares).map((sample) => ({
		law: sample,
		noise: Number(median(Array.from({ length: fewest }, () => residuals[random.below(residuals.length)]))),
	}));
	return {
		law,
		at: (n) => ({
			estimate: throughputOf(law, n),
			...expandedInterval(
				samples.map((sample) => throughputOf(sample.law, n) * sample.noise),
				fewest,
			),
		}),
		method: `Universal Scalability Law, least squares over ${runs.length} runs. 95 % prediction intervals of the median of ${fewest} runs: ${count(SAMPLES)} bootstrap samples of blocks and residuals, percentiles expanded for ${fewest} runs (Hesterberg 2015).`,
	};
}

/**
 * The plan's own test: fitted without the largest number of nodes, does the interval hold what was measured with it?
 *
 */

/** @param points by n, at least two */
export function holdOut(points: Point[]): HoldOut {
	const [others, last] = [points.slice(0, -1), points[points.length - 1]];
	const predicted = fitCapacity(others).at(last.n);
	const measured = rangeOf(last.values);
	const isWithin = (value: number) => predicted.low <= value && value <= predicted.high;
	const inside = isWithin(Number(measured.median));
	const numbers = others.map(({ n }) => n);
	return {
		fitted_on: numbers,
		n: last.n,
		predicted,
		measured,
		runs: last.values.length,
		runs_inside: last.values.filter(isWithin).length,
		inside,
		sentence: `Fitted on ${numbers[0]} to ${numbers[numbers.length - 1]} nodes it predicts ${significant(predicted.estimate)} requests a second (${significant(predicted.low)} to ${significant(predicted.high)}) for ${last.n}; measured, the median of ${many(last.values.length, 'run')}: ${significant(Number(measured.median))}, ${inside ? 'inside' : 'outside'}.`,
	};
}
