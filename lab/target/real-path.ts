/**
 * Where a path of this machine leads: each link on the way to it is followed, as the engine does when it mounts it. What is not there yet is taken by
 * its name. It is only looked at.
 */

import { lstatSync, readlinkSync, statSync } from 'node:fs';
import os from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

type Followed = {
	/** absolute, without links as far as it is there */
	real: string;
	/** links on the way, by their own paths */
	through: string[];
	/** each place on the way: what is a link there leads elsewhere */
	passed: string[];
	/** unseen: this user may not look so far; endless: its links lead in a circle, or no path is so long */
	state: 'there' | 'missing' | 'unseen' | 'endless';
};

type Kind = 'folder' | 'file' | 'socket' | 'pipe' | 'block' | 'character';

/** The kernel's own bound (MAXSYMLINKS): https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const LINKS_MOST = 40;
/** The kernel's own bound (PATH_MAX): https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const PATH_MOST = 4096;
const GONE = ['ENOENT', 'ENOTDIR'];

/**
 * @param path `~` is the home; the rest is as seen from a folder
 * @param given from: that folder; the root unless given, from which an engine sees it
 */
export function follow(path: string, { from = '/', home = os.homedir() }: { from?: string; home?: string } = {}): Followed {
	const whole = absolute(path, { from, home });
	// An engine may first take `a/..` out of it, so that it leads somewhere all the same.
	if (whole.length > PATH_MOST) return { real: '/', through: [], passed: [], state: 'endless' };
	const parts = partsOf(whole);
	const through: string[] = [];
	const passed: string[] = [];
	let state: Followed['state'] = 'there';
	let at = '/';
	while (parts.length > 0) {
		const part = parts.shift() as string;
		if (part === '..') {
			at = dirname(at);
			continue;
		}
		at = join(at, part);
		passed.push(at);
		if (state !== 'there') continue;
		const found = targetOf(at);
		if (found === null) continue;
		if (typeof found === 'object') {
			state = found.state;
			continue;
		}
		through.push(at);
		if (through.length > LINKS_MOST) return { real: at, through, passed, state: 'endless' };
		parts.unshift(...partsOf(found));
		at = isAbsolute(found) ? '/' : dirname(at);
	}
	return { real: at, through, passed, state };
}

/** with its `..`, which a link before them changes */
function absolute(path: string, { from, home }: { from: string; home: string }): string {
	const whole = path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
	return isAbsolute(whole) ? whole : `${resolve(from)}/${whole}`;
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');

/**
 * Of a link.
 * @returns null where it is none
 */
function targetOf(path: string): string | null | { state: 'missing' | 'unseen' } {
	try {
		return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
	} catch (error) {
		return { state: GONE.includes((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unseen' };
	}
}

/** By links below its folder, which a builder follows within that folder: `..` does not lead out, and `/` is the folder. */
export const leavesFolder = (path: string) => {
	const folder = follow(dirname(path)).real;
	const { through } = follow(join(folder, basename(path)));
	return through.some((link) => !isWithin(link, folder) || /^\/|(^|\/)\.\.(\/|$)/.test(readlinkSync(link)));
};

/**
 * All that a path may come to: a program that takes `..` away first gets elsewhere than the kernel where a link stands before it.
 * @returns one, or two
 */
export function waysOf(path: string, { from = '/', home = os.homedir() }: Parameters<typeof follow>[1] = {}): Followed[] {
	const whole = absolute(path, { from, home });
	const [raw, clean] = [follow(whole), follow(resolve(whole))];
	return raw.real === clean.real ? [raw] : [raw, clean];
}

/**
 * Who writes into the folder may put a link in its place.
 * @returns the last place of the way that lies there
 */
export const passedIn: (path: string, folder: string) => string | undefined = (path, folder) =>
	[follow(path), follow(resolve(path))].flatMap(({ passed }) => passed).findLast((place) => isWithin(place, folder));

/** @returns null where nothing is seen there */
export function inodeKind(path: string): Kind | null {
	const found = statOf(path);
	if (found === null) return null;
	if (found.isDirectory()) return 'folder';
	if (found.isSocket()) return 'socket';
	if (found.isBlockDevice()) return 'block';
	if (found.isCharacterDevice()) return 'character';
	return found.isFIFO() ? 'pipe' : 'file';
}

/** By which a file is known under whatever name: a second link to it, or a mount of it, has the same. */
export function inodeId(path: string): string | null {
	const found = statOf(path);
	return found === null ? null : `${found.dev}:${found.ino}`;
}

function statOf(path: string) {
	try {
		return statSync(path);
	} catch {
		return null;
	}
}

/** whether it is the folder, or lies in it; both absolute, as `follow` gives them */
export const isWithin: (path: string, folder: string) => boolean = (path, folder) =>
	path === folder || folder === '/' || path.startsWith(`${folder}/`);
