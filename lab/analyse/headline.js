/**
 * The verdict in one or two sentences, made from the ledger, and what to try next.
 */
import { architectures } from '../define/architectures.js';
import { causes } from '../define/causes.js';
import { scenarios } from '../define/scenarios.js';
import { FULL_SHARE, machineBusy } from './machine-busy.js';
import { sum } from './numbers.js';
import { count, percent, tierName } from './words.js';

/**
 * @param {object} input
 * @param {import('./ledger/facts.js').Facts} input.facts
 * @param {import('../define/result.js').Ledger} input.ledger
 * @param {import('../define/result.js').Metrics} input.metrics
 * @param {import('../define/result.js').Result['bottleneck']} input.bottleneck
 */
export function headlineOf({ facts, ledger, metrics, bottleneck }) {
  if (metrics.requests === 0) return 'No request was finished.';
  const { noun, driver } = scenarios[facts.raw.manifest.scenario];
  const fate = driver === 'program' ? 'were made' : 'were answered well';
  if (metrics.failures === 0)
    return [calmSentence(metrics, `${noun} ${fate}`), waitingSentence(facts), limitSentence(bottleneck, machineBusy(facts))]
      .filter(Boolean)
      .join(' ');
  const rate = `${percent(metrics.failure_rate)} of ${count(metrics.requests)} ${noun} failed.`;
  return [rate, blameSentence(ledger, metrics), acquittalSentence(facts, ledger), waitingSentence(facts)].filter(Boolean).join(' ');
}

/** @type {(metrics: import('../define/result.js').Metrics, fate: string) => string} */
const calmSentence = ({ requests, throughput_rps: rps }, fate) => `All ${count(requests)} ${fate}, ${count(Math.round(rps))} a second.`;

/** k6 counts no request that it no longer waits for. @param {import('./ledger/facts.js').Facts} facts */
function waitingSentence({ generator }) {
  return generator.unfinished > 0 ? `${count(generator.unfinished)} more were still waiting when the load ended.` : '';
}

/** @type {(bottleneck: import('../define/result.js').Result['bottleneck'], busy: number) => string} */
function limitSentence(bottleneck, busy) {
  if (bottleneck) return `What held the rate down was ${tierName(bottleneck.tier)} (${bottleneck.evidence[0]}).`;
  if (busy >= FULL_SHARE) return `No tier was at a limit of its own; together they used ${percent(busy)} of the machine's cores.`;
  return 'No tier was at a limit.';
}

/** @type {(ledger: import('../define/result.js').Ledger, metrics: import('../define/result.js').Metrics) => string} */
function blameSentence({ failures, unattributed }, { failures: failed }) {
  const tiers = [...new Set(failures.map(({ tier }) => tier))].map((tier) => {
    const own = failures.filter((failure) => failure.tier === tier);
    const fate = own.every(({ cause }) => causes[cause]?.refusal) ? 'refused by' : 'lost at';
    return { tier, total: sum(own.map((failure) => failure.count)), title: own[0].cause_title, fate };
  });
  tiers.sort((one, other) => other.total - one.total);
  const phrases = tiers.map(({ tier, total, title, fate }, index) =>
    index === 0 && total === failed
      ? `All ${count(total)} were ${fate} ${tierName(tier)}: ${title}.`
      : `${count(total)}${index === 0 ? ` (${percent(total / failed)})` : ''} were ${fate} ${tierName(tier)}: ${title}.`,
  );
  if (unattributed > 0) phrases.push(`${count(unattributed)} could not be placed.`);
  return phrases.join(' ');
}

/** What the record clears, where a reader may well suspect it. @param {import('./ledger/facts.js').Facts} facts @param {import('../define/result.js').Ledger} ledger */
function acquittalSentence({ database, nodes }, { failures }) {
  if (failures.some(({ tier }) => tier === 'database' || tier === 'pool')) return '';
  const refused = database.rejected ? database.rejected.after - database.rejected.before : null;
  const checkoutsFailed = sum(Object.values(nodes).flatMap(({ poolFailed }) => Object.values(poolFailed)));
  if (refused !== 0 || checkoutsFailed > 0) return '';
  return 'MongoDB refused no connection, and no request waited for its pool in vain.';
}

/**
 * The architectures that relieve the tier with the most failures.
 * @param {string} architecture
 * @param {string} load
 * @param {import('../define/result.js').Ledger} ledger
 * @returns {import('../define/result.js').TryNext[]}
 */
export function tryNextOf(architecture, load, { failures }) {
  const culprit = failures[0]?.tier;
  return (architectures[architecture]?.reliefs ?? [])
    .filter((id) => architectures[id].relieves === culprit)
    .map((id) => ({ command: `make run-${id} LOAD=${load}`, why: `relieves ${tierName(culprit ?? '')}: ${architectures[id].relief}` }));
}
