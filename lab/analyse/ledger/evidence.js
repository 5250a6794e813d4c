/**
 * The evidence for a row of the ledger: what each tier recorded of its requests, and what rose or ended at the time.
 */
import { causes } from '../../define/causes.js';

/** Pieces of one sort that a row shows; the rest is counted. */
const SHOWN = 4;

/** @typedef {import('../../define/result.js').Evidence} Evidence */

/** @type {(source: string, text: string, count: number) => Evidence} */
export const countEvidence = (source, text, count) => ({ kind: 'count', source, text, count });

/** @type {(facts: import('./facts.js').Facts, id: string) => Evidence[]} */
export function logEvidence({ balancer }, id) {
  const message = balancer?.messages[id];
  return message ? [{ kind: 'log', source: `${balancer?.name} error log`, line: message.first, count: message.count }] : [];
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
    ...ofBalancer(placement, traces, facts),
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
function ofBalancer({ cause, amplifier }, traces, facts) {
  const { balancer, benches } = facts;
  if (!balancer) return [];
  const source = `${balancer.name} error log`;
  const lines = new Map();
  for (const { tried, own } of traces) {
    for (const message of [...own, ...tried.flatMap((attempt) => attempt.message ?? [])]) {
      const known = lines.get(message.id) ?? { kind: 'log', source, line: `[${message.level}] ${message.text}`, count: 0 };
      lines.set(message.id, { ...known, count: known.count + 1 });
    }
  }
  const [first] = benches;
  const trigger =
    amplifier?.cause === 'no-live-upstream' && first
      ? [{ kind: /** @type {const} */ ('log'), source, line: first.line, count: benches.length }]
      : [];
  const ofCause = (causes[cause].messages ?? []).filter((id) => !lines.has(id)).flatMap((id) => logEvidence(facts, id));
  const unseen = traces.filter(({ line }) => !line).length;
  return [
    ...trigger,
    ...lines.values(),
    ...ofCause,
    ...(unseen > 0 ? [countEvidence(`${balancer.name} access log`, 'of these requests it has no record of', unseen)] : []),
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
  const { kernel, database, balancer } = facts;
  const ofKernel = (causes[cause].counters ?? []).flatMap((counter) => {
    const { before, after, gained } = kernel[service] ?? { before: {}, after: {}, gained: {} };
    return gained[counter] > 0 ? [counterEvidence(`kernel, ${service}`, counter, before[counter] ?? 0, after[counter])] : [];
  });
  const rejected =
    cause.startsWith('database') && database.rejected
      ? [counterEvidence('mongod', 'connections refused', database.rejected.before, database.rejected.after)]
      : [];
  const dropped =
    cause === 'connection-table-full-new'
      ? [counterEvidence('nginx stub_status', 'connections accepted but not handled', 0, balancer?.dropped ?? 0)]
      : [];
  return [...ofKernel, ...rejected, ...dropped];
}

/** @template T @param {T[]} items @param {(item: T) => string} key @returns {[string, number][]} the most first */
function countBy(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}
