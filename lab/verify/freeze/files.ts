/**
 * The files of a run's record, read as they are and put down again: its manifest, and all that lies in `raw/`.
 *
 * @typedef {Record<string, string>} RecordFiles  text by path below the run's folder; of a packed file unpacked, by its name without the ending
 */

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
import { joinedOf } from '../../diagnose/joins/joined.ts';
import { some } from '../../diagnose/joins/rules.ts';
import { gatherFacts } from '../../diagnose/ledger/facts.ts';
import { placementsOf } from '../../diagnose/placements.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { placedResult } from '../../diagnose/result.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import { wireTreesOf } from '../../diagnose/wire-requests/trees.ts';
import { inventoryOfTexts, withSeal } from '../../record/inventory.ts';
import { unpackFiles } from './archive.ts';
import { condensed } from './condensed.ts';
import { packJson, unpackJson } from './packed-json.ts';

const PACKED = '.gz';
/** The record of the wire is read packed alone. */
export const WIRE = join(RECORD.raw, RAW.wire);

/** @param {string} folder of a run @returns {Promise<RecordFiles>} */
export async function readFiles(folder) {
	const names = (await readdir(folderInRecord(folder, RECORD.raw), { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map((entry) => join(relative(folder, entry.parentPath), entry.name));
	/** @type {RecordFiles} */
	const files = { [RECORD.manifest]: String(readPrivate(join(folder, RECORD.manifest)) ?? '') };
	for (const name of names.sort()) {
		const bytes = readInRecord(folder, name) ?? '';
		if (name.endsWith(PACKED)) files[name.slice(0, -PACKED.length)] = String(gunzipSync(bytes, { maxOutputLength: READ_MOST_BYTES }));
		else files[name] = String(bytes);
	}
	return files;
}

/** @param {string} folder  made where it is not there @param {RecordFiles} files */
async function putFiles(folder, files) {
	for (const [name, text] of Object.entries(files)) {
		const path = inRecord(folder, name);
		await mkdir(dirname(path), { recursive: true });
		await (name === WIRE ? writeFile(`${path}${PACKED}`, gzipSync(text, { level: 1 })) : writeFile(path, text));
	}
}

/** @template T @param {RecordFiles} files @param {(folder: string) => Promise<T>} use  a folder that is gone afterwards @returns {Promise<T>} */
export async function withFiles(files, use) {
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
 * @param {import('./thin.ts').Whole} whole
 * @param {{ kept: Set<string>, isDropped: (id: string) => boolean, share: number }} of  share: of the requests that are kept
 * @returns {string} the lines of the record that are left
 */
export function thinWire({ files, raw, window }, { kept, isDropped, share }) {
	const wire = /** @type {import('../../wire/record.ts').WireRecord} */ (raw.wire);
	const joined = joinedOf(wire);
	const trees = wireTreesOf(raw, window, joined);
	const named = new Set(wire.calls.flatMap(({ id }) => id ?? []));
	const moments = raw.failures.filter(({ id }) => kept.has(id) && !named.has(id)).flatMap(({ t, waited_s: waited }) => [t - waited, t]);
	const ofGenerator = [...trees.calls.keys()].filter((call) => joined.lineOf(call)?.from === GENERATOR_NAME);
	const nameless = ofGenerator.filter((call) => trees.calls[call].id === undefined);
	const near = nearest(nameless, (call) => [trees.calls[call].began_at, joined.over[call] ?? Number.NaN], moments);
	const own = new Set(nameless);
	const isGone = (/** @type {number} */ call) => {
		const { id } = trees.calls[call];
		return id === undefined ? own.has(call) && !near.has(call) : isDropped(id);
	};
	/** @type {Set<number>} */
	const gone = new Set();
	// Those of the warm-up too, which are no requests of the load, and what services sent on with an id.
	for (const call of trees.calls.keys()) if (!gone.has(call) && isGone(call)) trees.eachBelow(call, (below) => gone.add(below));
	for (const call of unrequested(trees, joined, share)) gone.add(call);
	/** Calls of each connection that are left; none of one that carried some. @type {Map<number, number>} */
	const left = new Map();
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
 * @param {import('../../diagnose/wire-requests/trees.ts').Trees} trees
 * @param {import('../../diagnose/joins/joined.ts').Joined} joined
 * @param {number} share
 * @returns {number[]} those that go
 */
function unrequested(trees, { order, lineOf, question, joins: { parent } }, share) {
	/** @type {Set<number>} */
	const below = new Set();
	/** @type {Map<string, number[]>} */
	const roots = new Map();
	for (const request of trees.requests) trees.eachBelow(request, (call) => below.add(call));
	for (const call of order) {
		const line = lineOf(call);
		if (below.has(call) || parent[call] >= 0 || !line || line.from === GENERATOR_NAME) continue;
		const kind = `${line.from} ${line.to} ${question[call]}`;
		const calls = roots.get(kind) ?? [];
		roots.set(kind, calls);
		calls.push(call);
	}
	/** @type {number[]} */
	const gone = [];
	for (const calls of roots.values()) {
		const left = new Set(some(calls, fewOf(calls.length, share)));
		for (const root of calls) if (!left.has(root)) trees.eachBelow(root, (call) => gone.push(call));
	}
	return gone;
}
/**
 * @template T
 * @param {T[]} all
 * @param {(one: T) => number[]} timesOf  seconds since 1970
 * @param {number[]} moments
 * @returns {Set<T>} those that are next to any of the moments
 */
function nearest(all, timesOf, moments) {
	/** @type {Set<T>} */
	const found = new Set();
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
 * @param {import('../../diagnose/joins/joined.ts').Joined} joined
 * @param {{ isUsed: (id: number) => boolean, moments: number[], share: number }} of
 * @returns {number[]} ids of those that go
 */
function unusedGone({ lines }, { isUsed, moments, share }) {
	/** @type {Map<string, number[]>} */
	const edges = new Map();
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

/** @param {number} all @param {number} share */
const fewOf = (all, share) => Math.min(FEW_MOST, Math.max(FEW_LEAST, Math.ceil(all * share)));

/** Of a connection's row (lab/wire/rows.ts): its id, and how many calls it carried. */
const [ID_AT, CALLS_AT] = [1, 21];

/**
 * @param {string} text
 * @param {{ isCall: (number: number) => boolean, isConnection: (id: number) => boolean, less: (id: number) => number }} is  less: calls that
 *   went, of a connection
 * @returns {string}
 */
function linesLeft(text, { isCall, isConnection, less }) {
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

/**
 * Where the analysis of a record places each of its failed requests, by their ids. Pure.
 *
 * @typedef {object} PlacedRequest
 * @property {string} id
 * @property {string} kind  service, cause, what made it many, and how each is known: in one line
 */

const NOWHERE = 'nowhere';

/** @param {import('../../diagnose/read-raw.ts').Raw} raw @returns {PlacedRequest[]} as they ended */
export function placedRequests(raw) {
	const window = windowOf(raw);
	if (window === null) return [];
	return placementsOf(gatherFacts(raw, window)).map(requestOf);
}

/** @param {import('../../diagnose/placements.ts').PlacedTrace} placed @returns {PlacedRequest} */
const requestOf = ({ trace, placement }) => ({ id: trace.id, kind: kindOf(placement) });

/** @param {import('../../diagnose/ledger/place.ts').Placement | null} placement */
function kindOf(placement) {
	if (placement === null) return NOWHERE;
	const { tier, service, cause, amplifier, where, why } = placement;
	const many = amplifier ? `, made many by ${amplifier.service} ${amplifier.cause}` : '';
	return `${tier} ${service}: ${cause}${many} (where ${where}; why ${why})`;
}

/**
 * Frozen records in the repository: a folder for each group of them, in which the files of all are one archive and their results another, because
 * they are much alike. Results change when a rule does, and the records do not.
 *
 * @typedef {object} Frozen     of one record, beside its files
 * @property {any} result       as the analysis gave it
 * @property {PlacedRequest[]} placed  its failed requests
 * @property {import('./choose.ts').Left} left
 *
 * @typedef {Record<string, Frozen>} Group  by the names of its records
 */

const [RECORDS, RESULTS] = ['records.br', 'results.br'];

/** @param {string} folder */
export const isGroup = (folder) => existsSync(join(folder, RESULTS));

/** @param {string} path @returns {Promise<Record<string, any>>} nothing where there is no such file */
const readArchive = async (path) => (existsSync(path) ? fromColumns(await unpackJson(readPrivate(path) ?? Buffer.alloc(0))) : {});

/** @param {Record<string, any>} archive @param {Record<string, any>} more  in the place of what has its names @returns {Record<string, any>} */
const withMore = (archive, more) =>
	Object.fromEntries(Object.entries({ ...archive, ...more }).sort(([one], [other]) => one.localeCompare(other)));

/** @param {string} path @param {Record<string, any>} archive */
const writeArchive = async (path, archive) => writeFileAtomic(path, await packJson(toColumns(archive)));

/**
 * Of each file what every record has of it, since these are more alike than the files of a record; and of that each record's files again.
 * @template Packed
 * @param {Record<string, Record<string, Packed>>} archive
 * @returns {Record<string, Record<string, Packed>>}
 */
function turned(archive) {
	/** @type {Record<string, Record<string, Packed>>} */
	const other = {};
	for (const [outer, all] of Object.entries(archive))
		for (const [inner, one] of Object.entries(all)) {
			other[inner] ??= {};
			other[inner][outer] = one;
		}
	return other;
}

/** @param {string} folder @param {string} group @returns {Promise<Map<string, () => RecordFiles>>} how each record is unpacked, by its name */
export async function readRecords(folder, group) {
	const archive = turned(await readArchive(join(folder, group, RECORDS)));
	return new Map(Object.entries(archive).map(([name, packed]) => [name, () => sealed(unpackFiles(packed))]));
}

/** A record as the archive has it is whole, so that whatever is not as in it is damaged. @param {RecordFiles} files @returns {RecordFiles} */
function sealed(files) {
	const { [RECORD.manifest]: manifest, ...others } = files;
	const raw = Object.fromEntries(Object.entries(others).map(([name, text]) => [relative(RECORD.raw, name), text]));
	const kept = inventoryOfTexts(raw).map((one) => (one.path === RAW.wire ? { ...one, path: `${RAW.wire}${PACKED}` } : one));
	const whole = withSeal({ ...JSON.parse(manifest), files: kept });
	return { [RECORD.manifest]: `${JSON.stringify(whole, null, 2)}\n`, ...others };
}

/** @param {string} folder @param {string} group @returns {Promise<Group>} */
export const readGroup = (folder, group) => readArchive(join(folder, group, RESULTS));

/**
 * @param {string} folder
 * @param {string} group
 * @param {Group} frozen  of records that are new, or whose result is
 * @param {Record<string, import('./archive.ts').PackedFiles>} [records]  files of those that are new
 */
export async function writeFrozen(folder, group, frozen, records = {}) {
	await mkdir(join(folder, group), { recursive: true });
	const [files, results] = [RECORDS, RESULTS].map((name) => join(folder, group, name));
	if (Object.keys(records).length > 0) await writeArchive(files, turned(withMore(turned(await readArchive(files)), records)));
	await writeArchive(results, withMore(await readArchive(results), frozen));
}

/*
 * A frozen record, analysed again: what it says now, beside what it said. Who is told of the differences is not its business.
 */

/** @param {RecordFiles} files @returns {Promise<Pick<Frozen, 'result' | 'placed'>>} */
export async function frozenAgain(files) {
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
/** @param {string} figure */
const inMicroseconds = (figure) => String(Number(Number(figure).toFixed(6)));
/** Fields that moved nothing in any stored result. */
const UNREAD = [DELAY_FIELD, '"available_bytes":\\d+'].join('|');
const UNREAD_FIELD = new RegExp(`(?:${UNREAD}),|,(?:${UNREAD})(?=\\})`, 'g');
/** A shorter name is a word of its own anywhere. */
const NAME_LEAST = 5;
const SHOWN_MOST = 120;

/** @param {RecordFiles} files @returns {RecordFiles} @throws {NotReadyError} where a name is left */
export function clean(files) {
	// What its files were is made anew of those that are kept.
	const { hosts, files: _, seal: __, ...manifest } = JSON.parse(files[RECORD.manifest]);
	const cleaned = {
		...manifest,
		command: manifest.command.replace(HOSTS, ''),
		...(hosts ? { hosts: hosts.map((/** @type {any} */ { [BOOT]: _, ...host }) => host) } : {}),
	};
	const all = { ...files, [RECORD.manifest]: `${JSON.stringify(cleaned, null, 2)}\n` };
	/** Whether they are of this machine. @type {Map<string, boolean>} */
	const known = new Map();
	const isHere = (/** @type {string} */ path) => {
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

/** @param {string} name @param {string} text */
function refuseNames(name, text) {
	for (const own of [ROOT, os.hostname()]) {
		const at = own.length < NAME_LEAST ? -1 : text.indexOf(own);
		if (at < 0) continue;
		throw new NotReadyError(
			`${name}: expected nothing that names this machine; found "${text.slice(at, at + SHOWN_MOST).split('\n')[0]}".`,
			'freeze another run, whose record names no path and no host.',
		);
	}
}
