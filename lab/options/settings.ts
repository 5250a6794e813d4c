/**
 * What is asked of a run, of whatever system (`make run-2a LOAD=smoke`, `LOAD=brief doubletake run`), read from the environment and checked before
 * anything is changed. What is otherwise about a system the table says by its scenario.
 */

import { loadDuration } from '../../k6/lib/shapes.js';
import { NotReadyError } from '../base/errors.ts';
import { CORES, formatCommand, formatProjectCommand } from '../base/format-command.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { budgets, DEFAULT_BUDGET, isComputed } from '../catalog/budgets.ts';
import type { ImageMode } from '../catalog/image-mode.ts';
import { scenarios, shapeOf, shapes } from '../catalog/scenarios.ts';
import { namesIn } from '../catalog/shipped-services.ts';
import { acceptedBy, formatOptions, readOption, readOptions, readVariables, refuseUnsuited } from './accepted-options.ts';
import { type Allowed, formatAllowed, NOTHING, type Permission } from './allowed.ts';
import type { Expectation, Host } from './expect.ts';
import { checkFaults, type PlannedFault } from './fault-plan.ts';
import { OPTIONS, USERS_EACH_MOST } from './options.ts';
import type { Trial } from './trial.ts';

export type Settings = {
	/** name of the system */
	architecture: string;
	/** empty: as its doubletake.yaml says */
	load: string;
	/** key of the budgets, or cores by service in words */
	budget: string;
	/** by service, where the budget says them */
	cores: Record<string, number> | null;
	images: ImageMode;
	seed: number;
	/** requests a second at the top of an open load */
	rate: number | null;
	/** the same, as a share of what the system serves when it is full */
	rate_share: number | null;
	/** at the top of a load that takes it; null: as published */
	users: number | null;
	/** every request carries an id that is stored with its document */
	integrity: boolean;
	/** milliseconds that users think in the mean, instead of what the calibration says; of a load that takes it */
	think: number | null;
	/** k6's own page, while the load runs */
	dashboard: boolean;
	/** what passes the networks of the run is recorded */
	capture: boolean;
	/** processes of k6 that make the load together */
	generators: number;
	/** milliseconds that each node adds to each answer; 0 for none */
	delay: number;
	/** what to do on a machine that something else uses; it changes nothing about the run */
	busy: 'refuse' | 'wait' | 'allow';
	/** the architecture's own, every one of them */
	variables: Record<string, string>;
	/** null: as published */
	client: ClientBehaviour | null;
	/** put in while the load goes on */
	faults: PlannedFault[];
	/** thresholds that the run is to meet; they change nothing about it */
	expect: Expectation[];
	/** whether a doubt about what they read decides how the run ends; it changes nothing about it either */
	strict: boolean;
	/** of a run on a Swarm: all but this machine */
	hosts?: readonly Host[];
	/** the user has said that what a run could harm may be harmed */
	allowData: boolean;
	/** what else was allowed at the command line */
	allowed: Allowed;
	/** that repeats it */
	command: string;
	/** what of the load is otherwise, to test an accusation or a level; nobody gives it by an option */
	trial?: Trial;
};

/** what users do when an answer is late or bad */
export type ClientBehaviour = {
	/** that users wait for an answer; null: k6's own 60 s */
	timeout_ms: number | null;
	/** of one request, at most */
	retries: number;
	/** before the first, doubled for each further one, of which users wait a random part; 0: at once */
	backoff_ms: number;
	/** of its requests that a user may try again; null: no such limit */
	budget_percent: number | null;
	/** what an answer says in Retry-After is waited for instead */
	retry_after: boolean;
};

/** A single run needs no other seed than the last. */
const LAST_SEED = 1;
const OF_CLIENT = Object.keys(OPTIONS).filter((name) => name === 'TIMEOUT' || [name, OPTIONS[name].scope.besides].includes('RETRIES'));

/**
 * @param name of the system
 * @throws {NotReadyError} naming the variable, what it holds and what it may hold; or when a Swarm cannot do it
 */
