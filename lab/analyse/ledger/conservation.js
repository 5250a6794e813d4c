/**
 * Requests are conserved: what one tier sent, the next received, or it was lost on the way. Each tier's own counts, the edges
 * between them, whether they add up, and what became of the writes.
 */
import { attemptsIn } from '../balancer.js';
import { sum } from '../numbers.js';
import { topologyOf } from './topology.js';

/** Counts of different tiers may differ by this share: requests that crossed the load's edges. */
const TOLERANCE = 0.001;

/**
 * What each tier says of itself.
 * @param {import('./facts.js').Facts} facts
 * @returns {import('../../define/result.js').Ledger['hops']}
 */
export function hopsOf(facts) {
  const { generator, balancer, nodes, database } = facts;
  const answeredErrors = sum(Object.values(generator.status));
  const hops = /** @type {import('../../define/result.js').Ledger['hops']} */ ([
    {
      tier: 'generator',
      service: generator.name,
      source: 'k6 metrics',
      received: generator.finished,
      answered_ok: generator.ok,
      answered_error: answeredErrors,
      aborted: generator.failed - answeredErrors,
    },
  ]);
  if (balancer)
    hops.push({
      tier: 'load-balancer',
      service: balancer.name,
      source: balancer.requests === null ? 'access log' : 'stub_status, access log',
      received: balancer.requests ?? balancer.lines.length,
      answered_ok: balancer.ok,
      answered_error: balancer.errors,
      aborted: balancer.clientClosed,
    });
  for (const [service, node] of Object.entries(nodes)) {
    const ok = node.answered['2xx'] ?? 0;
    const error = sum(Object.values(node.answered)) - ok;
    hops.push({
      tier: 'app',
      service,
      source: 'node record',
      received: node.received,
      answered_ok: ok,
      answered_error: error,
      aborted: node.aborted,
    });
  }
  if (Object.keys(nodes).length > 0 && database.name) {
    const checkouts = sum(Object.values(nodes).map((node) => node.checkouts));
    const refused = sum(Object.values(nodes).flatMap((node) => Object.values(node.poolFailed)));
    hops.push({
      tier: 'pool',
      service: 'pool',
      source: 'pool events',
      received: checkouts + refused,
      answered_ok: checkouts,
      answered_error: refused,
      aborted: null,
    });
  }
  if (database.name)
    hops.push({
      tier: 'database',
      service: database.name,
      source: facts.raw.program ? 'its own files' : 'serverStatus',
      received: database.inserts,
      // Documents that were taken away again were stored all the same.
      answered_ok: database.documents === null ? null : database.documents + (database.deletes ?? 0),
      answered_error: null,
      aborted: null,
    });
  return hops;
}

/**
 * What each pair of tiers says of the requests between them, and what was lost on the way.
 * @param {import('./facts.js').Facts} facts
 * @param {import('./ledger.js').PlacedTrace[]} all
 * @returns {import('../../define/result.js').Ledger['edges']}
 */
export function edgesOf(facts, all) {
  return topologyOf(facts).map(({ from, to }) => {
    const { sent, source: sentSource } = sentOn(facts, from, to);
    const { received, source } = receivedBy(facts, to);
    return { from, to, sent, sent_source: sentSource, received, received_source: source, unseen: unseenAt(all, from, to, facts) };
  });
}

/** @type {(facts: import('./facts.js').Facts, from: string, to: string) => { sent: number | null, source: string }} */
function sentOn({ generator, balancer, nodes, names }, from, to) {
  if (from === generator.name) return { sent: generator.finished, source: 'k6 metrics' };
  if (from === balancer?.name)
    return {
      sent: sum(
        balancer.lines.map((line) => attemptsIn(line.upstream).filter((address) => names.get(address.replace(/:\d+$/, '')) === to).length),
      ),
      source: 'access log',
    };
  return { sent: nodes[from]?.received ?? null, source: 'node record' };
}

/** @type {(facts: import('./facts.js').Facts, to: string) => { received: number | null, source: string }} */
function receivedBy({ balancer, nodes, database, generator }, to) {
  if (to === balancer?.name)
    return { received: balancer.requests ?? balancer.lines.length, source: balancer.requests === null ? 'access log' : 'stub_status' };
  if (nodes[to]) return { received: nodes[to].received, source: 'node record' };
  // Where not every request leaves a document behind, each is one operation of another kind.
  const reached = generator.created === generator.ok ? database.inserts : database.operations;
  return { received: reached, source: 'serverStatus' };
}

