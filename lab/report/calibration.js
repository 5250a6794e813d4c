/**
 * A calibration in a few lines, for the terminal.
 *
 * @typedef {object} Use   what a budget makes of it
 * @property {string} budget
 * @property {import('../catalog/budgets.js').PerTier} quotas  in cores; empty when there are none
 * @property {number | null} capacity_rps  of one node
 * @property {number | null} think_time_s  of 2,000 patient users
 * @property {string | null} refusal       why the budget does not fit here, or null
 */
import { adapterFor } from '../adapters/registry.js';
import { costSpread, shareSpreads } from '../options/calibration.js';
import { cores, figure, milliseconds, moment, percent, rate, withUnit } from './format.js';

/** In the order in which a request meets them. @type {[string, string][]} */
const TIERS = [
  ['generator', 'generator'],
  ['load-balancer', 'load balancer'],
  ['app', 'app'],
  ['database', 'database'],
];

/**
 * @param {object} found
 * @param {import('../options/calibration.js').Calibration[]} found.readings  oldest first, of one machine and one set of images
 * @param {Use[]} found.uses  of the newest
 * @param {string} found.file
 * @returns {string}
 */
export function formatCalibration({ readings, uses, file }) {
  return [
    '',
    `  CPU that a request costs here, two nodes behind ${adapterFor({ name: '', tier: 'load-balancer' })?.title}, without quotas:`,
    ...readings.map(readingLine),
    ...(readings.length > 1 ? spreadLines(readings) : []),
    '',
    ...uses.map(useLine),
    '',
    `  kept in ${file}`,
    '',
  ].join('\n');
}

/** @param {import('../catalog/budgets.js').PerTier} demand in milliseconds of CPU */
const demandText = (demand) => TIERS.map(([tier, name]) => `${name} ${milliseconds(demand[tier])}`).join(', ');

/** For a report's list of facts. @param {import('../options/calibration.js').Calibration} calibration */
export const calibrationText = ({ demand_ms: demand, measured, validity }) =>
  `CPU a request: ${demandText(demand)} (${moment(measured)}${validity === 'VALID' ? '' : `, ${validity}`})`;

/** @param {import('../options/calibration.js').Calibration} reading */
function readingLine({ measured, validity, demand_ms: demand, throughput_rps: rps }) {
  return `  ${moment(measured)}: ${demandText(demand)}; ${rate(rps)}${validity === 'VALID' ? '' : ` (${validity})`}`;
}

/** @param {import('../options/calibration.js').Calibration[]} readings */
function spreadLines(readings) {
  const shares = shareSpreads(readings);
  const [[tier, name]] = TIERS.toSorted(([one], [other]) => shares[other] - shares[one]);
  return [
    `  the ${readings.length} latest differ by ${percent(costSpread(readings))} in what a request costs: this machine's speed, from which the think time follows;`,
    `  and by at most ${percent(shares[tier])} in a tier's share of that (${name}), from which the quotas follow`,
  ];
}

/** @param {Use} use */
function useLine({ budget, quotas, capacity_rps: rps, think_time_s: think, refusal }) {
  if (refusal) return `  ${refusal}`;
  const given = TIERS.filter(([tier]) => quotas[tier] !== undefined).map(([tier, name]) => `${name} ${cores(quotas[tier])}`);
  const quotaText = given.length === 0 ? 'no quotas' : given.join(', ');
  return `  BUDGET=${budget}: ${quotaText}; one node serves about ${figure(rps)} rps, so LOAD=patient thinks for ${withUnit(think, 's')}`;
}
