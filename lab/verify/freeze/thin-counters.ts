/**
 * What services counted of requests, less those that are left out. Of the time that a node adds up over its good answers as large a share goes as
 * of those answers, second by second.
 */

import { RECORD, requestLogOf } from '../../base/paths.ts';
import { parseLines } from '../../base/values.ts';
import type { RecordFiles } from './files.ts';

/** HTTP: an answer that is none of an error. */
export const BAD_LEAST = 400;
const PER_MS = 1000;

export function withCounters(
	thinned: RecordFiles,
	files: RecordFiles,
	{ nodes, isDropped }: { nodes: string[]; isDropped: (id: string) => boolean },
) {
	const changed: RecordFiles = {};
	for (const node of nodes) {
		const [log, rows] = [`${RECORD.raw}/${requestLogOf(node)}`, `${RECORD.raw}/${node}.ndjson`];
		if (files[log]) changed[rows] = ofNode(files[rows], droppedIn(files[log], isDropped));
	}
	return { ...thinned, ...changed };
}

/** @returns the last line may be cut */
export const rowsOf = (text: string): any[] => parseLines(text);

export const textOf = (rows: any[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** a line of a node's log; seconds since 1970 */
type Dropped = { t: number; sign: string; status: string | undefined };

/** A node that starts again counts anew. */
function ofNode(text: string, dropped: Dropped[]) {
	let from = Number.NEGATIVE_INFINITY;
	let ok = newSums();
	const rows = rowsOf(text).map((row) => {
		if (row.event === 'start') [from, ok] = [row.t, newSums()];
		const until = dropped.filter(({ t }) => t >= from && t <= row.t);
		const ended = until.filter(({ sign }) => sign === '-');
		const less = (counted: number, gone: Dropped[]) => Math.max(0, counted - gone.length);
		const answered = Object.entries<any>(row.answered ?? {}).map(([code, counted]) => [
			code,
			less(
				counted,
				ended.filter(({ status }) => classOf(status) === code),
			),
		]);
		return {
			...row,
			received: less(
				row.received,
				until.filter(({ sign }) => sign === '+'),
			),
			...(row.answered ? { answered: Object.fromEntries(answered) } : {}),
			...(row.ok_ms ? { ok_ms: ok(row.ok_ms, ended.filter(({ status }) => Number(status) < BAD_LEAST).length) } : {}),
		};
	});
	return textOf(rows);
}

/** As a node counts what it answered: `2xx`. */
const classOf = (status: string | undefined) => `${status?.[0]}xx`;

/** a count, and milliseconds by what took them */
type Sums = Record<string, number>;

/** @returns of one reading after the other; gone: good answers that are left out by then */
function newSums(): (sums: Sums, gone: number) => Sums {
	let [before, kept] = [{ count: 0 }, { count: 0 }] as Sums[];
	return (sums, gone) => {
		const count = Math.max(kept.count, sums.count - gone);
		const gained = sums.count - before.count;
		const share = gained > 0 ? Math.min(1, (count - kept.count) / gained) : 0;
		const next = Object.fromEntries(
			Object.entries(sums).map(([name, ms]) => [
				name,
				name === 'count' ? count : Math.round(((kept[name] ?? 0) + (ms - (before[name] ?? 0)) * share) * PER_MS) / PER_MS,
			]),
		);
		[before, kept] = [sums, next];
		return next;
	};
}

/** @param log of a node's requests */
export function droppedIn(log: string, isDropped: (id: string) => boolean): Dropped[] {
	let began = 0;
	return log.split('\n').flatMap((line) => {
		const [first, ms, status] = line.split(' ');
		if (first[0] === '#') began = Number(first.slice(1));
		return ms !== undefined && isDropped(first.slice(1)) ? [{ t: (began + Number(ms)) / 1000, sign: first[0], status }] : [];
	});
}
