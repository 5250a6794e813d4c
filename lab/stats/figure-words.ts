/** Figures as sentences have them. The pages format their own; these are for what the analysis says in words. */

import type { Unit } from './metric.ts';

/** How a sentence names a tier. */
const TIER_NAMES: Record<string, string> = {
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

export const tierName = (tier: string) => (Object.hasOwn(TIER_NAMES, tier) ? TIER_NAMES[tier] : tier);

export const count = (value: number) => value.toLocaleString('en-US');

/** `1 request`, `2 requests`. */
export const many = (value: number, noun: string) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** @param share 0 to 1 */
export const percent = (share: number) => `${(share * 100).toFixed(share !== 0 && Math.abs(share) < 0.01 ? 2 : 1)} %`;

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ORDINAL_ENDINGS = { one: 'st', two: 'nd', few: 'rd', other: 'th' } as Record<string, string>;
/** @param value whole: `91st`, `95th` */
export const ordinal = (value: number) => `${value}${ORDINAL_ENDINGS[ordinals.select(value)]}`;

/** @param value of three significant digits at most */
export const significant = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

const FORMATS: Record<Unit, (value: number, noun: string) => string> = {
	rps: (value, noun) => `${significant(value)} ${noun} a second`,
	share: percent,
	ms: (value) => (value < 1000 ? `${significant(value)} ms` : `${significant(value / 1000)} s`),
	count: (value) => (Number.isInteger(value) ? count(value) : significant(value)),
	mb_per_s: (value) => `${significant(value)} MB/s`,
};

/** @param noun what many requests of the scenario are called */
export const inUnit = (unit: Unit, value: number | null, noun: string = 'requests') =>
	value === null ? 'nothing measured' : FORMATS[unit](value, noun);

const twoDecimals = (value: number) => (value < 10 ? value.toFixed(2) : significant(value));
/** @param value a difference of shares */
const points = (value: number) =>
	`${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value * 100).toFixed(Math.abs(value) < 0.01 ? 2 : 1)}`;

/** `1.90 times`, `+17.7 percentage points`. */
export function change(scale: 'ratio' | 'difference', value: number | null) {
	if (value === null) return 'nothing measured';
	return scale === 'ratio' ? `${twoDecimals(value)} times` : `${points(value)} percentage points`;
}

/** `1.80 to 2.10`. */
export function interval(scale: 'ratio' | 'difference', { low, high }: { low: number | null; high: number | null }) {
	if (low === null || high === null) return 'no interval';
	const format = scale === 'ratio' ? twoDecimals : points;
	return `${format(low)} to ${format(high)}`;
}
