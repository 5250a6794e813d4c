/**
 * The options of a user's script, with what the lab needs besides. Knows neither k6 nor time.
 *
 * The script's own stay: scenarios, thresholds, tags, time-outs, all that is not named here. Joined are the trend statistics, the
 * system tags (where the script lists its own, two that the lab counts by are added) and the thresholds (where both name one
 * metric, the script's stays). Ours wins in `noSetup` and `noTeardown` alone: they tell the lab when the load begins and ends. The
 * script's own are left out as it asks.
 * `noUsageReport` is no option of a script (k6 1.1.0 and 2.2.0, lib/options.go), so it is left to K6_NO_USAGE_REPORT.
 */
import { countedApart, subMetricsOf, TREND_STATS } from './options.js';

/** As k6 names the one scenario of a script that has none. */
const DEFAULT_SCENARIO = 'default';
/** By these the lab tells the load from setup and teardown, and good answers from others. */
const NEEDED_TAGS = ['scenario', 'expected_response'];

/**
 * @param {any} [own] what the script exports as options
 * @returns {any}
 */
export function optionsWith(own) {
	const { summaryTrendStats, systemTags, thresholds, ...kept } = own ?? {};
	return {
		...kept,
		...(systemTags !== undefined && { systemTags: Array.isArray(systemTags) ? union(systemTags, NEEDED_TAGS) : systemTags }),
		noSetup: false,
		noTeardown: false,
		summaryTrendStats: union(summaryTrendStats ?? [], TREND_STATS),
		thresholds: { ...askedFor(own), ...thresholds },
	};
}

/** Counters that the lab asks for of each scenario: arrivals that found no user, and seconds that users slept (user-k6.js). */
const COUNTERS = ['dropped_iterations', 'lab_think_s'];

/** As thresholds that are always met. @param {any} own what the script exports as options @returns {Record<string, string[]>} */
function askedFor(own) {
	const named = Object.keys(own?.scenarios ?? {});
	const scenarios = named.length > 0 ? named : [DEFAULT_SCENARIO];
	const counters = scenarios.flatMap((scenario) => COUNTERS.map((counter) => `${counter}{scenario:${scenario}}`));
	return { ...countedApart(scenarios.flatMap(subMetricsOf)), ...Object.fromEntries(counters.map((counter) => [counter, ['count>=0']])) };
}

/**
 * @param {any} own what the script exports as options
 * @returns {string[]} metrics that are in the summary only because the lab asks for them
 */
export function addedMetrics(own) {
	const theirs = new Set(Object.keys(own?.thresholds ?? {}));
	return Object.keys(askedFor(own)).filter((metric) => !theirs.has(metric));
}

/** Whether one of its thresholds may end the load before its time. @param {any} [own] what the script exports as options */
export const mayAbort = (own) =>
	Object.values(own?.thresholds ?? {}).some((all) => [all].flat().some((/** @type {any} */ one) => one?.abortOnFail === true));

/** @param {string[]} theirs @param {string[]} ours */
const union = (theirs, ours) => [...new Set([...theirs, ...ours])];
