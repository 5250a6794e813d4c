/**
 * What options change about a run of a user's own system: its load, who makes it, what its users do when an answer is late or bad, and the CPU
 * that its services may use. What is not given is as doubletake.yaml and the Compose files have it.
 */

import type { ListedRequest } from '../../k6/lib/request-list.js';
import type { Shape } from '../../k6/lib/shapes.js';
import { LEVEL_SHAPE, shapeOfRun, TRIAL_SHAPE } from '../../k6/lib/shapes.js';
import { isStored, PLACEHOLDER } from '../../k6/lib/stored-id.js';
import { NotReadyError } from '../base/errors.ts';
import type { Project, ProjectLoad } from '../catalog/project-schema.ts';
import { LOAD_DEFAULTS, PROJECT_FILE } from '../catalog/project-schema.ts';
import { LISTED } from '../catalog/scenarios.ts';
import { acceptedForAll, formatOptions } from '../options/accepted-options.ts';
import type { Settings } from '../options/settings.ts';
import { clientEnvironment } from '../options/settings.ts';
import { HERE } from './compose-changes.ts';

export type RunOptions = Pick<
	Settings,
	'load' | 'rate' | 'rate_share' | 'users' | 'think' | 'client' | 'generators' | 'cores' | 'integrity'
> &
	Pick<Settings, 'trial'>;

/** what the users of a list of requests do */
export type AskedLoad = {
	/** key of k6/lib/shapes.js */
	load: string;
	shape: Shape;
	/** at the top of a closed load */
	users: number;
	/** of an open load: in the warm-up alone */
	thinkTimeS: number;
	/** after how many seconds it is cut, for a trial */
	cutS: number | null;
	rate: number | null;
	client: RunOptions['client'];
	generators: number;
};

/** How a k6 script has the same, which is run as it is. */
const IN_SCRIPT: Record<string, string> = {
	LOAD: 'write stages, rate or users into its options',
	RATE: 'write the rate into its options (constant-arrival-rate, ramping-arrival-rate)',
	USERS: 'write the users into its options (vus, stages)',
	THINK: 'write sleep() into it',
	TIMEOUT: "give its requests { timeout: '5s' }",
	RETRIES: 'let it ask again itself',
	BACKOFF: 'let it ask again itself',
	RETRY_BUDGET: 'let it ask again itself',
	RETRY_AFTER: 'let it ask again itself',
	GENERATORS: 'one k6 runs it',
	INTEGRITY: 'leave it out, because nobody knows which of its requests store what',
};
/** What a run of a folder may have of them, however that is called. */
const OF_FOLDER = acceptedForAll('own');

/**
 * The load of a run: what doubletake.yaml says of it, and what is given in its place.
 * @throws {NotReadyError} when the load is a script that cannot be run so
 */
export function askedLoad(own: ProjectLoad, options: RunOptions): AskedLoad {
	if (own.script !== undefined) refuseForScript(own.script, options);
	const { shape: projectShape, users: projectUsers, think_ms: projectThinkMs } = { ...LOAD_DEFAULTS, ...own };
	const { load = projectShape, users = projectUsers, think = projectThinkMs } = givenIn(options);
	const { client, generators, trial } = options;
	const isRate = options.rate !== null;
	const rate = isRate && trial?.level !== undefined ? trial.level : options.rate;
	const cutS = trial?.cut_s ?? null;
	const held =
		trial?.level !== undefined
			? { load: LEVEL_SHAPE, users: isRate ? users : trial.level }
			: trial?.users === undefined
				? { load, users }
				: { load: TRIAL_SHAPE, users: trial.users };
	const shape = shapeOfRun({
		SHAPE: held.load,
		CUT_S: cutS === null ? '' : String(cutS),
		USERS: String(held.users),
		RATE: rate === null ? '' : String(rate),
		...clientEnvironment(client),
	});
	return { ...held, shape, thinkTimeS: think / 1000, cutS, rate, client, generators };
}

const givenIn = (options: RunOptions): Partial<{ load: string; users: number; think: number }> =>
	Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== ''));

function refuseForScript(script: string, options: RunOptions) {
	const [given] = formatOptions(Object.keys(IN_SCRIPT), options, LISTED);
	if (given === undefined) return;
	const name = given.split('=')[0];
	throw new NotReadyError(
		`${name}: expected none, because the load is ${script}, a k6 script of yours, which is run as it is; found "${given}".`,
		`${IN_SCRIPT[name]}, or put urls or openapi in its place under load in ${PROJECT_FILE}.`,
	);
}

/**
 * @param there of this machine
 * @throws {NotReadyError} naming a service that is not there, or that would have more than there is
 */
export function checkBudget(cores: RunOptions['cores'], models: { service: string }[], there: number = HERE.cores) {
	const services = models.map(({ service }) => service);
	for (const [service, wanted] of Object.entries(cores ?? {})) {
		if (!services.includes(service))
			throw new NotReadyError(`BUDGET: expected services of the run, ${services.join(', ')}; found "${service}".`, 'correct its name.');
		if (wanted > there)
			throw new NotReadyError(
				`BUDGET: expected at most the ${there} cores of this machine; found ${service}=${wanted}, which would limit nothing.`,
				'give it less, or leave it out.',
			);
	}
}

/**
 * @param load headers: that each request is
 * sent with
 * @throws {NotReadyError} when nobody says how stored ids are read, or no request of the load has one
 */
export function checkIntegrity(
	options: Pick<RunOptions, 'integrity'>,
	{ integrity }: Pick<Project, 'integrity'>,
	{ requests, headers }: { requests: ListedRequest[]; headers: Record<string, string> },
) {
	if (!options.integrity) return;
	if (integrity === undefined)
		throw new NotReadyError(
			`INTEGRITY=1: expected in ${PROJECT_FILE} how the ids are read that your system stored; found no "integrity" there.`,
			'add as in integrity: { service: db, command: [psql, -U, app, -tA, -c, "select ref from orders"] }, which prints them, one a line.',
		);
	if (!requests.some((request) => isStored({ ...request, headers: { ...request.headers, ...headers } })))
		throw new NotReadyError(
			`INTEGRITY=1: expected a request of the load with ${PLACEHOLDER} in its path or body, or a POST, PUT or PATCH with it in a header; found none.`,
			`write ${PLACEHOLDER} under load in ${PROJECT_FILE} where your system takes an id that it stores, as in "POST /orders {"ref": "${PLACEHOLDER}"}".`,
		);
}

/**
 * What Compose files read of the environment reaches them, whatever else it is.
 * @param files of Compose
 * @returns a sentence for each option that would change the system too
 */
export const notesOfNames = (env: Record<string, string | undefined>, files: string[], read: (file: string) => string | null): string[] =>
	OF_FOLDER.filter((name) => env[name]).flatMap((name) => {
		const reading = files.filter((file) => new RegExp(`\\$\\{?${name}\\b`).test(read(file) ?? ''));
		if (reading.length === 0) return [];
		return [`${name} is a variable of ${reading.join(', ')} too, which has the option's value in this run; give it another name there.`];
	});
