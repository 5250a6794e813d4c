/**
 * The ledger: every failed request on one tier and one cause, how each is known, and the counts of every tier beside each
 * other.
 */

import { adapterFor } from '../../adapters/registry.js';
import { causes } from '../../record/causes.js';
import { count, many } from '../../stats/figure-words.js';
import { measuredSystem } from '../measured-system.js';
import { ledgerAsks } from '../rules.js';
import { evidenceOf, ofGenerator } from './evidence.js';
import { nearMissesOf } from './near-misses.js';
import { checksOf, edgesOf, hopCounts } from './topology.js';
import { readingsOf, titleOf } from './waited.js';

/*
 * The chain from a trigger to the failures that an amplifier made of it, in a sentence.
 */

/**
 * @param {{ placement: import('./place.js').Placement, traces: import('./place.js').Trace[] }} group
 * @param {import('./facts.js').Facts} facts
 * @returns {string | null} null where nothing amplified it
 */
export function chainOf({ placement, traces }, facts) {
  const { service, cause, amplifier } = placement;
  if (!amplifier) return null;
  const trigger = `${service.replaceAll(', ', ' and ')}: ${causes[cause].title}`;
  if (amplifier.cause === 'no-live-upstream') {
    const { ejections = [], ejected_s: seconds = null } = facts.entryProxy ?? {};
    const forS = seconds === null ? '' : ` for ${seconds} s at a time`;
    return `${trigger}. ${amplifier.service} then left nodes out${forS} (${many(ejections.length, 'time')}), and turned ${many(traces.length, 'request')} away while none was left.`;
  }
  return `${trigger}. In ${amplifier.service} ${many(traces.length, 'request')} failed of it: ${causes[amplifier.cause].title}.`;
}

/*
 * What became of the writes: what users were told, against what the database holds.
 */

/**
 * A document is acknowledged when k6 had a good answer for it. By id with INTEGRITY=1, else by count. What is not in a list of ids that may lack
 * some is not lost.
 * @param {import('./facts.js').Facts} facts
 * @returns {import('../../record/types.js').Writes}
 */
export function writesOf({ generator, database, raw }) {
  if (raw.manifest.integrity) {
    const { isStoredWhole, isAcknowledgedWhole } = idsOf({ generator, database, raw });
    const writes = writesById(raw.acknowledgedIds, raw.documentIds);
    return isStoredWhole ? knownById(writes, isAcknowledgedWhole) : unknownBy(raw.acknowledgedIds);
  }
  if (database.name === null) return { acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null };
  const acknowledged = generator.created;
  const persisted = database.documents === null ? null : database.documents + (database.deletes ?? 0);
  if (persisted === null) return { acknowledged, persisted: null, unacknowledged: null, lost: null, duplicated: null };
  return {
    acknowledged,
    persisted,
    unacknowledged: Math.max(0, persisted - acknowledged),
    lost: Math.max(0, acknowledged - persisted),
    duplicated: null,
  };
}

/**
 * Whether the ids of what is stored are all, and those of good answers. A shipped database's observer counts the documents when it has written down
 * all of their ids, and each good answer leaves one. Of a user's own system the lab has read them, and some requests alone leave one: each good
 * answer to these is on record where k6's users wrote down as many requests as k6 counted.
 * @param {Pick<import('./facts.js').Facts, 'generator' | 'database' | 'raw'>} facts
 */
function idsOf({ generator, database, raw: { manifest, documentIds, acknowledgedIds, written } }) {
  if (measuredSystem(manifest).isFollowed)
    return {
      isStoredWhole: manifest.stored_ids?.is_whole ?? false,
      isAcknowledgedWhole: written !== null && written.written === written.counted,
    };
  const held = database.documentsAt.after;
  return {
    isStoredWhole: held !== null && (documentIds.length > 0 || held === 0),
    isAcknowledgedWhole: new Set(acknowledgedIds).size >= generator.created,
  };
}

/** @param {string[]} acknowledgedIds @returns {import('../../record/types.js').Writes} */
const unknownBy = (acknowledgedIds) => ({
  acknowledged: new Set(acknowledgedIds).size,
  ...{ persisted: null, unacknowledged: null, lost: null, duplicated: null },
});

/**
 * Of good answers whose ids are not on record nobody knows: that none of the others is lost does not say that none is.
 * @param {import('../../record/types.js').Writes} writes
 * @param {boolean} isWhole  all of them are
 */
const knownById = (writes, isWhole) => (writes.lost === 0 && !isWhole ? { ...writes, lost: null } : writes);

/**
 * @param {string[]} acknowledgedIds
 * @param {string[]} documentIds
 * @returns {import('../../record/types.js').Writes}
 */
