/**
 * The shipped systems' databases: their readings, a row a second of each, by its name where there are several, and what their product is called.
 */

import type { Store, StoreReading } from '../adapters/contract.ts';
import { adapterFor } from '../adapters/registry.ts';
import { max, sum } from '../stats/numbers.ts';
import type { Increment } from './ledger/counters.ts';
import { incrementsOf, risenIn } from './ledger/counters.ts';
import type { Raw } from './read-raw.ts';
import { lastBefore } from './time/increments.ts';
import type { Window } from './time/window.ts';

/** title: as readers know it */
type StoreWords = Store & { title: string };

/**
 * @param name of a database
 * @returns in the order of time
 */
const rowsOf = (rows: StoreReading[], name: string | null): StoreReading[] =>
	rows.filter((row) => row.name === undefined || row.name === name);

type Answer = StoreReading & Required<Pick<StoreReading, 'connections'>>;

/** Those in which it answered. */
export const answersOf = (rows: StoreReading[], name: string | null): Answer[] =>
	rowsOf(rows, name).flatMap((row) => (row.connections ? [row as Answer] : []));

/** Of a database that no adapter knows, or knows no more of. */
const UNKNOWN = {
	title: 'The database',
	program: 'database',
	source: 'its own counters',
	operations: 'its own counters',
	search_s: 0,
	retry_s: 0,
};

function storeWords(database: { name: string; tier: string; product?: string } | undefined): StoreWords {
	const adapter = database ? adapterFor(database) : null;
	return { ...UNKNOWN, ...(adapter && { title: adapter.title }), ...adapter?.store };
}

/** What the databases' own counts say of the load. */
export type DatabaseFacts = {
	name: string | null;
	/** whose members have copies of the same documents; null where it stands alone */
	set: string | null;
	/** connections that it refused */
	rejected: { before: number; after: number } | null;
	/** times in which it did */
	refusals: Increment[];
	inserts: number | null;
	deletes: number | null;
	/** inserts, reads, updates and deletes */
	operations: number | null;
	/** stored in the load, less those taken away again */
	documents: number | null;
	/** documents that it had before the load and after it */
	documentsAt: { before: number | null; after: number | null };
	/** moments at which it answered its observer */
	answered: number[];
};

/** @returns all of them together, each, and what they are called */
export function databasesIn(raw: Raw, window: Window): { database: DatabaseFacts; databases: DatabaseFacts[]; store: StoreWords } {
	const services = (raw.manifest.services ?? []) as { name: string; tier: string; product?: string }[];
	const own = services.filter(({ tier }) => tier === 'database');
	const databases = own.map(({ name }) => databaseFacts(raw, window, name));
	return { database: allOf(databases) ?? databaseFacts(raw, window, null), databases, store: storeWords(own[0]) };
}

function databaseFacts(
	{ database, databaseRefusals, program }: Pick<Raw, 'database' | 'databaseRefusals' | 'program'>,
	window: Window,
	name: string | null,
): DatabaseFacts {
	if (program) {
		const stored = sum(program.writers.map((writer: { stored: number }) => writer.stored));
		const documentsAt = { before: 0, after: stored };
		return {
			name,
			set: null,
			rejected: null,
			refusals: [],
			inserts: stored,
			deletes: 0,
			operations: stored,
			documents: stored,
			documentsAt,
			answered: [],
		};
	}
	const answered = answersOf(database, name);
	const logged = databaseRefusals.filter((refusal) => refusal.name === name).map(({ t }) => t);
	const before = lastBefore(answered, window.from) ?? answered[0];
	const after = answered.at(-1);
	const known = before !== undefined && after !== undefined && after.t > before.t;
	const exact = rowsOf(database, name).find((row) => row.event === 'stop')?.documents_exact;
	const documentsAt = { before: before?.documents ?? null, after: exact ?? null };
	const risen = (value: (row: any) => number | undefined) =>
		risenIn(answered.filter(({ t }) => t >= before.t).map((row) => ({ t: row.t, value: value(row) })));
	return {
		name,
		set: answered.at(-1)?.set ?? null,
		rejected: known ? rejectedBetween(before, after, logged) : null,
		refusals: refusalsIn(answered, logged),
		inserts: known ? risen(({ operations }) => operations.insert) : null,
		operations: known ? risen(operationsOf) : null,
		deletes: known ? risen(({ operations }) => operations.delete) : null,
		documents: addedTo(documentsAt),
		documentsAt,
		answered: answered.map(({ t }) => t),
	};
}

/**
 * What several databases hold together; null where one of them does not tell.
 * @returns null where there is none
 */
function allOf(databases: DatabaseFacts[]): DatabaseFacts | null {
	if (databases.length < 2) return databases[0] ?? null;
	const total = (key: 'inserts' | 'deletes' | 'operations') => whole(databases.map((database) => database[key]));
	const rejected = databases.flatMap((database) => database.rejected ?? []);
	const { set } = databases[0];
	// Of copies of the same documents one may lag behind, before the load as after it: what the most advanced had at each moment counts.
	const together = set === null ? whole : max;
	const documentsAt = {
		before: together(databases.map((one) => one.documentsAt.before)),
		after: together(databases.map((one) => one.documentsAt.after)),
	};
	return {
		name: databases.map(({ name }) => name).join(', '),
		set,
		rejected:
			rejected.length < databases.length
				? null
				: { before: sum(rejected.map(({ before }) => before)), after: sum(rejected.map(({ after }) => after)) },
		refusals: databases.flatMap(({ refusals }) => refusals),
		inserts: total('inserts'),
		deletes: total('deletes'),
		operations: total('operations'),
		documents: addedTo(documentsAt),
		documentsAt,
		answered: databases.flatMap(({ answered }) => answered).toSorted((one, other) => one - other),
	};
}

/** A sum, or null where a part of it is not known. */
const whole = (counts: (number | null)[]) => (counts.includes(null) ? null : sum(counts));

const addedTo = ({ before, after }: DatabaseFacts['documentsAt']) => (before === null || after === null ? null : after - before);

const operationsOf = ({ operations: { insert, query = 0, update = 0, delete: deletes = 0 } }: any) => insert + query + update + deletes;

/** @param logged moments */
function rejectedBetween(before: any, after: any, logged: number[]) {
	if (after.connections.refused !== undefined) return { before: before.connections.refused ?? 0, after: after.connections.refused };
	return { before: logged.filter((t) => t <= before.t).length, after: logged.length };
}

/**
 * A newer database counts refused connections; of an older one the log has a line for each.
 * @param logged moments
 */
function refusalsIn(answered: Answer[], logged: number[]) {
	const readings = answered.map(({ t, connections }) => ({ t, value: connections.refused }));
	if (readings.some(({ value }) => value !== undefined)) return incrementsOf(readings);
	return logged.map((t) => ({ from: t - 1, to: t + 1, left: 1 }));
}
