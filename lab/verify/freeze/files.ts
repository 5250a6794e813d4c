/** The files of a run's record, read as they are and put down again: its manifest, and all that lies in `raw/`. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fromColumns, toColumns } from '../../base/columns.ts';
import { folderInRecord, inRecord, readInRecord } from '../../base/files.ts';
import { packJson, unpackJson } from '../../base/packed-json.ts';
import { RAW, RECORD } from '../../base/paths.ts';
import { READ_MOST_BYTES, readPrivate } from '../../base/private-file.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import { gatherFacts } from '../../diagnose/ledger/facts.ts';
import type { Placement } from '../../diagnose/ledger/place.ts';
import { type PlacedTrace, placementsOf } from '../../diagnose/placements.ts';
import type { Raw } from '../../diagnose/read-raw.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import { inventoryOfTexts, withSeal } from '../../record/inventory.ts';
import { type PackedFiles, unpackFiles } from './archive.ts';
import type { Left } from './choose.ts';

/** text by path below the run's folder; of a packed file unpacked, by its name without the ending */
export type RecordFiles = Record<string, string>;

const PACKED = '.gz';
/** The record of the wire is read packed alone. */
export const WIRE = join(RECORD.raw, RAW.wire);

/** @param folder of a run */
export async function readFiles(folder: string): Promise<RecordFiles> {
	const names = (await readdir(folderInRecord(folder, RECORD.raw), { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map((entry) => join(relative(folder, entry.parentPath), entry.name));
	const files: RecordFiles = { [RECORD.manifest]: String(readPrivate(join(folder, RECORD.manifest)) ?? '') };
	for (const name of names.sort()) {
		const bytes = readInRecord(folder, name) ?? '';
		if (name.endsWith(PACKED)) files[name.slice(0, -PACKED.length)] = String(gunzipSync(bytes, { maxOutputLength: READ_MOST_BYTES }));
		else files[name] = String(bytes);
	}
	return files;
}

/** @param folder made where it is not there */
async function putFiles(folder: string, files: RecordFiles) {
	for (const [name, text] of Object.entries(files)) {
		const path = inRecord(folder, name);
		await mkdir(dirname(path), { recursive: true });
		await (name === WIRE ? writeFile(`${path}${PACKED}`, gzipSync(text, { level: 1 })) : writeFile(path, text));
	}
}

/** @param use a folder that is gone afterwards */
export async function withFiles<T>(files: RecordFiles, use: (folder: string) => Promise<T>): Promise<T> {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-frozen-'));
	try {
		await putFiles(folder, files);
		return await use(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Where the analysis of a record places each of its failed requests, by their ids. Pure. */
export type PlacedRequest = {
	id: string;
	/** service, cause, what made it many, and how each is known: in one line */
	kind: string;
};

const NOWHERE = 'nowhere';

/** @returns as they ended */
export function placedRequests(raw: Raw): PlacedRequest[] {
	const window = windowOf(raw);
	if (window === null) return [];
	return placementsOf(gatherFacts(raw, window)).map(requestOf);
}

export const requestOf = ({ trace, placement }: PlacedTrace): PlacedRequest => ({ id: trace.id, kind: kindOf(placement) });

function kindOf(placement: Placement | null) {
	if (placement === null) return NOWHERE;
	const { tier, service, cause, amplifier, where, why } = placement;
	const many = amplifier ? `, made many by ${amplifier.service} ${amplifier.cause}` : '';
	return `${tier} ${service}: ${cause}${many} (where ${where}; why ${why})`;
}

/**
 * Frozen records in the repository: a folder for each group of them, in which the files of all are one archive and their results another, because
 * they are much alike. Results change when a rule does, and the records do not.
 */
/** of one record, beside its files */
export type Frozen = {
	/** as the analysis gave it */
	result: any;
	/** its failed requests */
	placed: PlacedRequest[];
	left: Left;
};

/** by the names of its records */
export type Group = Record<string, Frozen>;

const [RECORDS, RESULTS] = ['records.br', 'results.br'];

export const isGroup = (folder: string) => existsSync(join(folder, RESULTS));

/** @returns nothing where there is no such file */
const readArchive = async (path: string): Promise<Record<string, any>> =>
	existsSync(path) ? fromColumns(await unpackJson(readPrivate(path) ?? Buffer.alloc(0))) : {};

/** @param more in the place of what has its names */
const withMore = (archive: Record<string, any>, more: Record<string, any>): Record<string, any> =>
	Object.fromEntries(Object.entries({ ...archive, ...more }).sort(([one], [other]) => one.localeCompare(other)));

const writeArchive = async (path: string, archive: Record<string, any>) => writeFileAtomic(path, await packJson(toColumns(archive)));

/**
 * Of each file what every record has of it, since these are more alike than the files of a record; and of that each record's files again.
 */
function turned<Packed>(archive: Record<string, Record<string, Packed>>): Record<string, Record<string, Packed>> {
	const other: Record<string, Record<string, Packed>> = {};
	for (const [outer, all] of Object.entries(archive))
		for (const [inner, one] of Object.entries(all)) {
			other[inner] ??= {};
			other[inner][outer] = one;
		}
	return other;
}

/** @returns how each record is unpacked, by its name */
export async function readRecords(folder: string, group: string): Promise<Map<string, () => RecordFiles>> {
	const archive: Record<string, PackedFiles> = turned(await readArchive(join(folder, group, RECORDS)));
	return new Map(Object.entries(archive).map(([name, packed]) => [name, () => sealed(unpackFiles(packed))]));
}

/** A record as the archive has it is whole, so that whatever is not as in it is damaged. */
function sealed(files: RecordFiles): RecordFiles {
	const { [RECORD.manifest]: manifest, ...others } = files;
	const raw = Object.fromEntries(Object.entries(others).map(([name, text]) => [relative(RECORD.raw, name), text]));
	const kept = inventoryOfTexts(raw).map((one) => (one.path === RAW.wire ? { ...one, path: `${RAW.wire}${PACKED}` } : one));
	const whole = withSeal({ ...JSON.parse(manifest), files: kept });
	return { [RECORD.manifest]: `${JSON.stringify(whole, null, 2)}\n`, ...others };
}

export const readGroup = (folder: string, group: string): Promise<Group> => readArchive(join(folder, group, RESULTS));

/**
 * @param frozen of records that are new, or whose result is
 * @param records files of those that are new
 */
export async function writeFrozen(folder: string, group: string, frozen: Group, records: Record<string, PackedFiles> = {}) {
	await mkdir(join(folder, group), { recursive: true });
	const [files, results] = [RECORDS, RESULTS].map((name) => join(folder, group, name));
	if (Object.keys(records).length > 0) await writeArchive(files, turned(withMore(turned(await readArchive(files)), records)));
	await writeArchive(results, withMore(await readArchive(results), frozen));
}
