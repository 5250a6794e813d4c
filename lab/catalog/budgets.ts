/**
 * CPU budgets. `fair` and `scale` give every tier but the generator a quota, computed from what a request costs each tier on
 * this machine (calibration.ts), so that the nodes are the tier that runs out, with one of them as with all. `database` has
 * fixed shares of the host's cores: it is for the CRUD service, of which a request costs something else than the calibration
 * measured. `none` sets no quota, as published.
 *
 * The generator has no quota in any budget: it would stop the generator's own clocks for the rest of each period, and what is
 * measured with them. It has CPU weight instead (cpu_shares in compose/base.yaml), so that it gets what it needs first, and the
 * computed budgets leave room for it.
 */

import { NotReadyError } from '../base/errors.ts';
import { formatCommand } from '../base/format-command.ts';
import type { Definition, Plan } from '../compare/plan.ts';
import type { Experiment } from './experiments.ts';
import { experiments } from './experiments.ts';

type Budget = {
	title: string;
	/** that fit at once; of a budget that is computed from a calibration */
	nodes?: number;
	/** in which a quota is used up; CPU_PERIOD_US unless given */
	period_us?: number;
	/** tiers whose quotas are lifted for the warm-up */
	lifted?: string[];
	/** instead of UTILISATION, of a budget that is computed */
	utilisation?: PerTier;
	/** tier to share of the host's cores; of a fixed budget */
	shares?: Record<string, number>;
};

/** keys are tiers */
export type PerTier = Record<string, number>;

/**
 * How busy the machine may be before a run: a machine that is busier is measured together with its neighbours. The lab's own
 * choice: the tiers of `fair` leave 7 % of the machine to others, and a second of a quiet one reads 1 to 5 % (measured).
 */
export const QUIET_BUSY_SHARE = 0.15;

export const budgets: Record<string, Budget> = {
	none: { title: 'no quotas, as published' },
	fair: { title: 'each tier has a quota, computed from what a request costs here, so that one or two nodes are the bottleneck', nodes: 2 },
	// A node has 0.17 of a core, of 10 ms less than the kernel's tick of 4 ms, at which it looks at quotas: 227 requests a second and in the
	// means of ten seconds a deviation of 7.1 %. With 50 ms, two ticks, 284 and 4.6 %; with 100 ms the same (one run of 60 s each).
	scale: {
		title: 'as fair, with smaller nodes, so that four of them fit the host; quota periods of 50 ms; nodes warm up without a quota',
		nodes: 4,
		period_us: 50_000,
		// With its quota a node takes 60 to 120 s to compile its paths, by machine (three runs).
		lifted: ['app'],
		// Warmed up for 90 s a request cost the nodes 0.64 to 0.74 ms, where the calibration found 0.97: they ask the database for as
		// much more. With 0.7 it was 92 % busy with four nodes, and out of CPU in 18 of 30 s (medians of 8 runs each; one of those with four).
		utilisation: { database: 0.5 },
	},
	// An operation costs the database 0.2 ms of CPU and the node before it 0.3 (measured); here the database alone runs out of it.
	database: {
		title: 'the database is the small tier, so that what is measured is what it bears',
		shares: { app: 0.38, 'load-balancer': 0.05, database: 0.15 },
	},
	// For faults that take CPU from it: what a database does when it has nothing to do (0.03 of a core, measured) is little of that.
	'half-database': {
		title: 'the database has half of the machine, for requests that are dear to it alone',
		shares: { app: 0.38, 'load-balancer': 0.05, database: 0.5 },
	},
};

/** Of a run or a comparison that names none. */
export const DEFAULT_BUDGET = 'none';
/** Of an experiment that names none. */
export const EXPERIMENT_BUDGET = 'fair';

