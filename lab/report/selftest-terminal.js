/**
 * The scores of a self-test as a table for a terminal: a line for each fault, and below it what was wrong.
 *
 * @typedef {import('../record/selftest-score.js').Score} Score
 */
import { confusions, totalByFault } from '../record/selftest-total.js';
import { basisText } from './basis.js';
import { count, MISSING, percent } from './format.js';

const VERDICTS = { right: '✓ right', wrong: '✗ WRONG', skipped: '– skipped' };
const VERDICT_WIDTH = 9;
const NUMBER_WIDTH = 8;
const INDENT = '    ';

/**
 * @param {Score[]} scores
 * @param {string[]} [ids]  of all faults of the table, of which these may be some
 * @returns {string[]} lines, the head first
 */
export function scoreTable(scores, ids = scores.map(({ fault }) => fault)) {
  const width = Math.max(...ids.map((id) => id.length), 'fault'.length);
  const line = (/** @type {string} */ verdict, /** @type {string} */ fault, /** @type {string[]} */ numbers, /** @type {string} */ text) =>
    [verdict.padEnd(VERDICT_WIDTH), fault.padEnd(width), ...numbers.map((number) => number.padStart(NUMBER_WIDTH)), text]
      .join('  ')
      .trimEnd();
  const judged = totalByFault(scores).flatMap((total) => {
    const { fault, failures, right, unattributed, where, why, misses, advice, passed } = total;
    const share = failures === 0 ? MISSING : percent(right / failures);
    const known = failures === 0 ? '' : `where ${basisText(where, failures)}; why ${basisText(why, failures)}`;
    const wrong = confusions(scores.filter((score) => score.fault === fault)).map(
      ({ expected, found, count: times }) => `${count(times)} of ${expected} taken for ${found}`,
    );
    return [
      line(passed ? VERDICTS.right : VERDICTS.wrong, fault, [count(failures), share, count(unattributed)], known),
      ...[...wrong, ...misses, ...(passed ? [] : advice)].map((text) => `${INDENT}${text}`),
    ];
  });
  const skipped = scores.flatMap(({ fault, skipped: why }) => (why === undefined ? [] : [line(VERDICTS.skipped, fault, [], why)]));
  return [line('', 'fault', ['failed', 'right', 'unattr.'], 'how it is known'), ...judged, ...new Set(skipped)];
}
