/** Whether an experiment can carry a capacity plan. It says no before anything is fitted. */

import { NotReadyError } from '../base/errors.ts';
import { shellWord } from '../base/format-command.ts';
import type { Plan } from '../compare/plan.ts';
import { systemsOf } from '../compare/planned-systems.ts';
import type { Basis, CapacityPlan, DemandRow, NumberRow, Range, TierRow } from '../record/types.js';
import { many, percent, significant, tierName } from '../stats/figure-words.ts';
import { median, rangeOf, sum } from '../stats/numbers.ts';
import { LEAST_RUNS, PEAK_REACH } from '../stats/usl.ts';
import type { NumberOfNodes } from './capacity-plan.ts';

/**
 * How far a capacity plan goes, and what it needs. All of its limits are here.
 */

/**
 * Numbers of nodes. The law has three parameters and goes through any three points; the fourth is held out to contradict it.
 */
const LEAST_NUMBERS = 4;

/**
 * The share of its CPU that a tier other than the nodes may use at the target, unless the experiment has measured it busier. At
 * 80 % a queue with one server takes 5 service times (1 / (1 - utilisation), M/M/1; Lazowska, Zahorjan, Graham & Sevcik, Quantitative
 * System Performance, 1984, chapter 6), and a demand that is 5 % above the measured one adds a quarter to that. Farther up the
 * uncertainty of the demand is larger than what is predicted. The number is the lab's choice.
 *
 * It is also the share from which a tier counts as full: where none is, the measured rate is what users asked for and no capacity.
 */
export const BUSY_MOST = 0.8;

/** A mean response of more than this is answered as "not borne": users are gone by then (Nielsen, Usability Engineering, 1993, chapter 5). */
export const RESPONSE_MOST_S = 10;

/**
 * What a good request costs each tier, and how that changes with the number of nodes: D = U / X, the service demand law (Denning &
 * Buzen, The Operational Analysis of Queueing Network Models, 1978), over the whole load.
 *
 */

/** The tier whose number is planned; of a user's own system the services that are counted stand for it. */
export const NODES = 'app';

/**
 * @param points of which all CPU is known
 * @returns tier by tier, each by the number of nodes
 */
export function demandRows(points: NumberOfNodes[]): DemandRow[] {
	const tiers = [...new Set(points.flatMap(({ readings }) => readings.flatMap((reading) => Object.keys(reading.tiers))))];
	return tiers.flatMap((tier) =>
		points.map(({ n, readings }) => {
			const own = readings.map((reading) => ({ rps: reading.rps, used: Number(reading.tiers[tier].used) }));
			const { number, cores } = readings[0].tiers[tier];
			return {
				tier,
				n,
				number,
				cores: Number(cores),
				demand_ms: rangeOf(own.map(({ rps, used }) => (used * 1000) / rps)),
				busy: rangeOf(own.map(({ used }) => used / Number(cores))),
			};
		}),
	);
}

/**
 * The demand of a tier with any number of nodes: the median where it was measured, else on the straight line through the medians.
 * Beyond the data a demand that grows goes on growing, and one that falls stays: nobody knows how long it would.
 * @param rows of one tier
 */
export function demandAt(rows: DemandRow[], n: number): { ms: number; basis: Basis } {
	const found = rows.find((row) => row.n === n);
	if (found) return { ms: Number(found.demand_ms.median), basis: 'measured' };
	const last = rows[rows.length - 1];
	const onLine = lineThrough(rows.map((row) => ({ x: row.n, y: Number(row.demand_ms.median) })))(n);
	if (n < last.n) return { ms: onLine, basis: 'fitted' };
	return { ms: Math.max(onLine, Number(last.demand_ms.median)), basis: 'extrapolated' };
}

/**
 * Least squares.
 * @param points of which the x differ
 */
function lineThrough(points: { x: number; y: number }[]): (x: number) => number {
	const [middleX, middleY] = [sum(points.map(({ x }) => x)) / points.length, sum(points.map(({ y }) => y)) / points.length];
	const slope = sum(points.map(({ x, y }) => (x - middleX) * (y - middleY))) / sum(points.map(({ x }) => (x - middleX) ** 2));
	return (x) => middleY + slope * (x - middleX);
}

/**
 * The share of its CPU that a tier was measured with at most, as a median.
 * @param rows of one tier
 */
export const busiestOf = (rows: DemandRow[]) => Math.max(...rows.map(({ busy }) => Number(busy.median)));