export function readSettings(
	name: string,
	env: Record<string, string | undefined>,
	{ command = 'run', allowData = false, allowed = NOTHING }: { command?: 'run' | 'swarm' } & Partial<Permission> = {},
): Settings {
	const scenario = scenarioOf(name);
	const { load: standard, driver } = scenarios[scenario];
	const load = env.LOAD || standard;
	const shape = shapeOf(scenario, load);
	const isSwarm = command === 'swarm';
	refuseUnsuited(name, env);
	const variables = readVariables(name, env);
	const given = readOptions(env, load, scenario);
	const faults = given.FAULT ?? [];
	// Which services others have Compose says.
	if (Object.hasOwn(architectures, name))
		checkFaults(faults, { services: namesIn(name), durationS: loadDuration(shapes[shape](variables)), isSwarm });
	if (isSwarm && driver !== 'k6')
		throw new NotReadyError(
			`architecture: expected one that a load generator asks; found "${name}", whose load is a program of its own.`,
			'run it on this machine alone.',
		);
	const settings = {
		architecture: name,
		load: OPTIONS.LOAD.scope.at?.[scenario] === undefined ? load : (env.LOAD ?? ''),
		...budgetIn(name, given.BUDGET),
		images: given.IMAGES,
		seed: given.SEED ?? LAST_SEED,
		...usersIn(given),
		delay: given.DELAY ?? 0,
		dashboard: given.DASHBOARD,
		// What passes between hosts is on no bridge of one machine.
		capture: !isSwarm && given.CAPTURE,
		busy: given.BUSY,
		variables,
		faults,
		expect: given.EXPECT ?? [],
		strict: given.STRICT ?? false,
		...(isSwarm ? { hosts: readOption('HOSTS', env) ?? [] } : {}),
		allowData,
		allowed,
	};
	return { ...settings, command: commandOf(settings, command) };
}

const budgetIn: (name: string, given: string | Record<string, number> | null) => Pick<Settings, 'budget' | 'cores'> = (name, given) =>
	typeof given === 'object' && given !== null
		? { budget: String(CORES.format?.(given)), cores: given }
		: { budget: checkedBudget(name, given ?? DEFAULT_BUDGET), cores: null };

/** A budget that is computed from what another scenario's request costs would not be what it says. */
function checkedBudget(architecture: string, budget: string): string {
	const { calibrated, noun } = scenarios[scenarioOf(architecture)];
	if (calibrated || !isComputed(budget)) return budget;
	const others = Object.keys(budgets).filter((id) => !isComputed(id));
	throw new NotReadyError(
		`BUDGET: expected ${others.join(' or ')} for ${architecture}; found "${budget}", which is computed from what a request of the document service costs, and not from its ${noun}.`,
		'use one of them, or leave it out.',
	);
}

/**
 * What users do, and who makes the load.
 * @param given options by their names
 * @throws {NotReadyError} when the generators cannot hold so many, or each would have a page
 */
function usersIn(
	given: Record<string, any>,
): Pick<Settings, 'rate' | 'rate_share' | 'users' | 'generators' | 'think' | 'client' | 'integrity'> {
	const { USERS: users, GENERATORS: generators, DASHBOARD: hasPage } = given;
	if (generators > 1 && hasPage)
		throw new NotReadyError(
			`DASHBOARD: expected none with GENERATORS=${generators}, of which each would have a page of its own part; found "1".`,
			'leave one of them out.',
		);
	if (users > USERS_EACH_MOST * generators)
		throw new NotReadyError(
			`USERS: expected at most ${USERS_EACH_MOST * generators} with GENERATORS=${generators}, each of which has memory for ${USERS_EACH_MOST}; found "${users}".`,
			`use GENERATORS=${Math.ceil(users / USERS_EACH_MOST)}.`,
		);
	const rate = given.RATE ?? { rate: null, rate_share: null };
	return { ...rate, users, generators, think: given.THINK, client: clientOf(given), integrity: given.INTEGRITY };
}

/**
 * @param given options by their names
 * @returns null where users wait for 60 s and try nothing again
 */
function clientOf({ TIMEOUT, RETRIES, BACKOFF, RETRY_BUDGET, RETRY_AFTER }: Record<string, any>): ClientBehaviour | null {
	if (TIMEOUT === null && RETRIES === 0) return null;
	return { timeout_ms: TIMEOUT, retries: RETRIES, backoff_ms: BACKOFF, budget_percent: RETRY_BUDGET, retry_after: RETRY_AFTER };
}

/** As k6's scenario takes them; each is there, and empty where it is not set, so that none of the shell's comes in. */
export const clientEnvironment = (client: ClientBehaviour | null): Record<string, string> => ({
	...Object.fromEntries(OF_CLIENT.map((name) => [name, ''])),
	...Object.fromEntries(formatOptions(OF_CLIENT, { client }).map((text) => text.split('='))),
});

/** That repeats the run: of a system that has a name of its own by that, of another in its folder. */
function commandOf(settings: Omit<Settings, 'command'>, command: 'run' | 'swarm'): string {
	const { architecture: name } = settings;
	const given = formatOptions(acceptedBy(command, name), settings, scenarioOf(name));
	if (Object.hasOwn(architectures, name)) return formatCommand([command, name], given);
	return formatProjectCommand([command, ...formatAllowed(settings)], given);
}
