/** What takes which option, and the refusal of the others: one that changes nothing about what is run would look as if it did. */

import { NotReadyError } from '../base/errors.ts';
import { formatCommand, formatProjectCommand, shellWord } from '../base/format-command.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { LISTED, scenarios } from '../catalog/scenarios.ts';
import type { Command, Option, Otherwise, Scope } from './options.ts';
import { OPTIONS } from './options.ts';

export type Env = Record<string, string | undefined>;

export const OPTION_NAMES = Object.keys(OPTIONS);
/** Of those that are refused where they change nothing. */
export const REFUSABLE = OPTION_NAMES.filter((name) => !OPTIONS[name].scope.isOfMachine);
const those: (names: string[], wanted: (scope: Scope) => unknown) => string[] = (names, wanted) =>
	names.filter((name) => wanted(OPTIONS[name].scope));

const suits: (scope: Scope, architecture: string) => boolean = ({ systems, scenarios }, architecture) =>
	(systems?.includes(architecture) ?? true) && (scenarios?.includes(scenarioOf(architecture)) ?? true);

const isTakenBy: (scope: Scope, command: Command, system: string) => boolean = ({ at, ...scope }, command, system) =>
	at?.[scenarioOf(system)]?.commands.includes(command) ?? (scope.commands.includes(command) && suits(scope, system));

/** About a system by its name, or about any that the lab brings along. */
export const acceptedBy: (command: Command, system?: string) => string[] = (command, system) =>
	those(REFUSABLE, (scope) => (system === undefined ? scope.commands.includes(command) : isTakenBy(scope, command, system)));

/** Whether it is called as a variable of other systems alone. */
export const isOfOthers: (name: string, system: string) => boolean = (name, system) =>
	!(OPTIONS[name].scope.systems?.includes(system) ?? true);

/** What may be given for all arms of a comparison alike, and changes something about a system. */
export const acceptedForAll: (system: string) => string[] = (system) =>
	those(REFUSABLE, (scope) => isTakenBy(scope, 'run', system) && isTakenBy(scope, 'compare', system)).filter(
		(name) => !isOfOthers(name, system),
	);

/** In what two arms of a system may differ; another load or seed would make them incomparable. */
export const acceptedByArm: (scenario: string, system?: string) => string[] = (scenario, system = '') =>
	those(
		REFUSABLE,
		({ differs, systems, commands, at }) =>
			systems?.includes(system) || (differs === 'arm' && (at?.[scenario]?.commands ?? commands).includes('compare')),
	);

/** What has to be the same in a run that is compared with another. */
export const CONDITIONS = those(REFUSABLE, ({ differs }) => differs !== undefined);

/** As it is about systems of a scenario; of none: of those that have nothing otherwise. */
function optionAt(name: string, scenario: string = ''): Option & Omit<Otherwise, 'kind'> {
	const { commands, loads, at } = OPTIONS[name].scope;
	return { ...OPTIONS[name], commands, loads, ...at?.[scenario] };
}

/**
 * @param scenario of the system that it is given for
 * @returns its value; null where it is not given and has no standard
 * @throws {NotReadyError} naming the option, what it may hold and what it holds
 */
export function readOption(name: string, env: Env, scenario?: string): any {
	const { kind, standard } = optionAt(name, scenario);
	const text = env[name] || standard;
	return text === undefined ? null : kind.parse(name, text);
}

/**
 * The same of one that some loads alone take.
 * @throws {NotReadyError} as readOption, or naming a load that takes it, or wants it
 */
function readUnder(name: string, env: Env, load: string, scenario?: string) {
	const { loads = [load], needed, scope } = optionAt(name, scenario);
	const value = readOption(name, env, scenario);
	if (value === null && needed !== undefined && loads.includes(load))
		throw new NotReadyError(`LOAD=${load}: expected ${name} with it; found none, and ${needed.because}.`, needed.add(load));
	if (value === null || loads.includes(load)) return value;
	throw new NotReadyError(
		`${name}: expected none, because LOAD=${load} ${scope.unlike}; found "${env[name]}".`,
		`leave it out, or use LOAD=${loads[0]}.`,
	);
}

/**
 * All that is given for a run, read at once.
 * @returns the values by the options' names
 * @throws {NotReadyError} as readUnder, or naming the option without which one changes nothing
 */
export function readOptions(env: Env, load: string, scenario?: string): Record<string, any> {
	const names = OPTION_NAMES.filter((name) => {
		const { commands, scope } = optionAt(name, scenario);
		return scope.systems === undefined && name !== 'LOAD' && commands.includes('run');
	});
	const given = Object.fromEntries(names.map((name) => [name, readUnder(name, env, load, scenario)]));
	for (const name of names) {
		const { besides } = OPTIONS[name].scope;
		if (besides === undefined || !given[name] || given[besides]) continue;
		throw new NotReadyError(
			`${name}: expected ${besides} with it; found none, without which it changes nothing.`,
			`add ${besides}=1 or more, or leave it out.`,
		);
	}
	return given;
}

/** Whether it has an effect on an architecture under a load. */
export const isTakenUnder: (name: string, architecture: string, load: string) => boolean = (name, architecture, load) =>
	suits(OPTIONS[name].scope, architecture) && (OPTIONS[name].scope.loads ?? [load]).includes(load);

