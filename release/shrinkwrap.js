/**
 * Writes npm-shrinkwrap.json, by which npm installs the package with the versions that the lab was tested with. npm runs it before it packs,
 * and removes the file afterwards: a checkout has package-lock.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ packages: Record<string, { version?: string, hasInstallScript?: boolean }> } & Record<string, unknown>} LockFile */

/**
 * The lock file as a package carries it. npm runs the install scripts of those packages that a shrinkwrap marks as having some, and of no others.
 * None is marked, because the lab needs no such script: each only builds or checks a native part that is optional.
 * @param {LockFile} lock
 * @returns {LockFile} a copy
 */
export const shrinkwrapOf = ({ packages, ...rest }) => ({
	...rest,
	packages: Object.fromEntries(Object.entries(packages).map(([path, { hasInstallScript, ...locked }]) => [path, locked])),
});

const root = join(import.meta.dirname, '..');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
	writeFileSync(join(root, 'npm-shrinkwrap.json'), `${JSON.stringify(shrinkwrapOf(lock), null, 1)}\n`);
}
