/**
 * Requests at an entry of which the wire cannot be read, such as one that speaks TLS: what went on from there with their ids, and the generator's
 * own account of those that failed, say when each was there and how it ended. Pure.
 */

import type { ConnectionRecord } from '../wire/connection.ts';
import { FIRST_SERVER_ERROR } from '../wire/contract.ts';
import type { WireCall, WireRecord } from '../wire/record.ts';
import type { Failed } from './joins/failed.ts';
import type { Lined } from './joins/joined.ts';

/** what was asked for one request */
type Behind = Pick<WireCall, 'verb' | 'template'> & { from: number; to: number };

/** The generator's clock has whole milliseconds. */
const CLOCK_S = 0.001;
/** How it says that it got no answer. */
const ENDS: Record<string, Pick<WireCall, 'end' | 'by'>> = {
	timeout: { end: 'given-up', by: 'client' },
	unanswered: { end: 'given-up', by: 'client' },
	reset: { end: 'reset', by: 'server' },
	eof: { end: 'closed', by: 'server' },
};

/** @returns with a call for each request that is known so; the same where all entries can be read, or pass no ids on */
export function withHiddenEntries(
	{ wire, lines, lineAt }: Lined,
	{
		generator,
		entries,
		failures,
	}: {
		/** its name */
		generator: string;
		/** names */
		entries: Set<string>;
		failures: Failed[];
	},
): WireRecord {
	const asking = lines.filter(({ from }) => from === generator);
	const askingOf = (entry: string) => asking.flatMap(({ to, connection }) => (to === entry ? [connection] : []));
	const hidden = [...entries].filter((entry) => {
		const own = askingOf(entry);
		return own.some(({ hidden_bytes: bytes }) => bytes > 0) && own.every(({ calls }) => calls === 0);
	});
	const made = hidden.flatMap((entry) => {
		const connections = askingOf(entry).filter(({ asked_at: asked }) => asked !== null);
		const began = connections.reduce((first, { opened_at: at }) => Math.min(first, at), Infinity);
		const isBehind = (call: number) => lineAt[call] >= 0 && lines[lineAt[call]].from === entry;
		const behind = askedBehind(wire, (call) => isBehind(call) && wire.calls[call].began_at >= began);
		if (behind.size === 0) return [];
		// Of several it is not known at which one was that went no further.
		const own = failures.filter(({ id }) => entries.size === 1 || behind.has(id));
		return callsOf(own, behind, connections);
	});
	return made.length === 0 ? wire : { ...wire, calls: [...wire.calls, ...made] };
}

/** By id. */
function askedBehind({ calls }: WireRecord, isOf: (call: number) => boolean): Map<string, Behind> {
	const behind: Map<string, Behind> = new Map();
	for (const [index, { id, began_at: from, ended_at: ended, verb, template }] of calls.entries()) {
		if (id === undefined || !isOf(index)) continue;
		const known = behind.get(id) ?? { from, to: ended ?? from, verb, template };
		behind.set(id, { ...known, from: Math.min(known.from, from), to: Math.max(known.to, ended ?? from) });
	}
	return behind;
}

function callsOf(failures: Failed[], behind: Map<string, Behind>, connections: ConnectionRecord[]): WireCall[] {
	const take = takerOf(connections);
	const failed = new Map(failures.map((failure) => [failure.id, failure]));
	const all = [
		...failures.flatMap((failure) => failedCall(failure, behind.get(failure.id)) ?? []),
		...[...behind].flatMap(([id, { from, to, verb, template }]) =>
			failed.has(id)
				? []
				: [
						{
							id,
							from,
							to,
							verb,
							template,
							status: 200,
							bad: false,
							end: 'answered' as const,
							by: 'server' as const,
						},
					],
		),
	];
	return all
		.toSorted((one, other) => one.from - other.from)
		.map(({ from, to, ...call }) => ({
			...call,
			...{ connection: take(from, to), began_at: from, sent_at: from, first_at: call.end === 'answered' ? to : null, ended_at: to },
			...{ code: null, sent_bytes: 0, answered_bytes: 0 },
		}));
}

/** What could not connect is told by its connection. */
function failedCall({ id, t, waited_s: waited, status, kind }: Failed, behind: Behind | undefined) {
	const ended = status > 0 ? { end: 'answered' as const, by: 'server' as const } : ENDS[kind];
	if (ended === undefined) return null;
	const from = Math.min(t - waited - CLOCK_S, behind?.from ?? t);
	const to = ended.end === 'answered' ? Math.max(t, behind?.to ?? t) : t;
	const { verb = '', template = '' } = behind ?? {};
	return { id, from, to, verb, template, status: status > 0 ? status : null, bad: status >= FIRST_SERVER_ERROR, ...ended };
}

/** @returns the id of one that was open then, free if there is one */
function takerOf(connections: ConnectionRecord[]): (from: number, to: number) => number {
	const until: Map<number, number> = new Map();
	return (from, to) => {
		const open = connections.filter(
			({ opened_at: opened, ended_at: ended }) => opened <= from + CLOCK_S && (ended === null || ended >= to - CLOCK_S),
		);
		const { id } = open.find((one) => (until.get(one.id) ?? 0) <= from) ?? open[0] ?? connections[0];
		until.set(id, to);
		return id;
	};
}
