/**
 * Rules for failures that carry an HTTP status: some tier answered, so that tier's own record says why.
 */
import { scenarios } from '../../define/scenarios.js';
import { nodeOf, upstreamStatus } from '../balancer.js';
import { sum } from '../numbers.js';
import { countEvidence, diedAround, logEvidence, rejectedEvidence } from './evidence.js';

/** The driver's error names that speak of the pool; the rest of its errors speak of MongoDB. */
const POOL_WAIT = new Set(['MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError']);
const POOL_CLEARED = new Set(['MongoPoolClearedError', 'PoolClearedError', 'PoolClearedOnNetworkError', 'MongoPoolClearedOnNetworkError']);
const DATABASE_SLOW = new Set(['MongoNetworkTimeoutError', 'MongoServerSelectionError', 'MongoOperationTimeoutError']);
const DATABASE_ANSWERED = new Set(['MongoServerError', 'MongoWriteConcernError', 'MongoBulkWriteError']);

/**
 * An answer with an error, as one tier's record has it.
 * @typedef {{ status: number, node: string | null, error: string, asked: boolean, connected: boolean, t: number | null, count: number }} ErrorAnswer
 */

/**
 * Every answer with an error: from the balancer's log where there is one, because it saw all of them, else from the nodes.
 * @param {import('./facts.js').Facts} facts
 * @returns {ErrorAnswer[]}
 */
export function errorAnswers(facts) {
  if (!facts.balancer) return Object.entries(facts.nodes).flatMap(([node, gains]) => answersOfNode(node, gains, facts.generator.status));
  return facts.balancer.lines
    .filter(({ status }) => status >= 400 && status !== 499)
    .map((line) => {
      const answered = upstreamStatus(line) === line.status && line.status !== 502 && line.status !== 504;
      return {
        status: line.status,
        node: nodeOf(line, facts.names),
        error: line.error || (answered ? `HTTP ${line.status}` : ''),
        asked: line.upstream !== '',
        connected: /\d/.test(line.connect_s.split(/[,:] /).at(-1) ?? ''),
        t: line.t,
        count: 1,
      };
    });
}

/**
 * A node names its errors, all of status 500, and counts its other answers by class.
 * @param {string} node
 * @param {import('../window.js').NodeGains} gains
 * @param {Record<string, number>} seen statuses of failures that k6 saw
 * @returns {ErrorAnswer[]}
 */
function answersOfNode(node, { errors, answered }, seen) {
  const base = { node, asked: true, connected: true, t: null };
  const named = Object.entries(errors).map(([error, count]) => ({ ...base, status: 500, error, count }));
  const others = Object.keys(seen)
    .map(Number)
    .filter((status) => status !== 500 || named.length === 0)
    .map((status) => ({
      ...base,
      status,
      error: `HTTP ${status}`,
      count: Math.min(seen[String(status)], answered[`${Math.floor(status / 100)}xx`] ?? 0),
    }));
  return [...named, ...others].filter(({ count }) => count > 0);
}

/**
 * Which tier and cause an answer speaks of.
 * @param {ErrorAnswer} answer
 * @param {import('./facts.js').Facts} facts
 * @returns {{ tier: import('../../define/result.js').Tier, service: string, cause: string }}
 */
export function judgeAnswer(answer, facts) {
  // The app said no, and rightly: what was asked for is not there.
  const refusal = answer.node === null ? undefined : scenarios[facts.raw.manifest.scenario]?.refusals[answer.status];
  if (refusal) return { tier: 'app', service: /** @type {string} */ (answer.node), cause: refusal };
  if (answer.error !== '') return judgeError(answer, facts);
  const balancer = facts.entry.name;
  if (answer.node !== null) return judgeUpstream(answer, facts);
  const messages = facts.balancer?.messages ?? {};
  if (answer.asked) {
    const nodes = Object.keys(facts.nodes);
    const allDied = nodes.length > 0 && nodes.every((name) => diedAround(facts, name, answer.t));
    if (allDied) return { tier: 'app', service: nodes[0], cause: crashOf(facts, nodes[0]) };
    return { tier: 'load-balancer', service: balancer, cause: 'no-live-upstream' };
  }
  if (answer.status === 500 && messages.table_full)
    return { tier: 'load-balancer', service: balancer, cause: 'connection-table-full-upstream' };
  if (messages.no_descriptors || messages.no_ports) return { tier: 'load-balancer', service: balancer, cause: 'balancer-exhausted' };
  return { tier: 'load-balancer', service: balancer, cause: 'balancer-refused' };
}

