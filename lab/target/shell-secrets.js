/** Secrets of this shell that a Compose file takes for its services, as Compose lets any file do. */

import { parseEnv } from 'node:util';
import { NotReadyError } from '../base/errors.js';
import { secretsOf } from '../base/secret-names.js';
import { shell } from '../docker/bounded.js';
import { readConfig } from '../docker/compose.js';
import { literal } from './compose-changes.js';

/** Where a shell was, and is; only their names look as if they were secret. */
const PLACES = ['PWD', 'OLDPWD'];

/**
 * @param {any} config  as Compose has resolved the files
 * @param {object} given
 * @param {import('../docker/containers.js').System} given.system  by which it did
 * @param {string[]} given.variables  that the user allows
 * @param {string} given.env  text of `.env`
 * @throws {NotReadyError} naming those that are not allowed
 */
export async function refuseShellSecrets(config, { system, variables, env }) {
	const own = parseEnv(env);
	const isOpen = (/** @type {string} */ name) =>
		(shell[name] ?? '') !== '' && !Object.hasOwn(system.env ?? {}, name) && !variables.includes(name) && own[name] !== shell[name];
	const asFiles = [config.secrets, config.configs].flatMap((part) => Object.values(part ?? {})).map(({ environment }) => environment);
	const found = new Set(asFiles.filter((name) => typeof name === 'string' && isOpen(name)));
	const secrets = Object.entries(shell)
		.filter(([name]) => isOpen(name) && !PLACES.includes(name))
		.map(([name, value = '']) => ({ name, values: secretsOf(name, value) }));
	const bare = bareIn(config);
	for (const { name, values } of secrets) if (values.length > 0 && bare.includes(name)) found.add(name);
	const texts = textsIn(config);
	const held = secrets.filter(({ values }) => values.some((value) => texts.some((text) => text.includes(value))));
	// Another text may be the same by chance: what is taken from the shell is not there without it.
	const resolved = (/** @type {Record<string, any>} */ without) =>
		readConfig(system, without).then(
			(made) => JSON.stringify(made),
			() => null,
		);
	const asGiven = held.length > 0 ? await resolved({}) : null;
	for (const { name } of held) if ((await resolved({ [name]: undefined })) !== asGiven) found.add(name);
	if (found.size === 0) return;
	const names = [...found].sort();
	throw new NotReadyError(
		`The Compose file: expected no secret of this shell that you have not allowed; found that it takes ${names.join(', ')}.`,
		`add ${names.map((name) => `--allow-variable=${name}`).join(' ')} to the command, if services may have it; or unset it in this shell.`,
	);
}

/** Of variables that are resolved when they are used. @param {any} config @returns {string[]} names */
const bareIn = ({ services = {} }) =>
	Object.values(services).flatMap(({ environment, build }) =>
		[environment, build?.args].flatMap((all) => Object.entries(all ?? {}).flatMap(([name, value]) => (value === null ? [name] : []))),
	);

/** @param {unknown} found @returns {string[]} */
function textsIn(found) {
	if (typeof found === 'string') return [literal(found)];
	return typeof found === 'object' && found !== null ? Object.values(found).flatMap(textsIn) : [];
}
