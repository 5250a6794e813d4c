/**
 * The experiments: a question, the arms that answer it, a load, the pairs that are compared with each other. Each is a folder of
 * experiments/, which is found and not listed here; in the same folder are its claims.
 */

import type { Arm } from '../options/arms.ts';
import { modulesOf } from './experiment-folders.ts';

export type Experiment = {
	title: string;
	question: string;
	/** key of the loads, unless LOAD is given */
	load: string;
	/** under which all arms are measured too, unless LOAD is given */
	further_loads?: FurtherLoad[];
	/** other loads and budgets, and which claims they can answer too: fixed here before the first run */
	judged_under?: Condition[];
	/** key of the budgets, unless BUDGET is given; `fair` when left out */
	budget?: string;
	arms: Arm[];
	/** base and other, by the arms' ids */
	pairs: [string, string][];
	/** what a reader has to know of its arms, found out while measuring */
	remarks?: string[];
	/** a metric against a number */
	curve?: Curve;
	/** what its source measured of the same arms */
	published?: PublishedFigures;
};

type FurtherLoad = {
	load: string;
	/** of the command line, under this load */
	variables: Record<string, string>;
};

type Condition = {
	load: string;
	/** the experiment's own when left out */
	budget?: string;
	/** ids */
	claims: string[];
};

export type Curve = {
	/** what is counted, in the plural */
	x_label: string;
	/** id */
	metric: string;
	/** arm to number */
	x: Record<string, number>;
	/** it is a value of a setting, and counts nothing that serves */
	is_setting?: boolean;
	/** of a user's own system; of shipped ones it is their tier app */
	of?: Counted;
};

/** whose number the curve is about */
export type Counted = {
	/** whose containers are counted */
	services: string[];
	/** services of all arms */
	all: string[];
};

export type PublishedFigures = {
	/** of published.json */
	section: string;
	/** arm to the key of its run there */
	runs: Record<string, string>;
	/** metric id to the path of its figure in a run, dots between keys */
	figures: Record<string, string>;
	/** how near the measured gate figures are expected to be, such as 0.05 for 5 % */
	within?: number;
	/** arm to why it is not near, as found out */
	reasons?: Record<string, string>;
};

/** Of an experiment that says no place: behind those that do, by its name. */
const LAST = Number.MAX_SAFE_INTEGER;

const found = await modulesOf('experiment.ts');

/** In the order of their places. */
export const experiments: Record<string, Experiment> = Object.fromEntries(
	found.toSorted(([, one], [, other]) => (one.place ?? LAST) - (other.place ?? LAST)).map(([id, { experiment }]) => [id, experiment]),
);
