/**
 * What the systems of a plan are, to whoever has runs made of it, judges or reports it: what the plan keeps of its loads and of its arms, and
 * what the catalog has where it keeps nothing.
 */

import type { Shape } from '../../k6/lib/shapes.js';
import { loadDuration } from '../../k6/lib/shapes.js';
import { formatCommand, launcherOf, shareIn, shellWord } from '../base/format-command.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { scenarios, shapeOf, shapes } from '../catalog/scenarios.ts';
import { acceptedBy, isOfOthers } from '../options/accepted-options.ts';
import { formatAllowed } from '../options/allowed.ts';
import type { Arm } from '../options/arms.ts';
import { formatArms, formatSeveral, optionsOfArm } from '../options/arms.ts';
import { isPaced, rateOfShare } from '../options/calibration.ts';
import { knownCommand } from '../options/known-command.ts';
import type { Settings } from '../options/settings.ts';
import { readSettings } from '../options/settings.ts';
import type { Plan } from './plan.ts';
import { askedBy, COMPARE, givenToAll, loadsOf, partUnder, VALUES } from './plan.ts';

/** of one load, where its shape is asked for */
export type Planned = Pick<Plan, 'arms' | 'load'> & Partial<Plan>;

type PlannedSystems = {
	/** of its load; what is an arm's own, such as the number of its users, is left open */
	shape: () => Shape;
	/** its load in words */
	loadTitle: () => string;
	/** what a load was, where its name does not say it */
	fingerprint: (load: string) => string | undefined;
	/** seconds that the users of its load think; null where nobody knows */
	thinkTime: () => number | null;
	/** what many requests are called */
	noun: () => string;
	/** what an arm is, in words */
	titleOf: (arm: Arm) => string;
	/** goes on with the plan; words: of another command about it */
	command: (given: string[], words?: string[]) => string;
	/** the command that measures the experiment anew, with all its arms */
	again: () => string;
	/** the command of an A/A control of its first arm */
	control: () => string;
	/** options that it takes when it is gone on with */
	takenAgain: () => string[];
	/** whether a variable of the shell says an option that the plan has settled */
	isSettled: (name: string) => boolean;
};

const EXPERIMENT = 'experiment';

export function systemsOf(plan: Planned): PlannedSystems {
	const { arms, loads, load, file, experiment = COMPARE, variables = {}, command = '', allow_data: allowData, allowed } = plan;
	const [{ architecture: system }] = arms;
	const kept = loads?.[load];
	const scenario = scenarios[scenarioOf(system)];
	const asked = askedBy(experiment);
	const named = file ?? ([asked, VALUES].includes(experiment) ? undefined : experiment);
	const words = [asked, ...(named === undefined ? [] : [shellWord(named)])];
	// What a plan keeps may come from anywhere; of what no command can have its name is left.
	const written = (said: string[], given: string[]) =>
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

/** What a run of an arm is asked. */
export function settingsOf(plan: Plan, id: string): Settings {
	const arm = plan.arms.find((candidate) => candidate.id === id) as Arm;
	const { architecture, load = plan.load } = arm;
	const { think_time_s: think, budget, loads, allow_data: allowData, allowed } = plan;
	// Of a load that is kept, its doubletake.yaml and the variables say all.
	const conditions = loads?.[load] ? {} : { LOAD: load, BUDGET: budget };
	const paced = think && isPaced({ architecture, load }) ? { THINK: String(Math.round(think * 1000)) } : {};
	return readSettings(architecture, { ...conditions, ...givenToAll(plan), ...paced, ...optionsOfArm(arm) }, { allowData, allowed });
}

/** The loads of its arms in words. */
export function loadTitlesOf(plan: Planned): string {
	const loads = loadsOf(plan);
	const title = (load: string) => systemsOf(partUnder(plan, load)).loadTitle();
	return loads.length === 1 ? title(loads[0]) : loads.map((load) => `${load}: ${title(load)}`).join('; ');
}

function titleOf({ id, architecture, variables = {}, resolved }: Arm) {
	const differing = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	return resolved?.title ?? [architectures[architecture]?.title ?? id, ...differing].join(', ');
}

/** As a shell takes them. */
export const variableWords = (variables: Record<string, string>) =>
	Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);

function shapeOfArms(plan: Planned) {
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

/** Variables that are the same for all arms. */
function sharedBy({ arms, variables }: Planned): Record<string, string> {
	const [first, ...others] = arms.map((arm) => ({ ...variables, ...arm.variables }));
	return Object.fromEntries(Object.entries(first).filter(([name, value]) => others.every((other) => other[name] === value)));
}

/** Where arms have rates of their own, no rate is that of all. */
function titleOfLoad(plan: Planned) {
	const shape = shapeOfArms(plan);
	const { arms, calibration } = plan;
	const { RATE } = sharedBy(plan);
	if (RATE === undefined && arms.some(({ variables }) => variables?.RATE !== undefined))
		return `a rate of each arm’s own, for ${loadDuration(shape)} s`;
	if (shareIn(RATE) === null) return shape.title;
	const share = `${RATE.replace('%', ' %')} of what ${calibration?.served?.architecture ?? arms[0].architecture} serves when it is full`;
	return calibration?.served ? `${shape.title} (${share})` : `a rate of ${share}, for ${loadDuration(shape)} s`;
}

function controlCommand(
	{ arms: [arm], load, loads, budget, variables = {} }: Planned,
	written: (words: string[], given: string[]) => string,
) {
	const kept = loads?.[load];
	// Which load an experiment has its file says.
	if (Object.keys(kept?.change ?? {}).length > 0) return `${written([EXPERIMENT], [])}, with two arms that are alike`;
	const { words, given } = formatArms({ a: arm, b: arm });
	// Of a load that is kept, its doubletake.yaml and the variables say all.
	const conditions = kept ? [] : [`LOAD=${load}`, `BUDGET=${budget}`];
	return written([COMPARE, ...words], [...given, ...conditions, ...variableWords(variables)]);
}
