/**
 * Requests are conserved: what one tier passed on is what the next received. The counts of each tier, whether they add up,
 * and what became of the writes.
 */
import { sum } from '../numbers.js';

/** Counts of different tiers may differ by this share: requests that crossed the load's edges. */
const TOLERANCE = 0.001;

/**
 * @param {import('./facts.js').Facts} facts
 * @param {import('../../define/result.js').Failure[]} failures
 * @returns {import('../../define/result.js').Ledger['tiers']}
 */
export function tiersOf(facts, failures) {
  const { generator, balancer, nodes, database } = facts;
  const lostAt = (/** @type {string} */ tier) => sum(failures.filter((failure) => failure.tier === tier).map(({ count }) => count));
  const answeredErrors = sum(Object.values(generator.status));
  const rows = /** @type {import('../../define/result.js').Ledger['tiers']} */ ([
    {
      tier: 'generator',
      service: generator.name,
      received: generator.finished,
      answered_ok: generator.ok,
      answered_error: answeredErrors,
      lost: generator.failed - answeredErrors,
    },
  ]);
  if (balancer) {
    const received = generator.finished - lostAt('generator');
    rows.push({
      tier: 'load-balancer',
      service: balancer.name,
      received,
      answered_ok: balancer.ok,
      answered_error: balancer.errors,
      lost: Math.max(0, received - balancer.ok - balancer.errors),
    });
  }
  for (const [service, node] of Object.entries(nodes)) {
    const ok = node.answered['2xx'] ?? 0;
    const error = sum(Object.values(node.answered)) - ok;
    rows.push({ tier: 'app', service, received: node.received, answered_ok: ok, answered_error: error, lost: node.received - ok - error });
  }
  const checkouts = sum(Object.values(nodes).map((node) => node.checkouts));
  const refused = sum(Object.values(nodes).flatMap((node) => Object.values(node.poolFailed)));
  if (Object.keys(nodes).length > 0 && database.name) {
    rows.push({ tier: 'pool', service: 'pool', received: checkouts + refused, answered_ok: checkouts, answered_error: refused, lost: 0 });
  }
  if (database.name)
    rows.push({
      tier: 'database',
      service: database.name,
      received: database.inserts,
      // Documents that were taken away again were stored all the same.
      answered_ok: database.documents === null ? null : database.documents + (database.deletes ?? 0),
      answered_error: null,
      lost: null,
    });
  return rows;
}

/**
 * @param {import('./facts.js').Facts} facts
 * @returns {import('../../define/result.js').Ledger['checks']}
 */
export function checksOf(facts) {
  const { generator, balancer, nodes, database, raw } = facts;
  const nodeOk = sum(Object.values(nodes).map((node) => node.answered['2xx'] ?? 0));
  const nodeReceived = sum(Object.values(nodes).map((node) => node.received));
  // A program's counts are all its own; what it left in its files is checked beside them.
  if (raw.program) return [];
  const checks = [
    check(
      `${generator.name}: good and failed answers are all the finished requests`,
      generator.ok + generator.failed,
      generator.finished,
      0,
    ),
  ];
  // A user whose time is up leaves a request behind that the tiers still answer.
  const edge = generator.unfinished + (generator.kind.timeout ?? 0) + (generator.kind.cut_at_end ?? 0) + unwritten(facts);
  if (balancer) {
    checks.push(check("the balancer's good answers are k6's", balancer.ok, generator.ok, edge));
    checks.push(
      check("the nodes' good answers are the balancer's", nodeOk, balancer.lines.filter(({ status }) => status < 400).length, edge),
    );
    const { answered, open } = passedOn(balancer.lines);
    checks.push(
      check('the nodes received what the balancer passed on', nodeReceived, answered + open, edge + balancer.clientClosed + open),
    );
  } else {
    checks.push(check("the nodes' good answers are k6's", nodeOk, generator.ok, edge));
  }
  for (const [name, node] of Object.entries(nodes)) {
    // k6 names its metrics without dashes.
    const seen = generator.node[name.replace(/[^A-Za-z0-9_]/g, '_')];
    if (seen !== undefined)
      checks.push(check(`what k6 had from ${name} is what it answered`, seen, sum(Object.values(node.answered)), edge));
  }
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

/**
 * Requests that nodes answered, each attempt by itself. Of an attempt that ended in the balancer's own 502 or 504 it is open
 * whether the node had received it, once there was a connection.
 * @param {any[]} lines of the access log
 */
function passedOn(lines) {
  const counts = { answered: 0, open: 0 };
  for (const { upstream_status: statuses, connect_s: connects } of lines) {
    const connectTimes = connects.split(/[,:] /);
    for (const [attempt, status] of statuses.split(/[,:] /).entries()) {
      if (!/^\d+$/.test(status)) continue;
      if (status !== '502' && status !== '504') counts.answered += 1;
      else if (/\d/.test(connectTimes[attempt] ?? '')) counts.open += 1;
    }
  }
  return counts;
}

/** A tier writes its record once a second; one that ended by itself took its last lines with it. */
const UNWRITTEN_S = 2.5;

/** @param {import('./facts.js').Facts} facts */
function unwritten({ deaths, snapshots }) {
  const busiest = Math.max(0, ...snapshots.map(({ metrics }) => metrics.lab_finished?.count ?? 0));
  return deaths.length * UNWRITTEN_S * busiest;
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
