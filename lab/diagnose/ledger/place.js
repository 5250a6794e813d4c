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
 * @typedef {import('./facts.js').Trace} Trace
 * @typedef {import('./facts.js').Facts} Facts
 * @typedef {import('../rule.js').Rule} Rule
 * @typedef {{ from: number, to: number }} Span  seconds since 1970
 * @typedef {Facts & { counters: Counters, edges: import('./topology.js').Edge[] }} RuleFacts  counters: that may decide; what one failure was
 *   placed by is taken from them
 *
 * @typedef {object} Asks          what rules are asked of; those of one subject give the first answer that one of them has
 * @property {(trace: Trace) => Placement | null} generator  a failed request: what the generator says of itself
 * @property {(trace: Trace) => Placement | null} request    a failed request
 * @property {(answer: Answer) => Placement} answer          an error that a program answered
 * @property {(trace: Trace) => Placement | null} entry      a request that nobody behind the first tier has on record
 * @property {(trace: Trace) => Placement} queue             a request that found no place in a proxy's queue
 * @property {(failed: FailedAttempt) => Placement} attempt  a proxy's attempt to ask a node
 * @property {(failed: FailedAttempt) => Placement} timeout  one that the proxy gave up
 * @property {(failure: DatabaseFailure) => Placement} database  a node's failure at its database, or before it
 * @property {(wait: Span & { node: string }) => Placement | null} wait  what a program waited for, of which it only says that it had the request
 * @property {(failure: Span & { service: string, isSlow: boolean }) => Placement | null} behind  a failure at a service that keeps no record
 *   of its requests; isSlow: it is that no answer came in time
 * @property {(held: Span & { service: string, interval: Span }) => Placement | null} held  a request at a service that gave no good answer in an interval
 *
 * @typedef {Span & { node: string, answered: number, error: string, opener: string | undefined }} Answer  answered: its status; opener: id of
 *   the request whose failure opened the breaker that refused this one, where the node says so
 * @typedef {Span & { node: string, error: string, place: string }} DatabaseFailure  error: name, or empty where the request was still there
 *   (in `place`) when its client gave up
 *
 * @typedef {object} FailedAttempt
 * @property {string} node
 * @property {import('../../adapters/contract.js').Signal | null} signal  what the proxy says of it; null where it says nothing
 * @property {import('./facts.js').Attempt | undefined} attempt  what the node logged of it
 * @property {import('./facts.js').Attempt[]} [others]  what all nodes logged of the request, after its user had stopped waiting too
 * @property {number} from        seconds since 1970
 * @property {number} to
 */

import { max, sum } from '../../stats/numbers.js';
import { answersOf, rowsOf } from '../database-rows.js';
import { lastBefore } from '../time/window.js';

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

/** From its own word that it ends until it serves again. @type {(facts: Pick<Facts, 'restarts'>, name: string, span: Span) => import('./entry-proxy.js').Restart | undefined} */
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

/** A proxy may ask an address that belongs to no service, or name a group of them. @type {(facts: Pick<Facts, 'names'>, name: string) => boolean} */
export const isService = ({ names }, name) => [...names.values()].includes(name);

/**
 * Counters that can decide where a failure belongs: what the kernel, the balancer or the database counted, and when. A failure is placed by a counter only
 * where the counter rose in its time, and never more failures than it counted.
 *
 * @typedef {{ from: number, to: number, left: number }} Increment  seconds since 1970
 */

/** How often a node's driver cleared its pool, as counters know it. @type {(node: string) => string} */
export const clearedAt = (node) => `${node} cleared`;

/** How many connections a node's pool handed out, as counters know it. @type {(node: string) => string} */
export const checkedOutBy = (node) => `${node} checked out`;

/** What a node counted of its errors, as counters know it. @type {(node: string, error: string) => string} */
export const answeredBy = (node, error) => `${node} answered ${error}`;

export class Counters {
  /** @type {Map<string, Increment[]>} */
  #increments;

  /** @param {Record<string, Increment[]>} increments by a name such as `app-1 ListenOverflows` */
  constructor(increments) {
    this.#increments = new Map(Object.entries(increments).map(([name, own]) => [name, own.map((increment) => ({ ...increment }))]));
  }

  /**
   * @param {string} name
   * @param {number} from
   * @param {number} to
   * @param {number} [leastS]  what it rose by has to have lasted for so long
   * @returns {boolean} whether it rose in that time by more than has been taken; takes one
   */
  take(name, from, to, leastS = 0) {
    const isIn = (/** @type {Increment} */ increment) =>
      increment.left > 0 && increment.to > from && increment.from < to && increment.to - increment.from >= leastS;
    const increment = this.#increments.get(name)?.find(isIn);
    if (!increment) return false;
    increment.left -= 1;
    return true;
  }

