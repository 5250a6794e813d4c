/**
 * A metric against a number of nodes, workers or threads: what each further one adds, where that ends, and what the Universal
 * Scalability Law makes of it.
 *
 * @typedef {import('../record/types.js').CurveResult} CurveResult
 */

import { fitUsl, inUnit, percent, significant } from './figure-words.js';
import { present, quantile, rangeOf } from './numbers.js';
import { LEAST_BLOCKS } from './ranks.js';

/** Where less than this share of a linear step is added, the curve has bent. */
const KNEE_SHARE = 0.5;

/**
 * @typedef {object} MeasuredPoint
 * @property {number} x
 * @property {string} arm
 * @property {number[]} values          of the metric, one per run that counts
 * @property {number[]} [blocks]        the block of each value
 * @property {(number | null)[]} failureRates  0 to 1, one per run that counts
 */

/**
 * Growth in proportion means something for a rate only; a latency or a share has neither efficiency, knee nor law.
 * @param {object} input
 * @param {string} input.xLabel in the plural, such as `nodes`
 * @param {Pick<import('../catalog/metrics.js').Metric, 'id' | 'label' | 'unit'>} input.metric
 * @param {MeasuredPoint[]} input.points in any order
 * @param {string} [input.noun]  what many requests are called
 * @returns {CurveResult}
 */
export function curveOf({ xLabel, metric, points, noun }) {
  const isRate = metric.unit === 'rps';
  const sorted = points
    .map(({ x, arm, values, failureRates }) => ({
      x,
      arm,
      value: rangeOf(values),
      values: present(values),
      failure_rate: rangeOf(failureRates),
    }))
    .sort((one, other) => one.x - other.x);
  const base = isRate ? linearShare(sorted) : null;
  const shown = sorted.map((point) => ({ ...point, efficiency: efficiencyOf(point, base) }));
  const fewest = Math.min(...sorted.filter(({ values }) => values.length > 0).map(({ values }) => values.length));
  // A single run bends a curve by chance.
  const knee = base === null || fewest < LEAST_BLOCKS ? null : kneeOf(shown, base);
  const { usl, refused } = isRate
    ? fitUsl(points.map(({ x, values, blocks }) => ({ n: x, values, blocks })))
    : { usl: null, refused: `The Universal Scalability Law speaks of throughput, not of ${metric.label}.` };
  return {
    x_label: xLabel,
    metric: metric.id,
    metric_label: metric.label,
    unit: metric.unit,
    points: shown,
    usl,
    usl_refused: refused,
    knee,
    knee_refused: fewest < LEAST_BLOCKS ? `A knee needs ${LEAST_BLOCKS} runs at every point, and one has ${fewest}.` : null,
    sentence: sentenceOf({ xLabel, metric, points: shown, knee, usl, fewest, noun }),
  };
}

/** @typedef {Pick<CurveResult['points'][number], 'x' | 'value'>} Measured */

/** What one adds when all add what the first point has for each. @param {Measured[]} points @returns {number | null} */
function linearShare(points) {
  const first = points.find(({ value }) => value.median !== null);
  return first?.value.median && first.x > 0 ? first.value.median / first.x : null;
}

/** @param {Measured} point @param {number | null} base */
const efficiencyOf = ({ x, value }, base) => (base === null || value.median === null ? null : value.median / x / base);

/** @param {Measured[]} points @param {number} base @returns {number | null} */
function kneeOf(points, base) {
  const measured = points.flatMap(({ x, value: { median } }) => (median === null ? [] : [{ x, median }]));
  const bent = measured.find(({ x, median }, index) => {
    const next = measured[index + 1];
    return next !== undefined && (next.median - median) / (next.x - x) < KNEE_SHARE * base;
  });
  return bent?.x ?? null;
}

/** @type {(input: { xLabel: string, metric: { label: string, unit: CurveResult['unit'] }, points: CurveResult['points'], knee: number | null, usl: CurveResult['usl'], fewest: number, noun?: string }) => string} */
function sentenceOf({ xLabel, metric: { label, unit }, points, knee, usl, fewest, noun }) {
  const measured = points.filter(({ value }) => value.median !== null);
  const [first, last] = [measured[0], measured[measured.length - 1]];
  if (!first) return `Nothing was measured of ${label}.`;
  const at = (/** @type {typeof first} */ { x, value }) => `${inUnit(unit, value.median, noun)} with ${numbered(x, xLabel)}`;
  if (first === last) return `${capital(label)} is ${at(first)}; nothing else was measured.`;

  const share = last.efficiency === null ? '' : `, ${percent(last.efficiency)} of growth in proportion`;
  const sentences = [`${capital(label)} goes from ${at(first)} to ${at(last)}${share}.`];
  if (fewest < LEAST_BLOCKS)
    sentences.push(`A first look: ${fewest} ${fewest === 1 ? 'run' : 'runs'} at a point at least, and a finding needs ${LEAST_BLOCKS}.`);
  else if (knee !== null) {
    const already = knee === first.x ? 'Already after' : 'After';
    const aside = knee === first.x ? ', the fewest that were measured,' : ',';
    sentences.push(`${already} ${numbered(knee, xLabel)}${aside} another one adds less than half of its share.`);
  } else if (last.efficiency !== null) sentences.push('Each further one adds at least half of its share.');
  if (usl) sentences.push(lawSentence(usl, xLabel));
  return sentences.join(' ');
}

