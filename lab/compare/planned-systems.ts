/**
 * What the systems of a plan are, to whoever has runs made of it, judges or reports it: what the plan keeps of its loads and of its arms, and
 * what the catalog has where it keeps nothing.
 *
 * @typedef {import('./plan.ts').Plan} Plan
 * @typedef {import('../options/arms.ts').Arm} Arm
 * @typedef {Pick<Plan, 'arms' | 'load'> & Partial<Plan>} Planned  of one load, where its shape is asked for
 *
 * @typedef {object} PlannedSystems
 * @property {() => import('../../k6/lib/shapes.js').Shape} shape  of its load; what is an arm's own, such as the number of its users, is left open
 * @property {() => string} loadTitle     its load in words
 * @property {(load: string) => string | undefined} fingerprint  what a load was, where its name does not say it
 * @property {() => number | null} thinkTime  seconds that the users of its load think; null where nobody knows
 * @property {() => string} noun          what many requests are called
 * @property {(arm: Arm) => string} titleOf  what an arm is, in words
 * @property {(given: string[], words?: string[]) => string} command  goes on with the plan; words: of another command about it
 * @property {() => string} again         the command that measures the experiment anew, with all its arms
 * @property {() => string} control       the command of an A/A control of its first arm
 * @property {() => string[]} takenAgain  options that it takes when it is gone on with
 * @property {(name: string) => boolean} isSettled  whether a variable of the shell says an option that the plan has settled
 */
import { loadDuration } from '../../k6/lib/shapes.js';
import { formatCommand, launcherOf, shareIn, shellWord } from '../base/format-command.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { scenarios, shapeOf, shapes } from '../catalog/scenarios.ts';
import { acceptedBy, isOfOthers } from '../options/accepted-options.ts';
import { formatAllowed } from '../options/allowed.ts';
import { formatArms, formatSeveral, optionsOfArm } from '../options/arms.ts';
import { isPaced, rateOfShare } from '../options/calibration.ts';
import { knownCommand } from '../options/known-command.ts';
import { readSettings } from '../options/settings.ts';
import { askedBy, COMPARE, givenToAll, loadsOf, partUnder, VALUES } from './plan.ts';

const EXPERIMENT = 'experiment';

/** @param {Planned} plan @returns {PlannedSystems} */
export function systemsOf(plan) {
	const { arms, loads, load, file, experiment = COMPARE, variables = {}, command = '', allow_data: allowData, allowed } = plan;
	const [{ architecture: system }] = arms;
	const kept = loads?.[load];
	const scenario = scenarios[scenarioOf(system)];
	const asked = askedBy(experiment);
	const named = file ?? ([asked, VALUES].includes(experiment) ? undefined : experiment);
	const words = [asked, ...(named === undefined ? [] : [shellWord(named)])];
	// What a plan keeps may come from anywhere; of what no command can have its name is left.
	const written = (/** @type {string[]} */ said, /** @type {string[]} */ given) =>
		knownCommand(formatCommand(said, given, launcherOf(command))) ?? formatCommand([asked], [], launcherOf(command));
	const takenAgain = acceptedBy(asked, system);
	return {
		shape: () => kept?.shape ?? shapeOfArms(plan),
		loadTitle: () => kept?.shape.title ?? titleOfLoad(plan),
		fingerprint: (name) => loads?.[name]?.fingerprint,
		thinkTime: () => (kept ? (kept.think_s ?? null) : (plan.think_time_s ?? scenario.think_time_s ?? 0)),
		noun: () => scenario.noun,
		titleOf,
		command: (given, said = [...words, ...formatAllowed({ allowData, allowed })]) => written(said, given),
		again: () => written(experiment === VALUES ? [COMPARE, shellWord(formatSeveral(arms))] : words, variableWords(variables)),
		control: () => controlCommand(plan, written),
		takenAgain: () => takenAgain,
		isSettled: (name) => !(takenAgain.includes(name) && isOfOthers(name, system)),
	};
}

