/**
 * Small pieces that several sections of the compare page share.
 *
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 * @typedef {import('./sides.js').Side} Side
 */
import { MISSING, percent, plural } from '../format.js';
import { html } from '../html.js';
import { differenceDomain, intervalAxis, ratioDomain } from '../interval-axis.js';
import { FORMATS, intervalText, onScale } from './words.js';

/** Shape as well as colour tells the two apart, here and in the pictures. */
const SIGNS = { base: '●', other: '◆' };

/** @type {(side: Side, id: string) => import('../html.js').Html} */
export const armName = (side, id) => html`<span class="arm-name ${side}"><span aria-hidden="true">${SIGNS[side]}</span> ${id}</span>`;

/** `1.52×, 95 % interval 1.49 to 1.55×, 8 blocks`. @param {MetricComparison} metric */
export function estimateText(metric) {
  if (metric.estimate === null) return 'nothing to compare';
  const interval = intervalText(metric);
  return [
    onScale(metric.scale, metric.estimate),
    interval === MISSING ? 'no interval' : `95 % interval ${interval}`,
    plural(metric.blocks, 'block'),
  ].join(', ');
}

/** What an estimate is of, which is not the two medians beside it. @type {(scale: MetricComparison['scale'], paired: boolean) => string} */
export const estimateOf = (scale, paired) =>
  `middle of the ${scale}s ${paired ? 'within blocks' : 'of all runs to all others'}${scale === 'difference' ? ', in percentage points' : ''}`;

/** The same in a sentence. @param {boolean} paired */
export const estimateNote = (paired) =>
  `An estimate is the middle of the ratios, or differences, ${paired ? 'within blocks' : 'of all runs of one arm to all of the other'}: not that of the two medians beside it.`;

/** The axis that all ratios share. @param {MetricComparison[]} metrics */
export const sharedRatioDomain = (metrics) =>
  ratioDomain(
    metrics.filter(({ scale }) => scale === 'ratio'),
    metrics.filter(({ scale }) => scale === 'ratio').map(({ delta }) => 1 + delta),
  );

/** @type {(metric: MetricComparison, ratios: import('../interval-axis.js').Domain) => import('../interval-axis.js').Domain} */
export const domainOf = (metric, ratios) => (metric.scale === 'ratio' ? ratios : differenceDomain([metric], [metric.delta]));

/**
 * The interval of a metric on its axis, delta shaded.
 * @type {(metric: MetricComparison, domain: import('../interval-axis.js').Domain) => import('../html.js').Html}
 */
export function metricAxis(metric, domain) {
  const { scale, delta, label, verdict } = metric;
  return intervalAxis({
    scale,
    row: metric,
    domain,
    shade: scale === 'ratio' ? { low: 1 / (1 + delta), high: 1 + delta } : { low: -delta, high: delta },
    label: `${label}: ${estimateText(metric)}; ${verdict}`,
    tone: verdict === 'INCONCLUSIVE' ? 'open' : verdict,
  });
}

/** `±5 %`, `±0.1 points`. @param {Pick<MetricComparison, 'scale' | 'delta'>} metric */
export const deltaText = ({ scale, delta }) => `±${scale === 'ratio' ? percent(delta) : onScale(scale, delta).replace('+', '')}`;

/** @type {(metric: MetricComparison, side: Side) => string} */
export const medianText = (metric, side) => FORMATS[metric.unit](metric[side].median);

/**
 * What stands beside a latency of successes, so that it is never read without it.
 * @type {(metric: MetricComparison, side: Side) => string | null}
 */
export function failedText({ failed_share: share }, side) {
  if (!share) return null;
  return share[side] === null ? 'failed: not known' : `${percent(share[side])} failed`;
}

/** The box and the quotation name it before the sentence does. @param {import('../../record/comparison.js').Survivorship} survivorship */
export const survivorshipText = ({ sentence }) => sentence.replace(/^Survivorship: /, '');
