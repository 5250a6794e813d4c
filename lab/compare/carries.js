/**
 * Whether a verdict carries over to the source: a claim may name what has to be alike. Where a tier is at its CPU quota here, and the source
 * says that its own was not, the verdict is about another bottleneck.
 *
 * @typedef {import('../record/result.js').Result} Result
 */
import { armsOfTest } from '../catalog/claim-arms.js';
import { percent } from '../stats/figure-words.js';

/**
 * @param {import('../catalog/claims.js').Carries} carries
 * @param {Result[]} runs  kept ones of the arms of its tests
 * @returns {string | null} why it does not; null where it does, or where no run says
 */
export function notCarriedOver({ tier, share, source }, runs) {
  const readings = runs.flatMap(({ resources }) =>
    Object.entries(resources).flatMap(([service, own]) => {
      const { cpu_quota_cores: quota, cpu_cores: used } = own;
      return own.tier === tier && quota && used.mean !== null ? [{ service, quota, share: used.mean / quota }] : [];
    }),
  );
  if (readings.length === 0 || readings.some((one) => one.share < share)) return null;
  const [{ service, quota }] = readings;
  const shares = readings.map((one) => one.share);
  const [low, high] = [percent(Math.min(...shares)), percent(Math.max(...shares))];
  return `Its bottleneck: ${service} was held to ${quota.toFixed(2)} cores here and used ${low === high ? low : `${low} to ${high}`} of them; ${source}.`;
}

/**
 * @param {import('../catalog/claims.js').Claim} claim
 * @param {import('../record/experiment-result.js').ClaimVerdict} verdict  where nothing is decided there is nothing to carry over
 * @param {import('./findings.js').KeptRun[]} kept
 * @returns {string | null} why the verdict does not carry over
 */
export function notCarriedOverBy({ carries, tests }, verdict, kept) {
  if (!carries || verdict === 'INCONCLUSIVE') return null;
  const arms = tests.flatMap(armsOfTest);
  return notCarriedOver(
    carries,
    kept.filter(({ arm }) => arms.includes(arm)).map(({ result }) => result),
  );
}
