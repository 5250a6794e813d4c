/**
 * What a user's k6 script will do, as k6 itself says before it runs (`k6 inspect --execution-requirements`): for how long, with how many
 * users, and whether it may stop by itself. Pure.
 */

import type { LoadChange } from '../../k6/lib/changed-load.js';
import { durationMs, isOpen, lengthMs } from '../../k6/lib/durations.js';
import type { Ends, Shape } from '../../k6/lib/shapes.js';
import { NotReadyError } from '../base/errors.ts';

const LONGEST_S = 3600;
/**
 * How many iterations end a scenario of these executors, with k6's own defaults.
 * https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/
 */
const ITERATIONS: Record<string, (scenario: Scenario) => number> = {
	'shared-iterations': ({ iterations }) => iterations ?? 1,
	'per-vu-iterations': ({ iterations, vus }) => (iterations ?? 1) * (vus ?? 1),
};

type Scenario = { executor: string; startTime?: string | null; stages?: { duration: string; target: number }[]; [option: string]: any };

/**
 * At the latest.
 * @returns seconds from the start of the load
 */
const endOf = (scenario: Scenario): number => (durationMs(scenario.startTime ?? 0) + lengthMs(scenario)) / 1000;

type Thresholds = Record<string, (string | { abortOnFail?: boolean })[]>;

/**
 * @param script its name
 * @param change of a trial
 * @throws {NotReadyError} when k6 does not say when it ends, or that is too late
 */
export function shapeOfScript(
	{ scenarios = {}, maxVUs = 1, thresholds }: { scenarios?: Record<string, Scenario>; maxVUs?: number; thresholds?: Thresholds },
	script: string,
	change?: LoadChange,
): Shape {
	const all = Object.values(scenarios);
	const ends = all.map(endOf);
	const seconds = Math.max(0, ...ends);
	if (all.length === 0 || !ends.every(Number.isFinite) || seconds > LONGEST_S)
		throw new NotReadyError(
			`${script}: expected a load that ends within an hour; found ${Number.isFinite(seconds) ? `one of ${Math.round(seconds)} s` : 'no end'}.`,
			'give each scenario a duration, or stages.',
		);
	const early = endsOf(scenarios, abortingIn({ thresholds }));
	const length = `${early ? 'at most ' : ''}${Math.round(seconds)} s`;
	const arriving = Object.keys(scenarios).filter((name) => isOpen(scenarios[name]));
	const rates = all.length === 1 && arriving.length === 1 ? ratesOf(all[0]) : null;
	const most = (value: number) => value.toLocaleString('en-US');
	const begun = rates ? `${most(Math.max(...rates.map(({ target }) => target)))} iterations a second by up to ` : '';
	return {
		title: `${script}, ${change ? 'changed for a trial' : 'as it is'}: up to ${begun}${most(maxVUs)} users for ${length}`,
		warmup_s: 0,
		settle_s: 0,
		...(arriving.length === all.length ? { model: 'open', usersMost: maxVUs } : { model: 'closed' }),
		arriving,
		...(rates ? { unit: 'iterations/s', stages: rates } : { unit: 'users', stages: stagesOf(all, seconds, maxVUs) }),
		...(early ? { ends: early } : {}),
	};
}

/** k6's own. https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/ramping-arrival-rate/ */
const TIME_UNIT = '1s';

/** Iterations a second of a scenario by whose rate they arrive. */
function ratesOf({ rate, startRate, timeUnit, duration, stages }: Scenario): Shape['stages'] {
	// k6 tells what nobody wrote as null.
	const aSecond = (count: number) => Number(((count * 1000) / durationMs(timeUnit ?? TIME_UNIT)).toPrecision(3));
	if (!stages) return [{ duration_s: durationMs(duration) / 1000, target: aSecond(rate), held: true }];
	const targets = stages.map(({ duration: length, target }) => ({ duration_s: durationMs(length) / 1000, target: aSecond(target) }));
	return withHeld((startRate ?? 0) > 0 ? [{ duration_s: 0, target: aSecond(startRate) }, ...targets] : targets);
}

/** @returns null where the time alone says when it ends */
function endsOf(scenarios: Record<string, Scenario>, aborting: string[]): Ends | null {
	const all = Object.entries(scenarios);
	const counted = all.filter(([, { executor }]) => Object.hasOwn(ITERATIONS, executor));
	if (counted.length === 0 && aborting.length === 0) return null;
	const timed = all.filter((entry) => !counted.includes(entry));
	return {
		iterations: Object.fromEntries(counted.map(([name, scenario]) => [name, ITERATIONS[scenario.executor](scenario)])),
		timed_s: Math.max(0, ...timed.map(([, scenario]) => endOf(scenario))),
		aborting,
	};
}

/** @returns metrics whose thresholds may end the load before its time */
export const abortingIn = ({ thresholds }: { thresholds?: Thresholds }): string[] =>
	Object.entries(thresholds ?? {})
		.filter(([, all]) => all.some((one) => typeof one === 'object' && one.abortOnFail === true))
		.map(([metric]) => metric);

/** @returns whether no scenario waits for others */
export const beginsAtOnce = ({ scenarios = {} }: { scenarios?: Record<string, Scenario> }): boolean =>
	Object.values(scenarios).every(({ startTime }) => durationMs(startTime ?? 0) === 0);

/** Stages of one ramp are the load's; of several scenarios, or of another kind, all of it is one stage. */
function stagesOf(scenarios: Scenario[], seconds: number, users: number): Shape['stages'] {
	const [{ executor, stages }] = scenarios;
	if (scenarios.length > 1 || executor !== 'ramping-vus' || !stages) return [{ duration_s: seconds, target: users }];
	return withHeld(stages.map(({ duration, target }) => ({ duration_s: durationMs(duration) / 1000, target })));
}

const withHeld = (stages: { duration_s: number; target: number }[]): Shape['stages'] =>
	stages.map((stage, index) => ({ ...stage, ...(index > 0 && stages[index - 1].target === stage.target ? { held: true } : {}) }));
