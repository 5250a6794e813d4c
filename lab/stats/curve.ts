/**
 * A metric against a number of nodes, workers or threads: what each further one adds, where that ends, and what the Universal
 * Scalability Law makes of it. Of a setting its values alone.
 *
 *
 * @import { Metric } from '../catalog/metrics.ts'
 * @import { CurveResult, Range, Usl } from '../record/types.js'
 */

import { inUnit, percent, significant } from './figure-words.ts';
import { present, rangeOf } from './numbers.ts';
import { comparePaired, LEAST_BLOCKS } from './ranks.ts';
import { fitUsl } from './usl.ts';

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
 * @param {Pick<Metric, 'id' | 'label' | 'unit'>} input.metric
 * @param {MeasuredPoint[]} input.points in any order
 * @param {string} [input.noun]  what many requests are called
 * @param {boolean} [input.isSetting]  x counts nothing that serves
 * @param {number} [input.bound]  of the metric, a threshold
 * @returns {CurveResult}
 */
export function curveOf({ xLabel, metric, points, noun, isSetting = false, bound }) {
	const isRate = metric.unit === 'rps' && !isSetting;
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
	const about = { x_label: xLabel, metric: metric.id, metric_label: metric.label, unit: metric.unit };
	if (isSetting)
		return {
			...{
				...about,
				usl: null,
				usl_refused: null,
				knee: null,
				knee_refused: null,
				is_setting: true,
				...(bound === undefined ? {} : { bound }),
			},
			points: shown.map((point) => ({ ...point, interval: intervalOf(point.values) })),
			sentence: settingSentence(shown, metric, noun),
		};
	return {
		...about,
		points: shown,
		usl,
		usl_refused: refused,
		knee,
		knee_refused: fewest < LEAST_BLOCKS ? `A knee needs ${LEAST_BLOCKS} runs at every point, and one has ${fewest}.` : null,
		sentence: sentenceOf({ xLabel, metric, points: shown, knee, usl, fewest, noun }),
	};
}

/** Of the runs at one point, by their signed ranks. @param {number[]} values @returns {Range} without an interval where there are fewer than six */
function intervalOf(values) {
	const zero = values.map(() => 0);
	const { estimate: median, low, high } = comparePaired(zero, values, 'difference');
	return { median, low, high };
}

/** @type {(points: CurveResult['points'], metric: { label: string, unit: CurveResult['unit'] }, noun?: string) => string} */
function settingSentence(points, { label, unit }, noun) {
	const measured = points.filter(({ value }) => value.median !== null);
	if (measured.length === 0) return `Nothing was measured of ${label}.`;
	const at = (/** @type {Measured & { arm: string }} */ { arm, value }) => `${inUnit(unit, value.median, noun)} with ${arm}`;
	const [first, last] = [measured[0], measured[measured.length - 1]];
	const highest = measured.reduce((most, point) => (Number(point.value.median) > Number(most.value.median) ? point : most));
	return `${capital(label)} goes from ${at(first)} to ${at(last)}${[first, last].includes(highest) ? '' : `; the most is ${at(highest)}`}.`;
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

/** @param {Usl} usl @param {string} xLabel */
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
