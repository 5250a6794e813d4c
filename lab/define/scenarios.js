/**
 * The scenarios: what one request is, who makes the load, and which figures of its own it leaves beside the metrics that
 * every run has. An architecture names its scenario; its program is in app/, its users' doings in k6/scenarios, and what is
 * read from its record in lab/analyse/figures.
 */
import { THINK_TIME_S } from '../../k6/lib/think.js';
import { oneOf } from './option-kinds.js';

/**
 * @typedef {object} Scenario
 * @property {string} request           what one request is, in words
 * @property {string} noun              what many of them are called
 * @property {string} [folder]         of its k6 script, below the lab's; k6/scenarios unless given
 * @property {'k6' | 'program'} driver  who makes the load: k6, from outside; or a program that is the system itself
 * @property {string} load              the one it runs under unless LOAD is given
 * @property {Record<string, string>} loads  the loads it knows, to keys of k6/lib/shapes.js
 * @property {number} think_time_s      between an answer and the user's next request, unless the load says otherwise
 * @property {boolean} calibrated       the calibration says what its requests cost, so that computed budgets fit it
 * @property {Record<string, string>} refusals  statuses and names of errors by which its app refuses what it has not got, or has no time for, to
 *   the cause
 * @property {boolean} [asItIs]         users come and go as a script of somebody else says, so that their time is that of their iterations
 * @property {boolean} timed            a request is one write and one read, which is what the time ledger's sums rest on
 * @property {Written | null} written   what the database keeps of it; null where there is none to be asked
 * @property {Figure[]} figures         its own, by the id under which `result.figures` has them
 *
 * @typedef {object} Written
 * @property {Record<string, string>} observer  tells the observer of the database where to look
 * @property {string} created           k6's counter of answers that each left a document behind
 * @property {string} [deleted]         k6's counter of answers that each took one away
 *
 * @typedef {object} Figure
 * @property {string} id                name, unit and qualifier
 * @property {string} label
 * @property {import('./metrics.js').Unit} unit
 * @property {'higher' | 'lower' | null} better  null: neither, so that no arm is better or worse for it
 * @property {boolean} of_successes     speaks of good answers alone
 */

/** @type {(id: string, label: string, better?: 'lower' | null) => Figure} */
const latency = (id, label, better = 'lower') => ({ id, label, unit: 'ms', better, of_successes: true });

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
    timed: true,
    written: { observer: { WRITTEN: 'doubletake.documents' }, created: 'lab_ok' },
    figures: [],
  },
  tickets: {
    request: 'POST /tickets: sells one ticket; 409 when none is left',
    noun: 'requests',
    folder: 'experiments/batching/k6',
    driver: 'k6',
    load: 'checkout',
    loads: { checkout: 'checkout', smoke: 'checkout-smoke' },
    think_time_s: 0,
    calibrated: false,
    refusals: { 409: 'sold-out' },
    timed: false,
    written: { observer: { WRITTEN: 'doubletake.orders', TICKETS: '1' }, created: 'lab_ok' },
    figures: [{ id: 'batch_size_mean', label: 'mean batch', unit: 'count', better: null, of_successes: false }],
  },
  crud: {
    request: 'one read, create, update or delete of a document',
    noun: 'operations',
    folder: 'experiments/workers/k6',
    driver: 'k6',
    load: 'workers',
    loads: { workers: 'workers', brief: 'workers-brief', smoke: 'workers-smoke' },
    think_time_s: 0,
    calibrated: false,
    refusals: { 404: 'not-there', 409: 'taken' },
    timed: false,
    written: {
      observer: { WRITTEN: 'db1.documents,db2.documents,db3.documents' },
      created: 'lab_created',
      deleted: 'lab_deleted',
    },
    figures: [
      ...['read', 'create', 'update', 'delete'].map((operation) => latency(`latency_ms_p95_${operation}`, `p95 of ${operation}s`)),
      { id: 'database_spread', label: 'spread over the databases', unit: 'share', better: null, of_successes: false },
      { id: 'journal_mb_per_s', label: 'journal written', unit: 'mb_per_s', better: null, of_successes: false },
    ],
  },
  pools: {
    request: 'GET /: waits for 100 ms, or computes a hash, and answers',
    noun: 'requests',
    folder: 'experiments/pools/k6',
    driver: 'k6',
    load: 'connections',
    loads: { connections: 'connections', smoke: 'connections-smoke' },
    think_time_s: 0,
    calibrated: false,
    refusals: {},
    timed: false,
    written: null,
    figures: [
      latency('latency_ms_p2_5_ok', 'p2.5 of successes', null),
      latency('latency_ms_p97_5_ok', 'p97.5 of successes', null),
      latency('latency_ms_mean_ok', 'mean of successes', null),
    ],
  },
  requests: {
    request: 'one request of the list in doubletake.yaml',
    noun: 'requests',
    driver: 'k6',
    load: 'steps',
    loads: { steps: 'steps', brief: 'brief' },
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
    asItIs: true,
    timed: false,
    written: null,
    figures: [],
  },
  inserts: {
    request: 'one record inserted into the store',
    noun: 'inserts',
    driver: 'program',
    load: 'inserts',
    loads: { inserts: 'inserts', smoke: 'inserts-smoke' },
    think_time_s: 0,
    calibrated: false,
    refusals: {},
    timed: false,
    written: null,
    figures: [],
  },
};

/**
 * The shape of a load under a scenario.
 * @param {string} scenario
 * @param {string} load
 * @returns {string} key of k6/lib/shapes.js
 * @throws {import('./errors.js').NotReadyError} naming the loads that the scenario knows
 */
export const shapeOf = (scenario, load) => scenarios[scenario].loads[oneOf('LOAD', load, Object.keys(scenarios[scenario].loads))];

/** Where its script for k6 is, below the folder of the lab. @param {string} scenario */
export const scriptFolderOf = (scenario) => scenarios[scenario].folder ?? 'k6/scenarios';

/**
 * What Compose files call a scenario's script.
 * @param {string} scenario
 */
export const scriptOf = (scenario) => ({ SCENARIO: scenario, SCENARIO_FOLDER: scriptFolderOf(scenario) });