export function writesById(acknowledgedIds, documentIds) {
  const acknowledged = new Set(acknowledgedIds);
  const persisted = new Set(documentIds);
  return {
    acknowledged: acknowledged.size,
    persisted: persisted.size,
    unacknowledged: [...persisted].filter((id) => !acknowledged.has(id)).length,
    lost: [...acknowledged].filter((id) => !persisted.has(id)).length,
    duplicated: documentIds.length - persisted.size,
  };
}

/** @typedef {{ trace: import('./place.js').Trace, placement: import('./place.js').Placement | null }} PlacedTrace */

/**
 * @param {import('./facts.js').Facts} facts
 * @returns {PlacedTrace[]} each failed request once, in the order of their ends; null where no rule took it
 */
export function placeAll(facts) {
  const ask = ledgerAsks(facts);
  return facts.traces.map((trace) => ({ trace, placement: ask.generator(trace) ?? ask.request(trace) }));
}

/**
 * @param {import('./facts.js').Facts} facts
 * @param {PlacedTrace[]} [all]
 * @returns {import('../../record/types.js').Ledger}
 */
export function buildLedger(facts, all = placeAll(facts)) {
  const failed = facts.generator.failed;
  const groups = groupsOf(all);
  const failures = groups.map((group) => rowOf(group, facts, failed)).sort((one, other) => other.count - one.count);
  const placed = failures.reduce((total, { count }) => total + count, 0);
  return {
    hops: hopCounts(facts),
    edges: edgesOf(facts, all),
    failures,
    unattributed: Math.max(0, failed - placed),
    unattributed_reason: unattributedReason(facts, all),
    near_misses: nearMissesOf(facts, all),
    writes: writesOf(facts),
    checks: checksOf(facts, all),
  };
}

/** @typedef {{ placement: import('./place.js').Placement, traces: import('./place.js').Trace[], where: Record<string, number>, why: Record<string, number> }} Group */

/** @param {PlacedTrace[]} all @returns {Group[]} */
function groupsOf(all) {
  /** @type {Map<unknown, Group>} */
  const groups = new Map();
  for (const { trace, placement } of all) {
    if (!placement) continue;
    const { tier, service, cause, amplifier, where, why, finding } = placement;
    const key = finding ?? [tier, service, cause, amplifier?.service, amplifier?.cause].join('/');
    const group = groups.get(key) ?? { placement, traces: [], where: {}, why: {} };
    groups.set(key, group);
    group.traces.push(trace);
    group.where[where] = (group.where[where] ?? 0) + 1;
    group.why[why] = (group.why[why] ?? 0) + 1;
  }
  return [...groups.values()];
}

/** @param {Group} group @param {import('./facts.js').Facts} facts @param {number} failed @returns {import('../../record/types.js').Failure} */
function rowOf(group, facts, failed) {
  const { placement, traces, where, why } = group;
  const { tier, service, cause, amplifier, finding } = placement;
  return {
    tier,
    service,
    cause,
    cause_title: finding ? titleOf(finding, cause) : causes[cause].title,
    count: traces.length,
    share: traces.length / failed,
    rule: causes[cause].rule,
    basis: { where, why },
    amplifier: amplifier && { ...amplifier, cause_title: causes[amplifier.cause].title },
    chain: chainOf(group, facts),
    evidence: finding ? [...ofGenerator(traces, facts), ...readingsOf(finding)] : evidenceOf(group, facts),
  };
}

/** @param {import('./facts.js').Facts} facts @param {PlacedTrace[]} all @returns {string} empty where all are placed */
function unattributedReason({ generator, hops, unlogged, raw }, all) {
  const nameless = generator.failed - all.length;
  const open = all.filter(({ placement }) => !placement).map(({ trace }) => trace);
  const seen = [...new Set(open.map(({ status, kind }) => (status > 0 ? `HTTP ${status}` : kind)))];
  const left = nameless > 0 ? `${generator.name} left no id of ${nameless.toLocaleString('en-US')}` : '';
  // What is followed on the wire needs nobody's log.
  const { isFollowed } = measuredSystem(raw.manifest);
  if (isFollowed && raw.wire)
    return [left, seen.length > 0 ? `the wire has no such request, or its kind was not followed (k6 saw ${seen.join(', ')})` : '']
      .filter(Boolean)
      .join('; ');
  // Whose record leaves out what could have said it: the nearest to the user first.
  const uncovered = open.length === 0 ? [] : hops.filter(({ coverage }) => coverage.requests !== 'full' || coverage.reasons !== 'full');
  const gaps = open.length === 0 ? [] : unlogged;
  return [
    open.length > 0 && isFollowed ? 'nothing that passed the networks is on record (CAPTURE)' : '',
    left,
    seen.length > 0 ? `no record explains what k6 saw (${seen.join(', ')})` : '',
    ...uncovered.flatMap(({ uncovered: sentences }) => sentences.slice(0, 1)),
    ...gaps.map(({ name, count }) => `${many(count, 'request')} that ${name} received ${count === 1 ? 'is' : 'are'} not in its log`),
  ]
    .filter(Boolean)
    .join('; ');
}

