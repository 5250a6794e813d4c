/**
 * Each failed request at a place: of a user's own system where following the waiting ends, of a shipped one by the rules for its products.
 */

import { logWords } from '../adapters/hop-counts.ts';
import { causes } from '../record/causes.ts';
import type { WireGap } from '../record/types.js';
import type { ConnectionRecord } from '../wire/connection.ts';
import { FIRST_SERVER_ERROR } from '../wire/contract.ts';
import type { WireCall, WireRecord } from '../wire/record.ts';
import { asFarAsWhole, isWhole } from './damage.ts';
import type { Joined, Lined } from './joins/joined.ts';
import { joinedOf } from './joins/joined.ts';
import type { Facts } from './ledger/facts.ts';
import type { PlacedTrace } from './ledger/ledger.ts';
import type { Basis, Placement } from './ledger/place.ts';
import type { Failed } from './ledger/traces.ts';
import { placeWaited } from './ledger/waited.ts';
import { placeAll } from './rules.ts';
import type { Followed } from './waiting/waiting.ts';
import { followAll } from './waiting/waiting.ts';
import { contradicts } from './wire-failures.ts';
import { isTouched } from './wire-gaps.ts';

export type { PlacedTrace };

/**
 * @param joined its wire
 * @returns null where it is placed by rules, and where nothing was recorded of the wire
 */
function followedIn(facts: Facts, joined: Joined | null = facts.raw.wire ? joinedOf(facts.raw.wire) : null): Followed | null {
	const { raw, window, generator, system } = facts;
	if (!system.isFollowed || !joined) return null;
	const whole = withHidden(joined, facts);
	return followAll(raw, window, { joined: whole, words: logWords, failures: generator.failed, isDamaged: !isWhole(raw) });
}

function withHidden(joined: Joined, { raw, generator, entries }: Facts) {
	const reported = withHiddenEntries(joined, { generator: generator.name, entries, failures: raw.failures });
	return reported === joined.wire ? joined : joinedOf(reported);
}

/** @returns each failed request once, in the order of their ends; null where nothing says where it failed */
export const placementsOf = (facts: Facts, followed: Followed | null = followedIn(facts)): PlacedTrace[] =>
	asFarAsWhole(placedBy(facts, followed), facts.raw);

function placedBy(facts: Facts, followed: Followed | null) {
	if (followed !== null) return placeWaited(facts, followed);
	const all = placeAll(facts);
	return facts.system.isFollowed ? all.map((placed) => onRecord(placed, facts)) : heldAgainstWire(all, facts);
}

/** With what following told; what it saw of the wire is not kept beyond it. */
export function placedIn(facts: Facts, joined: Joined | null) {
	const followed = followedIn(facts, joined);
	return { all: placementsOf(facts, followed), waiting: followed?.reported ?? null };
}

/**
 * Without the wire, only a service's own record of a request says that it went there: what happened at the same time may be none of its. Where
 * users come in at several services, that one of them has no record of it proves nothing.
 */
function onRecord({ trace, placement }: PlacedTrace, { entries }: Facts): PlacedTrace {
	const isKnown = entries.size === 1 || trace.seen !== null || trace.attempts.length > 0;
	return { trace, placement: isKnown && placement?.where === 'proved' ? placement : null };
}

/*
 * Placements that say of a request, or of its answer, that it never arrived or was not read, compared with the wire: where that lost packets of
 * the edge, or saw what is said not to have been, nothing proves it.
 */

/** @returns the same, of which some are only inferred; as they are where nothing was recorded of the wire */
export function heldAgainstWire(all: PlacedTrace[], facts: Facts): PlacedTrace[] {
	const { passed, gaps } = facts;
	if (!passed || !all.some(({ placement }) => placement && isUnarrived(placement))) return all;
	const known = new Set(passed.lined.wire.services.map(({ name }) => name));
	return all.map((one) => {
		const { trace, placement } = one;
		if (placement === null || !isUnarrived(placement)) return one;
		if (!isLost(gaps, placement.service, known) && !contradicts(passed.asked.get(trace.id), placement, trace)) return one;
		return { trace, placement: { ...placement, where: unproved(placement.where), why: unproved(placement.why) } };
	});
}

const isUnarrived = ({ cause }: Placement) => causes[cause].unarrived !== undefined;

const unproved = (basis: Basis): Basis => (basis === 'proved' ? 'inferred' : basis);

/**
 * Whether the wire may lack what came to a service, or to one of several that a placement names. Of one that is not on record it is not known
 * which edge leads there.
 */
function isLost(gaps: WireGap[], service: string, known: Set<string>) {
	const names = service.split(', ');
	return isTouched(gaps, ['dropped', 'ended'], ({ to }) => names.includes(to) || names.some((name) => !known.has(name)));
}

/*
 * Requests at an entry of which the wire cannot be read, such as one that speaks TLS: what went on from there with their ids, and the generator's
 * own account of those that failed, say when each was there and how it ended. Pure.
 */

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