/** p95 over mean of the good answers, over all runs. */
export const p95OverMean = (points: NumberOfNodes[]) =>
	rangeOf(
		points.flatMap(({ readings }) => readings.map(({ p95Ms, meanMs }) => (p95Ms === null || meanMs === null ? null : p95Ms / meanMs))),
	);

/** @returns median of the runs' mean latency */
export const meanMsOf = ({ readings }: NumberOfNodes): number | null => median(readings.map(({ meanMs }) => meanMs));

const CURVE = { x_label: 'nodes', metric: 'goodput_rps' };

/**
 * @param plan or a result, or an experiment, which have it too
 * @returns whether it measured what numbers of nodes serve
 */
export const hasNodes = ({ curve }: { curve?: Plan['curve'] }): boolean =>
	curve?.x_label === CURVE.x_label && curve.metric === CURVE.metric;

/** @returns those whose runs cannot carry a plan */
export const withTooFew = (points: NumberOfNodes[]): NumberOfNodes[] => points.filter(({ readings }) => readings.length < LEAST_RUNS);

/** @throws {NotReadyError} saying what is missing */
export function refuseUnfit(plan: Plan, points: NumberOfNodes[]) {
	const systems = systemsOf(plan);
	const again = systems.again();
	if (systems.thinkTime() === null)
		throw refusal(
			`users of whom it is known how long they think; the load of ${plan.id} is a script, which says it to k6 alone`,
			'measure with urls or openapi in its place under load in doubletake.yaml.',
		);
	if (points.length < LEAST_NUMBERS)
		throw refusal(
			`goodput with at least ${LEAST_NUMBERS} numbers of nodes: three fit the law, the fourth checks it; found ${points.length} in ${plan.id}`,
			`measure them all: ${again}`,
		);
	const few = withTooFew(points);
	if (few.length > 0)
		throw refusal(
			`at least ${LEAST_RUNS} runs that are not INVALID with every number of nodes; found ${few.map(({ n, readings, leftOut }) => `${readings.length} with ${n} (${leftOut} INVALID)`).join(', ')}`,
			`add blocks: ${systems.command([`RESUME=${shellWord(`reports/${plan.id}`)}`, `REPEATS=${plan.repeats + 4}`])}`,
		);
	for (const point of points) refuseRuns(point, again);
	refuseOtherNumbers(points, again);
	const tiers = new Set(points.flatMap(({ readings }) => readings.map((reading) => Object.keys(reading.tiers).toSorted().join(', '))));
	if (tiers.size > 1)
		throw refusal(
			`the same tiers with every number of nodes; found ${[...tiers].join(' and ')}`,
			`read an experiment over nodes alone: ${again}`,
		);
	refuseUnequal(points, plan.machine.cores, again);
	for (const point of points) refuseIdle(point, again);
}

/** As many containers as nodes, or with every number as many: nodes are then processes or threads in them. */
function refuseOtherNumbers(points: NumberOfNodes[], again: string) {
	const all = points.flatMap(({ n, arm, readings }) =>
		readings.map(({ block, tiers }) => ({ n, where: `in ${arm}, block ${block}`, found: tiers[NODES]?.number ?? 0 })),
	);
	const [first] = all;
	if (first.found > 0 && all.every(({ found }) => found === first.found)) return;
	const other = all.find(({ n, found }) => found !== n);
	if (other)
		throw refusal(`${many(other.n, 'node')} ${other.where}; found ${other.found}`, `read an experiment over numbers of nodes: ${again}`);
}

/** Quotas are written in thousandths of a core. */
const QUOTA_DIFFERS = 0.01;

/**
 * The law is of nodes that are alike and do not take CPU from one another, beside tiers that stay as they are.
 * @param cores of the machine
 */
