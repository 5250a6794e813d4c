/** Which Compose files a folder is run by: those that `docker compose` itself would take there. */

import { delimiter, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isSomethingAt, readIfThere } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';

/** In the order in which Compose looks for them (compose-go, cli/options.go). */
const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
/** Of these it lays the first over the file, whatever that is called. */
const OVERRIDES = ['compose.override.yml', 'compose.override.yaml', 'docker-compose.override.yml', 'docker-compose.override.yaml'];

/**
 * @param given files as the user named them; none: those that Compose finds
 * @returns in their order
 * @throws {NotReadyError} when there are none, or one is not there
 */
export function composeFilesIn(folder: string, given: string[], env: Record<string, string | undefined>): string[] {
	const named = given.length > 0 ? given : filesOfVariable(folder, env);
	const missing = named.find((file) => !isSomethingAt(resolve(folder, file)));
	if (missing !== undefined)
		throw new NotReadyError(`init: expected a Compose file "${missing}" in ${folder}; found none.`, 'correct its name.');
	if (named.length > 0) return named;
	const isThere = thereIn(folder);
	const found = NAMES.find(isThere);
	if (found !== undefined) return [found, ...OVERRIDES.filter(isThere).slice(0, 1)];
	throw new NotReadyError(
		`init: expected one of ${NAMES.join(', ')} in ${folder}; found none.`,
		'run this in the folder of a Compose file, or name its files in their order: doubletake init deploy/compose.yaml.',
	);
}

/** @param env as of composeFilesIn */
export const hasComposeFile = (folder: string, env: Record<string, string | undefined>) =>
	filesOfVariable(folder, env).length > 0 || NAMES.some(thereIn(folder));

const thereIn =
	(folder: string): ((name: string) => boolean) =>
	(name) =>
		isSomethingAt(join(folder, name));

/** Of the shell, else of `.env`. */
function filesOfVariable(folder: string, env: Record<string, string | undefined>): string[] {
	const own = parseEnv(readIfThere(join(folder, '.env')) ?? '');
	const given = (name: string) => env[name] || own[name] || '';
	const between = given('COMPOSE_PATH_SEPARATOR') || delimiter;
	return given('COMPOSE_FILE')
		.split(between)
		.filter((file) => file !== '');
}
