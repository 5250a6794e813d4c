/**
 * Makes the plan of a new comparison or experiment, of whatever systems: of what is asked the arms and loads that are wanted, what is settled about
 * their runs, the order of these, and the hashes of what is fixed before the first. A comparison is an experiment of two arms.
 */

import { randomInt } from 'node:crypto';
import { NotReadyError } from '../../base/errors.ts';
import type { Launcher } from '../../base/format-command.ts';
import { formatCommand, oneOf, shellWord } from '../../base/format-command.ts';
import { newFolderName } from '../../base/paths.ts';
import { scenarioOf } from '../../catalog/architectures.ts';
import { DEFAULT_BUDGET, EXPERIMENT_BUDGET, isComputed } from '../../catalog/budgets.ts';
import type { Claim } from '../../catalog/claims.ts';
import { claimsOf } from '../../catalog/claims.ts';
import type { Experiment } from '../../catalog/experiments.ts';
import { experiments } from '../../catalog/experiments.ts';
import { scenarios } from '../../catalog/scenarios.ts';
import { describeMachine } from '../../docker/lock.ts';
import { acceptedBy, acceptedForAll, readOption, refuseAllBut } from '../../options/accepted-options.ts';
import type { Arm } from '../../options/arms.ts';
import { optionsOfArm, readArm, tellApart } from '../../options/arms.ts';
import { readLab } from '../../run/components.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import type { Plan } from '../plan.ts';
import { askedBy, COMPARE, loadsOf, PLAN_SCHEMA_VERSION } from '../plan.ts';
import { settingsOf, systemsOf, variableWords } from '../planned-systems.ts';
import { mostBlocks, stoppingIn } from '../stopping.ts';
import { openBaseline } from './baseline.ts';
import { chooseArms, underLoads } from './choose-arms.ts';
import { findControl } from './control.ts';
import { attemptsMost, hashOf, hashOfRecord, scheduleOf } from './read-plan.ts';

export type Env = Record<string, string | undefined>;

export type Question = {
	/** of the experiment, or `compare` */
	id: string;
	/** question, arms, loads, pairs; repeats: blocks unless REPEATS says otherwise */
	table: Experiment & { repeats?: number };
	/** of a machine with so many cores */
	claims: (cores: number) => Claim[];
	/** of its runs, in words */
	budget: string;
	/** options of which the plan has the value itself, so that they are none of its variables */
	ofPlan: readonly string[];
	/** what the plan has to keep of its loads and of what was allowed */
	keep: (experiment: Experiment) => Promise<Partial<Pick<Plan, 'loads' | 'allow_data' | 'allowed' | 'file'>>>;
	/** its arms are called, where an option changes nothing about any of them */
	what: string;
	/** by which it is asked */
	words: string[];
	/** beside its options, as a shell takes it */
	given: string[];
	/** by which it is asked; as this command is unless given */
	launcher?: Launcher;
};

const EXPERIMENT = 'experiment';

/** What a comparison asks. */
export function comparisonOf(arms: Arm[], load: string): Experiment {
	const [base, other] = arms.map(({ id }) => id);
	return { title: `${base} against ${other}`, question: `Is ${other} better than ${base}?`, load, arms, pairs: [[base, other]] };
}

/** Seeds are drawn short, to be typed. */
const SEED_BELOW = 10_000;

/** The seed as given. Without one the order is drawn anew: the same one every time would repeat what it favours. */
const seedIn = (env: Env) => env.SEED || String(randomInt(SEED_BELOW));

/**
 * @param env ARMS, LOAD, REPEATS, SEED, and what the systems take
 * @returns of which no run is made
 * @throws {NotReadyError} naming what is wrong with it
 */