function refuseUnequal(points: NumberOfNodes[], cores: number, again: string) {
	const quotas = points.map(({ n, readings }) => ({
		n,
		of: Object.entries(readings[0].tiers).map(([tier, found]) => ({ tier, all: Number(found.cores), of: tier === NODES ? n : 1 })),
	}));
	for (const { n, readings } of points) {
		const all = Number(
			median(
				readings.map(({ tiers }) =>
					sum(Object.entries(tiers).map(([tier, { cores: quota, used }]) => Number(tier === NODES ? quota : used))),
				),
			),
		);
		if (all > cores * (1 + QUOTA_DIFFERS))
			throw refusal(
				`at most the machine’s ${cores} cores for the quotas of all nodes and what the other tiers take, or nodes take CPU from one another; with ${n} they are ${significant(all)}`,
				`measure with smaller quotas: ${again}`,
			);
	}
	const [first, ...others] = quotas;
	for (const { n, of } of others)
		for (const { tier, all, of: parts } of of) {
			const before = first.of.find((one) => one.tier === tier);
			const [one, other] = [Number(before?.all) / Number(before?.of), all / parts];
			if (Math.abs(other / one - 1) > QUOTA_DIFFERS)
				throw refusal(
					`as much CPU for ${tier === NODES ? 'each node' : tier} with every number of nodes; found ${significant(one)} of a core with ${first.n} and ${significant(other)} with ${n}`,
					`measure with one quota for each: ${again}`,
				);
		}
}

function refuseRuns({ arm, readings }: NumberOfNodes, again: string) {
	for (const { block, rps, tiers } of readings) {
		const where = `in ${arm}, block ${block}`;
		if (!(rps > 0)) throw refusal(`good answers in every run; found none ${where}`, `measure again: ${again}`);
		for (const [tier, { cores, used }] of Object.entries(tiers)) {
			if (cores === null)
				throw refusal(
					`a CPU quota for every tier, or nodes take CPU from one another; found none for ${tier} ${where}`,
					`measure with quotas: ${again}`,
				);
			if (used === null) throw refusal(`the CPU of every tier; found none for ${tier} ${where}`, `measure again: ${again}`);
		}
	}
}

function refuseIdle({ n, readings }: NumberOfNodes, again: string) {
	const busy = Object.keys(readings[0].tiers).map((tier) =>
		Number(median(readings.map(({ tiers }) => Number(tiers[tier].used) / Number(tiers[tier].cores)))),
	);
	if (Math.max(...busy) < BUSY_MOST)
		throw refusal(
			`a tier at ${significant(BUSY_MOST * 100)} % of its CPU or more with every number of nodes; with ${n} the busiest is at ${percent(Math.max(...busy))}: the rate is what users asked for, and no capacity`,
			`measure with more users: ${again}`,
		);
}

const refusal: (expectedAndFound: string, remedy: string) => NotReadyError = (expectedAndFound, remedy) =>
	new NotReadyError(`plan: expected ${expectedAndFound}.`, remedy);

/**
 * A capacity plan in words.
 *
 */

const rps = (value: number) => `${significant(value)} requests a second`;

/** @param value ms */
const ms = (value: number) => (value < 1000 ? `${significant(value)} ms` : `${significant(value / 1000)} s`);

const between = ({ low, high }: { low: number; high: number }) => `${significant(low)} to ${significant(high)}`;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const nameOf = (tier: string) => (tier === NODES ? 'the nodes' : tierName(tier));

export function headlineOf({
	target,
	nodes,
	nodes_by_estimate: byEstimate,
	numbers,
	saturates,
	hold_out: check,
	doubt,
	verdict,
}: Pick<CapacityPlan, 'target' | 'nodes' | 'nodes_by_estimate' | 'numbers' | 'saturates' | 'hold_out' | 'doubt' | 'verdict'>): string {
	const row = numbers.find(({ n }) => n === nodes) as NumberRow;
	const { estimate, low, high } = row.capacity_rps;
	const limit = target.p95_ms === null ? '' : ` with a p95 of at most ${ms(target.p95_ms)}`;
	return [
		verdict === 'REFUTED' && `Not to be trusted. ${check.sentence}`,
		doubt && `In doubt: ${doubt.suspect} of ${many(doubt.runs, 'run')} are SUSPECT.`,
		doubt?.differs && doubt.without,
		`${capital(rps(target.rps))}${limit} want ${many(nodes, 'node')}, which ${nodes === 1 ? 'serves' : 'serve'} ${significant(estimate)} (95 % interval ${between({ low, high })}; ${row.basis}).`,
		byEstimate < nodes && `By the estimate alone ${byEstimate} would do.`,
		responseSentence(row),
		`Next to saturate: ${nameOf(saturates.first.tier)}, at ${rps(saturates.first.rps)}${saturates.second ? `; then ${nameOf(saturates.second.tier)}, at ${significant(saturates.second.rps)}` : ''}.`,
	]
		.filter(Boolean)
		.join(' ');
}

/**
 * What the VALID runs alone give.
 * @param alone null: no number of nodes
 * @param nodes with the SUSPECT ones
 */