/** 10 ms quota periods stutter far less than Docker's default of 100 ms; compose/base.yaml has the same default. */
export const CPU_PERIOD_US = 10_000;
/** CPU weight of the generator, which has no quota, for that would stop its clocks; Docker's default is 1024. compose/base.yaml sets the same. */
export const GENERATOR_CPU_SHARES = 8192;
/** The kernel takes no quota below 1 ms a period (https://docs.kernel.org/scheduler/sched-bwc.html). */
const LEAST_QUOTA_US = 1000;

/** The engine, the observers and the lab have the rest. */
const ALL_TIERS_SHARE = 0.93;
/**
 * How much of its CPU each tier uses at most while all nodes use theirs up. The generator and the balancer stay under 60 %, the
 * lab's own requirement; the 70 % of the database are its own choice, made before anything was measured under it: there a queue
 * with one server takes 3.3 service times (1 / (1 - utilisation), M/M/1). The higher a share, the more is left for the nodes.
 */
const UTILISATION = { 'load-balancer': 0.6, database: 0.7, generator: 0.6 };
/** A node runs its program in one thread, and the balancer has one worker process: more than a core is of no use to either. */
const SINGLE_THREADED = ['app', 'load-balancer'];

/** @returns the period of its quotas, in microseconds */
export const periodOf = (id: string): number => budgets[id].period_us ?? CPU_PERIOD_US;

/** @returns tiers whose quotas are lifted for the warm-up */
export const liftedIn = (id: string): readonly string[] => budgets[id].lifted ?? [];

/**
 * @param id cores by service in words are none of the table
 * @returns whether its quotas follow from a calibration
 */
export const isComputed = (id: string): boolean => budgets[id]?.nodes !== undefined;

/**
 * @param cores of the host
 * @param demandMs CPU milliseconds that a request costs each tier; for a computed budget
 * @returns tier to quota in cores; empty when there is none
 * @throws {NotReadyError} when a computed budget has no calibration, or does not fit the host
 */
export function quotasOf(id: string, cores: number, demandMs: PerTier | null = null): PerTier {
	const { shares = {}, nodes } = budgets[id];
	const wanted = nodes
		? computeQuotas(id, nodes, cores, demandMs)
		: Object.fromEntries(Object.entries(shares).map(([tier, share]) => [tier, share * cores]));
	const period = periodOf(id);
	return Object.fromEntries(
		Object.entries(wanted).map(([tier, quota]) => [tier, Math.max(LEAST_QUOTA_US, Math.round(quota * period)) / period]),
	);
}

/** The largest throughput that fits decides, since everything is linear in it: all nodes busy, the other tiers with their room. */
function computeQuotas(id: string, nodes: number, cores: number, demandMs: PerTier | null): PerTier {
	const demand = checkedDemand(id, demandMs);
	const utilisation = { ...UTILISATION, ...budgets[id].utilisation };
	const perRequest = {
		app: demand.app,
		'load-balancer': demand['load-balancer'] / utilisation['load-balancer'],
		database: demand.database / utilisation.database,
		generator: demand.generator / utilisation.generator,
	};
	const all = Object.values(perRequest).reduce((sum, seconds) => sum + seconds, 0);
	const rps = Math.min((ALL_TIERS_SHARE * cores) / all, nodes / perRequest.app, 1 / perRequest['load-balancer']);
	const app = (rps * perRequest.app) / nodes;
	const least = LEAST_QUOTA_US / periodOf(id);
	if (app < least)
		throw new NotReadyError(
			`BUDGET=${id}: expected at least ${least} of a core for each of ${nodes} nodes, below which the kernel takes no quota; ${cores} cores leave ${app.toFixed(3)}.`,
			'use BUDGET=none, or a machine with more cores.',
		);
	return { app, 'load-balancer': rps * perRequest['load-balancer'], database: rps * perRequest.database };
}