/** @type {(answer: ErrorAnswer, facts: import('./facts.js').Facts) => ReturnType<typeof judgeAnswer>} */
function judgeError({ error, node }, facts) {
  const database = facts.database.name ?? 'database';
  const down = facts.deaths.some(({ tier }) => tier === 'database');
  if (POOL_WAIT.has(error)) return { tier: 'pool', service: node ?? 'pool', cause: 'pool-wait-timeout' };
  const aboutDatabase = error.startsWith('Mongo') || POOL_CLEARED.has(error);
  if (aboutDatabase && down) return { tier: 'database', service: database, cause: 'database-down' };
  const refused = facts.database.rejected !== null && facts.database.rejected.after > facts.database.rejected.before;
  if (aboutDatabase && refused && !DATABASE_ANSWERED.has(error)) return { tier: 'database', service: database, cause: 'database-refused' };
  // A pool that is cleared because MongoDB stood still shows MongoDB's fault.
  const stalled = facts.stalls.some(({ tier }) => tier === 'database');
  if (POOL_CLEARED.has(error) && !stalled) return { tier: 'pool', service: node ?? 'pool', cause: 'pool-cleared' };
  if (DATABASE_ANSWERED.has(error)) return { tier: 'database', service: database, cause: 'database-error' };
  if (DATABASE_SLOW.has(error) || aboutDatabase) return { tier: 'database', service: database, cause: 'database-slow' };
  return { tier: 'app', service: node ?? 'app', cause: 'app-error' };
}

/** The balancer asked a node and had no answer from it. @type {(answer: ErrorAnswer, facts: import('./facts.js').Facts) => ReturnType<typeof judgeAnswer>} */
function judgeUpstream({ node, status, connected, t }, facts) {
  const service = /** @type {string} */ (node);
  if (diedAround(facts, service, t)) return { tier: 'app', service, cause: crashOf(facts, service) };
  const messages = facts.balancer?.messages ?? {};
  const own = /** @type {const} */ ({ tier: 'load-balancer', service: facts.entry.name });
  // 500 is the balancer's own: it had no socket with which to ask.
  if (status === 500 && messages.table_full) return { ...own, cause: 'connection-table-full-upstream' };
  if (!connected && (messages.no_ports || messages.no_descriptors)) return { ...own, cause: 'balancer-exhausted' };
  if (facts.kernel[service]?.gained.ListenOverflows > 0) return { tier: 'app', service, cause: 'accept-backlog-overflow' };
  if (status === 504) return { tier: 'app', service, cause: 'upstream-timeout' };
  if (!connected) return { tier: 'app', service, cause: 'upstream-refused' };
  const keepsAlive = /^\s*keepalive\s+\d+;/m.test(facts.raw.balancerConf);
  return keepsAlive
    ? { tier: 'load-balancer', service: facts.entry.name, cause: 'keep-alive-race' }
    : { tier: 'app', service, cause: 'upstream-reset' };
}

/** @param {import('./facts.js').Facts} facts @param {string} service */
export function crashOf(facts, service) {
  return facts.deaths.some(({ name, outOfMemory }) => name === service && outOfMemory) ? 'out-of-memory' : 'app-crashed';
}

/** Messages of the balancer's error log that prove a cause. @type {Record<string, string[]>} */
const MESSAGES_OF_CAUSE = {
  'connection-table-full-upstream': ['table_full'],
  'no-live-upstream': ['no_live_upstreams'],
  'balancer-exhausted': ['no_descriptors', 'no_ports'],
  'balancer-refused': ['limited'],
  'upstream-refused': ['upstream_refused', 'upstream_unreachable'],
  'upstream-reset': ['upstream_reset', 'upstream_closed'],
  'upstream-timeout': ['upstream_timeout'],
  'keep-alive-race': ['upstream_reset', 'upstream_closed'],
  'app-crashed': ['upstream_refused', 'upstream_unreachable', 'upstream_closed', 'no_live_upstreams'],
  'accept-backlog-overflow': ['upstream_timeout', 'upstream_reset'],
};

/**
 * @param {import('./facts.js').Facts} facts
 * @param {{ cause: string, service: string }} place
 * @param {ErrorAnswer[]} answers
 * @returns {import('../../define/result.js').Evidence[]}
 */
export function evidenceOfAnswers(facts, { cause, service }, answers) {
  const byError = new Map();
  for (const { error, status, node, count } of answers) {
    const text = error === '' ? `HTTP ${status} by the balancer${node ? `, asking ${node}` : ''}` : `${error} at ${node ?? 'the app'}`;
    byError.set(text, (byError.get(text) ?? 0) + count);
  }
  const source = facts.balancer ? 'balancer access log' : 'node record';
  return [
    ...[...byError].map(([text, count]) => countEvidence(source, text, count)),
    ...(MESSAGES_OF_CAUSE[cause] ?? []).flatMap((id) => logEvidence(facts, id)),
    ...(cause.startsWith('database') ? rejectedEvidence(facts) : []),
    ...facts.deaths
      .filter(({ name }) => name === service)
      .map(({ exitCode }) =>
        countEvidence('container state', `${service} had ended${exitCode === null ? '' : ` with exit code ${exitCode}`}`, 1),
      ),
    ...(cause === 'pool-wait-timeout'
      ? [countEvidence('pool events', 'failed checkouts', sum(Object.values(facts.nodes[service]?.poolFailed ?? {})))]
      : []),
  ];
}