  /** When it last rose in a time. @param {string} name @param {number} from @param {number} to @returns {Increment | undefined} */
  last(name, from, to) {
    return this.#increments.get(name)?.findLast((increment) => increment.to > from && increment.from < to);
  }

  /** Whether it rose in that time at all. @param {string} name @param {number} from @param {number} to */
  rose(name, from, to) {
    return (this.#increments.get(name) ?? []).some((increment) => increment.to > from && increment.from < to);
  }

  /**
   * @param {string} name
   * @param {number} [leastS]  what it rose by has to have lasted for so long
   * @returns {number[]} moments at which it began to rise, seconds since 1970; what was taken has risen all the same
   */
  began(name, leastS = 0) {
    return (this.#increments.get(name) ?? []).filter(({ from, to }) => to - from >= leastS).map(({ from }) => from);
  }
}

/**
 * How a counter rose from reading to reading.
 * @param {{ t: number, value: number | null | undefined }[]} readings in the order of time
 * @returns {Increment[]} times in which it did not rise are left out; a counter that fell began anew
 */
export function incrementsOf(readings) {
  const known = readings.filter(({ value }) => typeof value === 'number');
  return known.slice(1).flatMap(({ t, value }, index) => {
    const before = known[index];
    const gained = Number(value) - Number(before.value);
    const left = gained < 0 ? Number(value) : gained;
    return left > 0 ? [{ from: before.t, to: t, left }] : [];
  });
}

/** By how much a counter rose in all, those of its lives together. @param {Parameters<typeof incrementsOf>[0]} readings */
const risenIn = (readings) => incrementsOf(readings).reduce((sum, { left }) => sum + left, 0);

/*
 * Whether a service had closed a connection before it read the request that was sent on it. That its log has no line of the request says so
 * where the log has each that it reads; two things beside the log may contradict it.
 */

/** What a service counted of requests that it had read and gave no answer, and has no line of, as counters know it. @param {string} node */
const unloggedAt = (node) => `${node} broke off unlogged`;
/**
 * A kernel resets a connection on which something came that nobody read. A client that finds its connection closed at once may send nothing
 * on it any more, so that there are fewer resets than requests; but where there is none at all, all that came was read.
 */
const RESETS = 'OutRsts';
/** Times of which readings tell how many it reset, as counters know them. @param {string} service */
const resetsReadAt = (service) => `${service} resets read`;
/** Both are counted once a second. */
const COUNTED_EVERY_S = 1;

/**
 * @param {Counters} counters
 * @param {{ service: string, late: import('./facts.js').Attempt[], from: number, to: number }} closed  a connection for a request that a
 *   service with a log of requests has no line of; late: what was read after the user had stopped waiting
 * @returns {boolean} false where it may have read it
 */
export function isUnread(counters, { service, late, from, to }) {
  if (late.some(({ node }) => node === service)) return false;
  if (counters.take(unloggedAt(service), from - COUNTED_EVERY_S, to + COUNTED_EVERY_S)) return false;
  // A reset from before the first reading is in it, and no rise tells of it.
  const isCounted = counters.rose(resetsReadAt(service), from - COUNTED_EVERY_S, from);
  return !isCounted || counters.rose(`${service} ${RESETS}`, from - AROUND_S, to + COUNTED_EVERY_S);
}

/**
 * What is asked beside logs of requests.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../read-raw.js').Raw['attempts']} attempts
 * @returns {Facts['increments']}
 */
export function besideLogs({ nodes, kernel }, attempts) {
  /** @type {Map<string, { t: number, value: number }[]>} */
  const readings = new Map();
  for (const { name, t, counters } of kernel) {
    const own = readings.get(name) ?? [];
    readings.set(name, own);
    if (counters?.[RESETS] !== undefined) own.push({ t, value: own.length });
  }
  const read = [...readings].map(([name, own]) => [resetsReadAt(name), incrementsOf(own)]);
  return { ...unloggedIncrements(nodes, attempts), ...Object.fromEntries(read) };
}

/** A request that came without an id is counted, and so is one whose line was lost. @type {(nodes: import('../read-raw.js').Raw['nodes'], attempts: import('../read-raw.js').Raw['attempts']) => Facts['increments']} */
function unloggedIncrements(nodes, attempts) {
  const broken = [...attempts.values()].flat().filter(({ outcome }) => outcome === 'broken');
  return Object.fromEntries(
    Object.entries(nodes).map(([name, rows]) => {
      const ends = broken.flatMap(({ node, ended }) => (node === name && ended !== null ? [ended] : [])).sort((one, other) => one - other);
      return [unloggedAt(name), incrementsOf(unlogged(rows, ends))];
    }),
  );
}

/** How many more were counted than are in the log, from reading to reading. @type {(rows: any[], ends: number[]) => { t: number, value: number }[]} */
function unlogged(rows, ends) {
  let counted = 0;
  let before = 0;
  let logged = 0;
  let most = 0;
  return rows.map(({ t, aborted }) => {
    const now = aborted ?? before;
    // A process that was started again counts anew.
    counted += now < before ? now : now - before;
    before = now;
    while (logged < ends.length && ends[logged] <= t) logged += 1;
    // A line may lie on the other side of a reading than its count.
    most = Math.max(most, counted - logged);
    return { t, value: most };
  });
}

/**
 * What the databases' own counts say of the load.
 *
 * @typedef {object} DatabaseFacts
 * @property {string | null} name
 * @property {string | null} set                     whose members have copies of the same documents; null where it stands alone
 * @property {{ before: number, after: number } | null} rejected connections that it refused
 * @property {number | null} inserts
 * @property {number | null} deletes
 * @property {number | null} operations              inserts, reads, updates and deletes
 * @property {number | null} documents               stored in the load, less those taken away again
 * @property {{ before: number | null, after: number | null }} documentsAt  documents that it had before the load and after it
 * @property {number[]} answered                     moments at which it answered its observer
 */

/**
 * @param {Pick<import('../read-raw.js').Raw, 'database' | 'databaseRefusals' | 'program'>} raw
 * @param {import('../time/window.js').Window} window
 * @param {string | null} name
 * @returns {DatabaseFacts}
 */
export function databaseFacts({ database, databaseRefusals, program }, window, name) {
  if (program) {
    const stored = sum(program.writers.map((/** @type {{ stored: number }} */ writer) => writer.stored));
    const documentsAt = { before: 0, after: stored };
    return {
      name,
      set: null,
      rejected: null,
      inserts: stored,
      deletes: 0,
      operations: stored,
      documents: stored,
      documentsAt,
      answered: [],
    };
  }
  const answered = answersOf(database, name);
  const refusals = databaseRefusals.filter((refusal) => refusal.name === name).map(({ t }) => t);
  const before = lastBefore(answered, window.from) ?? answered[0];
  const after = answered.at(-1);
  const known = before !== undefined && after !== undefined && after.t > before.t;
  const exact = rowsOf(database, name).find((row) => row.event === 'stop')?.documents_exact;
  const documentsAt = { before: before?.documents ?? null, after: exact ?? null };
  const risen = (/** @type {(row: any) => number | undefined} */ value) =>
    risenIn(answered.filter(({ t }) => t >= before.t).map((row) => ({ t: row.t, value: value(row) })));
  return {
    name,
    set: answered.at(-1)?.set ?? null,
    rejected: known ? rejectedBetween(before, after, refusals) : null,
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
 * @param {DatabaseFacts[]} databases
 * @returns {DatabaseFacts | null} null where there is none
 */
export function allOf(databases) {
  if (databases.length < 2) return databases[0] ?? null;
  const total = (/** @type {'inserts' | 'deletes' | 'operations'} */ key) => whole(databases.map((database) => database[key]));
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
    inserts: total('inserts'),
    deletes: total('deletes'),
    operations: total('operations'),
    documents: addedTo(documentsAt),
    documentsAt,
    answered: databases.flatMap(({ answered }) => answered).toSorted((one, other) => one - other),
  };
}

/** A sum, or null where a part of it is not known. @param {(number | null)[]} counts */
const whole = (counts) => (counts.includes(null) ? null : sum(counts));

/** @param {DatabaseFacts['documentsAt']} at */
const addedTo = ({ before, after }) => (before === null || after === null ? null : after - before);

/** @param {any} row */
const operationsOf = ({ operations: { insert, query = 0, update = 0, delete: deletes = 0 } }) => insert + query + update + deletes;

/** @param {any} before @param {any} after @param {number[]} logged moments */
function rejectedBetween(before, after, logged) {
  if (after.connections.refused !== undefined) return { before: before.connections.refused ?? 0, after: after.connections.refused };
  return { before: logged.filter((t) => t <= before.t).length, after: logged.length };
}
