/** The files of a run's record, read as they are and put down again: its manifest, and all that lies in `raw/`. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DELAY_FIELD } from '../../adapters/complete-lines.ts';
import { NotReadyError } from '../../base/errors.ts';
import {
	folderInRecord,
	fromColumns,
	inRecord,
	READ_MOST_BYTES,
	readInRecord,
	readPrivate,
	toColumns,
	writeFileAtomic,
} from '../../base/files.ts';
import { GENERATOR_NAME, RAW, RECORD, ROOT } from '../../base/paths.ts';
import type { Joined } from '../../diagnose/joins/joined.ts';
import { joinedOf } from '../../diagnose/joins/joined.ts';
import { some } from '../../diagnose/joins/rules.ts';
import { gatherFacts } from '../../diagnose/ledger/facts.ts';
import type { Placement } from '../../diagnose/ledger/place.ts';
import type { PlacedTrace } from '../../diagnose/placements.ts';
import { placementsOf } from '../../diagnose/placements.ts';
import type { Raw } from '../../diagnose/read-raw.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { placedResult } from '../../diagnose/result.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import type { Trees } from '../../diagnose/wire-requests/trees.ts';
import { wireTreesOf } from '../../diagnose/wire-requests/trees.ts';
import { inventoryOfTexts, withSeal } from '../../record/inventory.ts';
import type { WireRecord } from '../../wire/record.ts';
import type { PackedFiles } from './archive.ts';
import { unpackFiles } from './archive.ts';
import type { Left } from './choose.ts';
import { condensed } from './condensed.ts';
import { packJson, unpackJson } from './packed-json.ts';
import type { Whole } from './thin.ts';

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

/*
 * The record of the wire without the requests that are left out: whole trees of calls go, and connections on which nothing is left.
 */

/** A request that could not connect carries no id, and is found by its time: of those that may be it, so many before it and after it. */
const NEAREST = 2;

/**
 * @param of share: of the requests that are kept
 * @returns the lines of the record that are left
 */
export function thinWire(
	{ files, raw, window }: Whole,
	{ kept, isDropped, share }: { kept: Set<string>; isDropped: (id: string) => boolean; share: number },
): string {
	const wire = raw.wire as WireRecord;
	const joined = joinedOf(wire);
	const trees = wireTreesOf(raw, window, joined);
	const named = new Set(wire.calls.flatMap(({ id }) => id ?? []));
	const moments = raw.failures.filter(({ id }) => kept.has(id) && !named.has(id)).flatMap(({ t, waited_s: waited }) => [t - waited, t]);
	const ofGenerator = [...trees.calls.keys()].filter((call) => joined.lineOf(call)?.from === GENERATOR_NAME);
	const nameless = ofGenerator.filter((call) => trees.calls[call].id === undefined);
	const near = nearest(nameless, (call) => [trees.calls[call].began_at, joined.over[call] ?? Number.NaN], moments);
	const own = new Set(nameless);
	const isGone = (call: number) => {
		const { id } = trees.calls[call];
		return id === undefined ? own.has(call) && !near.has(call) : isDropped(id);
	};
	const gone: Set<number> = new Set();
	// Those of the warm-up too, which are no requests of the load, and what services sent on with an id.
	for (const call of trees.calls.keys()) if (!gone.has(call) && isGone(call)) trees.eachBelow(call, (below) => gone.add(below));
	for (const call of unrequested(trees, joined, share)) gone.add(call);
	/** Calls of each connection that are left; none of one that carried some. */
	const left: Map<number, number> = new Map();
	for (const [call, { connection }] of trees.calls.entries()) left.set(connection, (left.get(connection) ?? 0) + (gone.has(call) ? 0 : 1));
	const reported = wire.calls.reduce(
		(less, { connection }, call) => (gone.has(call) ? less.set(connection, (less.get(connection) ?? 0) + 1) : less),
		new Map(),
	);
	const empty = new Set(unusedGone(joined, { isUsed: (id) => left.has(id), moments, share }));
	return linesLeft(files[WIRE], {
		isCall: (number) => !gone.has(number),
		isConnection: (id) => left.get(id) !== 0 && !empty.has(id),
		less: (id) => reported.get(id) ?? 0,
	});
}