/** @param {import('../record/types.js').Usl} usl @param {string} xLabel */
function lawSentence({ sigma, kappa, peak }, xLabel) {
  const within = (/** @type {typeof sigma} */ { estimate, low, high }) =>
    `${significant(estimate)} (${significant(low)} to ${significant(high)})`;
  const costs = `The Universal Scalability Law gives a contention of ${within(sigma)} and a coherence of ${within(kappa)}`;
  if (!peak) return `${costs}.`;
  const interval = peak.low === null || peak.high === null ? '' : ` (${significant(peak.low)} to ${significant(peak.high)})`;
  return `${costs}, with the peak at ${significant(peak.n)}${interval} ${xLabel}.`;
}

/** `1 node`, `4 nodes`. @param {number} x @param {string} plural */
const numbered = (x, plural) => `${significant(x)} ${x === 1 ? plural.replace(/s$/, '') : plural}`;

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Times that are equal although what took them began at different moments: a rule made them, such as a time-out. What ended at one moment
 * (the end of a load, a restart) took as many times as it had beginnings, so that it is none.
 *
 * @typedef {{ began: number, took: number }} Taken  seconds
 */

/** Timers fire on time or late, by what a program that waits for a core needs to look at them: the lab's own choice. */
const WIDTH_SHARE = 0.02;
const WIDTH_LEAST_S = 0.005;
/** Of those that took about as long, from half to half as long again. Spread evenly over that, a fiftieth falls into one width. */
const MOST_SHARE = 1 / 3;
/** Of beginnings that are farther apart than the times differ. Two are a coincidence, or two events. */
const MOMENTS_LEAST = 3;
/** Of a width: what one event ends, it ends one after another. */
const APART_SHARE = 0.1;
/** That so many of so many lie so near to each other by chance, at most. */
const CHANCE_MOST = 0.01;
/** Rules of one caller about one service; a route may have its own. */
const RULES_MOST = 4;

/**
 * @param {Taken[]} all
 * @returns {{ took: number, members: number[] }[]} those that most have in common first; took: their median; members: indices
 */
export function equalTimes(all) {
  let left = all.map((_, index) => index).sort((one, other) => all[one].took - all[other].took);
  /** @type {{ took: number, members: number[], first: number, last: number }[]} */
  const found = [];
  // One that is no rule may hide another: it is left out of the next look.
  for (let look = 0; look < RULES_MOST && left.length >= MOMENTS_LEAST; look += 1) {
    const { from, to } = densest(left.map((index) => all[index].took));
    const members = left.slice(from, to);
    const took = members.map((index) => all[index].took);
    const [first, last] = [took[0], took[took.length - 1]];
    // A timer that is late now and then has more than a width.
    const beside = found.find((rule) => first - rule.last <= equalWithin(first) && rule.first - last <= equalWithin(first));
    if (isRule(members, left, all)) {
      if (beside)
        Object.assign(beside, {
          first: Math.min(beside.first, first),
          last: Math.max(beside.last, last),
          members: [...beside.members, ...members],
        });
      else found.push({ took: quantile(took, 0.5) ?? 0, members, first, last });
    }
    left = [...left.slice(0, from), ...left.slice(to)];
  }
  return found.map(({ took, members }) => ({ took, members }));
}

/** Most of a width's times. @param {number[]} sorted @returns {{ from: number, to: number }} to: after its last */
function densest(sorted) {
  let best = { from: 0, to: 0 };
  let to = 0;
  for (let from = 0; from < sorted.length; from += 1) {
    while (to < sorted.length && sorted[to] <= sorted[from] + equalWithin(sorted[from])) to += 1;
    if (to - from > best.to - best.from) best = { from, to };
  }
  return best;
}

/** How far apart times may be that are equal. @param {number} took seconds */
export const equalWithin = (took) => Math.max(WIDTH_LEAST_S, took * WIDTH_SHARE);

/** @param {number[]} members @param {number[]} left  in the order of their times @param {Taken[]} all */
function isRule(members, left, all) {
  const { took } = all[members[0]];
  const width = equalWithin(took);
  const apart = Math.max(WIDTH_LEAST_S, width * APART_SHARE, all[members[members.length - 1]].took - took);
  const near = left.filter((index) => all[index].took >= took / 2 && all[index].took <= took * 1.5);
  if (members.length < near.length * MOST_SHARE) return false;
  const momentsOf = (/** @type {number[]} */ indices) => momentsIn(indices.map((index) => all[index].began).sort(ascending), apart);
  const [own, others] = [momentsOf(members), momentsOf(near)];
  return own >= MOMENTS_LEAST && chanceOf(own, Math.max(own, others), width / took) <= CHANCE_MOST;
}

/** @param {number} one @param {number} other */
const ascending = (one, other) => one - other;

/** Beginnings that are so much after the one before. @param {number[]} began  in their order @param {number} apart seconds */
function momentsIn(began, apart) {
  let [moments, last] = [0, Number.NEGATIVE_INFINITY];
  for (const at of began) {
    if (at - last <= apart) continue;
    moments += 1;
    last = at;
  }
  return moments;
}

/**
 * How many groups of so many out of `all` lie within `share` of the whole where they are spread evenly: no less than the chance that any does.
 * The range of evenly spread values has a beta distribution (H. A. David and H. N. Nagaraja, Order Statistics, 2003, section 2.3).
 * @param {number} size @param {number} all @param {number} share
 */
function chanceOf(size, all, share) {
  let groups = 1;
  // A product that is beyond all numbers is nothing times it: most of many are no coincidence.
  for (let taken = 0; taken < size; taken += 1) groups *= ((all - taken) / (size - taken)) * share;
  return (groups / share) * (size - (size - 1) * share);
}