/** What an architecture has of its own, each with its value. */
export const readVariables: (architecture: string, env: Env) => Record<string, string> = (architecture, env) =>
	Object.fromEntries(Object.keys(architectures[architecture]?.variables ?? {}).map((name) => [name, String(readOption(name, env))]));

/**
 * What was given, as a shell takes it: of a command that repeats a run.
 * @returns `NAME=value`
 */
export const formatOptions = (names: readonly string[], settings: object, scenario?: string): string[] =>
	names.flatMap((name) => {
		const { kind, standard, of = (all: any) => all[name.toLowerCase()], scope } = optionAt(name, scenario);
		const value = of(settings) ?? null;
		if (value === null || kind.format === undefined) return [];
		const text = kind.format(value);
		// What architectures have of their own is reported in any case: it is the question.
		return scope.systems === undefined && text === standard ? [] : [`${name}=${shellWord(text)}`];
	});

/**
 * @param what is run, in words
 * @param taken names of the options that change something about it
 * @throws {NotReadyError} naming the first other one, and what that has an effect on
 */
export const refuseAllBut = (what: string, taken: readonly string[], env: Env) =>
	refuse(
		what,
		REFUSABLE.filter((name) => !taken.includes(name)),
		env,
	);

/** What changes nothing about a system that a command is about. */
export const refuseIdle: (command: Command, system: string, env: Env, what?: string) => void = (
	command,
	system,
	env,
	what = scenarios[scenarioOf(system)].system ?? system,
) => refuseAllBut(what, acceptedBy(command, system), env);

/**
 * @param names of options that change nothing about it
 * @throws {NotReadyError}
 */
export function refuse(what: string, names: readonly string[], env: Env) {
	const name = names.find((candidate) => isGiven(candidate, env[candidate]));
	if (name === undefined) return;
	throw new NotReadyError(
		`${name}: expected none, because it changes nothing about ${what}; found "${env[name]}".`,
		`leave it out; it has an effect ${effectOf(name)}. Where a shell sets it for another program, give it empty: ${name}=`,
	);
}

/** What is the scenario's own refused. */
export const refuseUnsuited: (architecture: string, env: Env) => void = (architecture, env) =>
	refuse(
		architecture,
		those(REFUSABLE, (scope) => scope.scenarios !== undefined && !isTakenBy(scope, 'run', architecture)),
		env,
	);

/** One that is switched off is as good as none, unless that is not what all have. */
function isGiven(name: string, text: string | undefined): boolean {
	if (text === undefined || text === '') return false;
	const { standard, scope } = OPTIONS[name];
	const standards = [standard, ...Object.values(scope.at ?? {}).map((otherwise) => otherwise.standard ?? standard)];
	return !(standards.every((one) => one === '0') && Number(text) === 0);
}

/** What it is, and what it is unless given; backquotes stand for code. */
export function aboutOption(name: string) {
	const { help, more, standard, otherwise, kind, scope } = OPTIONS[name];
	const ofListed = scope.at?.[LISTED]?.standard;
	// Of a switch that is off, and of what architectures have of their own, the help has said it.
	const isSaid = scope.systems !== undefined || (kind.isSwitch && ofListed === undefined);
	const shipped = otherwise ?? (standard && `\`${standard}\``);
	const unless = ofListed ? `${shipped} for an architecture and \`${ofListed}\` for your own system,` : shipped;
	return [help, ...(more ? [more] : []), ...(unless && !isSaid ? [`${unless} unless given`] : [])].join('; ');
}

/** As users spell it. */
function spelt(command: Command) {
	if (['run', 'swarm'].includes(command)) return formatCommand([command, '<architecture>']);
	if (command === 'experiment') return formatCommand([command, '<id>']);
	// There is no such target of make.
	return command === 'kubernetes' || command === 'export' ? formatProjectCommand([command]) : formatCommand([command]);
}

const listed = (words: string[]) => [...words.slice(0, -2), words.slice(-2).join(' and ')].join(', ');

/** In words, after "it has an effect". */
export function effectOf(name: string) {
	const { commands, systems, scenarios, loads = [], besides, at } = OPTIONS[name].scope;
	const { commands: commandsThere = [], loads: loadsThere = [], as } = at?.[LISTED] ?? {};
	if (systems) return `on ${systems.join(', ')}`;
	const shipped = commands.filter((command) => command !== 'experiment all').map(spelt);
	const owned = commandsThere.map((command) => formatProjectCommand([command]));
	return [
		`on ${listed([...new Set([...shipped, ...(scenarios ? [] : owned)])])}`,
		...(scenarios ? [`of systems of the ${scenarios.length > 1 ? 'scenarios' : 'scenario'} ${listed([...scenarios])}`] : []),
		...(loads.length > 0 ? [`under ${listed(loads.map((load) => `LOAD=${load}`))}`] : []),
		...(besides ? [`with ${besides}`] : []),
		...(scenarios && owned.length > 0 ? [`and on ${listed(owned)}`] : []),
		...(loadsThere.length > 0 ? [`there under ${listed(loadsThere.map((load) => `LOAD=${load}`))}`] : []),
		...(as ? [`and of your own system as ${as} in doubletake.yaml`] : []),
	].join(', ');
}
