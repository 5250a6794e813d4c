/**
 * Numbers, times and names as every page writes them. Counts are exact, measured figures have three significant digits,
 * and a figure that is missing is a dash: it never looks like a zero.
 */

import { ownOf } from '../base/values.ts';
import type { FaultEffect } from '../record/types.js';
import type { Unit } from '../stats/metric.ts';

export const MISSING = '–';
/** Keeps a figure and its unit on one line. */
const SPACE = '\u00a0';
export const SIGNIFICANT_DIGITS = 3;
const LEAST_PERCENT = 0.001;
const MIB = 2 ** 20;
const GIB = 2 ** 30;

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: SIGNIFICANT_DIGITS });

/** The head of a column of figures, which stand on the right. */
export const numeric: <T>(title: T) => { title: T; numeric: boolean } = (title) => ({ title, numeric: true });

type Figure = number | null | undefined;

/** @returns a figure that is not a number counts as missing */
function isMissing(value: Figure): value is null | undefined {
	return value === null || value === undefined || !Number.isFinite(value);
}

/** A count, in full: `58,012`. */
export const count = (value: Figure) => (isMissing(value) ? MISSING : whole.format(value));

/** A measured figure without a unit: `2,190`, `0.42`. */
export const figure = (value: Figure) => (isMissing(value) ? MISSING : rounded.format(value));

/** A number of things, which may be a mean or a median: in full where it is whole, `4,000,000`, and as measured otherwise, `5.3`. */
export const amount = (value: Figure) =>
	isMissing(value) || Number.isInteger(value) || Math.abs(value) >= 1000 ? count(value) : figure(value);

export const withUnit = (value: Figure, unit: string) => (isMissing(value) ? MISSING : `${figure(value)}${SPACE}${unit}`);

/** @param value requests a second */
export const rate = (value: Figure) => withUnit(value, 'rps');

/** @param value CPU cores */
export const cores = (value: Figure) => (isMissing(value) ? MISSING : `${figure(value)}${SPACE}${value === 1 ? 'core' : 'cores'}`);

/**
 * Milliseconds below a second, seconds from there on.
 * @param value milliseconds
 */
export function milliseconds(value: Figure) {
	if (isMissing(value)) return MISSING;
	// 999.6 would round to "1,000 ms".
	return Math.abs(value) < 999.5 ? withUnit(value, 'ms') : withUnit(value / 1000, 's');
}

/**
 * How long something took: `82.4 s`, `5 min 3 s`.
 * @param value seconds
 */
export function duration(value: Figure) {
	if (isMissing(value)) return MISSING;
	if (value < 120) return withUnit(value, 's');
	const total = Math.round(value);
	return `${whole.format(Math.floor(total / 60))}${SPACE}min ${total % 60}${SPACE}s`;
}

/** A share of 0 to 1 as per cent. What is not nothing is not called 0 %, and what is not all is not called 100 %. */
export function percent(value: Figure) {
	if (isMissing(value)) return MISSING;
	const inPercent = value * 100;
	if (inPercent > 0 && inPercent < LEAST_PERCENT) return `<${SPACE}${LEAST_PERCENT}${SPACE}%`;
	const text = figure(inPercent);
	return inPercent < 100 && text === '100' ? `>${SPACE}99.9${SPACE}%` : `${text}${SPACE}%`;
}

/** How many times the other figure: `0.61×`. */
export function ratio(value: Figure, other: Figure) {
	if (isMissing(value) || isMissing(other) || other === 0) return MISSING;
	return `${figure(value / other)}×`;
}

/** @param value megabytes a second */
const megabytesPerSecond = (value: Figure) => withUnit(value, 'MB/s');

/** How a figure of each unit is written. */
export const FORMATS: Record<Unit, (value: Figure) => string> = {
	rps: rate,
	share: percent,
	ms: milliseconds,
	count: amount,
	mb_per_s: megabytesPerSecond,
};

/** @param value bytes */
export function bytes(value: Figure) {
	if (isMissing(value)) return MISSING;
	return value < GIB ? withUnit(value / MIB, 'MiB') : withUnit(value / GIB, 'GiB');
}

/**
 * A moment in UTC, the same for every reader: `2026-03-14 09:26 UTC`.
 * @param iso ISO 8601
 */
export function moment(iso: string) {
	const time = new Date(iso);
	if (Number.isNaN(time.getTime())) return iso;
	const [day, clock] = time.toISOString().split('T');
	return `${day} ${clock.slice(0, 5)} UTC`;
}

/**
 * `1 request`, `2 requests`.
 * @param noun in the singular
 */
