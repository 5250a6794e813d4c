/** What nodes and balancer say of their time, summed over the good answers of each second. */

import type { RequestRecord } from '../../adapters/contract.ts';
import { sum } from '../../stats/numbers.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { nodesThatUsersReach } from '../queue.ts';
import type { Raw } from '../read-raw.ts';
import { secondOf } from './seconds.ts';
import type { BalancerSums, NodeSums } from './time-ledger.ts';
import type { Window } from './window.ts';

/**
 * @param isTimed a request is one write and one read, so that the database's own time for it is known; else its round trips stand for it
 */
export function nodeSums(raw: Raw, window: Window, isTimed: boolean = true): Map<number, NodeSums> {
	const databaseMs = databaseTimes(raw.database, window);
	const bySecond: Map<number, NodeSums> = new Map();
	for (const rows of Object.values(nodesThatUsersReach(raw))) {
		for (const [index, row] of rows.slice(1).entries()) {
			const before = rows[index];
			if (row.event === 'start' || row.ok_ms.count <= before.ok_ms.count) continue;
			const t_s = secondOf(row.t, window);
			const n = row.ok_ms.count - before.ok_ms.count;
			const sums = bySecond.get(t_s) ?? { n: 0, handler: 0, pool: 0, roundTrips: 0, database: 0 };
			sums.n += n;
			sums.handler += row.ok_ms.handler - before.ok_ms.handler;
			sums.pool += row.ok_ms.pool - before.ok_ms.pool;
			sums.roundTrips += row.ok_ms.database - before.ok_ms.database;
			// Where a queue takes the writes, nobody waits for the database.
			const worked = isTimed ? n * (databaseMs.get(t_s) ?? databaseMs.get(t_s - 1) ?? 0) : row.ok_ms.database - before.ok_ms.database;
			sums.database += raw.queued ? 0 : worked;
			bySecond.set(t_s, sums);
		}
	}
	return bySecond;
}

/** Milliseconds that the database itself worked for one request: one write and one read. Of several, by the operations that each did. */
function databaseTimes(rows: any[], window: Window): Map<number, number> {
	const names = [...new Set(rows.map(({ name }) => name))];
	if (names.length > 1) return databaseTimes(summedBySecond(names.map((name) => rows.filter((row) => row.name === name))), window);
	const answered = rows.filter((row) => row.worked);
	const meanOf = (now: any, before: any) => (now.count > before.count ? (now.us - before.us) / (now.count - before.count) / 1000 : null);
	return new Map(
		answered.slice(1).flatMap((row, index) => {
			const before = answered[index].worked;
			const [write, read] = [meanOf(row.worked.writes, before.writes), meanOf(row.worked.reads, before.reads)];
			return write === null && read === null ? [] : [[secondOf(row.t, window), (write ?? 0) + (read ?? 0)] as [number, number]];
		}),
	);
}

/**
 * Several databases as one: their work and operations, of the seconds in which all of them answered.
 * @param each rows, of each database
 */
function summedBySecond(each: any[][]) {
	const [first, ...others] = each.map((rows) => new Map(rows.filter((row) => row.worked).map((row) => [Math.round(row.t), row])));
	return [...(first ?? [])].flatMap(([second, row]) => {
		const rows = [row, ...others.map((other) => other.get(second))];
		if (rows.includes(undefined)) return [];
		const total = (kind: 'writes' | 'reads') => ({
			us: sum(rows.map(({ worked }) => worked[kind].us)),
			count: sum(rows.map(({ worked }) => worked[kind].count)),
		});
		return [{ t: row.t, worked: { writes: total('writes'), reads: total('reads') } }];
	});
}

export function balancerSums(requestRecords: RequestRecord[], window: Window): Map<number, BalancerSums> {
	const bySecond: Map<number, BalancerSums> = new Map();
	for (const { status, ended, took_ms: took } of requestRecords) {
		if (took === undefined || ended === null || status === null || status >= FIRST_BAD_STATUS) continue;
		const t_s = Math.ceil(ended - window.from);
		const sums = bySecond.get(t_s) ?? { n: 0, request: 0, upstream: 0, connect: 0 };
		sums.n += 1;
		sums.request += took.whole;
		sums.upstream += took.behind;
		sums.connect += took.connect;
		bySecond.set(t_s, sums);
	}
	return bySecond;
}

export function addUp<Sums extends Record<string, number>>(rows: (Sums | undefined)[]): Sums | null {
	const found = rows.filter(Boolean) as Sums[];
	if (found.length === 0) return null;
	return Object.fromEntries(Object.keys(found[0]).map((key) => [key, sum(found.map((row) => row[key]))])) as Sums;
}