/**
 * Of calls that no request of the load asked for, such as those of another client, as small a share goes on: of each edge and question some.
 * @returns those that go
 */
function unrequested(trees: Trees, { order, lineOf, question, joins: { parent } }: Joined, share: number): number[] {
	const below: Set<number> = new Set();
	const roots: Map<string, number[]> = new Map();
	for (const request of trees.requests) trees.eachBelow(request, (call) => below.add(call));
	for (const call of order) {
		const line = lineOf(call);
		if (below.has(call) || parent[call] >= 0 || !line || line.from === GENERATOR_NAME) continue;
		const kind = `${line.from} ${line.to} ${question[call]}`;
		const calls = roots.get(kind) ?? [];
		roots.set(kind, calls);
		calls.push(call);
	}
	const gone: number[] = [];
	for (const calls of roots.values()) {
		const left = new Set(some(calls, fewOf(calls.length, share)));
		for (const root of calls) if (!left.has(root)) trees.eachBelow(root, (call) => gone.push(call));
	}
	return gone;
}
/**
 * @param timesOf seconds since 1970
 * @returns those that are next to any of the moments
 */
function nearest<T>(all: T[], timesOf: (one: T) => number[], moments: number[]): Set<T> {
	const found: Set<T> = new Set();
	const timed = all.flatMap((one) => timesOf(one).flatMap((t) => (Number.isFinite(t) ? [{ one, t }] : []))).sort((a, b) => a.t - b.t);
	for (const moment of moments) {
		const after = timed.findIndex(({ t }) => t >= moment);
		const at = after < 0 ? timed.length : after;
		for (const { one } of timed.slice(Math.max(0, at - NEAREST), at + NEAREST)) found.add(one);
	}
	return found;
}

/**
 * Connections on which nothing was ever asked: those that began or ended next to a failure that is kept stay, and of each edge some.
 * @returns ids of those that go
 */
function unusedGone(
	{ lines }: Joined,
	{ isUsed, moments, share }: { isUsed: (id: number) => boolean; moments: number[]; share: number },
): number[] {
	const edges: Map<string, number[]> = new Map();
	const unused = lines.filter(({ connection }) => !isUsed(connection.id));
	const near = nearest(unused, ({ connection }) => [connection.opened_at, connection.ended_at ?? Number.NaN], moments);
	for (const line of unused) {
		if (near.has(line)) continue;
		const { connection, from, to } = line;
		const { id, outcome } = connection;
		const edge = `${from} ${to} ${outcome}`;
		const ids = edges.get(edge) ?? [];
		edges.set(edge, ids);
		ids.push(id);
	}
	return [...edges.values()].flatMap((ids) => {
		const left = new Set(some(ids, fewOf(ids.length, share)));
		return ids.filter((id) => !left.has(id));
	});
}
/** Of each kind. */
const [FEW_LEAST, FEW_MOST] = [40, 200];

const fewOf = (all: number, share: number) => Math.min(FEW_MOST, Math.max(FEW_LEAST, Math.ceil(all * share)));

/** Of a connection's row (lab/wire/rows.ts): its id, and how many calls it carried. */
const [ID_AT, CALLS_AT] = [1, 21];

/**
 * @param is less: calls that
 * went, of a connection
 */
