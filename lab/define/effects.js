/**
 * Every variable of the front door, and what it has an effect on. One that changes nothing about what is run is refused, or it would
 * look as if it did.
 *
 * Not among them are those of the machine (IMAGES, BUSY), which a shell or a job sets once for all its commands, and the folders that
 * commands read (RUN, INTO).
 */
import { architectures } from './architectures.js';
import { CLIENT_VARIABLES } from './client-behaviour.js';
import { NotReadyError } from './errors.js';
import { spell, spellOwn } from './spelling.js';
import { aboutVariable, variableNames } from './variables.js';

/** @typedef {Record<string, string | undefined>} Env */

const RUN = spell(['run', '<architecture>']);
const SWARM = spell(['swarm', '<architecture>']);
const COMPARE = spell(['compare']);
const EXPERIMENT = spell(['experiment', '<id>']);
const SELFTEST = spell(['selftest']);
const BENCH = spell(['bench-overhead']);
const PLAN = spell(['plan']);
const REPLAY = spell(['replay']);
const SEEDED = ['run', 'selftest', 'bench-overhead'].map((command) => spellOwn([command])).join(', ');
const MEASURING = `${RUN}, ${SWARM}, ${COMPARE} and ${EXPERIMENT}`;
const OF_CLIENT = `on ${MEASURING}, of architectures of the document service`;

/** @param {string} name of a variable that architectures have of their own */
const architecturesWith = (name) => Object.keys(architectures).filter((id) => architectures[id].variables?.[name]);

/**
 * @typedef {object} FrontVariable
 * @property {string} about   what it may hold, and what that means
 * @property {string} effect  in words, after "it has an effect"
 */

/** @type {Record<string, FrontVariable>} */
export const VARIABLES = {
  LOAD: { about: 'a load of the scenario, as listed below; `ramp` unless given', effect: `on ${MEASURING}` },
  BUDGET: { about: 'a budget, as listed below; `none` unless given, and an experiment has its own', effect: `on ${MEASURING}` },
  SEED: {
    about: 'of whatever is random; drawn and recorded unless given',
    effect: `on ${MEASURING}; of your own system also on ${SEEDED}`,
  },
  RATE: {
    about:
      'requests a second at the top of the arrival rate, or as in 40% so much of what the same system, or of several the first, serves when it is full, measured first; 1,000 unless given, and 300 under LOAD=constant',
    effect: 'under LOAD=open, LOAD=surge and LOAD=constant',
  },
  USERS: { about: 'users at the top; 2,000 unless given, as published', effect: 'under LOAD=ramp, LOAD=smoke and LOAD=plateaus' },
  THINK: { about: 'milliseconds that the users think; by the calibration unless given', effect: 'under LOAD=patient' },
  DELAY: { about: 'milliseconds that each node adds to each answer', effect: 'on architectures that have nodes to wait in' },
  INTEGRITY: {
    about: '1: each document holds the id of its request; lost, ghost and duplicated writes are told by id',
    effect: 'on architectures of the document service',
  },
  TIMEOUT: { about: 'milliseconds that users wait for an answer; 60,000 unless given', effect: OF_CLIENT },
  RETRIES: { about: 'how often users try a request again that failed, at most; 0 unless given', effect: OF_CLIENT },
  BACKOFF: {
    about:
      'milliseconds before the first retry, twice as long for each further one; users wait a random part of it; 0 unless given: at once',
    effect: `${OF_CLIENT}, with RETRIES`,
  },
  RETRY_BUDGET: { about: 'per cent of its requests that a user may try again; all unless given', effect: `${OF_CLIENT}, with RETRIES` },
  RETRY_AFTER: {
    about: '1: users wait as long as an answer says in Retry-After before they try again',
    effect: `${OF_CLIENT}, with RETRIES`,
  },
  FAULT: {
    about:
      "faults that are put in while the load goes on, in quotes: `FAULT='pause app-1@20s+5s; kill app-2@30s'`; their forms are listed below",
    effect: `on ${MEASURING}, and on ${spellOwn(['run'])}`,
  },
  GENERATORS: {
    about: 'processes of k6 that make the load together, each a part of its users; 1 unless given',
    effect: OF_CLIENT,
  },
  HOSTS: {
    about:
      "the other hosts of the Swarm and where their engines answer, in quotes: `HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'`",
    effect: `on ${SWARM}`,
  },
  DASHBOARD: {
    about:
      "1: k6's own page on http://127.0.0.1:5665 while the load runs, and its own report beside the lab's; it costs k6 CPU each second",
    effect: `on ${RUN} and ${spellOwn(['run'])}`,
  },
  EXPECT: {
    about: "thresholds that a run has to meet, in quotes: `EXPECT='failure_rate<0.001,latency_ms_p95_ok<800'`",
    effect: `on ${RUN}, on ${spellOwn(['run'])}, and on ${spell(['report'])} of a run`,
  },
  CAPTURE: {
    about:
      '0: what passes the networks of your own system is not recorded; as `capture: off` in doubletake.yaml. 1: what passes those of an architecture is, which is not done unless given; of the overhead, what that alone costs',
    effect: `on ${spellOwn(['run'])}, ${RUN}, ${COMPARE}, ${EXPERIMENT} and ${BENCH}`,
  },
  REPEATS: {
    about: 'blocks of a comparison or an experiment, 8 unless given; of a fault in the self-test, 3; pairs of the overhead, 8',
    effect: `on ${COMPARE}, ${EXPERIMENT}, ${SELFTEST} and ${BENCH}`,
  },
  ARMS: {
    about: 'run only these arms, with commas between; claims that need others are skipped. Of an excerpt: keep the typical run of these',
    effect: `on ${EXPERIMENT} and ${spell(['excerpt'])}`,
  },
  RESUME: {
    about: 'the folder of an interrupted comparison or experiment; with a larger `REPEATS`, to add blocks',
    effect: `on ${COMPARE} and ${EXPERIMENT}`,
  },
  BASELINE: { about: 'the folder of an earlier comparison, to compare `B` with its runs', effect: `on ${COMPARE}` },
  A: { about: 'baseline: an architecture, with variables of its own after colons (`a:DELAY=5`)', effect: `on ${COMPARE}` },
  B: { about: 'candidate: the same', effect: `on ${COMPARE}` },
  FAULTS: {
    about: '`all` unless given; `short`, names with commas between, `rest` (those that are left), `again` (score the runs again)',
    effect: `on ${SELFTEST}`,
  },
  TARGET_RPS: { about: 'good requests a second that are to be served', effect: `on ${PLAN}` },
  P95_MS: { about: 'milliseconds that 95 % of them may take at most; no limit unless given', effect: `on ${PLAN}` },
  WRITE: {
    about: '1: of records that moved, result and report are written again; of frozen ones their results',
    effect: `on ${REPLAY}`,
  },
  PARTS: { about: '1: what each part of the lab costs too', effect: `on ${BENCH}` },
  ...Object.fromEntries(variableNames().map(ownVariable)),
};

