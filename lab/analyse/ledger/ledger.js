/**
 * The ledger: every failed request on one tier and one cause, and the counts of every tier beside each other.
 */
import { causes } from '../../define/causes.js';
import { apportion, sum } from '../numbers.js';
import { checksOf, tiersOf, writesOf } from './conservation.js';
import { OpenFailures } from './open-failures.js';
import { errorAnswers, evidenceOfAnswers, judgeAnswer } from './rules-answers.js';
import { connectionRules } from './rules-connections.js';

/** How k6 counts the statuses that it has no counter for. */
const UNLISTED = 'other';

/**
 * @param {import('./facts.js').Facts} facts
 * @returns {import('../../define/result.js').Ledger}
 */
export function buildLedger(facts) {
  const open = new OpenFailures(facts);
  const placements = [...placeAnswers(open, facts), ...connectionRules.flatMap(({ place }) => place(open, facts))];
  const failed = facts.generator.failed;
  const failures = placements
    .sort((one, other) => other.count - one.count)
    .map(({ tier, service, cause, count, evidence }) => ({
      tier,
      service,
      cause,
      cause_title: causes[cause].title,
      count,
      share: count / failed,
      rule: causes[cause].rule,
      evidence,
    }));
  const unattributed = failed - sum(failures.map(({ count }) => count));
  return { tiers: tiersOf(facts, failures), failures, unattributed, writes: writesOf(facts), checks: checksOf(facts) };
}

/**
 * Failures with an HTTP status go where the records have answers with that status. Where the records hold more answers
 * than k6 saw (a client that had left), k6's count is shared out among them.
 * @param {OpenFailures} open
 * @param {import('./facts.js').Facts} facts
 * @returns {import('./rules-connections.js').Placement[]}
 */
function placeAnswers(open, facts) {
  const answers = errorAnswers(facts);
  const counted = open.statuses();
  return counted.flatMap((status) => {
    const isOwn = (/** @type {string} */ own) => (status === UNLISTED ? !counted.includes(own) : own === status);
    const groups = groupByPlace(
      answers.filter((answer) => isOwn(String(answer.status))),
      facts,
    );
    const recorded = sum(groups.map(({ count }) => count));
    const taken = open.takeStatus(status, recorded);
    const counts = apportion(
      taken,
      groups.map(({ count }) => count),
    );
    return groups
      .map(({ place, answers: own }, index) => ({ ...place, count: counts[index], evidence: evidenceOfAnswers(facts, place, own) }))
      .filter(({ count }) => count > 0);
  });
}

/** @param {import('./rules-answers.js').ErrorAnswer[]} answers @param {import('./facts.js').Facts} facts */
function groupByPlace(answers, facts) {
  /** @type {Map<string, { place: ReturnType<typeof judgeAnswer>, answers: import('./rules-answers.js').ErrorAnswer[], count: number }>} */
  const groups = new Map();
  for (const answer of answers) {
    const place = judgeAnswer(answer, facts);
    const key = `${place.tier}/${place.service}/${place.cause}`;
    const group = groups.get(key) ?? { place, answers: [], count: 0 };
    group.answers.push(answer);
    group.count += answer.count;
    groups.set(key, group);
  }
  return [...groups.values()];
}
