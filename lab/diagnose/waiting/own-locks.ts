/**
 * Locks that a client takes by a statement of its own, in no transaction: they are kept until it gives them back by another, or its connection ends.
 * Their templates stand in lab/wire/templates.ts.
 */

import type { Line, Seen } from './seen.ts';
import { GOOD, once } from './seen.ts';
import type { Transaction } from './spread.ts';

/** tables: all of them, to be read alone; named: who asks for no lock of that kind waits for none */
export type OwnLock = Transaction & { statement: string; isOfTables: boolean };

const READ_LOCK = 'FLUSH TABLES WITH READ LOCK';
/** A record from before its template told more; what follows tells whether it was a lock. */
const FLUSH = 'FLUSH';
const UNLOCK = 'UNLOCK';
/** Functions that take a lock of a name or a number, and those that give it back. */
const NAMED =
	/^(?:SELECT|DO) (?:(get_lock|pg_advisory_lock(?:_shared)?)|(release_lock|release_all_locks|pg_advisory_unlock(?:_shared|_all)?))\(\)$/;
/** Who only reads goes by them. */
const READS = new Set(['SELECT', 'SHOW', 'SET', 'PING', 'USE', 'EXPLAIN', 'DESCRIBE', 'DESC']);

/** Of any client, in the order of its connections. */
export const ownLocksTo = once((seen, service) => seen.linesTo(service).flatMap((line) => ownLocksOn(seen, line)));

function ownLocksOn({ calls, kind, began, over, sign }: Seen, line: Line): OwnLock[] {
	const found: OwnLock[] = [];
	let tables = null as { call: number; statement: string } | null;
	let named = null as { call: number; statement: string } | null;
	const add = (taken: typeof tables, to: number, isOfTables: boolean) => {
		if (taken !== null) found.push({ from: over[taken.call], to, line, statement: taken.statement, isOfTables });
	};
	for (const call of line.calls) {
		const [statement, { verb }] = [kind[call], calls[call]];
		if (sign[call] !== GOOD) continue;
		if (statement === READ_LOCK || statement === FLUSH) tables = { call, statement };
		// Then what it unlocks is what it had locked by this: why-lock.ts knows that by the connection's state.
		if (verb === 'LOCK') tables = null;
		if (verb === UNLOCK) {
			add(tables, over[call], true);
			tables = null;
		}
		const [, takes, gives] = NAMED.exec(statement) ?? [];
		if (takes !== undefined) named ??= { call, statement };
		if (gives !== undefined) {
			add(named, over[call], false);
			named = null;
		}
	}
	const { ended_at: ended } = line.connection;
	if (tables?.statement === READ_LOCK) add(tables, ended ?? Number.POSITIVE_INFINITY, true);
	// Whether it got a lock that it never gave back is not on record.
	if (ended !== null || named?.statement.includes('pg_')) add(named, ended ?? Number.POSITIVE_INFINITY, false);
	return found.toSorted((one, other) => one.from - other.from || began[one.line.calls[0]] - began[other.line.calls[0]]);
}

/** Whether a call that went on all through it may have waited for it. */
export function isKeptBy({ calls, kind }: Seen, call: number, { statement, isOfTables }: OwnLock): boolean {
	if (isOfTables) return !READS.has(calls[call].verb.toUpperCase());
	const familyOf = (text: string) => NAMED.exec(text)?.[1]?.startsWith('pg_');
	return familyOf(kind[call]) !== undefined && familyOf(kind[call]) === familyOf(statement);
}
