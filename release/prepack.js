/**
 * Makes a checkout ready to be packed: npm-shrinkwrap.json, and JavaScript beside each TypeScript file of the lab, because Node runs no types below
 * node_modules. npm runs it before it packs, and with `--undo` afterwards.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ packages: Record<string, { version?: string, hasInstallScript?: boolean }> } & Record<string, unknown>} LockFile */

/** A module of the lab, as another one names it: of an import, or of a file beside it that is started. */
const NAMED = /(['"`])((?:\.{1,2}\/|lab\/)?[\w./-]+)\.ts\1/g;

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

/**
 * @param {string} text  TypeScript whose syntax can be erased
 * @returns {string} JavaScript with the same lines
 * @throws {SyntaxError} where it cannot
 */
export const javascriptOf = (text) =>
	stripTypeScriptTypes(text)
		.replace(/[ \t]+$/gm, '')
		.replace(NAMED, '$1$2.js$1');

const sources = () =>
	globSync(['lab/**/*.ts', 'experiments/*/*.ts'], { cwd: root }).filter((file) => !/\.(?:d|test)\.ts$|\/fixtures\//.test(file));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const shrinkwrap = join(root, 'npm-shrinkwrap.json');
	const made = (/** @type {string} */ file) => join(root, file.replace(/ts$/, 'js'));
	if (process.argv.includes('--undo')) for (const path of [shrinkwrap, ...sources().map(made)]) rmSync(path, { force: true });
	else {
		writeFileSync(
			shrinkwrap,
			`${JSON.stringify(shrinkwrapOf(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))), null, 1)}\n`,
		);
		for (const file of sources()) writeFileSync(made(file), javascriptOf(readFileSync(join(root, file), 'utf8')));
	}
}