/** What a run of an arm is asked. @type {(plan: Plan, id: string) => import('../options/settings.ts').Settings} */
export function settingsOf(plan, id) {
	const arm = /** @type {Arm} */ (plan.arms.find((candidate) => candidate.id === id));
	const { architecture, load = plan.load } = arm;
	const { think_time_s: think, budget, loads, allow_data: allowData, allowed } = plan;
	// Of a load that is kept, its doubletake.yaml and the variables say all.
	const conditions = loads?.[load] ? {} : { LOAD: load, BUDGET: budget };
	const paced = think && isPaced({ architecture, load }) ? { THINK: String(Math.round(think * 1000)) } : {};
	return readSettings(architecture, { ...conditions, ...givenToAll(plan), ...paced, ...optionsOfArm(arm) }, { allowData, allowed });
}

/** The loads of its arms in words. @param {Planned} plan @returns {string} */
export function loadTitlesOf(plan) {
	const loads = loadsOf(plan);
	const title = (/** @type {string} */ load) => systemsOf(partUnder(plan, load)).loadTitle();
	return loads.length === 1 ? title(loads[0]) : loads.map((load) => `${load}: ${title(load)}`).join('; ');
}

/** @param {Arm} arm */
function titleOf({ id, architecture, variables = {}, resolved }) {
	const differing = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	return resolved?.title ?? [architectures[architecture]?.title ?? id, ...differing].join(', ');
}

/** As a shell takes them. @param {Record<string, string>} variables */
export const variableWords = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);

/** @param {Planned} plan */
function shapeOfArms(plan) {
	const { arms, load, think_time_s: think, calibration } = plan;
	const { RATE, ...others } = sharedBy(plan);
	const served = calibration?.served;
	const share = shareIn(RATE);
	const rate = share === null ? RATE : served && String(rateOfShare(share, served));
	return shapes[shapeOf(scenarioOf(arms[0].architecture), load)]({
		...others,
		RATE: rate,
		THINK_TIME_S: think ? String(think) : undefined,
	});
}

/** Variables that are the same for all arms. @param {Planned} plan @returns {Record<string, string>} */
function sharedBy({ arms, variables }) {
	const [first, ...others] = arms.map((arm) => ({ ...variables, ...arm.variables }));
	return Object.fromEntries(Object.entries(first).filter(([name, value]) => others.every((other) => other[name] === value)));
}

/** Where arms have rates of their own, no rate is that of all. @param {Planned} plan */
function titleOfLoad(plan) {
	const shape = shapeOfArms(plan);
	const { arms, calibration } = plan;
	const { RATE } = sharedBy(plan);
	if (RATE === undefined && arms.some(({ variables }) => variables?.RATE !== undefined))
		return `a rate of each arm’s own, for ${loadDuration(shape)} s`;
	if (shareIn(RATE) === null) return shape.title;
	const share = `${RATE.replace('%', ' %')} of what ${calibration?.served?.architecture ?? arms[0].architecture} serves when it is full`;
	return calibration?.served ? `${shape.title} (${share})` : `a rate of ${share}, for ${loadDuration(shape)} s`;
}

/** @param {Planned} plan @param {(words: string[], given: string[]) => string} written */
function controlCommand({ arms: [arm], load, loads, budget, variables = {} }, written) {
	const kept = loads?.[load];
	// Which load an experiment has its file says.
	if (Object.keys(kept?.change ?? {}).length > 0) return `${written([EXPERIMENT], [])}, with two arms that are alike`;
	const { words, given } = formatArms({ a: arm, b: arm });
	// Of a load that is kept, its doubletake.yaml and the variables say all.
	const conditions = kept ? [] : [`LOAD=${load}`, `BUDGET=${budget}`];
	return written([COMPARE, ...words], [...given, ...conditions, ...variableWords(variables)]);
}