export async function makePlan(asked: Question, env: Env): Promise<Plan> {
	const { id, table, claims: claimsFor } = asked;
	const [machine, { git, version }] = [await describeMachine(), await readLab()];
	const { experiment: chosen, claims, notes } = chooseArms(table, claimsFor(machine.cores), env.ARMS);
	const experiment = underLoads(chosen, env);
	const settled = await settle(asked, experiment, { ...env, SEED: seedIn(env) });
	const { title, question, arms, pairs, curve = null } = experiment;
	const stopping = stoppingIn(env);
	const control = await findControl({
		...{ ...settled, machine, arms },
		fingerprint: systemsOf({ ...settled, arms }).fingerprint(settled.load),
	});
	const repeats = readOption('REPEATS', env) ?? table.repeats ?? (stopping ? mostBlocks(stopping, control) : LEAST_BLOCKS);
	const definition = id === COMPARE ? null : { ...experiment, claims };
	return {
		...{ schema: PLAN_SCHEMA_VERSION, id: `${id}/${newFolderName()}`, experiment: id, title, question },
		...{ ...settled, repeats, arms, pairs, curve, claims, definition, machine, notes },
		...{ control, stopping, stopping_hash: hashOfRecord(stopping) },
		command: commandOf(asked, { ...settled, arms, repeats, stopping }),
		schedule: scheduleOf(
			arms.map((arm) => arm.id),
			repeats,
			settled.seed,
		),
		...{ claims_hash: hashOf(claims), definition_hash: hashOfRecord(definition), baseline: null },
		...{ git, lab: { version }, started: new Date().toISOString(), ended: null },
		...{ attempts_most: attemptsMost(settled.busy), attempts: [] },
	};
}

type Settled = Pick<Plan, 'load' | 'budget' | 'seed' | 'images' | 'busy' | 'variables' | 'loads' | 'allow_data' | 'allowed' | 'file'>;

/** Every arm is checked before anything is measured: what its runs will be asked is read as they will read it. */
async function settle(asked: Question, experiment: Experiment, env: Env): Promise<Settled> {
	const { arms } = experiment;
	refuseDifferentScenarios(arms);
	const forAll = forAllOf(asked, arms);
	refuseAllBut(asked.what, [...takenBesides(asked, arms), ...forAll], env);
	const variables = Object.fromEntries(forAll.flatMap((name) => (env[name] ? [[name, String(env[name])]] : [])));
	const { budget } = asked;
	const settled = { load: env.LOAD || experiment.load, budget, variables, ...(await asked.keep(experiment)) };
	const draft = { ...settled, arms, seed: env.SEED, images: env.IMAGES, busy: env.BUSY } as any;
	const [{ seed, images, busy }] = arms.map(({ id }) => settingsOf(draft, id));
	return { ...settled, seed, images, busy };
}

/** Options that change something about an arm when they are given for all. */
const forAllOf: (asked: Question, arms: Arm[]) => string[] = ({ ofPlan }, arms) => [
	...new Set(
		arms.flatMap((arm) =>
			acceptedForAll(arm.architecture).filter((name) => !ofPlan.includes(name) && optionsOfArm(arm)[name] === undefined),
		),
	),
];

/** What is asked of the plan, and not of its runs; one that is resumed is read, and not made. */
const takenBesides: (asked: Question, arms: Arm[]) => string[] = ({ id, ofPlan }, arms) =>
	arms.flatMap(({ architecture }) => {
		const ofRuns = acceptedForAll(architecture).filter((name) => !ofPlan.includes(name));
		return acceptedBy(askedBy(id), architecture).filter((name) => name !== 'RESUME' && !ofRuns.includes(name));
	});

/** That repeats it. */
function commandOf({ words, given, ofPlan, launcher }: Question, plan: Settled & Pick<Plan, 'arms' | 'repeats' | 'stopping'>): string {
	const { load, budget, variables, repeats, seed, stopping } = plan;
	const conditions = { ...(loadsOf(plan).length === 1 ? { LOAD: load } : {}), BUDGET: budget };
	const ofPlanAlone = Object.fromEntries(Object.entries(conditions).filter(([name]) => ofPlan.includes(name)));
	const options = variableWords({
		...ofPlanAlone,
		...variables,
		...(stopping && { STOP: 'early' }),
		REPEATS: String(repeats),
		SEED: String(seed),
	});
	return formatCommand(words, [...given, ...options], launcher);
}

/** What is asked of one arm must be what is asked of the other. */
function refuseDifferentScenarios([base, ...others]: Arm[]) {
	const other = others.find(({ architecture }) => scenarioOf(architecture) !== scenarioOf(base.architecture));
	if (!other) return;
	const requests = [base, other].map(({ id, architecture }) => `${id}: "${scenarios[scenarioOf(architecture)].request}"`);
	throw new NotReadyError(
		`A and B: expected architectures that take the same requests; found ${requests.join(', ')}.`,
		'compare architectures of one scenario.',
	);
}

