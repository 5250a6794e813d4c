/**
 * Makes the plan of a new comparison or experiment, of whatever systems: of what is asked the arms and loads that are wanted, what is settled about
 * their runs, the order of these, and the hashes of what is fixed before the first. A comparison is an experiment of two arms.
 *
 * @typedef {Record<string, string | undefined>} Env
 * @typedef {import('../plan.ts').Plan} Plan
 * @typedef {import('../../options/arms.ts').Arm} Arm
 * @typedef {import('../../catalog/experiments.ts').Experiment} Experiment
 *
 * @typedef {object} Question
 * @property {string} id           of the experiment, or `compare`
 * @property {Experiment & { repeats?: number }} table  question, arms, loads, pairs; repeats: blocks unless REPEATS says otherwise
 * @property {(cores: number) => import('../../catalog/claims.ts').Claim[]} claims  of a machine with so many cores
 * @property {string} budget       of its runs, in words
 * @property {readonly string[]} ofPlan  options of which the plan has the value itself, so that they are none of its variables
 * @property {(experiment: Experiment) => Promise<Partial<Pick<Plan, 'loads' | 'allow_data' | 'allowed' | 'file'>>>} keep  what the plan has to keep of its loads
 *   and of what was allowed
 * @property {string} what         its arms are called, where an option changes nothing about any of them
 * @property {string[]} words      by which it is asked
 * @property {string[]} given      beside its options, as a shell takes it
 * @property {import('../../base/format-command.ts').Launcher} [launcher]  by which it is asked; as this command is unless given
 */

import { randomInt } from 'node:crypto';
import { NotReadyError } from '../../base/errors.ts';
import { formatCommand, oneOf, shellWord } from '../../base/format-command.ts';
import { newFolderName } from '../../base/paths.ts';
import { scenarioOf } from '../../catalog/architectures.ts';
import { DEFAULT_BUDGET, EXPERIMENT_BUDGET, isComputed } from '../../catalog/budgets.ts';
import { claimsOf } from '../../catalog/claims.ts';
import { experiments } from '../../catalog/experiments.ts';
import { scenarios } from '../../catalog/scenarios.ts';
import { describeMachine } from '../../docker/lock.ts';
import { acceptedBy, acceptedForAll, readOption, refuseAllBut } from '../../options/accepted-options.ts';
import { optionsOfArm, readArm, tellApart } from '../../options/arms.ts';
import { readLab } from '../../run/components.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import { askedBy, COMPARE, loadsOf, PLAN_SCHEMA_VERSION } from '../plan.ts';
import { settingsOf, systemsOf, variableWords } from '../planned-systems.ts';
import { mostBlocks, stoppingIn } from '../stopping.ts';
import { openBaseline } from './baseline.ts';
import { chooseArms, underLoads } from './choose-arms.ts';
import { attemptsMost, findControl, hashOf, hashOfRecord, scheduleOf } from './read-plan.ts';

const EXPERIMENT = 'experiment';

/** What a comparison asks. @type {(arms: Arm[], load: string) => Experiment} */
export function comparisonOf(arms, load) {
	const [base, other] = arms.map(({ id }) => id);
	return { title: `${base} against ${other}`, question: `Is ${other} better than ${base}?`, load, arms, pairs: [[base, other]] };
}

/** Seeds are drawn short, to be typed. */
const SEED_BELOW = 10_000;

/** The seed as given. Without one the order is drawn anew: the same one every time would repeat what it favours. @param {Env} env */
const seedIn = (env) => env.SEED || String(randomInt(SEED_BELOW));

/**
 * @param {Question} asked
 * @param {Env} env  ARMS, LOAD, REPEATS, SEED, and what the systems take
 * @returns {Promise<Plan>} of which no run is made
 * @throws {NotReadyError} naming what is wrong with it
 */
