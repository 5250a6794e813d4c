/**
 * k6's options for a shape: a warm-up scenario, a pause, the load. The warm-up runs another function, so that it
 * touches none of the metrics that the lab counts.
 *
 * @import { Shape } from './shapes.js'
 */
import { GRACEFUL_STOP_S, loadStart, OPEN_USERS, SETTLE_S, WARMUP_USERS } from './shapes.js';

/** Of each trend, in k6's summary. */
export const TREND_STATS = ['count', 'avg', 'min', 'med', 'p(2.5)', 'p(90)', 'p(95)', 'p(97.5)', 'p(99)', 'max'];

/** What k6 is to count of a scenario apart. @param {string} scenario */
export const subMetricsOf = (scenario) => [
	`http_req_duration{scenario:${scenario}}`,
	`http_req_duration{scenario:${scenario},expected_response:true}`,
	`http_req_blocked{scenario:${scenario}}`,
	`iteration_duration{scenario:${scenario}}`,
];

/**
 * k6 makes a metric of its own of what a threshold names: so the summary has it, without a call here.
 * @param {string[]} metrics
 * @returns {Record<string, string[]>} thresholds that are always met
 */
export const countedApart = (metrics) => Object.fromEntries(metrics.map((metric) => [metric, ['max>=0']]));

/** What k6 counts of the load, apart from the warm-up, of a script that the lab has no part in. @type {Record<string, string[]>} */
export const COUNTED_PLAINLY = { 'http_reqs{scenario:load}': ['count>=0'], 'http_req_failed{scenario:load}': ['rate>=0'] };

/**
 * Of the tags that k6 puts on every sample by itself, those that the lab asks for. k6 gathers its samples by their tags, so each more
 * costs every request, and a tag such as `url` makes a time series of its own for every URL.
 */
const SYSTEM_TAGS = ['scenario', 'expected_response'];

/** @param {Shape} shape */
export function optionsFor(shape) {
	return {
		scenarios: scenariosOf(shape),
		systemTags: SYSTEM_TAGS,
		// Read to their end all the same; a scenario that looks into them says so.
		discardResponseBodies: true,
		summaryTrendStats: TREND_STATS,
		thresholds: countedApart(subMetricsOf('load')),
	};
}

/** Users and times alone, for a script that the lab has no part in too. @param {Shape} shape */
export const scenariosOf = (shape) => ({
	warmup: { exec: 'warmup', duration: `${shape.warmup_s}s`, gracefulStop: `${SETTLE_S - 1}s`, ...warmupExecutorOf(shape) },
	load: { exec: 'load', startTime: `${loadStart(shape)}s`, ...executorOf(shape) },
});

/** @param {Shape} shape */
const warmupExecutorOf = ({ warmupRate, warmupUsers = WARMUP_USERS, ...shape }) =>
	warmupRate === undefined
		? { executor: 'constant-vus', vus: warmupUsers }
		: { executor: 'constant-arrival-rate', rate: warmupRate, timeUnit: '1s', ...usersOf(shape) };

/** Of an open load. @param {Pick<Shape, 'usersMost'>} shape */
const usersOf = ({ usersMost = OPEN_USERS }) => ({ preAllocatedVUs: usersMost, maxVUs: usersMost });

/** @param {Shape} shape */
function executorOf(shape) {
	const stages = shape.stages.map(({ duration_s, target }) => ({ duration: `${duration_s}s`, target }));
	const gracefulStop = `${GRACEFUL_STOP_S}s`;
	if (shape.model === 'open') {
		return {
			executor: 'ramping-arrival-rate',
			startRate: 0,
			timeUnit: '1s',
			...usersOf(shape),
			stages,
			gracefulStop,
		};
	}
	const [first] = shape.stages;
	return { executor: 'ramping-vus', startVUs: first.held ? first.target : 1, stages, gracefulStop };
}