export function aloneSentence(alone: number | null, nodes: number) {
	if (alone === nodes) return 'The VALID runs alone give the same number.';
	return `The VALID runs alone give ${alone === null ? 'none that is enough' : many(alone, 'node')}.`;
}

/** @param few with their VALID runs */
export const tooFewSentence = (few: NumberOfNodes[]) =>
	`VALID runs alone cannot carry a plan, ${LEAST_RUNS} of each number being wanted: ${few.map(({ n, readings }) => `${readings.length} with ${many(n, 'node')}`).join(', ')}.`;

function responseSentence({ response }: NumberRow): string | null {
	if (response === null) return null;
	const { p95_ms: p95 } = response;
	return `The p95 at that rate is ${p95.high === null ? `${ms(p95.low)} or more` : `${significant(p95.low)} to ${significant(p95.high)} ms`} (extrapolated).`;
}

export function tierText({ number, busy }: Pick<TierRow, 'number' | 'busy'>, { isNodes }: { isNodes: boolean }): string {
	if (isNodes) return `${many(number, 'node')}, each ${percent(busy)} busy at the target`;
	return `${number === 1 ? 'one' : number}, ${percent(busy)} busy at the target; nobody measured more of them`;
}

export function assumptionsOf({
	nodes,
	nodeCores,
	otherCores,
	cores,
	load,
	isInDoubt,
	factor,
	ratio,
	thinkS,
}: {
	nodes: number;
	/** quota of one */
	nodeCores: number;
	/** quota of all other tiers */
	otherCores: number;
	/** of the machine that measured */
	cores: number;
	load: string;
	/** SUSPECT runs were read */
	isInDoubt: boolean;
	/** p95 over mean */
	factor: number;
	/** measured */
	ratio: Range;
	thinkS: number;
}): string[] {
	const all = nodes * nodeCores + otherCores;
	const measured =
		ratio.median === null || ratio.low === null || ratio.high === null
			? 'no run has it'
			: `the runs, with the nodes full, have ${significant(ratio.median)} (${between({ low: ratio.low, high: ratio.high })})`;
	return [
		`Each node has ${significant(nodeCores)} of a core to itself, as those measured. All tiers together take ${significant(all)} cores; the machine that measured has ${cores}.`,
		`A further node is like the measured ones and the balancer gives it an even share.`,
		`The requests are those of the load ${load}, in the same mix, on data of the same size.`,
		`The generator was not the limit: ${isInDoubt ? 'no run that is read is INVALID, and what makes some SUSPECT is told' : 'all runs that are read are VALID'}.`,
		`Of every other tier there are as many as were measured. Each may be ${significant(BUSY_MOST * 100)} % busy, or as busy as it was measured.`,
		`The law holds up to ${PEAK_REACH} times the largest number measured; what a further node costs is in its fit.`,
		`Response times are those of a network of queues (exact mean value analysis; exponential service; users think ${ms(thinkS * 1000)}). Waiting that is for no CPU, such as for a lock or the network, is not in them.`,
		`The p95 is ${significant(factor)} times the mean: in a queue with exponential service it is ln 20 = 3.0 times; ${measured}. The larger of the two plans, the smaller is the low end of the interval.`,
	];
}

/** Why a target is refused, and what could be answered. */
export function refusalOf({
	target,
	reach,
	measured,
	most,
	tier,
}: {
	target: CapacityPlan['target'];
	/** nodes */
	reach: number;
	/** nodes */
	measured: number;
	/** requests a second */
	most: number;
	/** that is too busy */
	tier: { tier: string; busy: number } | null;
}): { problem: string; remedy: string } {
	const limit = target.p95_ms === null ? '' : ` with P95_MS=${target.p95_ms}`;
	const wanted = `a target inside the data, up to ${significant(most)} requests a second${limit}`;
	const why = tier
		? `at ${target.rps} ${nameOf(tier.tier)} would be ${percent(tier.busy)} busy; more than one would be wanted, and this data cannot say what a second one does`
		: `found ${target.rps}, which no number of nodes up to ${reach} meets with its low bound; more than ${PEAK_REACH} times the measured ${measured} are not answered for`;
	if (most > 0) return { problem: `${wanted}; ${why}`, remedy: 'ask for less, or measure more.' };
	return {
		problem: `a p95 inside the data; found P95_MS=${target.p95_ms}, which is not met at any rate: nodes as small as the measured ones answer slower with nobody waiting`,
		remedy: 'ask for a longer one, or measure larger nodes.',
	};
}
