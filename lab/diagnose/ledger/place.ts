/**
 * Where a failed request was lost and why, and how each of the two is known.
 *
 * @typedef {'proved' | 'timed' | 'counted' | 'inferred'} Basis  proved: by a record of that very request; timed: something that is
 *   recorded happened at the same time; counted: a counter of the run rose; inferred: nothing else is left
 * @typedef {import('../../record/types.js').Tier} Tier
 * @typedef {{ tier: Tier, service: string, cause: string }} Spot
 * @typedef {Spot & { where: Basis, why: Basis, amplifier: Spot | null, finding?: import('../../record/types.js').WaitingFinding }} Placement
 *   amplifier: what made many failures of it; finding: of one that was found by following the waiting
 *
 * @typedef {import('./traces.ts').Trace} Trace
 * @typedef {import('./facts.ts').Facts} Facts
 * @typedef {import('../rule.ts').Rule} Rule
 * @typedef {{ from: number, to: number }} Span  seconds since 1970
 * @typedef {Facts & { counters: import('./counters.ts').Counters }} RuleFacts  counters: that may decide; what one failure was placed by is
 *   taken from them
 *
 * @typedef {object} Asks          what rules are asked of; those of one subject give the first answer that one of them has
 * @property {(trace: Trace) => Placement | null} generator  a failed request: what the generator says of itself
 * @property {(trace: Trace) => Placement | null} request    a failed request
 * @property {(answer: Answer) => Placement} answer          an error that a program answered
 * @property {(trace: Trace) => Placement | null} entry      a request that nobody behind the first tier has on record
 * @property {(failed: FailedAttempt) => Placement} attempt  a proxy's attempt to ask a node
 * @property {(failed: FailedAttempt) => Placement} timeout  one that the proxy gave up
 * @property {(failure: DatabaseFailure) => Placement} database  a node's failure at its database, or before it
 *
 * @typedef {Span & { node: string, answered: number, error: string, opener: string | undefined }} Answer  answered: its status; opener: id of
 *   the request whose failure opened the breaker that refused this one, where the node says so
 * @typedef {Span & { node: string, error: string, place: string }} DatabaseFailure  error: name, or empty where the request was still there
 *   (in `place`) when its client gave up
 *
 * @typedef {object} FailedAttempt
 * @property {string} node
 * @property {import('../../adapters/contract.ts').Signal | null} signal  what the proxy says of it; null where it says nothing
 * @property {import('./traces.ts').Attempt | undefined} attempt  what the node logged of it
 * @property {import('./traces.ts').Attempt[]} [others]  what all nodes logged of the request, after its user had stopped waiting too
 * @property {number} from        seconds since 1970
 * @property {number} to
 */

/**
 * @template {keyof Asks} Of
 * @template {keyof RuleFacts} Fact
 * @template {keyof Asks} [Asked=never]
 * @param {Of} of
 * @param {object} given
 * @param {string} given.id
 * @param {string[]} given.says
 * @param {Fact[]} given.facts
 * @param {Asked[]} [given.asks]
 * @param {(target: Parameters<Asks[Of]>[0], facts: Pick<RuleFacts, NoInfer<Fact>>, ask: Pick<Asks, NoInfer<Asked>>) => Placement | null} given.apply
 * @returns {Rule}
 */
export const rule = (of, { id, says, facts, asks = [], apply }) => ({ of, id, says, facts, asks, apply });

/** A connection that breaks this long before a container's end, or after it, is its end. */
export const AROUND_S = 2;

/** @type {(spot: Spot, where: Basis, why: Basis, amplifier?: Spot | null) => Placement} */
export const placed = (spot, where, why, amplifier = null) => ({ ...spot, where, why, amplifier });

/** The time in which the user waited. @param {Trace} trace */
export const whileWaiting = ({ t, waited_s }) => ({ from: t - waited_s, to: t });

/** @type {<T extends { name: string, from: number, to: number }>(times: T[], name: string, span: { from: number, to: number }, around?: number) => T | undefined} */
export const overlapping = (times, name, { from, to }, around = 0) =>
	times.find((time) => time.name === name && time.from - around < to && time.to + around > from);

/** Of the time that a request waited, from which on something that lasted so long is what it waited for; the lab's own choice. */
const MOST_SHARE = 0.5;

/** @type {(times: { name: string, from: number, to: number }[], name: string, span: { from: number, to: number }) => boolean} whether they are most of a time */
export function tookMost(times, name, { from, to }) {
	const taken = times.filter((time) => time.name === name).map((time) => Math.min(time.to, to) - Math.max(time.from, from));
	return taken.filter((seconds) => seconds > 0).reduce((sum, seconds) => sum + seconds, 0) > (to - from) * MOST_SHARE;
}

/** From its own word that it ends until it serves again. @type {(facts: Pick<Facts, 'restarts'>, name: string, span: Span) => import('./lives.ts').Restart | undefined} */
export const restartDuring = ({ restarts }, name, { from, to }) =>
	restarts.find((restart) => restart.name === name && restart.stopping - AROUND_S < to && restart.ready + AROUND_S > from);

/**
 * What a service's end is called.
 * @param {Pick<Facts, 'restarts'>} facts @param {string} name @param {Span} span @returns {string | null} null when it was there
 */
export function crashDuring(facts, name, span) {
	const restart = restartDuring(facts, name, span);
	if (!restart) return null;
	if (restart.outOfMemory) return 'out-of-memory';
	return endOf(restart.tier);
}

/** Whether it said that one of its worker processes ended; one takes with it all the requests that it had. @type {(facts: Pick<Facts, 'said'>, name: string, span: Span) => boolean} */
export const hasLostWorker = ({ said }, name, { from, to }) =>
	said.get(name)?.['worker-died']?.times.some((t) => t >= from - AROUND_S && t <= to + AROUND_S) ?? false;

/** What it is called that a service of a tier is not there. @param {string} tier */
export const endOf = (tier) =>
	({ 'load-balancer': 'balancer-down', database: 'database-down', queue: 'database-down', cache: 'database-down' })[tier] ?? 'app-crashed';
/** What a service's end may be called. */
export const ENDS = ['out-of-memory', ...new Set(['app', 'load-balancer', 'database'].map(endOf))];

/** Whether the balancer was out of descriptors or ports in a time, by its own log. @type {(facts: Pick<Facts, 'entryProxy'>, span: Span) => boolean} */
export const isExhausted = ({ entryProxy }, { from, to }) =>
	(entryProxy?.said.proxy_internal_error?.times ?? []).some((t) => t >= from - AROUND_S && t <= to + AROUND_S);

/** @type {(facts: Pick<Facts, 'tiers'>, name: string) => Tier} */
export const tierOf = ({ tiers }, name) => tiers.get(name) ?? 'app';

/** @type {(facts: Pick<RuleFacts, 'entry'>, cause: string) => Spot} */
export const atEntry = ({ entry }, cause) => ({ tier: /** @type {Tier} */ (entry.tier), service: entry.name, cause });

/** A proxy may ask an address that belongs to no service, or name a group of them. @type {(facts: Pick<Facts, 'names'>, name: string) => boolean} */
export const isService = ({ names }, name) => [...names.values()].includes(name);
