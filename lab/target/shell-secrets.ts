/** Secrets of this shell that a Compose file takes for its services, as Compose lets any file do. */

import { parseEnv } from 'node:util';
import { NotReadyError } from '../base/errors.ts';
import { secretsOf } from '../base/secret-names.ts';
import { shell } from '../docker/bounded.ts';

/** Where a shell was, and is; only their names look as if they were secret. */
const PLACES = ['PWD', 'OLDPWD'];

/**
 * @param config as Compose has resolved the files
 * @throws {NotReadyError} naming those that are not allowed
 */
export async function refuseShellSecrets(
	config: any,
	{
		resolve,
		named = {},
		variables,
		env,
	}: {
		/** as it did, with other variables */
		resolve: (env: Record<string, string | undefined>) => Promise<any>;
		/** variables of the command itself */
		named?: Record<string, string>;
		/** that the user allows */
		variables: string[];
		/** text of `.env` */
		env: string;
	},
) {
	const own = parseEnv(env);
	const isOpen = (name: string) =>
		(shell[name] ?? '') !== '' && !Object.hasOwn(named, name) && !variables.includes(name) && own[name] !== shell[name];
	const asFiles = [config.secrets, config.configs].flatMap((part) => Object.values<any>(part ?? {})).map(({ environment }) => environment);
	const found = new Set(asFiles.filter((name) => typeof name === 'string' && isOpen(name)));
	const secrets = Object.entries(shell)
		.filter(([name, value = '']) => isOpen(name) && !PLACES.includes(name) && secretsOf(name, value).length > 0)
		.map(([name]) => name);
	const bare = bareIn(config);
	for (const name of secrets) if (bare.includes(name)) found.add(name);
	// What Compose makes of a value need not look like it: it splits commands, and makes keys of texts with "=". Only without it is anything else.
	const without = (names: string[]) =>
		resolve(Object.fromEntries(names.map((name) => [name, undefined]))).then(
			(made) => JSON.stringify(made),
			() => null,
		);
	const asGiven = secrets.length > 0 ? JSON.stringify(await resolve({})) : null;
	const isTaken = secrets.length > 0 && (await without(secrets)) !== asGiven;
	for (const name of isTaken ? secrets : []) if ((await without([name])) !== asGiven) found.add(name);
	if (found.size === 0) return;
	const names = [...found].sort();
	throw new NotReadyError(
		`The Compose file: expected no secret of this shell that you have not allowed; found that it takes ${names.join(', ')}.`,
		`add ${names.map((name) => `--allow-variable=${name}`).join(' ')} to the command, if services may have it; or unset it in this shell.`,
	);
}

/**
 * Of variables that are resolved when they are used.
 * @returns names
 */
const bareIn = ({ services = {} }: any): string[] =>
	Object.values<any>(services).flatMap(({ environment, build }) =>
		[environment, build?.args].flatMap((all) => Object.entries<any>(all ?? {}).flatMap(([name, value]) => (value === null ? [name] : []))),
	);
