/** Figures of an experiment as its page and its Markdown write them. */

import type { ClaimTest, Range } from '../../record/types.js';
import { figure, MISSING, percent, withUnit } from '../format.ts';

const MINUS = '−';
const SPACE = '\u00a0';
const PER_CENT = 100;
/** A figure and what stands behind it: `558 rps`, `1.67×`. */
const UNIT = /^([\d.,+−-]+)(\u00a0\S+|×)$/;

/**
 * A difference of shares in percentage points, signed: `17 %` could be read as a ratio.
 * @param value 0 to 1
 */
function points(value: number | null) {
	if (value === null || !Number.isFinite(value)) return MISSING;
	const sign = value > 0 ? '+' : value < 0 ? MINUS : '';
	const amount = Math.abs(value) * PER_CENT;
	return `${sign}${withUnit(amount, amount === 1 ? 'point' : 'points')}`;
}

const ON_SCALE: Record<ClaimTest['scale'], (value: number | null) => string> = {
	ratio: (value) => (value === null || !Number.isFinite(value) ? MISSING : `${figure(value)}×`),
	difference: points,
	share: percent,
};

/** A figure of a test: `0.61×`, `+17.7 points`, `0.02 %`. */
export const onScale = (scale: ClaimTest['scale'], value: number | null) => ON_SCALE[scale](value);

/** `1.52 to 1.71×`: the interval of a test, or a dash. */
export const intervalText = ({ scale, low, high }: Pick<ClaimTest, 'scale' | 'low' | 'high'>) =>
	between(onScale(scale, low), onScale(scale, high));

/** What the claim wants: `at least 1.49×`. */
export const wantedText = ({ scale, wanted, threshold }: Pick<ClaimTest, 'scale' | 'wanted' | 'threshold'>) =>
	`${wanted}${SPACE}${onScale(scale, threshold)}`;

/** The extremes over the blocks: `918 to 944 rps`; the unit once, where both have the same. */
export const extremes = (range: Range | undefined, format: (value: number | null) => string) =>
	range ? between(format(range.low), format(range.high)) : MISSING;

function between(low: string, high: string): string {
	if (low === MISSING || high === MISSING) return MISSING;
	if (low === high) return low;
	const [amount, unit] = [low.match(UNIT)?.[1] ?? low, low.match(UNIT)?.[2]];
	return `${unit && high.endsWith(unit) ? amount : low} to ${high}`;
}
