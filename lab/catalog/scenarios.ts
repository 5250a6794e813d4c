/**
 * The scenarios: what one request is, who makes the load, and which figures of its own it leaves beside the metrics that
 * every run has. An architecture names its scenario. Those that one experiment brought are in its folder, where its program, its users'
 * doings and what is read from its record are too.
 */
import { shapes as commonShapes } from '../../k6/lib/shapes.js';
import { THINK_TIME_S } from '../../k6/lib/think.js';
import { oneOf } from '../base/format-command.ts';
import { modulesOf, pathOf } from './experiment-folders.ts';

/**
 * @typedef {object} Scenario
 * @property {string} request           what one request is, in words
 * @property {string} noun              what many of them are called
 * @property {string} [system]         what any of its systems is called in a refusal; by its name unless given
 * @property {string} [experiment]      in whose folder it is
 * @property {'k6' | 'program'} driver  who makes the load: k6, from outside; or a program that is the system itself
 * @property {string} load              the one it runs under unless LOAD is given
 * @property {Record<string, string>} loads  the loads it knows, to keys of the shapes
 * @property {number} think_time_s      between an answer and the user's next request, unless the load says otherwise
 * @property {boolean} calibrated       the calibration says what its requests cost, so that computed budgets fit it
 * @property {Record<string, string>} refusals  statuses and names of errors by which its app refuses what it has not got, or has no time for, to
 *   the cause
 * @property {boolean} [isUserScript]         users come and go as a script of somebody else says, so that their time is that of their iterations
 * @property {boolean} [delayed]        its nodes are the lab's own, and can wait before they answer
 * @property {boolean} timed            a request is one write and one read, which is what the time ledger's sums rest on
 * @property {Written | null} written   what the database keeps of it; null where there is none to be asked
 * @property {Figure[]} figures         its own, by the id under which `result.figures` has them
 *
 * @typedef {Omit<Scenario, 'experiment'> & { id: string, shapes: Shapes }} ExperimentScenario  of an experiment; shapes: of its loads, by keys that no other has
 * @typedef {Record<string, (env: Record<string, string | undefined>) => import('../../k6/lib/shapes.js').Shape>} Shapes
 *
 * @typedef {object} Written
 * @property {Record<string, string>} observer  tells the observer of the database where to look
 * @property {string} created           k6's counter of answers that each left a document behind
 * @property {string} [deleted]         k6's counter of answers that each took one away
 * @property {string} [file]            in raw/, to which the observer writes what its experiment reads besides
 *
 * @typedef {Pick<import('./metrics.ts').Metric, 'id' | 'label' | 'unit' | 'better' | 'success_only'>} Figure
 */

/** @type {[string, { scenario: ExperimentScenario }][]} */
const found = await modulesOf('scenario.ts');

/** @type {(experiment: string, own: ExperimentScenario) => [string, Scenario]} */
const rowOf = (experiment, { id, shapes: _, ...scenario }) => [id, { ...scenario, experiment }];

/** What one request is of a system whose own doubletake.yaml lists them. */
export const LISTED = 'requests';

/** @type {Record<string, Scenario>} */
export const scenarios = {
	documents: {
		request: 'GET /: writes one document and reads one',
		noun: 'requests',
		driver: 'k6',
		load: 'ramp',
		loads: Object.fromEntries(
			['ramp', 'patient', 'smoke', 'plateaus', 'hold', 'crowd', 'calm', 'steady', 'open', 'surge', 'constant', 'calibrate', 'full'].map(
				(shape) => [shape, shape],
			),
		),
		think_time_s: THINK_TIME_S,
		calibrated: true,
		refusals: { Overloaded: 'shed', BreakerOpenError: 'breaker-open' },
		delayed: true,
		timed: true,
		written: { observer: { WRITTEN: 'doubletake.documents' }, created: 'lab_ok' },
		figures: [],
	},
	...Object.fromEntries(found.map(([experiment, { scenario }]) => rowOf(experiment, scenario))),
	[LISTED]: {
		request: 'one request of the list in doubletake.yaml',
		noun: 'requests',
		system: 'your own system, whose load is in doubletake.yaml',
		driver: 'k6',
		load: 'steps',
		// Those of the other scenarios whose users or rate can be set, so that no system is asked for more than is wanted.
		loads: Object.fromEntries(
			['steps', 'brief', 'hold', 'ramp', 'smoke', 'plateaus', 'open', 'surge', 'constant'].map((shape) => [shape, shape]),
		),
		think_time_s: THINK_TIME_S,
		calibrated: false,
		refusals: {},
		timed: false,
		written: null,
		figures: [],
	},
	script: {
		request: 'one request of the k6 script that doubletake.yaml names',
		noun: 'requests',
		driver: 'k6',
		load: 'script',
		loads: {},
		think_time_s: 0,
		calibrated: false,
		refusals: {},
		isUserScript: true,
		timed: false,
		written: null,
		figures: [],
	},
};

/** Of all loads. @type {Shapes} */
export const shapes = Object.assign({}, commonShapes, ...found.map(([, { scenario }]) => scenario.shapes));

/**
 * The shape of a load under a scenario.
 * @param {string} scenario
 * @param {string} load
 * @returns {string} key of the shapes
 * @throws {import('../base/errors.ts').NotReadyError} naming the loads that the scenario knows
 */
export const shapeOf = (scenario, load) => scenarios[scenario].loads[oneOf('LOAD', load, Object.keys(scenarios[scenario].loads))];

/** Where its script for k6 is, below the folder of the lab. @param {string} scenario */
export function scriptFolderOf(scenario) {
	const { experiment } = scenarios[scenario];
	return experiment === undefined ? 'k6/scenarios' : pathOf(experiment, 'k6');
}

/**
 * What Compose files call a scenario's script.
 * @param {string} scenario
 */
export const scriptOf = (scenario) => ({ SCENARIO: scenario, SCENARIO_FOLDER: scriptFolderOf(scenario) });