/** Of the machine, and never refused. @type {Record<string, string>} */
export const MACHINE_VARIABLES = {
  IMAGES: '`auto`: from the registry, or built from packages where none can be reached; or `hub`, `local`',
  BUSY: '`refuse`: no run on a machine that is more than 15 % busy for a minute; or `allow`: the run is made, once, and is SUSPECT',
};

/** One that architectures have of their own. @param {string} name @returns {[string, FrontVariable]} */
function ownVariable(name) {
  const ids = architecturesWith(name);
  const [variable] = ids.flatMap((id) => architectures[id].variables?.[name] ?? []);
  return [name, { about: aboutVariable(variable), effect: `on ${ids.join(', ')}` }];
}

/** All names. */
export const NAMES = Object.keys(VARIABLES);

/** Of these 0 is as good as none. */
const SWITCHES = ['DELAY', 'INTEGRITY', 'DASHBOARD', 'PARTS', 'WRITE', 'RETRIES', 'BACKOFF', 'RETRY_AFTER'];

/** @type {(name: string, text: string | undefined) => boolean} */
const isGiven = (name, text) => text !== undefined && text !== '' && !(SWITCHES.includes(name) && Number(text) === 0);

/**
 * What a run of an architecture takes; of most of it readSettings says more exactly under which load. The seed of a single run only
 * goes into its record: the command that every report names for repeating its run has one.
 * @param {string} architecture
 */
export const takenByRun = (architecture) => [
  ...[
    'LOAD',
    'BUDGET',
    'SEED',
    'EXPECT',
    'DELAY',
    'INTEGRITY',
    'RATE',
    'USERS',
    'THINK',
    'GENERATORS',
    'DASHBOARD',
    'FAULT',
    'CAPTURE',
    ...CLIENT_VARIABLES,
  ],
  ...Object.keys(architectures[architecture].variables ?? {}),
];

/**
 * @param {string} what   is run, in words
 * @param {readonly string[]} taken  names of the variables that change something about it
 * @param {Env} env
 * @throws {NotReadyError} naming the first other one, and what that has an effect on
 */
export const refuseAllBut = (what, taken, env) =>
  refuse(
    what,
    NAMES.filter((name) => !taken.includes(name)),
    env,
  );

/**
 * @param {string} what
 * @param {readonly string[]} names  of variables that change nothing about it
 * @param {Env} env
 * @throws {NotReadyError}
 */
export function refuse(what, names, env) {
  const name = names.find((candidate) => isGiven(candidate, env[candidate]));
  if (name === undefined) return;
  throw new NotReadyError(
    `${name}: expected none, because it changes nothing about ${what}; found "${env[name]}".`,
    `leave it out; it has an effect ${VARIABLES[name].effect}. Where a shell sets it for another program, give it empty: ${name}=`,
  );
}
