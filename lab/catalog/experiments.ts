/**
 * The experiments: a question, the arms that answer it, a load, the pairs that are compared with each other. Each is a folder of
 * experiments/, which is found and not listed here; in the same folder are its claims.
 */
import { modulesOf } from './experiment-folders.ts';

/**
 * @typedef {object} Experiment
 * @property {string} title
 * @property {string} question
 * @property {string} load        key of the loads, unless LOAD is given
 * @property {FurtherLoad[]} [further_loads]  under which all arms are measured too, unless LOAD is given
 * @property {Condition[]} [judged_under]  other loads and budgets, and which claims they can answer too: fixed here before the
 *   first run
 * @property {string} [budget]    key of the budgets, unless BUDGET is given; `fair` when left out
 * @property {import('../options/arms.ts').Arm[]} arms
 * @property {[string, string][]} pairs  base and other, by the arms' ids
 * @property {string[]} [remarks] what a reader has to know of its arms, found out while measuring
 * @property {Curve} [curve]      a metric against a number
 * @property {PublishedFigures} [published]  what its source measured of the same arms
 *
 * @typedef {object} FurtherLoad
 * @property {string} load
 * @property {Record<string, string>} variables  of the command line, under this load
 *
 * @typedef {object} Condition
 * @property {string} load
 * @property {string} [budget]    the experiment's own when left out
 * @property {string[]} claims    ids
 *
 * @typedef {object} Curve
 * @property {string} x_label     what is counted, in the plural
 * @property {string} metric      id
 * @property {Record<string, number>} x  arm to number
 * @property {boolean} [is_setting]  it is a value of a setting, and counts nothing that serves
 * @property {Counted} [of]       of a user's own system; of shipped ones it is their tier app
 *
 * @typedef {object} Counted      whose number the curve is about
 * @property {string[]} services  whose containers are counted
 * @property {string[]} all       services of all arms
 *
 * @typedef {object} PublishedFigures
 * @property {string} section     of published.json
 * @property {Record<string, string>} runs   arm to the key of its run there
 * @property {Record<string, string>} figures  metric id to the path of its figure in a run, dots between keys
 * @property {number} [within]    how near the measured gate figures are expected to be, such as 0.05 for 5 %
 * @property {Record<string, string>} [reasons]  arm to why it is not near, as found out
 */

/** Of an experiment that says no place: behind those that do, by its name. */
const LAST = Number.MAX_SAFE_INTEGER;

const found = await modulesOf('experiment.ts');

/** In the order of their places. @type {Record<string, Experiment>} */
export const experiments = Object.fromEntries(
	found.toSorted(([, one], [, other]) => (one.place ?? LAST) - (other.place ?? LAST)).map(([id, { experiment }]) => [id, experiment]),
);
