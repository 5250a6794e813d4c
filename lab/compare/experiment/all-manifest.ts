/** What the command `experiment all` remembers: its experiments, which of them are done, and where each was begun. */
import { join, resolve } from 'node:path';
import { NotReadyError } from '../../base/errors.ts';
import { makePrivate } from '../../base/files.ts';
import { formatCommand } from '../../base/format-command.ts';
import { newFolderName, RECORD, REPORTS } from '../../base/paths.ts';
import { readPrivate } from '../../base/private-file.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import { experiments } from '../../catalog/experiments.ts';
import { acceptedBy, refuseAllBut } from '../../options/accepted-options.ts';
import { ALL } from '../../record/findings.ts';
import { claimedExperiments } from './findings.ts';

type Env = Record<string, string | undefined>;

/** the manifest */
export type All = {
	schema: 1;
	/** folder below reports/ */
	id: string;
	/** ISO 8601 */
	started: string;
	/** null while an experiment is missing */
	ended: string | null;
	/** of the command line, for every experiment */
	variables: Record<string, string>;
	/** in their order */
	experiments: Step[];
};

/** folder: below reports/, once it was begun */
export type Step = { experiment: string; folder: string | null; done: boolean };

const SCHEMA_VERSION = 1;
/** A load that every scenario knows, for a first look. */
const LOOK = 'smoke';
const TAKEN = acceptedBy('experiment all');
/** What is decided for all experiments before the first of them. */
const SETTLED = TAKEN.filter((name) => name !== 'RESUME');
/** What each experiment has of its own, or what a single comparison takes. */
const OF_EACH = [...new Set([...acceptedBy('experiment'), ...acceptedBy('compare')])].filter((name) => !TAKEN.includes(name));

/**
 * @param env REPEATS, SEED, IMAGES, LOAD=smoke
 * @throws {NotReadyError} naming what cannot be given for all of them
 */
export function newAll(env: Env): All {
	refuse(env);
	if (env.LOAD && env.LOAD !== LOOK)
		throw new NotReadyError(
			`LOAD: expected none, or ${LOOK} for a first look; found "${env.LOAD}": each experiment has its own load.`,
			'leave it out.',
		);
	return {
		schema: SCHEMA_VERSION,
		id: `${ALL}/${newFolderName()}`,
		started: new Date().toISOString(),
		ended: null,
		variables: Object.fromEntries([...SETTLED, 'IMAGES'].flatMap((name) => (env[name] ? [[name, String(env[name])]] : []))),
		experiments: claimedExperiments().map((experiment) => ({ experiment, folder: null, done: false })),
	};
}

/**
 * Arms with faults of their own keep the load that those are timed to, in a first look too.
 * @param variables of all experiments
 */
export function variablesFor(experiment: string, { LOAD: load, ...others }: Record<string, string>): Record<string, string> {
	const isTimed = experiments[experiment].arms.some(({ variables = {} }) => variables.FAULT !== undefined);
	return load === undefined || isTimed ? others : { ...others, LOAD: load };
}

function refuse(env: Env) {
	const given = OF_EACH.filter((name) => env[name]);
	if (given.length > 0)
		throw new NotReadyError(
			`experiment-all: expected no ${given.join(', ')}: each experiment has its own.`,
			`leave it out, or give it to one of them: ${formatCommand(['experiment', '<id>'])}.`,
		);
	refuseAllBut('experiment-all', TAKEN, env);
}

/**
 * @param path of the folder
 * @returns of which experiments are missing
 * @throws {NotReadyError} when it is no such folder, or nothing is missing
 */
export async function readAll(path: string, env: Env): Promise<All> {
	refuse(env);
	const settled = SETTLED.filter((name) => env[name]);
	if (settled.length > 0)
		throw new NotReadyError(`RESUME: expected no ${settled.join(', ')}: that was settled when it began.`, 'leave it out.');
	const text = readPrivate(join(resolve(path), RECORD.manifest));
	const all = text === null ? null : JSON.parse(String(text));
	if (!Array.isArray(all?.experiments) || resolve(path) !== join(REPORTS, all.id))
		throw new NotReadyError(
			`RESUME: expected the folder of a "${formatCommand(['experiment', 'all'])}" where it was begun; found ${text === null ? 'no manifest.json' : 'another manifest.json'} in ${path}.`,
			`give the folder that was named when it began, such as reports/${ALL}/...; a single experiment goes on with ${formatCommand(['experiment', '<id>'], ['RESUME=...'])}`,
		);
	if (stepsLeft(all).length === 0)
		throw new NotReadyError(`Nothing to resume: ${path} is complete.`, `"${formatCommand(['findings', path])}" writes its findings again.`);
	return all;
}

/** @returns in order, the one that was interrupted first */
export const stepsLeft = ({ experiments }: Pick<All, 'experiments'>): Step[] => experiments.filter(({ done }) => !done);

export async function saveAll(all: All) {
	const folder = join(REPORTS, all.id);
	await makePrivate(folder);
	await writeFileAtomic(join(folder, RECORD.manifest), `${JSON.stringify(all, null, 2)}\n`);
}
