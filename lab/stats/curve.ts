/**
 * A metric against a number of nodes, workers or threads: what each further one adds, where that ends, and what the Universal
 * Scalability Law makes of it. Of a setting its values alone.
 */

import type { CurveResult, Range, Usl } from '../record/types.js';
import { inUnit, percent, significant } from './figure-words.ts';
import type { Metric } from './metric.ts';
import { present, rangeOf } from './numbers.ts';
import { comparePaired } from './paired.ts';
import { LEAST_BLOCKS } from './ranks.ts';
import { fitUsl } from './usl.ts';

/** Where less than this share of a linear step is added, the curve has bent. */
const KNEE_SHARE = 0.5;

export type MeasuredPoint = {
	x: number;
	arm: string;
	/** of the metric, one per run that counts */
	values: number[];
	/** the block of each value */
	blocks?: number[];
	/** 0 to 1, one per run that counts */
	failureRates: (number | null)[];
};

/** Growth in proportion means something for a rate only; a latency or a share has neither efficiency, knee nor law. */
export function curveOf({
	xLabel,
	metric,
	points,
	noun,
	isSetting = false,
	bound,
}: {
	/** in the plural, such as `nodes` */
	xLabel: string;
	metric: Pick<Metric, 'id' | 'label' | 'unit'>;
	/** in any order */
	points: MeasuredPoint[];
	/** what many requests are called */
	noun?: string;
	/** x counts nothing that serves */
	isSetting?: boolean;
	/** of the metric, a threshold */
	bound?: number;
}): CurveResult {
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

/**
 * Of the runs at one point, by their signed ranks.
 * @returns without an interval where there are fewer than six
 */
function intervalOf(values: number[]): Range {
	const zero = values.map(() => 0);
	const { estimate: median, low, high } = comparePaired(zero, values, 'difference');
	return { median, low, high };
}

function settingSentence(
	points: CurveResult['points'],
	{ label, unit }: { label: string; unit: CurveResult['unit'] },
	noun?: string,
): string {
	const measured = points.filter(({ value }) => value.median !== null);
	if (measured.length === 0) return `Nothing was measured of ${label}.`;
	const at = ({ arm, value }: Measured & { arm: string }) => `${inUnit(unit, value.median, noun)} with ${arm}`;
	const [first, last] = [measured[0], measured[measured.length - 1]];
	const highest = measured.reduce((most, point) => (Number(point.value.median) > Number(most.value.median) ? point : most));
	return `${capital(label)} goes from ${at(first)} to ${at(last)}${[first, last].includes(highest) ? '' : `; the most is ${at(highest)}`}.`;
}

type Measured = Pick<CurveResult['points'][number], 'x' | 'value'>;

/** What one adds when all add what the first point has for each. */
function linearShare(points: Measured[]): number | null {
	const first = points.find(({ value }) => value.median !== null);
	return first?.value.median && first.x > 0 ? first.value.median / first.x : null;
}

const efficiencyOf = ({ x, value }: Measured, base: number | null) =>
	base === null || value.median === null ? null : value.median / x / base;

function kneeOf(points: Measured[], base: number): number | null {
	const measured = points.flatMap(({ x, value: { median } }) => (median === null ? [] : [{ x, median }]));
	const bent = measured.find(({ x, median }, index) => {
		const next = measured[index + 1];
		return next !== undefined && (next.median - median) / (next.x - x) < KNEE_SHARE * base;
	});
	return bent?.x ?? null;
}

function sentenceOf({
	xLabel,
	metric: { label, unit },
	points,
	knee,
	usl,
	fewest,
	noun,
}: {
	xLabel: string;
	metric: { label: string; unit: CurveResult['unit'] };
	points: CurveResult['points'];
	knee: number | null;
	usl: CurveResult['usl'];
	fewest: number;
	noun?: string;
}): string {
	const measured = points.filter(({ value }) => value.median !== null);
	const [first, last] = [measured[0], measured[measured.length - 1]];
	if (!first) return `Nothing was measured of ${label}.`;
	const at = ({ x, value }: typeof first) => `${inUnit(unit, value.median, noun)} with ${numbered(x, xLabel)}`;
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

function lawSentence({ sigma, kappa, peak }: Usl, xLabel: string) {
	const within = ({ estimate, low, high }: typeof sigma) => `${significant(estimate)} (${significant(low)} to ${significant(high)})`;
	const costs = `The Universal Scalability Law gives a contention of ${within(sigma)} and a coherence of ${within(kappa)}`;
	if (!peak) return `${costs}.`;
	const interval = peak.low === null || peak.high === null ? '' : ` (${significant(peak.low)} to ${significant(peak.high)})`;
	return `${costs}, with the peak at ${significant(peak.n)}${interval} ${xLabel}.`;
}

/** `1 node`, `4 nodes`. */
const numbered = (x: number, plural: string) => `${significant(x)} ${x === 1 ? plural.replace(/s$/, '') : plural}`;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
