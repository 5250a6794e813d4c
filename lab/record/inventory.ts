/**
 * By what a run's record is known to be whole: its manifest names each file of `raw/` with its size and a digest of what is in it, and has a seal
 * of itself. A file may be packed or unpacked afterwards; what is in it is the same. Records of before have neither.
 *
 * @typedef {object} KeptFile
 * @property {string} path    below `raw/`, as it is stored
 * @property {number} bytes   unpacked
 * @property {number} lines
 * @property {string} digest  of what is in it, unpacked
 *
 * @typedef {{ files?: KeptFile[], seal?: string }} Sealed  what of that a manifest has
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { inRecord, openPrivate } from '../base/files.ts';
import { secrets } from '../base/secrets.ts';
import { filesIn } from '../base/sources.ts';

export const PACKED = '.gz';
/** By which a file is known, packed or not. @param {string} path */
export const unpackedName = (path) => (path.endsWith(PACKED) ? path.slice(0, -PACKED.length) : path);
const NEWLINE = 0x0a;
/** Hexadecimal digits: half of SHA-256, which nothing meets by chance. */
const DIGEST_LENGTH = 32;

class Measured {
	#hash = createHash('sha256');
	bytes = 0;
	lines = 0;

	/** @param {Buffer} chunk */
	add(chunk) {
		this.#hash.update(chunk);
		this.bytes += chunk.length;
		for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.lines += 1;
	}

	/** @param {string} path @returns {KeptFile} */
	as(path) {
		return { path, bytes: this.bytes, lines: this.lines, digest: this.#hash.digest('hex').slice(0, DIGEST_LENGTH) };
	}
}

/**
 * @param {string} rawFolder
 * @param {string} path  of a file there, which may be packed or unpacked since
 * @returns {Promise<KeptFile | null>} null where there is none
 * @throws {Error} of what cannot be unpacked; a NotReadyError when a link is in its place
 */
async function measure(rawFolder, path) {
	const measured = new Measured();
	const name = unpackedName(path);
	const plain = openPrivate(inRecord(rawFolder, name));
	const opened = plain ?? openPrivate(inRecord(rawFolder, `${name}${PACKED}`));
	if (opened === null) return null;
	const stored = createReadStream('', { fd: opened });
	// What cannot be read ends the unpacking, which tells it.
	for await (const chunk of plain === null ? pipeline(stored, createGunzip(), () => {}) : stored) measured.add(chunk);
	return measured.as(path);
}

/**
 * Of the record as it is now.
 * @param {string} rawFolder
 * @returns {Promise<KeptFile[]>} by their paths
 */
export async function inventoryOf(rawFolder) {
	const all = [];
	for (const path of filesIn(rawFolder)) all.push((await measure(rawFolder, path)) ?? []);
	return all.flat();
}

/** The same of files that are at hand. @param {Record<string, string>} texts  by their paths below `raw/` @returns {KeptFile[]} */
export function inventoryOfTexts(texts) {
	return Object.keys(texts)
		.sort()
		.map((path) => {
			const measured = new Measured();
			measured.add(Buffer.from(texts[path]));
			return measured.as(path);
		});
}

/**
 * @param {string} rawFolder
 * @param {KeptFile[]} inventory
 * @returns {Promise<Map<string, Damage>>} what is wrong with a file, by its name unpacked
 *
 * @typedef {{ path: string, problem: string }} Damage  problem: the end of a sentence that begins with the path
 */
export async function damageIn(rawFolder, inventory) {
	/** @type {Map<string, Damage>} */
	const damage = new Map();
	for (const kept of inventory) {
		const note = (/** @type {string} */ problem) => damage.set(unpackedName(kept.path), { path: kept.path, problem });
		try {
			const problem = problemOf(kept, await measure(rawFolder, kept.path));
			if (problem !== null) note(problem);
		} catch (error) {
			// Of zlib, whose words say what it met.
			if (!String(/** @type {NodeJS.ErrnoException} */ (error).code).startsWith('Z_')) throw error;
			note(`cannot be unpacked to its end (${/** @type {Error} */ (error).message})`);
		}
	}
	return damage;
}

/** @param {KeptFile} kept @param {KeptFile | null} found @returns {string | null} null where it is as it was */
function problemOf(kept, found) {
	if (found === null) return 'is missing';
	if (found.digest === kept.digest && found.bytes === kept.bytes) return null;
	if (found.bytes === 0) return `is empty, and had ${count(kept.lines)} lines`;
	if (found.lines < kept.lines) return `has ${count(found.lines)} of its ${count(kept.lines)} lines`;
	return 'is not as the run left it';
}

/** @param {number} value */
const count = (value) => value.toLocaleString('en-US');

/**
 * @template {object} T
 * @param {T} manifest
 * @returns {T & { seal: string }} with a seal of all the rest, as it is kept: without what is known to be secret
 */
export function withSeal(manifest) {
	const kept = JSON.parse(secrets.without(JSON.stringify(manifest)));
	return { ...kept, seal: sealOf(kept) };
}

/** @param {Sealed} manifest  as it was read @returns {boolean} whether nothing in it was changed; true of one of before, which has no seal */
export const isSealWhole = (manifest) => manifest.seal === undefined || manifest.seal === sealOf(manifest);

/** @param {object} manifest */
function sealOf(manifest) {
	const { seal: _, ...rest } = /** @type {Sealed} */ (manifest);
	return createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, DIGEST_LENGTH);
}
