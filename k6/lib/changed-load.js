/**
 * A user's load with one thing changed, for a trial that tests an accusation: cut or held after some seconds, without some of its scenarios, or with
 * one request at a time. Knows neither k6 nor time.
 *
 * @typedef {object} LoadChange
 * @property {number} [cut_s]       seconds after which no scenario begins anything
 * @property {number} [hold_s]      seconds for which the users or the rate of that moment are held from then on
 * @property {boolean} [one_user]   one user at a time: the scenarios follow each other, each for an equal part of the time
 * @property {string[]} [without]   scenarios that are left out
 */
import { durationMs } from './durations.js';

/** As k6 names the one scenario of a script that has none. */
const DEFAULT_SCENARIO = 'default';
/** Of executors that end with their iterations. https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/per-vu-iterations/ */
const MAX_DURATION = '10m';
/** Options that say who comes when, of a script without scenarios. https://grafana.com/docs/k6/latest/using-k6/scenarios/#scenarios-and-shortcuts */
const SHORTCUTS = ['vus', 'duration', 'iterations', 'stages'];

/**
 * @param {any} own  what the script exports as options
 * @param {LoadChange} change
 * @returns {any} options of the same script
 */
export function changedOptions(own, { cut_s: cutS, hold_s: holdS = 0, one_user: isOneUser = false, without = [] }) {
	const kept = Object.entries(scenariosIn(own)).filter(([name]) => !without.includes(name));
	const cut =
		cutS === undefined ? kept : kept.flatMap(([name, one]) => cutScenario(one, cutS * 1000, holdS * 1000).map((made) => [name, made]));
	const scenarios = isOneUser && cutS !== undefined ? inTurn(kept, cutS) : Object.fromEntries(cut);
	const rest = Object.entries(own ?? {}).filter(([name]) => !SHORTCUTS.includes(name) && name !== 'scenarios');
	return { ...Object.fromEntries(rest), scenarios };
}

/** By the shortcuts where the script names none. @param {any} own @returns {Record<string, any>} */
export function scenariosIn({ scenarios, vus = 1, duration, iterations, stages } = /** @type {any} */ ({})) {
	if (scenarios) return scenarios;
	if (stages) return { [DEFAULT_SCENARIO]: { executor: 'ramping-vus', startVUs: vus, stages } };
	if (iterations !== undefined || duration === undefined)
		return {
			[DEFAULT_SCENARIO]: {
				executor: 'shared-iterations',
				vus,
				iterations: iterations ?? 1,
				...(duration === undefined ? {} : { maxDuration: duration }),
			},
		};
	return { [DEFAULT_SCENARIO]: { executor: 'constant-vus', vus, duration } };
}

/** @param {number} milliseconds */
const asDuration = (milliseconds) => `${Math.round(milliseconds)}ms`;

/** @type {(scenario: any, cutMs: number, holdMs: number) => any[]} none where it begins later; what has ended by then is not held */
function cutScenario(scenario, cutMs, holdMs) {
	const leftMs = cutMs - durationMs(scenario.startTime ?? 0);
	if (leftMs <= 0) return [];
	if (scenario.stages) {
		const stages = cutStages(scenario, leftMs);
		const isOver =
			scenario.stages.reduce((/** @type {number} */ sum, /** @type {any} */ { duration }) => sum + durationMs(duration), 0) < leftMs;
		const held = holdMs > 0 && !isOver ? [{ duration: asDuration(holdMs), target: stages[stages.length - 1].target }] : [];
		return [{ ...scenario, stages: [...stages, ...held] }];
	}
	const length = scenario.duration === undefined ? 'maxDuration' : 'duration';
	const own = durationMs(scenario[length] ?? MAX_DURATION);
	return [{ ...scenario, [length]: asDuration(own < leftMs ? own : leftMs + holdMs) }];
}

/** A stage that is cut ends at what it had reached by then. @type {(scenario: any, leftMs: number) => { duration: string, target: number }[]} */
function cutStages({ stages, startVUs, startRate, executor }, leftMs) {
	let from = startVUs ?? startRate ?? (executor === 'ramping-vus' ? 1 : 0);
	let left = leftMs;
	const made = [];
	for (const { duration, target } of stages) {
		if (left <= 0) break;
		const length = durationMs(duration);
		const share = length > 0 ? Math.min(1, left / length) : 1;
		made.push({ duration: asDuration(Math.min(length, left)), target: Math.round(from + (target - from) * share) });
		from = target;
		left -= length;
	}
	return made;
}

/** @type {(scenarios: [string, any][], seconds: number) => Record<string, any>} */
function inTurn(scenarios, seconds) {
	const eachMs = (seconds * 1000) / Math.max(1, scenarios.length);
	return Object.fromEntries(
		scenarios.map(([name, { exec, env, tags, gracefulStop }], index) => [
			name,
			{
				executor: 'constant-vus',
				vus: 1,
				startTime: asDuration(index * eachMs),
				duration: asDuration(eachMs),
				...Object.fromEntries(Object.entries({ exec, env, tags, gracefulStop }).filter(([, value]) => value !== undefined)),
			},
		]),
	);
}
