/** How counters rose that can decide where a request was lost, of all services. */

import type { DatabaseFacts } from '../database-rows.ts';
import type { Raw } from '../read-raw.ts';
import { answeredBy, checkedOutBy, clearedAt, type Increments, incrementsOf, refusedBy } from './counters.ts';
import type { EntryProxy } from './hop-records.ts';
import { besideLogs } from './unread.ts';

/** Kernel counters that rules look at. */
const DECISIVE = [
	'ListenOverflows',
	'ListenDrops',
	'RetransSegs',
	'TCPTimeouts',
	'TCPSynRetrans',
	'OutRsts',
	'EstabResets',
	'EmbryonicRsts',
];

/** @returns of all counters that can decide */
export function decidingIncrements(
	raw: Pick<Raw, 'manifest' | 'kernel' | 'nodes'>,
	{
		entryProxy,
		databases,
		attempts,
	}: {
		entryProxy: EntryProxy | null;
		databases: DatabaseFacts[];
		attempts: Raw['attempts'];
	},
): Increments {
	return { ...readIncrements(raw, entryProxy, databases), ...besideLogs(raw, attempts) };
}

function readIncrements(
	{ manifest, kernel, nodes }: Pick<Raw, 'manifest' | 'kernel' | 'nodes'>,
	entryProxy: EntryProxy | null,
	databases: DatabaseFacts[],
): Increments {
	const increments: Increments = {};
	for (const { name } of manifest.services ?? []) {
		const own = kernel.filter((row) => row.name === name);
		for (const counter of DECISIVE)
			increments[`${name} ${counter}`] = incrementsOf(own.map(({ t, counters }) => ({ t, value: counters[counter] })));
	}
	for (const [counter, readings] of Object.entries(entryProxy?.counters ?? {}))
		increments[`${entryProxy?.service} ${counter}`] = incrementsOf(readings);
	for (const [name, rows] of Object.entries(nodes)) {
		increments[clearedAt(name)] = incrementsOf(rows.map(({ t, pool }) => ({ t, value: pool?.cleared })));
		increments[checkedOutBy(name)] = incrementsOf(rows.map(({ t, pool }) => ({ t, value: pool?.checkouts })));
		const counted = (error: string) => rows.map(({ t, errors }) => ({ t, value: errors?.[error] ?? 0 }));
		const errors = new Set(rows.flatMap((row) => Object.keys(row.errors ?? {})));
		for (const error of errors) increments[answeredBy(name, error)] = incrementsOf(counted(error));
	}
	for (const { name, refusals } of databases) increments[refusedBy(name ?? '')] = refusals;
	return increments;
}
