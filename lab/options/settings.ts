/**
 * What is asked of a run, of whatever system (`make run-2a LOAD=smoke`, `LOAD=brief doubletake run`), read from the environment and checked before
 * anything is changed. What is otherwise about a system the table says by its scenario.
 */
import { loadDuration } from '../../k6/lib/shapes.js';
import { NotReadyError } from '../base/errors.ts';
import { CORES, formatCommand, formatProjectCommand } from '../base/format-command.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { budgets, DEFAULT_BUDGET, isComputed } from '../catalog/budgets.ts';
import { scenarios, shapeOf, shapes } from '../catalog/scenarios.ts';
import { namesIn } from '../catalog/shipped-services.ts';
import { acceptedBy, formatOptions, readOption, readOptions, readVariables, refuseUnsuited } from './accepted-options.ts';
import { formatAllowed, NOTHING } from './allowed.ts';
import { checkFaults } from './fault-plan.ts';
import { OPTIONS, USERS_EACH_MOST } from './options.ts';

/** @typedef {'auto' | 'hub' | 'local'} ImageMode */
/**
 * @typedef {object} Settings
 * @property {string} architecture   name of the system
 * @property {string} load           empty: as its doubletake.yaml says
 * @property {string} budget         key of the budgets, or cores by service in words
 * @property {Record<string, number> | null} cores  by service, where the budget says them
 * @property {ImageMode} images
 * @property {number} seed
 * @property {number | null} rate    requests a second at the top of an open load
 * @property {number | null} rate_share  the same, as a share of what the system serves when it is full
 * @property {number | null} users   at the top of a load that takes it; null: as published
 * @property {boolean} integrity     every request carries an id that is stored with its document
 * @property {number | null} think   milliseconds that users think in the mean, instead of what the calibration says; of a load that takes it
 * @property {boolean} dashboard    k6's own page, while the load runs
 * @property {boolean} capture      what passes the networks of the run is recorded
 * @property {number} generators    processes of k6 that make the load together
 * @property {number} delay          milliseconds that each node adds to each answer; 0 for none
 * @property {'refuse' | 'wait' | 'allow'} busy  what to do on a machine that something else uses; it changes nothing about the run
 * @property {Record<string, string>} variables  the architecture's own, every one of them
 * @property {ClientBehaviour | null} client  null: as published
 * @property {import('./fault-plan.ts').PlannedFault[]} faults  put in while the load goes on
 * @property {import('./expect.ts').Expectation[]} expect  thresholds that the run is to meet; they change nothing about it
 * @property {boolean} strict  whether a doubt about what they read decides how the run ends; it changes nothing about it either
 * @property {readonly import('./expect.ts').Host[]} [hosts]  of a run on a Swarm: all but this machine
 * @property {boolean} allowData     the user has said that what a run could harm may be harmed
 * @property {import('./allowed.ts').Allowed} allowed  what else was allowed at the command line
 * @property {string} command        that repeats it
 * @property {Trial} [trial]         what of the load is otherwise, to test an accusation or a level; nobody gives it by an option
 *
 * @typedef {object} Trial
 * @property {number} [cut_s]   seconds after which the load is cut; not unless given
 * @property {boolean} [isUnanswered]  the run that it is compared with began without a good answer of what was asked in the place of its load
 * @property {number} [users]   that are held from the first second on, in place of who else would come; as the load has it unless given
 * @property {import('../run/faults/slowing.ts').Slowing} [slowing]  services that are slowed in turns
 * @property {number} [level]   of a search for a limit: so many users, or where the settings have a rate requests a second, are the load
 */

/**
 * @typedef {object} ClientBehaviour  what users do when an answer is late or bad
 * @property {number | null} timeout_ms  that users wait for an answer; null: k6's own 60 s
 * @property {number} retries            of one request, at most
 * @property {number} backoff_ms         before the first, doubled for each further one, of which users wait a random part; 0: at once
 * @property {number | null} budget_percent  of its requests that a user may try again; null: no such limit
 * @property {boolean} retry_after       what an answer says in Retry-After is waited for instead
 */

/** A single run needs no other seed than the last. */
const LAST_SEED = 1;
const OF_CLIENT = Object.keys(OPTIONS).filter((name) => name === 'TIMEOUT' || [name, OPTIONS[name].scope.besides].includes('RETRIES'));

/**
 * @param {string} name  of the system
 * @param {Record<string, string | undefined>} env
 * @param {{ command?: 'run' | 'swarm' } & Partial<import('./allowed.ts').Permission>} [asked]
 * @returns {Settings}
 * @throws {NotReadyError} naming the variable, what it holds and what it may hold; or when a Swarm cannot do it
 */
export function readSettings(name, env, { command = 'run', allowData = false, allowed = NOTHING } = {}) {
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

/** @type {(name: string, given: string | Record<string, number> | null) => Pick<Settings, 'budget' | 'cores'>} */
const budgetIn = (name, given) =>
	typeof given === 'object' && given !== null
		? { budget: String(CORES.format?.(given)), cores: given }
		: { budget: checkedBudget(name, given ?? DEFAULT_BUDGET), cores: null };

/** A budget that is computed from what another scenario's request costs would not be what it says. @type {(architecture: string, budget: string) => string} */
function checkedBudget(architecture, budget) {
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
 * @param {Record<string, any>} given  options by their names
 * @returns {Pick<Settings, 'rate' | 'rate_share' | 'users' | 'generators' | 'think' | 'client' | 'integrity'>}
 * @throws {NotReadyError} when the generators cannot hold so many, or each would have a page
 */
function usersIn(given) {
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
 * @param {Record<string, any>} given  options by their names
 * @returns {ClientBehaviour | null} null where users wait for 60 s and try nothing again
 */
function clientOf({ TIMEOUT, RETRIES, BACKOFF, RETRY_BUDGET, RETRY_AFTER }) {
	if (TIMEOUT === null && RETRIES === 0) return null;
	return { timeout_ms: TIMEOUT, retries: RETRIES, backoff_ms: BACKOFF, budget_percent: RETRY_BUDGET, retry_after: RETRY_AFTER };
}

/**
 * As k6's scenario takes them; each is there, and empty where it is not set, so that none of the shell's comes in.
 * @param {ClientBehaviour | null} client
 * @returns {Record<string, string>}
 */
export const clientEnvironment = (client) => ({
	...Object.fromEntries(OF_CLIENT.map((name) => [name, ''])),
	...Object.fromEntries(formatOptions(OF_CLIENT, { client }).map((text) => text.split('='))),
});

/** That repeats the run: of a system that has a name of its own by that, of another in its folder. @type {(settings: Omit<Settings, 'command'>, command: 'run' | 'swarm') => string} */
function commandOf(settings, command) {
	const { architecture: name } = settings;
	const given = formatOptions(acceptedBy(command, name), settings, scenarioOf(name));
	if (Object.hasOwn(architectures, name)) return formatCommand([command, name], given);
	return formatProjectCommand([command, ...formatAllowed(settings)], given);
}
