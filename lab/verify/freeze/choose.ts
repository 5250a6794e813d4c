/**
 * How much of a record is kept: as little as leaves every failed request that is kept where it was placed in the whole.
 *
 *
 * @typedef {object} Chosen
 * @property {PackedFiles} packed  its files
 * @property {number} bytes  that they take by themselves
 * @property {Raw} raw  what of it is read again
 * @property {PlacedRequest[]} placed
 * @property {Left} left
 *
 * @typedef {object} Left      what a fixture says of what it leaves out
 * @property {string} sentence
 * @property {{ requests: number, failures: number }} whole
 * @property {{ requests: number, failures: number }} kept
 * @property {string[]} moved  requests that stand elsewhere than in the whole record, one sentence for each kind; none is the rule
 *
 * @import { Raw } from '../../diagnose/read-raw.ts'
 * @import { BasisCounts, Ledger, Result, WaitingFinding } from '../../record/types.js'
 * @import { PackedFiles } from './archive.ts'
 * @import { PlacedRequest, RecordFiles } from './files.ts'
 * @import { Whole } from './thin.ts'
 */

import { NotReadyError } from '../../base/errors.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import { packFiles, unpackFiles } from './archive.ts';
import { clean, placedRequests, withFiles } from './files.ts';
import { packJson } from './packed-json.ts';
import { thin } from './thin.ts';

/**
 * Requests that are placed elsewhere than they were, by kind. Pure.
 *
 * @typedef {{ count: number, from: string, to: string, text: string }} RequestMove
 */

const NONE = 'no failed request';

/** @param {PlacedRequest[]} before @param {PlacedRequest[]} now @returns {RequestMove[]} most first */
function requestMoves(before, now) {
	const [was, is] = [before, now].map((all) => new Map(all.map(({ id, kind }) => [id, kind])));
	/** @type {Map<string, RequestMove>} */
	const moves = new Map();
	for (const id of new Set([...was.keys(), ...is.keys()])) {
		const [from, to] = [was.get(id) ?? NONE, is.get(id) ?? NONE];
		if (from === to) continue;
		const key = `${from} → ${to}`;
		const count = (moves.get(key)?.count ?? 0) + 1;
		moves.set(key, { count, from, to, text: `${count} ${count === 1 ? 'request' : 'requests'} from ${from} to ${to}` });
	}
	return [...moves.values()].sort((one, other) => other.count - one.count);
}

/** Requests of each kind of failure that are kept at least: the first with which all stay in their places is taken. The last is all. */
const EACH = [10, 20, 40, 80, 160, Number.POSITIVE_INFINITY];
/** Where they stay in none that is small enough, fewer may move in this. */
const FEWER = 5;

/** Of one record by itself: that a hundred of them are light to get. The lab's own choice. */
const BYTES_MOST = 64_000;
/** Where in none so small all stay in their places. */
const BYTES_AT_MOST = 2 * BYTES_MOST;

/**
 * @param {RecordFiles} given  a record as it was measured
 * @param {Raw} raw  the same
 * @returns {Promise<Chosen>}
 * @throws {NotReadyError} where its load never began
 */
export async function choose(given, raw) {
	const window = windowOf(raw);
	if (window === null) throw new NotReadyError(`${raw.manifest.run}: expected a run whose load began.`, 'freeze another run.');
	const whole = { files: clean(given), raw, window, placed: placedRequests(raw) };
	/** @type {Tried[]} */
	const tried = [];
	for (const each of EACH) {
		const one = await tryOut(whole, each);
		tried.push(one);
		if (one.moved === 0 && one.bytes <= BYTES_MOST) return one;
		if (one.bytes > BYTES_AT_MOST) break;
	}
	const still = tried.find(({ moved, bytes }) => moved === 0 && bytes <= BYTES_AT_MOST);
	if (still) return still;
	tried.push(await tryOut(whole, FEWER));
	const [least] = tried.toSorted((one, other) => one.bytes - other.bytes);
	const fitting = tried.filter(({ bytes }) => bytes <= BYTES_MOST);
	const [best = least] = fitting.sort((one, other) => one.moved - other.moved);
	return best;
}

/** @typedef {Chosen & { moved: number }} Tried  moved: share of the failed requests that are kept */

/** @param {Whole} whole @param {number} each @returns {Promise<Tried>} */
async function tryOut(whole, each) {
	const packed = packFiles(thin(whole, each));
	const files = unpackFiles(packed);
	const [raw, { length: bytes }] = [await withFiles(files, readRaw), await packJson(packed)];
	const now = placedRequests(raw);
	const before = new Map(whole.placed.map(({ id, kind }) => [id, kind]));
	const moves = requestMoves(
		now.map(({ id }) => ({ id, kind: before.get(id) ?? '' })),
		now,
	);
	const sizes = { whole: sizeOf(whole.raw), kept: sizeOf(raw) };
	return {
		...{ packed, bytes, raw, placed: now, moved: now.length === 0 ? 0 : moves.reduce((total, { count }) => total + count, 0) / now.length },
		left: { sentence: sentenceOf(sizes), ...sizes, moved: moves.map(({ text }) => text) },
	};
}

/** @param {Raw} raw */
const sizeOf = ({ written, failures, summary }) => ({
	requests: written?.written ?? summary?.metrics.lab_finished?.values.count ?? 0,
	failures: failures.length,
});

/** @param {{ whole: Left['whole'], kept: Left['kept'] }} sizes */
const sentenceOf = ({ whole, kept }) =>
	kept.requests === whole.requests
		? 'All requests are kept. Of what services wrote, lines that name no request are kept in part.'
		: `${kept.requests} of ${whole.requests} requests are kept, ${kept.failures} of ${whole.failures} that failed. What the others left in logs and on the wire is gone, and is taken off what services counted of requests, of the time of their good answers, and of documents; of lines that name no request some of each kind are kept. All that was measured by the second is as it was, so that it tells of a larger load.`;

