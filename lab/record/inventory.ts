/**
 * By what a run's record is known to be whole: its manifest names each file of `raw/` with its size and a digest of what is in it, and has a seal
 * of itself. A file may be packed or unpacked afterwards; what is in it is the same. Records of before have neither.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { inRecord } from '../base/files.ts';
import { openPrivate } from '../base/private-file.ts';
import { secrets } from '../base/secrets.ts';
import { filesIn } from '../base/sources.ts';

type KeptFile = {
	/** below `raw/`, as it is stored */
	path: string;
	/** unpacked */
	bytes: number;
	lines: number;
	/** of what is in it, unpacked */
	digest: string;
};

/** what of that a manifest has */
export type Sealed = { files?: KeptFile[]; seal?: string };

export const PACKED = '.gz';
/** By which a file is known, packed or not. */
export const unpackedName = (path: string) => (path.endsWith(PACKED) ? path.slice(0, -PACKED.length) : path);
const NEWLINE = 0x0a;
/** Of the files of one record, unpacked: of what claims more nobody waits for the end. */
const MOST_BYTES = 10e9;
/** Hexadecimal digits: half of SHA-256, which nothing meets by chance. */
const DIGEST_LENGTH = 32;

class Measured {
	#hash = createHash('sha256');
	bytes = 0;
	lines = 0;

	add(chunk: Buffer) {
		this.#hash.update(chunk);
		this.bytes += chunk.length;
		for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.lines += 1;
	}

	as(path: string): KeptFile {
		return { path, bytes: this.bytes, lines: this.lines, digest: this.#hash.digest('hex').slice(0, DIGEST_LENGTH) };
	}
}

/**
 * @param path of a file there, which may be packed or unpacked since
 * @param most bytes of it, unpacked, after which it is known to be another: a few of a record from elsewhere may stand for terabytes
 * @returns null where there is none; of no more than a little beyond that
 * @throws {Error} of what cannot be unpacked; a NotReadyError when a link is in its place
 */
async function measure(rawFolder: string, path: string, most = Number.POSITIVE_INFINITY): Promise<KeptFile | null> {
	const measured = new Measured();
	const name = unpackedName(path);
	const plain = openPrivate(inRecord(rawFolder, name));
	const opened = plain ?? openPrivate(inRecord(rawFolder, `${name}${PACKED}`));
	if (opened === null) return null;
	const stored = createReadStream('', { fd: opened });
	// What cannot be read ends the unpacking, which tells it.
	for await (const chunk of plain === null ? pipeline(stored, createGunzip(), () => {}) : stored) {
		measured.add(chunk);
		if (measured.bytes > most) break;
	}
	return measured.as(path);
}

/**
 * Of the record as it is now.
 * @returns by their paths
 */
export async function inventoryOf(rawFolder: string): Promise<KeptFile[]> {
	const all = [];
	for (const path of filesIn(rawFolder)) all.push((await measure(rawFolder, path)) ?? []);
	return all.flat();
}

/**
 * The same of files that are at hand.
 * @param texts by their paths below `raw/`
 */
export function inventoryOfTexts(texts: Record<string, string>): KeptFile[] {
	return Object.keys(texts)
		.sort()
		.map((path) => {
			const measured = new Measured();
			measured.add(Buffer.from(texts[path]));
			return measured.as(path);
		});
}

/** problem: the end of a sentence that begins with the path */
export type Damage = { path: string; problem: string };

/** @returns what is wrong with a file, by its name unpacked */
export async function damageIn(rawFolder: string, inventory: KeptFile[]): Promise<Map<string, Damage>> {
	const damage: Map<string, Damage> = new Map();
	let left = MOST_BYTES;
	for (const kept of inventory) {
		const note = (problem: string) => damage.set(unpackedName(kept.path), { path: kept.path, problem });
		try {
			const found = await measure(rawFolder, kept.path, Math.min(kept.bytes, left));
			left -= found?.bytes ?? 0;
			const problem = left < 0 ? `lies beyond the ${MOST_BYTES / 1e9} GB of a record that are looked at` : problemOf(kept, found);
			if (problem !== null) note(problem);
		} catch (error) {
			// Of zlib, whose words say what it met.
			if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
			note(`cannot be unpacked to its end (${(error as Error).message})`);
		}
	}
	return damage;
}

/** @returns null where it is as it was */
function problemOf(kept: KeptFile, found: KeptFile | null): string | null {
	if (found === null) return 'is missing';
	if (found.digest === kept.digest && found.bytes === kept.bytes) return null;
	if (found.bytes > kept.bytes) return 'is larger than the run left it';
	if (found.bytes === 0) return `is empty, and had ${count(kept.lines)} lines`;
	if (found.lines < kept.lines) return `has ${count(found.lines)} of its ${count(kept.lines)} lines`;
	return 'is not as the run left it';
}

const count = (value: number) => value.toLocaleString('en-US');

/** @returns with a seal of all the rest, as it is kept: without what is known to be secret */
export function withSeal<T extends object>(manifest: T): T & { seal: string } {
	const kept = JSON.parse(secrets.without(JSON.stringify(manifest)));
	return { ...kept, seal: sealOf(kept) };
}

/**
 * @param manifest as it was read
 * @returns whether nothing in it was changed; true of one of before, which has no seal
 */
export const isSealWhole = (manifest: Sealed): boolean => manifest.seal === undefined || manifest.seal === sealOf(manifest);

function sealOf(manifest: object) {
	const { seal: _, ...rest } = manifest as Sealed;
	return createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, DIGEST_LENGTH);
}