/**
 * Writes that users were told were done, or accepted, and that are gone: the gravest that a run can find, and what keeps it from being so.
 *
 * @typedef {import('../../record/types.js').GoneWrites} GoneWrites
 * @typedef {import('../../record/types.js').Queue} Queue
 * @typedef {import('../../record/types.js').Writes} Writes
 * @typedef {import('./facts.js').Facts} Facts
 */

const PUT_BACK =
  'let the worker put back, or keep aside, what it could not do, before the queue forgets it; what it has in hand when it ends is to come back too';
/** Of a store whose adapter says nothing of that. */
const DURABLE = 'acknowledge a write when it is on its disk, or on that of another member too';
const UNKNOWN_CAUSE =
  'no database or queue ended in this run: see what acknowledges a write before it is stored, and what removes it afterwards';

/**
 * @param {Facts} facts
 * @param {Writes} writes  as the ledger has them
 * @param {Queue | null} queue
 * @returns {GoneWrites}
 */
export function goneWrites(facts, writes, queue) {
  const isQueued = queue !== null && queue.accepted > 0;
  // Ids are known: duplicates are told by nothing else.
  const isById = writes.duplicated !== null;
  const known = isQueued ? goneOfQueue(queue, isById ? writes : null) : writes.lost;
  // Equal counts do not say that none is gone: one that was stored and not acknowledged stands for one that was lost.
  if (!known) return { count: known === 0 && isById ? 0 : null, at_least: false, text: '', to_do: [] };
  const atLeast = !isById || (isQueued && queue.lost === null);
  const number = `${atLeast ? 'At least ' : ''}${count(known)}`;
  const [noun, verb] = known === 1 ? ['write', 'is'] : ['writes', 'are'];
  const text = isQueued
    ? `${number} accepted ${noun} ${verb} gone${howOf(queue, known)}.`
    : `${number} acknowledged ${noun} ${verb} gone: users were told that ${known === 1 ? 'it was' : 'they were'} done, and the database does not hold ${known === 1 ? 'it' : 'them'}.`;
  return { count: known, at_least: atLeast, text, to_do: toDo(facts, isQueued ? queue : null, known) };
}

/** @param {Queue} queue @param {Writes | null} byId @returns {number | null} null where nobody knows, and none is known to be gone */
function goneOfQueue({ lost, failed, left }, byId) {
  const reported = (lost ?? 0) + failed;
  const notStored = byId === null || byId.lost === null || left === null ? null : Math.max(0, byId.lost - left);
  if (reported === 0 && notStored === null && (lost === null || byId !== null)) return null;
  return Math.max(reported, notStored ?? 0);
}

/** @param {Queue} queue @param {number} gone */
function howOf({ lost, failed }, gone) {
  if (lost !== null && failed === gone)
    return `: ${gone === 1 ? 'it' : 'they'} failed when ${gone === 1 ? 'it was' : 'they were'} to be done`;
  const ways = [
    ...(lost !== null && lost > 0 ? [`${count(lost)} ${lost === 1 ? 'was' : 'were'} lost`] : []),
    ...(failed > 0 ? [`${count(failed)} failed when ${failed === 1 ? 'it was' : 'they were'} to be done`] : []),
    ...(lost === null ? ['how many more were lost is not known'] : []),
  ];
  return ways.length === 0 ? '' : `: ${ways.join(', ')}`;
}

/**
 * Only what would have changed it, by what is on record: which services ended, and what the workers say that they could not do.
 * @param {Facts} facts
 * @param {Queue | null} queue
 * @param {number} gone
 */
function toDo({ raw, restarts }, queue, gone) {
  const ended = [...new Set(restarts.map(({ name }) => name))];
  const services = /** @type {{ name: string, tier: string, product?: string }[]} */ (raw.manifest.services ?? []);
  const durable = services
    .filter(({ name, tier }) => ended.includes(name) && (tier === 'database' || (tier === 'queue' && queue !== null)))
    .map((service) => `${service.name} ended: ${adapterFor(service)?.durable ?? DURABLE}.`);
  const worker = queue !== null && (queue.failed > 0 || ended.some((name) => raw.queued?.workers.includes(name))) ? [`${PUT_BACK}.`] : [];
  // What a database lost that had it is another matter than what a worker could not write while it was away.
  const isStored = queue === null || queue.lost === null || gone > queue.failed;
  const all = [...(isStored ? durable : []), ...worker];
  return all.length > 0 ? [...new Set(all)] : [`${UNKNOWN_CAUSE}.`];
}