/**
 * Where a result places failed requests, in short, and what of it another analysis of the same record moved. Pure.
 *
 * @typedef {object} PlacedRow
 * @property {'ledger' | 'waiting'} from  the rows of the ledger, or what following the waiting found
 * @property {string} place  service, and of a finding the edge on which it shows
 * @property {string} why    cause or mechanism; empty where it is not on record
 * @property {number} count
 * @property {string} basis  of where and of why
 *
 * @typedef {Pick<PlacedRow, 'from' | 'place' | 'why'> & { before: PlacedRow | null, now: PlacedRow | null }} Move
 */

/** @param {Result} result  of an earlier version too, which may lack what is optional */
const placedRows = ({ ledger, waiting }) => [...ledgerRows(ledger), ...(waiting?.findings ?? []).map(ofFinding)];

/** @param {Ledger} ledger @returns {PlacedRow[]} */
const ledgerRows = ({ failures, unattributed }) => [
	...failures.map(({ tier, service, cause, amplifier, count, basis }) => ({
		...{ from: /** @type {const} */ ('ledger'), place: `${tier} ${service}`, count },
		why: amplifier ? `${cause}, made many by ${amplifier.service} ${amplifier.cause}` : cause,
		basis: `where ${countsText(basis.where)}; why ${countsText(basis.why)}`,
	})),
	...(unattributed > 0 ? [{ from: /** @type {const} */ ('ledger'), place: 'unattributed', why: '', count: unattributed, basis: '' }] : []),
];

/** @param {WaitingFinding} finding @returns {PlacedRow} */
const ofFinding = ({ place: { service, edge }, mechanism, count, basis, why_basis: whyBasis }) => ({
	...{ from: 'waiting', place: edge === null ? service : `${service} (${edge.from} → ${edge.to})`, why: mechanism ?? '', count },
	basis: `where ${basis}${whyBasis === null ? '' : `; why ${whyBasis}`}`,
});

/** One alone needs no number: it is that of the row. @param {BasisCounts} counts */
function countsText(counts) {
	const some = Object.entries(counts).filter(([, count]) => count > 0);
	return some.map(([name, count]) => (some.length === 1 ? name : `${name} ${count}`)).join(', ');
}

/**
 * @param {PlacedRow[]} before
 * @param {PlacedRow[]} now
 * @returns {Move[]} what differs, in the order of the earlier one; none where nothing does
 */
function movesOf(before, now) {
	const [earlier, later] = [before, now].map((rows) => new Map(rows.map((row) => [keyOf(row), row])));
	return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((key) => {
		const pair = { before: earlier.get(key) ?? null, now: later.get(key) ?? null };
		const { from, place, why } = /** @type {PlacedRow} */ (pair.before ?? pair.now);
		const isSame = pair.before?.count === pair.now?.count && pair.before?.basis === pair.now?.basis;
		return isSame ? [] : [{ from, place, why, ...pair }];
	});
}

/** @param {PlacedRow} row */
const keyOf = ({ from, place, why }) => JSON.stringify([from, place, why]);

/** Fields one in another, beyond which a difference is told of what they are in. */
const DEPTH_MOST = 3;

/**
 * @param {any} before  JSON
 * @param {any} now
 * @returns {string[]} which fields differ, such as `timeline[].ok_rps`, once each; none where both say the same
 */
const fieldsThatDiffer = (before, now) => [...new Set(differing(before, now, '', DEPTH_MOST))];

/** @param {any} before @param {any} now @param {string} path @param {number} depth @returns {string[]} */
function differing(before, now, path, depth) {
	if (Object.is(before, now)) return [];
	const areRecords = [before, now].every((value) => typeof value === 'object' && value !== null);
	const areLists = Array.isArray(before) && Array.isArray(now);
	if (!areRecords || Array.isArray(before) !== Array.isArray(now)) return [path];
	if (areLists && before.length !== now.length) return [path];
	const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
	const own = (/** @type {string} */ name) => (areLists ? `${path}[]` : path === '' ? name : `${path}.${name}`);
	return names.flatMap((name) => {
		const found = differing(before[name], now[name], own(name), areLists ? depth : depth - 1);
		return found.length > 0 && depth === 0 ? [path] : found;
	});
}

/**
 * What a record says now, beside what it said: which failed requests are placed elsewhere, and which other fields differ. Pure.
 *
 * @typedef {{ result: any, placed?: PlacedRequest[] }} Shown  placed: each failed request, where that is stored
 *
 * @typedef {object} Replayed
 * @property {string} record
 * @property {'same' | 'moved' | 'unread' | 'failed'} outcome  unread: an earlier version wrote it, or it is not whole; failed: the analysis did
 * @property {string} [reason]   of one that is unread or failed
 * @property {Move[]} [moves]    of one that moved
 * @property {RequestMove[]} [requests]  of a frozen one that moved
 * @property {string[]} [fields] of one that moved, all that differ
 * @property {{ before: string, now: string }} [headline]  of one that moved, where it has another
 */

/** @param {string} record @param {Shown} before @param {Shown} now @returns {Replayed} */
export function differenceOf(record, before, now) {
	const requests = before.placed && now.placed ? requestMoves(before.placed, now.placed) : [];
	const fields = fieldsThatDiffer(before.result, now.result);
	if (requests.length === 0 && fields.length === 0) return { record, outcome: 'same' };
	const moves = movesOf(placedRows(before.result), placedRows(now.result));
	const headline = { before: String(before.result.headline), now: now.result.headline };
	return { record, outcome: 'moved', moves, requests, fields, ...(headline.before === headline.now ? {} : { headline }) };
}