export async function makePlan(asked, env) {
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

/** @typedef {Pick<Plan, 'load' | 'budget' | 'seed' | 'images' | 'busy' | 'variables' | 'loads' | 'allow_data' | 'allowed' | 'file'>} Settled */

/**
 * Every arm is checked before anything is measured: what its runs will be asked is read as they will read it.
 * @type {(asked: Question, experiment: Experiment, env: Env) => Promise<Settled>}
 */
async function settle(asked, experiment, env) {
	const { arms } = experiment;
	refuseDifferentScenarios(arms);
	const forAll = forAllOf(asked, arms);
	refuseAllBut(asked.what, [...takenBesides(asked, arms), ...forAll], env);
	const variables = Object.fromEntries(forAll.flatMap((name) => (env[name] ? [[name, String(env[name])]] : [])));
	const { budget } = asked;
	const settled = { load: env.LOAD || experiment.load, budget, variables, ...(await asked.keep(experiment)) };
	const draft = /** @type {any} */ ({ ...settled, arms, seed: env.SEED, images: env.IMAGES, busy: env.BUSY });
	const [{ seed, images, busy }] = arms.map(({ id }) => settingsOf(draft, id));
	return { ...settled, seed, images, busy };
}

/** Options that change something about an arm when they are given for all. @type {(asked: Question, arms: Arm[]) => string[]} */
const forAllOf = ({ ofPlan }, arms) => [
	...new Set(
		arms.flatMap((arm) =>
			acceptedForAll(arm.architecture).filter((name) => !ofPlan.includes(name) && optionsOfArm(arm)[name] === undefined),
		),
	),
];

/** What is asked of the plan, and not of its runs; one that is resumed is read, and not made. @type {(asked: Question, arms: Arm[]) => string[]} */
const takenBesides = ({ id, ofPlan }, arms) =>
	arms.flatMap(({ architecture }) => {
		const ofRuns = acceptedForAll(architecture).filter((name) => !ofPlan.includes(name));
		return acceptedBy(askedBy(id), architecture).filter((name) => name !== 'RESUME' && !ofRuns.includes(name));
	});

/** That repeats it. @type {(asked: Question, plan: Settled & Pick<Plan, 'arms' | 'repeats' | 'stopping'>) => string} */
function commandOf({ words, given, ofPlan, launcher }, plan) {
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

/** What is asked of one arm must be what is asked of the other. @param {Arm[]} arms */
function refuseDifferentScenarios([base, ...others]) {
	const other = others.find(({ architecture }) => scenarioOf(architecture) !== scenarioOf(base.architecture));
	if (!other) return;
	const requests = [base, other].map(({ id, architecture }) => `${id}: "${scenarios[scenarioOf(architecture)].request}"`);
	throw new NotReadyError(
		`A and B: expected architectures that take the same requests; found ${requests.join(', ')}.`,
		'compare architectures of one scenario.',
	);
}

/**
 * @param {Env} env  A, B, and what every experiment takes
 * @returns {Promise<Plan>}
 * @throws {NotReadyError} naming the variable at fault
 */
export async function planComparison(env) {
	stoppingIn(env);
	if (env.BASELINE) return planAgainstBaseline(env, env.BASELINE);
	const arms = tellApart(readArm('A', env.A), readArm('B', env.B));
	const table = comparisonOf(arms, scenarios[scenarioOf(arms[0].architecture)].load);
	return planNamed(COMPARE, table, env, [`A=${shellWord(env.A)}`, `B=${shellWord(env.B)}`]);
}

/** What a comparison with a baseline asks. @type {(arm: Arm, base: Arm) => Omit<Experiment, 'load'>} */
export const againstBaseline = (arm, base) => ({
	title: `${arm.id} against a baseline`,
	question: `Is ${arm.id} what it was?`,
	arms: [arm],
	pairs: [[base.id, arm.id]],
});

/**
 * @param {Env} env  B, A where several arms were measured, and what every comparison takes
 * @param {string} path of the baseline's folder
 * @returns {Promise<Plan>}
 * @throws {NotReadyError} naming the variable at fault
 */
async function planAgainstBaseline(env, path) {
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
	for (const key of /** @type {const} */ (['load', 'budget']))
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
 * @param {string} id   key of the experiments table
 * @param {Env} env     ARMS, LOAD, BUDGET, REPEATS, SEED, IMAGES
 * @returns {Promise<Plan>}
 * @throws {NotReadyError} naming the variable at fault
 */
export const planExperiment = (id, env) =>
	planNamed(id, experiments[oneOf(EXPERIMENT, id, Object.keys(experiments))], env, env.ARMS ? [`ARMS=${shellWord(env.ARMS)}`] : []);

/**
 * Of arms whose names say what they are, under a load whose name does.
 * @type {(id: string, table: Experiment, env: Env, given: string[]) => Promise<Plan>}
 */
async function planNamed(id, table, env, given) {
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
		claims: (/** @type {number} */ cores) => claimsOf(id, cores),
		budget: env.BUDGET || (isComparison ? DEFAULT_BUDGET : (table.budget ?? EXPERIMENT_BUDGET)),
		what: isComparison ? 'any arm of this comparison' : `any arm of the experiment ${id}`,
		words: isComparison ? [COMPARE] : [EXPERIMENT, id],
	};
	return makePlan(asked, env);
}
