/**
 * Figures of an experiment as its page and its Markdown write them.
 *
 *
 * @import { ClaimTest, Range } from '../../record/types.js'
 */
import { figure, MISSING, percent, withUnit } from '../format.ts';

const MINUS = '−';
const SPACE = '\u00a0';
const PER_CENT = 100;
/** A figure and what stands behind it: `558 rps`, `1.67×`. */
const UNIT = /^([\d.,+−-]+)(\u00a0\S+|×)$/;

/**
 * A difference of shares in percentage points, signed: `17 %` could be read as a ratio.
 * @param {number | null} value 0 to 1
 */
function points(value) {
	if (value === null || !Number.isFinite(value)) return MISSING;
	const sign = value > 0 ? '+' : value < 0 ? MINUS : '';
	const amount = Math.abs(value) * PER_CENT;
	return `${sign}${withUnit(amount, amount === 1 ? 'point' : 'points')}`;
}

/** @type {Record<ClaimTest['scale'], (value: number | null) => string>} */
const ON_SCALE = {
	ratio: (value) => (value === null || !Number.isFinite(value) ? MISSING : `${figure(value)}×`),
	difference: points,
	share: percent,
};

/**
 * A figure of a test: `0.61×`, `+17.7 points`, `0.02 %`.
 * @param {ClaimTest['scale']} scale
 * @param {number | null} value
 */
export const onScale = (scale, value) => ON_SCALE[scale](value);

/**
 * `1.52 to 1.71×`: the interval of a test, or a dash.
 * @param {Pick<ClaimTest, 'scale' | 'low' | 'high'>} test
 */
export const intervalText = ({ scale, low, high }) => between(onScale(scale, low), onScale(scale, high));

/**
 * What the claim wants: `at least 1.49×`.
 * @param {Pick<ClaimTest, 'scale' | 'wanted' | 'threshold'>} test
 */
export const wantedText = ({ scale, wanted, threshold }) => `${wanted}${SPACE}${onScale(scale, threshold)}`;

/**
 * The extremes over the blocks: `918 to 944 rps`; the unit once, where both have the same.
 * @param {Range | undefined} range
 * @param {(value: number | null) => string} format
 */
export const extremes = (range, format) => (range ? between(format(range.low), format(range.high)) : MISSING);

/** @type {(low: string, high: string) => string} */
function between(low, high) {
	if (low === MISSING || high === MISSING) return MISSING;
	if (low === high) return low;
	const [amount, unit] = [low.match(UNIT)?.[1] ?? low, low.match(UNIT)?.[2]];
	return `${unit && high.endsWith(unit) ? amount : low} to ${high}`;
}