/** Failed requests that were sent there, and of which it has no record. @type {(all: import('./ledger.js').PlacedTrace[], from: string, to: string, facts: import('./facts.js').Facts) => number | null} */
function unseenAt(all, from, to, { generator, balancer, nodes, names }) {
  if (from === generator.name) {
    const seen = (/** @type {import('./place.js').Trace} */ { line, attempts }) => (balancer ? line !== null : attempts.length > 0);
    return all.filter(({ trace }) => !seen(trace)).length;
  }
  if (!nodes[to]) return null;
  return sum(
    all.map(({ trace }) => {
      const tried = trace.tried.filter(({ address }) => names.get(address) === to).length;
      return Math.max(0, tried - trace.attempts.filter(({ node }) => node === to).length);
    }),
  );
}

/**
 * @param {import('./facts.js').Facts} facts
 * @param {import('./ledger.js').PlacedTrace[]} all
 * @returns {import('../../define/result.js').Ledger['checks']}
 */
export function checksOf(facts, all) {
  const { generator, balancer, nodes, raw } = facts;
  // A program's counts are all its own; what it left in its files is checked beside them.
  if (raw.program) return [];
  const nodeOk = sum(Object.values(nodes).map((node) => node.answered['2xx'] ?? 0));
  // A user whose time is up leaves a request behind that the tiers still answer.
  const waited = all.filter(({ trace }) => ['timeout', 'unanswered', 'cut_at_end'].includes(trace.kind)).length;
  const edge = waited + unwritten(facts);
  const checks = [
    check(
      `${generator.name}: good and failed answers are all the finished requests`,
      generator.ok + generator.failed,
      generator.finished,
      0,
    ),
    check(`${generator.name}: each failed request is named`, all.length, generator.failed, 0),
    ...edgesOf(facts, all).flatMap(({ from, to, sent, received, unseen }) =>
      sent === null || received === null || unseen === null
        ? []
        : [check(`what ${from} sent, ${to} received or has no record of`, received + unseen, sent, edge)],
    ),
  ];
  if (balancer) {
    checks.push(check("the balancer's good answers are k6's", balancer.ok, generator.ok, edge));
    checks.push(
      check("the nodes' good answers are the balancer's", nodeOk, balancer.lines.filter(({ status }) => status < 400).length, edge),
    );
  } else {
    checks.push(check("the nodes' good answers are k6's", nodeOk, generator.ok, edge));
  }
  return [...checks, ...databaseChecks(facts, nodeOk, edge)];
}

/** @type {(facts: import('./facts.js').Facts, nodeOk: number, edge: number) => import('../../define/result.js').Ledger['checks']} */
function databaseChecks(facts, nodeOk, edge) {
  const { generator, nodes, database } = facts;
  const checks = [];
  if (database.inserts !== null) {
    const failedAtNodes = sum(Object.values(nodes).flatMap((node) => Object.values(node.errors)));
    const aborted = sum(Object.values(nodes).map((node) => node.aborted));
    const allowed = failedAtNodes + aborted + unwritten(facts);
    // Where every good answer is a document the nodes' own count decides, which knows of answers that never arrived.
    const everyAnswer = generator.created === generator.ok;
    const statement = `MongoDB inserted one document for each good answer${everyAnswer ? '' : ' to a create'}`;
    checks.push(check(statement, database.inserts, everyAnswer ? nodeOk : generator.created, allowed + (everyAnswer ? 0 : edge)));
  }
  if (database.deletes !== null && generator.deleted > 0)
    checks.push(check('MongoDB deleted one document for each good answer to a delete', database.deletes, generator.deleted, edge));
  if (database.documents !== null && database.inserts !== null) {
    const kept = database.inserts - (database.deletes ?? 0);
    checks.push(check(`MongoDB stored what it inserted${database.deletes ? ', less what it deleted' : ''}`, database.documents, kept, 0));
  }
  return checks;
}

/** A tier writes its record once a second; one that ended by itself took its last lines with it. */
const UNWRITTEN_S = 2.5;

/** @param {import('./facts.js').Facts} facts */
function unwritten({ deaths, snapshots, balancer }) {
  const busiest = Math.max(0, ...snapshots.map(({ metrics }) => metrics.lab_finished?.count ?? 0));
  return (deaths.length + (balancer?.messages.worker_died?.count ?? 0)) * UNWRITTEN_S * busiest;
}

/** @type {(statement: string, left: number, right: number, allowed: number) => import('../../define/result.js').Ledger['checks'][number]} */
function check(statement, left, right, allowed) {
  return { statement, left, right, holds: Math.abs(left - right) <= allowed + TOLERANCE * Math.max(left, right) };
}

/**
 * A document is acknowledged when k6 had a good answer for it. By id with INTEGRITY=1, else by count.
 * @param {import('./facts.js').Facts} facts
 * @returns {import('../../define/result.js').Writes}
 */
export function writesOf({ generator, database, raw }) {
  if (raw.manifest.integrity) return writesById(raw.acknowledgedIds, raw.documentIds);
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
 * @param {string[]} acknowledgedIds
 * @param {string[]} documentIds
 * @returns {import('../../define/result.js').Writes}
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
