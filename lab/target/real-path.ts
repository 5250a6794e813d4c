/**
 * Where a path of this machine leads: each link on the way to it is followed, as the engine does when it mounts it. What is not there yet is taken by
 * its name. It is only looked at.
 *
 * @typedef {object} Followed
 * @property {string} real       absolute, without links as far as it is there
 * @property {string[]} through  links on the way, by their own paths
 * @property {'there' | 'missing' | 'unseen' | 'endless'} state  unseen: this user may not look so far; endless: its links lead in a circle
 *
 * @typedef {'folder' | 'file' | 'socket' | 'pipe' | 'block' | 'character'} Kind
 */

import { lstatSync, readlinkSync, statSync } from 'node:fs';
import os from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** The kernel's own bound (MAXSYMLINKS): https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const LINKS_MOST = 40;
const GONE = ['ENOENT', 'ENOTDIR'];

/**
 * @param {string} path   `~` is the home; the rest is as seen from a folder
 * @param {{ from?: string, home?: string }} [given]  from: that folder; the root unless given, from which an engine sees it
 * @returns {Followed}
 */
export function follow(path, { from = '/', home = os.homedir() } = {}) {
	const parts = partsOf(absolute(path, { from, home }));
	/** @type {string[]} */
	const through = [];
	/** @type {Followed['state']} */
	let state = 'there';
	let at = '/';
	while (parts.length > 0) {
		const part = /** @type {string} */ (parts.shift());
		if (part === '..') {
			at = dirname(at);
			continue;
		}
		at = join(at, part);
		if (state !== 'there') continue;
		const found = targetOf(at);
		if (found === null) continue;
		if (typeof found === 'object') {
			state = found.state;
			continue;
		}
		through.push(at);
		if (through.length > LINKS_MOST) return { real: at, through, state: 'endless' };
		parts.unshift(...partsOf(found));
		at = isAbsolute(found) ? '/' : dirname(at);
	}
	return { real: at, through, state };
}

/** @type {(path: string, given: { from: string, home: string }) => string} with its `..`, which a link before them changes */
function absolute(path, { from, home }) {
	const whole = path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
	return isAbsolute(whole) ? whole : `${resolve(from)}/${whole}`;
}

/** @param {string} path */
const partsOf = (path) => path.split('/').filter((part) => part !== '' && part !== '.');

/** Of a link. @param {string} path @returns {string | null | { state: 'missing' | 'unseen' }} null where it is none */
function targetOf(path) {
	try {
		return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
	} catch (error) {
		return { state: GONE.includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '') ? 'missing' : 'unseen' };
	}
}

/**
 * All that a path may come to: a program that takes `..` away first gets elsewhere than the kernel where a link stands before it.
 * @param {string} path
 * @param {Parameters<typeof follow>[1]} [given]
 * @returns {Followed[]} one, or two
 */
export function waysOf(path, { from = '/', home = os.homedir() } = {}) {
	const whole = absolute(path, { from, home });
	const [raw, clean] = [follow(whole), follow(resolve(whole))];
	return raw.real === clean.real ? [raw] : [raw, clean];
}

/** @param {string} path @returns {Kind | null} null where nothing is seen there */
export function inodeKind(path) {
	const found = statOf(path);
	if (found === null) return null;
	if (found.isDirectory()) return 'folder';
	if (found.isSocket()) return 'socket';
	if (found.isBlockDevice()) return 'block';
	if (found.isCharacterDevice()) return 'character';
	return found.isFIFO() ? 'pipe' : 'file';
}

/** By which a file is known under whatever name: a second link to it, or a mount of it, has the same. @param {string} path @returns {string | null} */
export function inodeId(path) {
	const found = statOf(path);
	return found === null ? null : `${found.dev}:${found.ino}`;
}

/** @param {string} path */
function statOf(path) {
	try {
		return statSync(path);
	} catch {
		return null;
	}
}

/** @type {(path: string, folder: string) => boolean} whether it is the folder, or lies in it; both absolute, as `follow` gives them */
export const isWithin = (path, folder) => path === folder || folder === '/' || path.startsWith(`${folder}/`);
