/** Where a failed request was lost and why, and how each of the two is known. */
/**
 * proved: by a record of that very request; timed: something that is
 *   recorded happened at the same time; counted: a counter of the run rose; inferred: nothing else is left
 */
export type Basis = 'proved' | 'timed' | 'counted' | 'inferred';

export type Spot = { tier: Tier; service: string; cause: string };

/** amplifier: what made many failures of it; finding: of one that was found by following the waiting */
export type Placement = Spot & { where: Basis; why: Basis; amplifier: Spot | null; finding?: WaitingFinding };

/** seconds since 1970 */
export type Span = { from: number; to: number };

/**
 * counters: that may decide; what one failure was placed by is
 * taken from them
 */
export type RuleFacts = Facts & { counters: Counters };

/** what rules are asked of; those of one subject give the first answer that one of them has */
export type Asks = {
	/** a failed request: what the generator says of itself */
	generator: (trace: Trace) => Placement | null;
	/** a failed request */
	request: (trace: Trace) => Placement | null;
	/** an error that a program answered */
	answer: (answer: Answer) => Placement;
	/** a request that nobody behind the first tier has on record */
	entry: (trace: Trace) => Placement | null;
	/** a proxy's attempt to ask a node */
	attempt: (failed: FailedAttempt) => Placement;
	/** one that the proxy gave up */
	timeout: (failed: FailedAttempt) => Placement;
	/** a node's failure at its database, or before it */
	database: (failure: DatabaseFailure) => Placement;
};

/**
 * answered: its status; opener: id of
 * the request whose failure opened the breaker that refused this one, where the node says so
 */
export type Answer = Span & { node: string; answered: number; error: string; opener: string | undefined };

/**
 * error: name, or empty where the request was still there
 * (in `place`) when its client gave up
 */
export type DatabaseFailure = Span & { node: string; error: string; place: string };

export type FailedAttempt = {
	node: string;
	/** what the proxy says of it; null where it says nothing */
	signal: Signal | null;
	/** what the node logged of it */
	attempt: Attempt | undefined;
	/** what all nodes logged of the request, after its user had stopped waiting too */
	others?: Attempt[];
	/** seconds since 1970 */
	from: number;
	to: number;
};

import type { Attempt } from '../../adapters/attempt.ts';
import type { Signal } from '../../base/signal.ts';
import type { Tier, WaitingFinding } from '../../record/types.js';
import type { Rule } from '../rule.ts';
import type { Counters } from './counters.ts';
import type { Facts } from './facts.ts';
import type { Restart } from './lives.ts';
import type { Trace } from './traces.ts';

export type { Tier, Trace, Facts };

export const rule = <Of extends keyof Asks, Fact extends keyof RuleFacts, Asked extends keyof Asks = never>(
	of: Of,
	{
		id,
		says,
		facts,
		asks = [],
		apply,
	}: {
		id: string;
		says: string[];
		facts: Fact[];
		asks?: Asked[];
		apply: (target: Parameters<Asks[Of]>[0], facts: Pick<RuleFacts, NoInfer<Fact>>, ask: Pick<Asks, NoInfer<Asked>>) => Placement | null;
	},
): Rule => ({ of, id, says, facts, asks, apply });

/** A connection that breaks this long before a container's end, or after it, is its end. */
export const AROUND_S = 2;

export const placed: (spot: Spot, where: Basis, why: Basis, amplifier?: Spot | null) => Placement = (
	spot,
	where,
	why,
	amplifier = null,
) => ({ ...spot, where, why, amplifier });

/** The time in which the user waited. */
export const whileWaiting = ({ t, waited_s }: Trace) => ({ from: t - waited_s, to: t });

export const overlapping: <T extends { name: string; from: number; to: number }>(
	times: T[],
	name: string,
	span: { from: number; to: number },
	around?: number,
) => T | undefined = (times, name, { from, to }, around = 0) =>
	times.find((time) => time.name === name && time.from - around < to && time.to + around > from);

/** Of the time that a request waited, from which on something that lasted so long is what it waited for. */
const MOST_SHARE = 0.5;

/** whether they are most of a time */
export function tookMost(
	times: { name: string; from: number; to: number }[],
	name: string,
	{ from, to }: { from: number; to: number },
): boolean {
	const taken = times.filter((time) => time.name === name).map((time) => Math.min(time.to, to) - Math.max(time.from, from));
	return taken.filter((seconds) => seconds > 0).reduce((sum, seconds) => sum + seconds, 0) > (to - from) * MOST_SHARE;
}

/** From its own word that it ends until it serves again. */
export const restartDuring: (facts: Pick<Facts, 'restarts'>, name: string, span: Span) => Restart | undefined = (
	{ restarts },
	name,
	{ from, to },
) => restarts.find((restart) => restart.name === name && restart.stopping - AROUND_S < to && restart.ready + AROUND_S > from);

/**
 * What a service's end is called.
 * @returns null when it was there
 */
export function crashDuring(facts: Pick<Facts, 'restarts'>, name: string, span: Span): string | null {
	const restart = restartDuring(facts, name, span);
	if (!restart) return null;
	if (restart.outOfMemory) return 'out-of-memory';
	return endOf(restart.tier);
}

/** Whether it said that one of its worker processes ended; one takes with it all the requests that it had. */
export const hasLostWorker: (facts: Pick<Facts, 'said'>, name: string, span: Span) => boolean = ({ said }, name, { from, to }) =>
	said.get(name)?.['worker-died']?.times.some((t) => t >= from - AROUND_S && t <= to + AROUND_S) ?? false;

/** What it is called that a service of a tier is not there. */
export const endOf = (tier: string) =>
	({ 'load-balancer': 'balancer-down', database: 'database-down', queue: 'database-down', cache: 'database-down' })[tier] ?? 'app-crashed';
/** What a service's end may be called. */
export const ENDS = ['out-of-memory', ...new Set(['app', 'load-balancer', 'database'].map(endOf))];

/** Whether the balancer was out of descriptors or ports in a time, by its own log. */
export const isExhausted: (facts: Pick<Facts, 'entryProxy'>, span: Span) => boolean = ({ entryProxy }, { from, to }) =>
	(entryProxy?.said.proxy_internal_error?.times ?? []).some((t) => t >= from - AROUND_S && t <= to + AROUND_S);

export const tierOf: (facts: Pick<Facts, 'tiers'>, name: string) => Tier = ({ tiers }, name) => tiers.get(name) ?? 'app';

export const atEntry: (facts: Pick<RuleFacts, 'entry'>, cause: string) => Spot = ({ entry }, cause) => ({
	tier: entry.tier as Tier,
	service: entry.name,
	cause,
});

/** A proxy may ask an address that belongs to no service, or name a group of them. */
export const isService: (facts: Pick<Facts, 'names'>, name: string) => boolean = ({ names }, name) => [...names.values()].includes(name);
