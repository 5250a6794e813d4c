/**
 * Fingerprints of what two runs of a comparison must have in common: a text is not kept, and is known again. It may hold passwords, so
 * its hash is one that takes long to make: whoever has the record cannot try many guesses against it.
 */

import { scryptSync } from 'node:crypto';
import { resolve } from 'node:path';
import type { Project } from '../../catalog/project-schema.ts';
import { attachScript } from '../../load/wrapper.ts';

/** The same everywhere: comparisons are compared with each other too, to find an A/A control. */
const SALT = 'doubletake';
const BYTES = 32;

/** @param value of its JSON */
const fingerprintOf = (value: unknown): string => scryptSync(JSON.stringify(value), SALT, BYTES).toString('hex');

/**
 * Of what Compose makes of the files.
 * @param given root: the folder that is another in each checkout of a revision
 */
export const configFingerprint = (config: any, { runProject, root }: { runProject: string; root: string }) =>
	fingerprintOf(JSON.stringify(config).replaceAll(runProject, '').replaceAll(root, ''));

/**
 * Of all that doubletake.yaml says beside its Compose files, with the files in which it says what is sent.
 * @param read null where there is no such file
 * @param folder of doubletake.yaml
 * @throws {import('../../base/errors.ts').NotReadyError} when a file of the script is not there
 */
export function loadFingerprint(
	{ entry, services, edges, load, data, integrity }: Project,
	read: (path: string) => string | null,
	folder: string,
) {
	const files = load.script === undefined ? [load.openapi ?? []].flat() : attachScript({ entry: resolve(folder, load.script), read }).files;
	return fingerprintOf({ entry, services, edges, load, data, integrity, files: files.map((file) => read(resolve(folder, file))) });
}