/** in seconds of CPU */
function checkedDemand(id: string, demandMs: PerTier | null): PerTier {
	const tiers = ['app', ...Object.keys(UTILISATION)];
	const missing = tiers.filter((tier) => !(Number(demandMs?.[tier]) > 0));
	if (missing.length > 0)
		throw new NotReadyError(
			`BUDGET=${id}: expected what a request costs each tier on this machine, from which the quotas follow; found nothing of ${missing.join(', ')}.`,
			`measure it with "${formatCommand(['calibrate'])}", or use BUDGET=none.`,
		);
	return Object.fromEntries(tiers.map((tier) => [tier, Number(demandMs?.[tier]) / 1000]));
}

/**
 * What one node serves: the rate at which the first of its tiers, or the whole machine, has no CPU left.
 * @returns requests a second
 */
export function capacityOf({
	quotas,
	cores,
	demandMs,
}: {
	/** in cores; a tier without one has the host's */
	quotas: PerTier;
	/** of the host */
	cores: number;
	demandMs: PerTier;
}): number {
	const most = (tier: string) => Math.min(quotas[tier] ?? cores, SINGLE_THREADED.includes(tier) ? 1 : cores);
	const machine = (cores * 1000) / Object.values(demandMs).reduce((sum, ms) => sum + ms, 0);
	return Math.min(machine, ...Object.entries(demandMs).map(([tier, ms]) => (most(tier) * 1000) / ms));
}

/**
 * The variables that Compose files read its quotas and their period from, such as APP_CPU_QUOTA, in microseconds.
 * @param quotas in cores
 */
export function quotaVariables(id: string, quotas: PerTier) {
	const period = periodOf(id);
	const ofTiers = Object.entries(quotas).map(([tier, cores]) => [
		`${tier.toUpperCase().replaceAll('-', '_')}_CPU_QUOTA`,
		String(Math.round(cores * period)),
	]);
	return { CPU_PERIOD: String(period), ...Object.fromEntries(ofTiers) };
}

/**
 * An experiment's definition: its entry in the tables with its claims, as its plan keeps it. Whatever is judged later is
 * judged by that copy, so that a change of the tables cannot reach a record that is made.
 *
 */

/** @returns null for a comparison; of a plan made before definitions were kept, the table as it is today */
export function definitionOf({ experiment, claims, definition }: Pick<Plan, 'experiment' | 'claims' | 'definition'>): Definition | null {
	if (definition) return definition;
	const table = Object.hasOwn(experiments, experiment) ? experiments[experiment] : null;
	return table && { ...table, claims };
}

/**
 * Claims are about the load and the budget of their experiment; under others they are not judged, but for those that another
 * condition can answer too.
 * @param claim id; null for what is no claim, and is alike under the experiment's own condition alone
 * @returns what is unlike, in words
 */
export function unlikeOf(
	definition: Pick<Experiment, 'load' | 'budget' | 'judged_under'>,
	{ load, budget }: { load: string; budget: string },
	claim: string | null,
): string | null {
	const [own, ...others] = judgedUnder(definition);
	const isAlike = (condition: { load: string; budget: string }) => condition.load === load && condition.budget === budget;
	if (isAlike(own)) return null;
	if (claim !== null && others.some((other) => isAlike(other) && other.claims?.includes(claim))) return null;
	return [load === own.load ? null : `the load ${load}`, budget === own.budget ? null : `the budget ${budget}`]
		.filter(Boolean)
		.join(' and ');
}

/**
 * The loads and budgets under which claims are judged: the experiment's own, which can answer all of them, and others.
 * @returns claims: ids; null for all. The own condition first
 */
export function judgedUnder({
	load,
	budget = EXPERIMENT_BUDGET,
	judged_under: others,
}: Pick<Experiment, 'load' | 'budget' | 'judged_under'>): { load: string; budget: string; claims: string[] | null }[] {
	// Earlier plans had the ids by the load.
	const listed = Array.isArray(others) ? others : Object.entries<any>(others ?? {}).map(([other, claims]) => ({ load: other, claims }));
	return [{ load, budget, claims: null }, ...listed.map((other) => ({ budget, ...other }))];
}