/**
 * @param env A, B, and what every experiment takes
 * @throws {NotReadyError} naming the variable at fault
 */
export async function planComparison(env: Env): Promise<Plan> {
	stoppingIn(env);
	if (env.BASELINE) return planAgainstBaseline(env, env.BASELINE);
	const arms = tellApart(readArm('A', env.A), readArm('B', env.B));
	const table = comparisonOf(arms, scenarios[scenarioOf(arms[0].architecture)].load);
	return planNamed(COMPARE, table, env, [`A=${shellWord(env.A)}`, `B=${shellWord(env.B)}`]);
}

/** What a comparison with a baseline asks. */
export const againstBaseline: (arm: Arm, base: Arm) => Omit<Experiment, 'load'> = (arm, base) => ({
	title: `${arm.id} against a baseline`,
	question: `Is ${arm.id} what it was?`,
	arms: [arm],
	pairs: [[base.id, arm.id]],
});

/**
 * @param env B, A where several arms were measured, and what every comparison takes
 * @param path of the baseline's folder
 * @throws {NotReadyError} naming the variable at fault
 */
async function planAgainstBaseline(env: Env, path: string): Promise<Plan> {
	const arm = readArm('B', env.B);
	const { stored, base, takeInto } = await openBaseline(path, env.A || arm.id, null);
	refuseDifferentScenarios([base, arm]);
	const given = { ...env, LOAD: env.LOAD || stored.load, BUDGET: env.BUDGET || stored.budget };
	const named = env.A ? [`A=${shellWord(env.A)}`] : [];
	const plan = await planNamed(COMPARE, { ...againstBaseline(arm, base), load: stored.load }, given, [
		...named,
		`B=${shellWord(env.B)}`,
		`BASELINE=${shellWord(path)}`,
	]);
	for (const key of ['load', 'budget'] as const)
		if (plan[key] !== stored[key])
			throw new NotReadyError(
				`BASELINE: expected ${key.toUpperCase()}=${stored[key]}, as the baseline was measured; found ${plan[key]}.`,
				`leave ${key.toUpperCase()} out, or measure another baseline.`,
			);
	if (isComputed(plan.budget) && !stored.calibration)
		throw new NotReadyError(
			`BASELINE: expected one that kept its calibration, so that B gets the same quotas; ${path} was measured by a version of Doubletake that made none.`,
			'measure another baseline.',
		);
	// What the baseline had; a calibration of today would give B other quotas.
	const conditions = stored.calibration !== undefined ? { calibration: stored.calibration, think_time_s: stored.think_time_s } : {};
	return takeInto({ ...plan, ...conditions });
}

/**
 * @param id key of the experiments table
 * @param env ARMS, LOAD, BUDGET, REPEATS, SEED, IMAGES
 * @throws {NotReadyError} naming the variable at fault
 */
export const planExperiment = (id: string, env: Env): Promise<Plan> =>
	planNamed(id, experiments[oneOf(EXPERIMENT, id, Object.keys(experiments))], env, env.ARMS ? [`ARMS=${shellWord(env.ARMS)}`] : []);

/** Of arms whose names say what they are, under a load whose name does. */
async function planNamed(id: string, table: Experiment, env: Env, given: string[]): Promise<Plan> {
	const isComparison = id === COMPARE;
	if (env.EXPECT)
		throw new NotReadyError(
			`EXPECT: expected a single run to hold to thresholds; found ${isComparison ? 'a comparison' : 'an experiment'}.`,
			'leave it out; to hold an architecture to what it was, compare it with a BASELINE.',
		);
	if (env.ARMS && isComparison)
		throw new NotReadyError(
			'ARMS: expected an experiment, of which it leaves arms out; found a comparison.',
			'leave it out; the arms of a comparison are A and B.',
		);
	const asked = {
		...{ id, table, given, ofPlan: ['LOAD', 'BUDGET', 'SEED'], keep: async () => ({}) },
		claims: (cores: number) => claimsOf(id, cores),
		budget: env.BUDGET || (isComparison ? DEFAULT_BUDGET : (table.budget ?? EXPERIMENT_BUDGET)),
		what: isComparison ? 'any arm of this comparison' : `any arm of the experiment ${id}`,
		words: isComparison ? [COMPARE] : [EXPERIMENT, id],
	};
	return makePlan(asked, env);
}
