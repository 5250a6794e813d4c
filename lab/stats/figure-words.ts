/**
 * Figures as sentences have them. The pages format their own; these are for what the analysis says in words.
 *
 * @import { Unit } from '../catalog/metrics.ts'
 */

/** How a sentence names a tier. @type {Record<string, string>} */
const TIER_NAMES = {
	generator: 'the load generator',
	'load-balancer': 'the load balancer',
	app: 'the app',
	pool: 'the connection pool',
	cache: 'the cache',
	database: 'the database',
	queue: 'the queue',
	machine: 'the machine',
	unattributed: 'a place that is not known',
};

/** @param {string} tier */
export const tierName = (tier) => (Object.hasOwn(TIER_NAMES, tier) ? TIER_NAMES[tier] : tier);

/** @param {number} value */
export const count = (value) => value.toLocaleString('en-US');

/** `1 request`, `2 requests`. @param {number} value @param {string} noun */
export const many = (value, noun) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** @param {number} share 0 to 1 */
export const percent = (share) => `${(share * 100).toFixed(share !== 0 && Math.abs(share) < 0.01 ? 2 : 1)} %`;

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ORDINAL_ENDINGS = /** @type {Record<string, string>} */ ({ one: 'st', two: 'nd', few: 'rd', other: 'th' });
/** @param {number} value whole: `91st`, `95th` */
export const ordinal = (value) => `${value}${ORDINAL_ENDINGS[ordinals.select(value)]}`;

/** @param {number} value of three significant digits at most */
export const significant = (value) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

/** @type {Record<Unit, (value: number, noun: string) => string>} */
const FORMATS = {
	rps: (value, noun) => `${significant(value)} ${noun} a second`,
	share: percent,
	ms: (value) => (value < 1000 ? `${significant(value)} ms` : `${significant(value / 1000)} s`),
	count: (value) => (Number.isInteger(value) ? count(value) : significant(value)),
	mb_per_s: (value) => `${significant(value)} MB/s`,
};

/**
 * @param {Unit} unit
 * @param {number | null} value
 * @param {string} [noun]  what many requests of the scenario are called
 */
export const inUnit = (unit, value, noun = 'requests') => (value === null ? 'nothing measured' : FORMATS[unit](value, noun));

/** @param {number} value */
const twoDecimals = (value) => (value < 10 ? value.toFixed(2) : significant(value));
/** @param {number} value a difference of shares */
const points = (value) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value * 100).toFixed(Math.abs(value) < 0.01 ? 2 : 1)}`;

/**
 * `1.90 times`, `+17.7 percentage points`.
 * @param {'ratio' | 'difference'} scale
 * @param {number | null} value
 */
export function change(scale, value) {
	if (value === null) return 'nothing measured';
	return scale === 'ratio' ? `${twoDecimals(value)} times` : `${points(value)} percentage points`;
}

/**
 * `1.80 to 2.10`.
 * @param {'ratio' | 'difference'} scale
 * @param {{ low: number | null, high: number | null }} interval
 */
export function interval(scale, { low, high }) {
	if (low === null || high === null) return 'no interval';
	const format = scale === 'ratio' ? twoDecimals : points;
	return `${format(low)} to ${format(high)}`;
}
