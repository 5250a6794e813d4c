/**
 * Times as k6 writes and reads them, and when k6 will cut off what a scenario still does. Knows neither k6 nor time.
 */

const UNITS_MS = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/g;

/** k6's own. https://grafana.com/docs/k6/latest/using-k6/scenarios/#options */
const GRACEFUL_STOP = '30s';
/** Of executors that end with their iterations. */
const MAX_DURATION = '10m';
/** k6's own, where users rise by stages. https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/ramping-vus/ */
const USERS_AT_START = 1;
const OPEN = /arrival-rate$/;
/** Before k6 interrupts its users: time enough to count and to say what was still open. */
const BEFORE_STOP_MS = 3000;

/**
 * @param {unknown} value `1m30s`, or milliseconds
 * @returns {number} milliseconds; NaN where it is no time
 */
export function durationMs(value) {
	const text = String(value).trim();
	if (text === '') return Number.NaN;
	if (!Number.isNaN(Number(text))) return Number(text);
	let total = 0;
	let read = 0;
	for (const [part, amount, unit] of text.matchAll(PART)) {
		total += Number(amount) * UNITS_MS[/** @type {keyof typeof UNITS_MS} */ (unit)];
		read += part.length;
	}
	return read === text.length ? total : Number.NaN;
}

/**
 * By when a request is to have ended, so that its user can still say so.
 * @param {any} scenario as k6 gives it among its options
 * @returns {number} milliseconds after the scenario's start; infinite where k6 leaves no time for last answers, or does not tell
 */
export function lastAnswerMs(scenario) {
	const graceMs = durationMs(scenario?.gracefulStop ?? GRACEFUL_STOP);
	const stops = graceMs > BEFORE_STOP_MS ? lengthMs(scenario) + graceMs - BEFORE_STOP_MS : Number.NaN;
	return Number.isFinite(stops) ? stops : Number.POSITIVE_INFINITY;
}

/**
 * Until when each of its users surely begins another iteration after the one that it has ended.
 * @param {any} scenario as k6 gives it among its options
 * @returns {number} milliseconds after the scenario's start: its end, or where its users become fewer; 0 where nobody knows
 */
export function comesBackMs(scenario) {
	const { executor, stages = [], startVUs, duration } = scenario ?? {};
	if (executor === 'constant-vus') return durationMs(duration) || 0;
	if (executor !== 'ramping-vus') return 0;
	let from = 0;
	let users = startVUs ?? USERS_AT_START;
	for (const { duration: length, target } of stages) {
		if (target < users) break;
		from += durationMs(length);
		users = target;
	}
	return from || 0;
}

/** Whether its users wait for arrivals between their iterations. @param {any} scenario */
export const isOpen = (scenario) => OPEN.test(scenario?.executor ?? '');

/** How long it goes on, its last answers not counted. @param {any} scenario @returns {number} milliseconds; NaN where k6 does not tell */
export function lengthMs(scenario) {
	if (!scenario) return Number.NaN;
	const { stages, duration, maxDuration } = scenario;
	if (!stages) return durationMs(duration ?? maxDuration ?? MAX_DURATION);
	return stages.reduce((/** @type {number} */ sum, /** @type {any} */ stage) => sum + durationMs(stage.duration), 0);
}