export const plural = (value: number, noun: string) => `${count(value)}${SPACE}${noun}${value === 1 ? '' : 's'}`;

/** Between sentences, and between causes with their shares; not within what is quoted. */
const NEXT = /(?<=[.!?]|%\);) (?=(?:[A-Z\d]|(?<=; ))(?:[^"]*"[^"]*")*[^"]*$)(?![^“]*”)/;

/** @returns its sentences; of one that names several causes with their shares, a part for each */
export const sentencesOf = (text: string): string[] => text.split(NEXT);

/** Of what is said below a headline, that which it has not said already; all of it where that is nothing. */
export const unsaid = (text: string, headline: string) =>
	sentencesOf(text)
		.filter((sentence) => !headline.includes(sentence.replace(/\.$/, '')))
		.join(' ') || text;

/**
 * What stands before a command that is to be tried.
 * @param onceValid of an INVALID run: not before another has said the same
 */
export const tryWords = (onceValid?: true) => (onceValid ? 'Try after a VALID run' : 'Try');

/**
 * How the pages name and colour the tiers; the colours themselves are CSS variables in assets/base.css, the same on
 * every page.
 */

/** In the order that requests pass, with what is no tier at the end. */
const TITLES: Record<string, string> = {
	generator: 'generator',
	'load-balancer': 'load balancer',
	app: 'app',
	queue: 'queue',
	pool: 'pool',
	cache: 'cache',
	database: 'database',
	observer: 'observer',
	unattributed: 'unattributed',
};

/** @param tier a tier, or `unattributed`, or `observer` */
export const tierTitle = (tier: string) => ownOf(TITLES, tier) ?? tier;

/**
 * The name of the CSS variable that holds a tier's colour.
 * @param tier a tier, or `unattributed`, or `observer`
 */
export const tierColour = (tier: string) => (tier in TITLES ? `--tier-${tier}` : '--tier-unattributed');

/** Services in the order that requests pass their tiers. */
export function inTierOrder(services: string[], tierOf: (service: string) => string) {
	const order = Object.keys(TITLES);
	const placeOf = (service: string) => (order.indexOf(tierOf(service)) + order.length) % order.length;
	return services.toSorted((one, other) => placeOf(one) - placeOf(other) || one.localeCompare(other, 'en'));
}

/** What a fault that the user put in, or the load's surge, did, in words: the same in the report, the terminal and Markdown. */

/** By what a place or a cause is known, from the surest to the least sure. */
export const BASES = ['proved', 'timed', 'counted', 'inferred'];

/**
 * As the charts and the table call it.
 * @param index from 0
 */
export const faultMark = (index: number) => `F${index + 1}`;

/** When service was as before. */
function recoveryText({ before, failed, recovered_after_s: recovered, watched_after_s: watched, metastable }: FaultEffect) {
	if (failed !== null) return `not known: ${failed}`;
	if (before === null) return 'not known: too few undisturbed seconds before it';
	if (recovered !== null) return recovered === 0 ? 'at once' : `after ${withUnit(recovered, 's')}`;
	const not = `not within the ${withUnit(watched, 's')} until the load ended`;
	return metastable ? `METASTABLE: ${not}, with the arrivals of before` : not;
}

/** When no more waited in the queue than before. */
function backlogText(
	{ before, most, at_end: left, recovered_after_s: recovered }: NonNullable<FaultEffect['backlog']>,
	watched: number | null,
) {
	const when =
		recovered === null
			? `not within the ${withUnit(watched, 's')} until the load ended, with ${count(left)} left`
			: recovered === 0
				? 'at once'
				: `after ${withUnit(recovered, 's')}`;
	return `queue: at most ${count(before)} before, ${count(most)} since; recovered: ${when}`;
}

export const faultSentence = (effect: FaultEffect) => `${effect.text}: ${faultOutcome(effect)}`;

/** The same without its text. */
export function faultOutcome(effect: FaultEffect) {
	const { began_s: began, before, during, backlog, watched_after_s: watched } = effect;
	if (began === null) return `was not injected: ${effect.failed}`;
	const was = before === null ? [] : [`${rate(before.goodput_rps)} successful before`];
	const share = during?.failure_rate ?? null;
	const meanwhile = during === null ? [] : [`${rate(during.goodput_rps)} during it${share === null ? '' : `, ${percent(share)} failed`}`];
	const queued = backlog ? [backlogText(backlog, watched)] : [];
	return [...was, ...meanwhile, `recovered: ${recoveryText(effect)}`, ...queued].join('; ');
}
