/**
 * The evidence for a row of the ledger: what each tier recorded of its requests, and what rose or ended at the time.
 */
import { DATABASE } from '../../adapters/shipped.js';
import { causes } from '../../define/causes.js';
import { logOf } from './front.js';

/** Pieces of one sort that a row shows; the rest is counted. */
const SHOWN = 4;

/** @typedef {import('../../define/result.js').Evidence} Evidence */

/** @type {(source: string, text: string, count: number) => Evidence} */
export const countEvidence = (source, text, count) => ({ kind: 'count', source, text, count });

/** @type {(facts: import('./facts.js').Facts, signal: import('../../adapters/contract.js').Signal) => Evidence[]} */
export function logEvidence({ front }, signal) {
  const said = front?.said[signal];
  return front && said ? [{ kind: 'log', source: logOf(front), line: said.first, count: said.count }] : [];
}

/** @type {(source: string, name: string, before: number, after: number) => Evidence} */
export const counterEvidence = (source, name, before, after) => ({ kind: 'counter', source, name, before, after });

/**
 * @param {{ placement: import('./place.js').Placement, traces: import('./place.js').Trace[] }} group
 * @param {import('./facts.js').Facts} facts
 * @returns {Evidence[]}
 */
export function evidenceOf({ placement, traces }, facts) {
  return [
    ...ofGenerator(traces, facts),
    ...ofFront(placement, traces, facts),
    ...ofNodes(traces, facts),
    ...ofContainers(placement, facts),
    ...ofCounters(placement, facts),
  ];
}

/** @type {(traces: import('./place.js').Trace[], facts: import('./facts.js').Facts) => Evidence[]} */
function ofGenerator(traces, { errorSamples }) {
  const bySight = countBy(traces, ({ status, kind }) => (status > 0 ? `HTTP ${status}` : kind));
  return bySight.map(([sight, count]) => {
    const sample = errorSamples.find(({ kind }) => kind === sight);
    return countEvidence('k6', sample ? `${sight}: ${sample.error}` : sight, count);
  });
}

/** @type {(placement: import('./place.js').Placement, traces: import('./place.js').Trace[], facts: import('./facts.js').Facts) => Evidence[]} */
function ofFront({ cause, amplifier }, traces, facts) {
  const { front } = facts;
  if (!front) return [];
  const source = logOf(front);
  const lines = new Map();
  for (const { asked, own } of traces) {
    for (const { signal, text } of [...own, ...asked.flatMap((attempt) => attempt.message ?? [])]) {
      const known = lines.get(signal) ?? { kind: 'log', source, line: text, count: 0 };
      lines.set(signal, { ...known, count: known.count + 1 });
    }
  }
  const { benches } = front;
  const [first] = benches;
  const trigger =
    amplifier?.cause === 'no-live-upstream' && first
      ? [{ kind: /** @type {const} */ ('log'), source, line: first.line, count: benches.length }]
      : [];
  const ofCause = (causes[cause].messages ?? []).filter((signal) => !lines.has(signal)).flatMap((signal) => logEvidence(facts, signal));
  const unseen = facts.watched.has(front.service) ? traces.filter(({ seen }) => !seen).length : 0;
  return [
    ...trigger,
    ...lines.values(),
    ...ofCause,
    ...(unseen > 0 ? [countEvidence(`${front.service} access log`, 'of these requests it has no record of', unseen)] : []),
  ];
}

/** @type {(traces: import('./place.js').Trace[], facts: import('./facts.js').Facts) => Evidence[]} */
function ofNodes(traces, { nodes }) {
  const names = Object.keys(nodes);
  if (names.length === 0) return [];
  const told = traces.map(({ attempts }) => {
    const last = attempts.at(-1);
    if (!last) return 'no record of the request';
    if (last.outcome === 'answered') return `${last.node} answered ${last.status}${last.error ? ` ${last.error}` : ''}`;
    if (last.outcome === 'open') return `${last.node} had it open to the end of its log`;
    return `${last.node} closed it without an answer while it was in ${last.place === 'app' ? "the node's own code" : `the ${last.place}`}`;
  });
  return countBy(told, (text) => text)
    .slice(0, SHOWN)
    .map(([text, count]) => countEvidence(names.length === 1 ? `${names[0]} log` : 'node logs', text, count));
}

/** @type {(placement: import('./place.js').Placement, facts: import('./facts.js').Facts) => Evidence[]} */
function ofContainers({ service }, { deaths, stalls, window }) {
  const names = service.split(', ');
  const second = (/** @type {number} */ t) => Math.round(t - window.from);
  return [
    ...deaths
      .filter(({ name }) => names.includes(name))
      .map(({ name, from, exitCode, outOfMemory }) =>
        countEvidence(
          'container engine',
          `${name} ended in second ${second(from)}${exitCode === null ? '' : `, exit code ${exitCode}`}${outOfMemory ? ', out of memory' : ''}`,
          1,
        ),
      ),
    ...stalls
      .filter(({ name }) => names.includes(name))
      .map(({ name, from, to }) =>
        countEvidence('observer', `${name} stood still from second ${second(from)} for ${(to - from).toFixed(1)} s`, 1),
      ),
  ];
}

/** @type {(placement: import('./place.js').Placement, facts: import('./facts.js').Facts) => Evidence[]} */
function ofCounters({ cause, service }, facts) {
  const { kernel, database, front } = facts;
  const ofKernel = (causes[cause].counters ?? []).flatMap((counter) => {
    const { before, after, gained } = kernel[service] ?? { before: {}, after: {}, gained: {} };
    return gained[counter] > 0 ? [counterEvidence(`kernel, ${service}`, counter, before[counter] ?? 0, after[counter])] : [];
  });
  const rejected =
    cause.startsWith('database') && database.rejected
      ? [counterEvidence(DATABASE.program, 'connections refused', database.rejected.before, database.rejected.after)]
      : [];
  const dropped =
    cause === 'connection-table-full-new'
      ? [counterEvidence(`${front?.service} stub_status`, 'connections accepted but not handled', 0, droppedBy(facts))]
      : [];
  return [...ofKernel, ...rejected, ...dropped];
}

/** Connections that it took and closed again in the load, by its own count. @param {import('./facts.js').Facts} facts */
function droppedBy({ front, window }) {
  const readings = front?.counters['table-full-new'] ?? [];
  const before = readings.findLast(({ t }) => t <= window.from);
  return before ? (readings.at(-1)?.value ?? 0) - before.value : 0;
}

/** @template T @param {T[]} items @param {(item: T) => string} key @returns {[string, number][]} the most first */
function countBy(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}