function linesLeft(
	text: string,
	{
		isCall,
		isConnection,
		less,
	}: { isCall: (number: number) => boolean; isConnection: (id: number) => boolean; less: (id: number) => number },
): string {
	let calls = 0;
	return text
		.split('\n')
		.flatMap((line) => {
			if (line.startsWith('["call",')) return isCall(calls++) ? [line] : [];
			if (!line.startsWith('["connection",')) return [line];
			const row = JSON.parse(line);
			if (!isConnection(row[ID_AT])) return [];
			row[CALLS_AT] = Math.max(0, row[CALLS_AT] - less(row[ID_AT]));
			return [JSON.stringify(row)];
		})
		.join('\n');
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

const requestOf = ({ trace, placement }: PlacedTrace): PlacedRequest => ({ id: trace.id, kind: kindOf(placement) });

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

/*
 * A frozen record, analysed again: what it says now, beside what it said. Who is told of the differences is not its business.
 */

export async function frozenAgain(files: RecordFiles): Promise<Pick<Frozen, 'result' | 'placed'>> {
	const { result, all } = placedResult(await withFiles(files, readRaw));
	return { result: condensed(JSON.parse(JSON.stringify(result))), placed: all.map(requestOf) };
}

/*
 * A record without what names the machine that it was made on. What users said is in none: no record keeps it.
 */

/** What tells one start of a machine from another. */
const BOOT = 'boot_id';
/** Where engines of other hosts answer. */
const HOSTS = / HOSTS='[^']*'| HOSTS=\S+/;
/** Of a file in a folder. */
const PATH = /\/(?:[\w.@+-]+\/)+[\w.@+-]+/g;
/** Folders that containers have too. */
const ANYWHERE = /^\/(?:bin|dev|etc|lib|lib64|opt|proc|run|sbin|sys|usr|var)\//;
/** Finer than any figure needs that comes from them, and nothing packs them. */
const NANOSECONDS = /\b\d+\.\d{7,}(?=[,}\]])/g;
const inMicroseconds = (figure: string) => String(Number(Number(figure).toFixed(6)));
/** Fields that moved nothing in any stored result. */
const UNREAD = [DELAY_FIELD, '"available_bytes":\\d+'].join('|');
const UNREAD_FIELD = new RegExp(`(?:${UNREAD}),|,(?:${UNREAD})(?=\\})`, 'g');
/** A shorter name is a word of its own anywhere. */
const NAME_LEAST = 5;
const SHOWN_MOST = 120;

/** @throws {NotReadyError} where a name is left */
export function clean(files: RecordFiles): RecordFiles {
	// What its files were is made anew of those that are kept.
	const { hosts, files: _, seal: __, ...manifest } = JSON.parse(files[RECORD.manifest]);
	const cleaned = {
		...manifest,
		command: manifest.command.replace(HOSTS, ''),
		...(hosts ? { hosts: hosts.map(({ [BOOT]: _, ...host }: any) => host) } : {}),
	};
	const all = { ...files, [RECORD.manifest]: `${JSON.stringify(cleaned, null, 2)}\n` };
	/** Whether they are of this machine. */
	const known: Map<string, boolean> = new Map();
	const isHere = (path: string) => {
		const is = known.get(path) ?? (!ANYWHERE.test(path) && existsSync(path));
		known.set(path, is);
		return is;
	};
	return Object.fromEntries(
		Object.entries(all).map(([name, text]) => {
			const nameless = text.replace(PATH, (path) => (isHere(path) ? basename(path) : path));
			refuseNames(name, nameless);
			return [name, name.endsWith('.ndjson') ? nameless.replace(UNREAD_FIELD, '').replace(NANOSECONDS, inMicroseconds) : nameless];
		}),
	);
}

function refuseNames(name: string, text: string) {
	for (const own of [ROOT, os.hostname()]) {
		const at = own.length < NAME_LEAST ? -1 : text.indexOf(own);
		if (at < 0) continue;
		throw new NotReadyError(
			`${name}: expected nothing that names this machine; found "${text.slice(at, at + SHOWN_MOST).split('\n')[0]}".`,
			'freeze another run, whose record names no path and no host.',
		);
	}
}
