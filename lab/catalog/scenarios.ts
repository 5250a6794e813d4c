/**
 * The scenarios: what one request is, who makes the load, and which figures of its own it leaves beside the metrics that
 * every run has. An architecture names its scenario. Those that one experiment brought are in its folder, where its program, its users'
 * doings and what is read from its record are too.
 */

import type { Shape } from '../../k6/lib/shapes.js';
import { shapes as commonShapes } from '../../k6/lib/shapes.js';
import { THINK_TIME_S } from '../../k6/lib/think.js';
import { oneOf } from '../base/format-command.ts';
import type { Metric } from '../stats/metric.ts';
import { modulesOf, pathOf } from './experiment-folders.ts';

export type Scenario = {
	/** what one request is, in words */
	request: string;
	/** what many of them are called */
	noun: string;
	/** what any of its systems is called in a refusal; by its name unless given */
	system?: string;
	/** in whose folder it is */
	experiment?: string;
	/** who makes the load: k6, from outside; or a program that is the system itself */
	driver: 'k6' | 'program';
	/** the one it runs under unless LOAD is given */
	load: string;
	/** the loads it knows, to keys of the shapes */
	loads: Record<string, string>;
	/** between an answer and the user's next request, unless the load says otherwise */
	think_time_s: number;
	/** the calibration says what its requests cost, so that computed budgets fit it */
	calibrated: boolean;
	/** statuses and names of errors by which its app refuses what it has not got, or has no time for, to the cause */
	refusals: Record<string, string>;
	/** users come and go as a script of somebody else says, so that their time is that of their iterations */
	isUserScript?: boolean;
	/** its nodes are the lab's own, and can wait before they answer */
	delayed?: boolean;
	/** a request is one write and one read, which is what the time ledger's sums rest on */
	timed: boolean;
	/** what the database keeps of it; null where there is none to be asked */
	written: Written | null;
	/** its own, by the id under which `result.figures` has them */
	figures: Figure[];
};

/** of an experiment; shapes: of its loads, by keys that no other has */
export type ExperimentScenario = Omit<Scenario, 'experiment'> & { id: string; shapes: Shapes };

type Shapes = Record<string, (env: Record<string, string | undefined>) => Shape>;

type Written = {
	/** tells the observer of the database where to look */
	observer: Record<string, string>;
	/** k6's counter of answers that each left a document behind */
	created: string;
	/** k6's counter of answers that each took one away */
	deleted?: string;
	/** in raw/, to which the observer writes what its experiment reads besides */
	file?: string;
};

export type Figure = Pick<Metric, 'id' | 'label' | 'unit' | 'better' | 'success_only'>;

const found: [string, { scenario: ExperimentScenario }][] = await modulesOf('scenario.ts');

const rowOf: (experiment: string, own: ExperimentScenario) => [string, Scenario] = (experiment, { id, shapes: _, ...scenario }) => [
	id,
	{ ...scenario, experiment },
];

/** What one request is of a system whose own doubletake.yaml lists them. */
export const LISTED = 'requests';

export const scenarios: Record<string, Scenario> = {
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

/** Of all loads. */
export const shapes: Shapes = Object.assign({}, commonShapes, ...found.map(([, { scenario }]) => scenario.shapes));

/**
 * The shape of a load under a scenario.
 * @returns key of the shapes
 * @throws {import('../base/errors.ts').NotReadyError} naming the loads that the scenario knows
 */
export const shapeOf = (scenario: string, load: string): string =>
	scenarios[scenario].loads[oneOf('LOAD', load, Object.keys(scenarios[scenario].loads))];

/** Where its script for k6 is, below the folder of the lab. */
export function scriptFolderOf(scenario: string) {
	const { experiment } = scenarios[scenario];
	return experiment === undefined ? 'k6/scenarios' : pathOf(experiment, 'k6');
}

/** What Compose files call a scenario's script. */
export const scriptOf = (scenario: string) => ({ SCENARIO: scenario, SCENARIO_FOLDER: scriptFolderOf(scenario) });
