/**
 * Writes npm-shrinkwrap.json, by which npm installs the package with the versions that the lab was tested with. npm runs it before it packs,
 * and removes the file afterwards: a checkout has package-lock.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Locked  a package, as a lock file has it
 * @property {string} [version]
 * @property {boolean} [dev]  only those who change the lab need it
 * @property {boolean} [hasInstallScript]
 * @property {Record<string, string>} [devDependencies]
 *
 * @typedef {{ packages: Record<string, Locked> } & Record<string, unknown>} LockFile
 */

/**
 * The lock file as a package carries it: without the packages that only development needs. npm runs the install scripts of those packages that
 * a shrinkwrap marks as having some, and of no others. None is marked, because the lab needs no such script: each only builds or
 * checks a native part that is optional.
 * @param {LockFile} lock
 * @returns {LockFile} a copy
 */
export function shrinkwrapOf({ packages, ...rest }) {
  const kept = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  return {
    ...rest,
    packages: Object.fromEntries(kept.map(([path, { hasInstallScript, devDependencies, ...locked }]) => [path, locked])),
  };
}

const root = join(import.meta.dirname, '..');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  writeFileSync(join(root, 'npm-shrinkwrap.json'), `${JSON.stringify(shrinkwrapOf(lock), null, 1)}\n`);
}
