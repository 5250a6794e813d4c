/** How much of a record is kept: as little as leaves every failed request that is kept where it was placed in the whole. */

import { NotReadyError } from '../../base/errors.ts';
import { packJson } from '../../base/packed-json.ts';
import { type Raw, readRaw } from '../../diagnose/read-raw.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import type { BasisCounts, Ledger, Result, WaitingFinding } from '../../record/types.js';
import type { Move, PlacedRow, Replayed, RequestMove } from '../../report/replay-rows.ts';
import { type PackedFiles, packFiles, unpackFiles } from './archive.ts';
import { clean } from './clean.ts';
import { type PlacedRequest, placedRequests, type RecordFiles, withFiles } from './files.ts';
import { thin, type Whole } from './thin.ts';

type Chosen = {
	/** its files */
	packed: PackedFiles;
	/** that they take by themselves */
	bytes: number;
	/** what of it is read again */
	raw: Raw;
	placed: PlacedRequest[];
	left: Left;
};

/** what a fixture says of what it leaves out */
export type Left = {
	sentence: string;
	whole: { requests: number; failures: number };
	kept: { requests: number; failures: number };
	/** requests that stand elsewhere than in the whole record, one sentence for each kind; none is the rule */
	moved: string[];
};

const NONE = 'no failed request';

/** @returns most first */
function requestMoves(before: PlacedRequest[], now: PlacedRequest[]): RequestMove[] {
	const [was, is] = [before, now].map((all) => new Map(all.map(({ id, kind }) => [id, kind])));
	const moves: Map<string, RequestMove> = new Map();
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

/** Of one record by itself: that a hundred of them are light to get. */
const BYTES_MOST = 64_000;
/** Where in none so small all stay in their places. */
const BYTES_AT_MOST = 2 * BYTES_MOST;

/**
 * @param given a record as it was measured
 * @param raw the same
 * @throws {NotReadyError} where its load never began
 */
export async function choose(given: RecordFiles, raw: Raw): Promise<Chosen> {
	const window = windowOf(raw);
	if (window === null) throw new NotReadyError(`${raw.manifest.run}: expected a run whose load began.`, 'freeze another run.');
	const whole = { files: clean(given), raw, window, placed: placedRequests(raw) };
	const tried: Tried[] = [];
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

/** moved: share of the failed requests that are kept */
type Tried = Chosen & { moved: number };

async function tryOut(whole: Whole, each: number): Promise<Tried> {
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

const sizeOf = ({ written, failures, summary }: Raw) => ({
	requests: written?.written ?? summary?.metrics.lab_finished?.values.count ?? 0,
	failures: failures.length,
});

const sentenceOf = ({ whole, kept }: { whole: Left['whole']; kept: Left['kept'] }) =>
	kept.requests === whole.requests
		? 'All requests are kept. Of what services wrote, lines that name no request are kept in part.'
		: `${kept.requests} of ${whole.requests} requests are kept, ${kept.failures} of ${whole.failures} that failed. What the others left in logs and on the wire is gone, and is taken off what services counted of requests, of the time of their good answers, and of documents; of lines that name no request some of each kind are kept. All that was measured by the second is as it was, so that it tells of a larger load.`;

/** @param result of an earlier version too, which may lack what is optional */
const placedRows = ({ ledger, waiting }: Result) => [...ledgerRows(ledger), ...(waiting?.findings ?? []).map(ofFinding)];

const ledgerRows = ({ failures, unattributed }: Ledger): PlacedRow[] => [
	...failures.map(({ tier, service, cause, amplifier, count, basis }) => ({
		...{ from: 'ledger' as const, place: `${tier} ${service}`, count },
		why: amplifier ? `${cause}, made many by ${amplifier.service} ${amplifier.cause}` : cause,
		basis: `where ${countsText(basis.where)}; why ${countsText(basis.why)}`,
	})),
	...(unattributed > 0 ? [{ from: 'ledger' as const, place: 'unattributed', why: '', count: unattributed, basis: '' }] : []),
];

const ofFinding = ({ place: { service, edge }, mechanism, count, basis, why_basis: whyBasis }: WaitingFinding): PlacedRow => ({
	...{ from: 'waiting', place: edge === null ? service : `${service} (${edge.from} → ${edge.to})`, why: mechanism ?? '', count },
	basis: `where ${basis}${whyBasis === null ? '' : `; why ${whyBasis}`}`,
});

/** One alone needs no number: it is that of the row. */
function countsText(counts: BasisCounts) {
	const some = Object.entries(counts).filter(([, count]) => count > 0);
	return some.map(([name, count]) => (some.length === 1 ? name : `${name} ${count}`)).join(', ');
}

/** @returns what differs, in the order of the earlier one; none where nothing does */
function movesOf(before: PlacedRow[], now: PlacedRow[]): Move[] {
	const [earlier, later] = [before, now].map((rows) => new Map(rows.map((row) => [keyOf(row), row])));
	return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((key) => {
		const pair = { before: earlier.get(key) ?? null, now: later.get(key) ?? null };
		const { from, place, why } = (pair.before ?? pair.now) as PlacedRow;
		const isSame = pair.before?.count === pair.now?.count && pair.before?.basis === pair.now?.basis;
		return isSame ? [] : [{ from, place, why, ...pair }];
	});
}

const keyOf = ({ from, place, why }: PlacedRow) => JSON.stringify([from, place, why]);

/** Fields one in another, beyond which a difference is told of what they are in. */
const DEPTH_MOST = 3;

/**
 * @param before JSON
 * @returns which fields differ, such as `timeline[].ok_rps`, once each; none where both say the same
 */
const fieldsThatDiffer = (before: any, now: any): string[] => [...new Set(differing(before, now, '', DEPTH_MOST))];

function differing(before: any, now: any, path: string, depth: number): string[] {
	if (Object.is(before, now)) return [];
	const areRecords = [before, now].every((value) => typeof value === 'object' && value !== null);
	const areLists = Array.isArray(before) && Array.isArray(now);
	if (!areRecords || Array.isArray(before) !== Array.isArray(now)) return [path];
	if (areLists && before.length !== now.length) return [path];
	const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
	const own = (name: string) => (areLists ? `${path}[]` : path === '' ? name : `${path}.${name}`);
	return names.flatMap((name) => {
		const found = differing(before[name], now[name], own(name), areLists ? depth : depth - 1);
		return found.length > 0 && depth === 0 ? [path] : found;
	});
}

/** What a record says now, beside what it said: which failed requests are placed elsewhere, and which other fields differ. Pure. */
/** placed: each failed request, where that is stored */
export type Shown = { result: any; placed?: PlacedRequest[] };

export function differenceOf(record: string, before: Shown, now: Shown): Replayed {
	const requests = before.placed && now.placed ? requestMoves(before.placed, now.placed) : [];
	const fields = fieldsThatDiffer(before.result, now.result);
	if (requests.length === 0 && fields.length === 0) return { record, outcome: 'same' };
	const moves = movesOf(placedRows(before.result), placedRows(now.result));
	const headline = { before: String(before.result.headline), now: now.result.headline };
	return { record, outcome: 'moved', moves, requests, fields, ...(headline.before === headline.now ? {} : { headline }) };
}
