/**
 * The variables of the front door (`make run-2a LOAD=smoke`), read from the environment and checked before anything
 * is changed.
 */
import { loadDuration, shapes } from '../../k6/shapes.js';
import { architectures, scenarioOf } from './architectures.js';
import { budgets, DEFAULT_BUDGET, isComputed } from './budgets.js';
import { CLIENT_VARIABLES, readClientBehaviour, spellClient } from './client-behaviour.js';
import { refuse } from './effects.js';
import { NotReadyError } from './errors.js';
import { readExpect } from './expect.js';
import { checkFaults, readFaults, spellFaults } from './fault-plan.js';
import { readHosts, spellHosts } from './hosts.js';
import { instead } from './nearest.js';
import { shareIn, spellShare } from './rate-share.js';
import { scenarios, shapeOf } from './scenarios.js';
import { shellWord } from './shell-word.js';
import { namesIn } from './shipped-services.js';
import { spell } from './spelling.js';
import { readVariables } from './variables.js';
import { whole } from './whole-number.js';

/** @typedef {'auto' | 'hub' | 'local'} ImageMode */
/**
 * @typedef {object} Settings
 * @property {string} architecture
 * @property {string} load
 * @property {string} budget
 * @property {ImageMode} images
 * @property {number} seed
 * @property {number | null} rate    requests a second at the top of an open load
 * @property {number | null} rate_share  the same, as a share of what the system serves when it is full
 * @property {number | null} users   at the top of a load that takes it; null: as published
 * @property {boolean} integrity     every request carries an id that is stored with its document
 * @property {number | null} think   milliseconds that users think in the mean, instead of what the calibration says; of a load that takes it
 * @property {boolean} dashboard    k6's own page, while the load runs
 * @property {boolean} capture      what passes the networks of the run is recorded
 * @property {number} generators    processes of k6 that make the load together
 * @property {number} delay          milliseconds that each node adds to each answer; 0 for none
 * @property {'refuse' | 'allow'} busy  what to do on a machine that something else uses; it changes nothing about the run
 * @property {Record<string, string>} variables  the architecture's own, every one of them
 * @property {import('./client-behaviour.js').ClientBehaviour | null} client  null: as published
 * @property {import('./fault-plan.js').PlannedFault[]} faults  put in while the load goes on
 * @property {import('./expect.js').Expectation[]} expect  thresholds that the run is to meet; they change nothing about it
 * @property {readonly import('./hosts.js').Host[]} [hosts]  of a run on a Swarm: all but this machine
 */

export const BUSY = /** @type {const} */ (['refuse', 'allow']);
export const IMAGE_MODES = /** @type {const} */ (['auto', 'hub', 'local']);
const RATE_MOST = 100_000;
/** Ten times what is served is overload enough. */
const RATE_SHARE_MOST = 10;
const SEED_MOST = 2 ** 31 - 1;
const DELAY_MOST_MS = 60_000;
const THINK_MOST_MS = 600_000;
/** Each prepares its part of the users in a memory of its own; more than these fit no machine that the lab was tried on. */
const GENERATORS_MOST = 8;
/** Each fills its 3 GiB (compose/base.yaml) with so many: 2,000 take 0.8 GiB, measured. With room. */
const USERS_EACH_MOST = 5000;
/** Of fewer the first stage would have none. */
const USERS_LEAST = 20;

/**
 * @param {string} architecture
 * @param {Record<string, string | undefined>} env
 * @param {boolean} [isSwarm]
 * @returns {Settings}
 * @throws {NotReadyError} naming the variable, what it holds and what it may hold
 */
export function readSettings(architecture, env, isSwarm = false) {
  oneOf('architecture', architecture, Object.keys(architectures));
  const scenario = scenarioOf(architecture);
  const load = env.LOAD || scenarios[scenario].load;
  const shape = shapeOf(scenario, load);
  const { takes, paced, rated, sized } = scenarios[scenario];
  refuse(
    architecture,
    ['DELAY', 'INTEGRITY', 'RATE', 'USERS', 'THINK', 'GENERATORS', 'FAULT', ...CLIENT_VARIABLES].filter((name) => !takes.includes(name)),
    env,
  );
  const variables = readVariables(architecture, env);
  const generators = readGenerators(env);
  const users = underLoads(sized, load, 'USERS', readUsers(env.USERS, generators), 'has users of its own');
  const faults = readFaults(env.FAULT);
  checkFaults(faults, { services: namesIn(architecture), durationS: loadDuration(shapes[shape](variables)), isSwarm });
  return {
    architecture,
    load,
    budget: readBudget(architecture, env.BUDGET || DEFAULT_BUDGET),
    images: readImageMode(env),
    seed: readSeed(env),
    ...readRate(env.RATE, load, rated),
    users,
    integrity: whole('INTEGRITY', env.INTEGRITY, 0, 1) === 1,
    think: underLoads(paced, load, 'THINK', whole('THINK', env.THINK, 1, THINK_MOST_MS), 'has its own'),
    delay: whole('DELAY', env.DELAY, 0, DELAY_MOST_MS) ?? 0,
    dashboard: readDashboard(env),
    capture: whole('CAPTURE', env.CAPTURE, 0, 1) === 1,
    generators,
    busy: oneOf('BUSY', env.BUSY || 'refuse', BUSY),
    variables,
    client: readClientBehaviour(env),
    faults,
    expect: readExpect(env.EXPECT),
  };
}

/** What a run on a Swarm has no use for. */
const NOT_ON_SWARM = ['DASHBOARD', 'CAPTURE'];
/**
 * Of a run on a Swarm.
 * @param {string} architecture
 * @param {Record<string, string | undefined>} env
 * @returns {Settings}
 * @throws {NotReadyError} as readSettings, and when a Swarm cannot do it
 */
export function readSwarmSettings(architecture, env) {
  const settings = readSettings(architecture, env, true);
  refuse(`${architecture} on a Swarm`, NOT_ON_SWARM, env);
  if (architectures[architecture].entry === undefined)
    throw new NotReadyError(
      `architecture: expected one that a load generator asks; found "${architecture}", whose load is a program of its own.`,
      'run it on this machine alone.',
    );
  return { ...settings, hosts: readHosts(env.HOSTS) };
}

/** @type {(text: string | undefined, load: string, rated: string[]) => Pick<Settings, 'rate' | 'rate_share'>} */
function readRate(text, load, rated) {
  const asked = shareIn(text);
  if (asked === null) {
    const rate = underLoads(rated, load, 'RATE', whole('RATE', text, 1, RATE_MOST), 'has no rate to be set');
    return { rate, rate_share: null };
  }
  const share = underLoads(rated, load, 'RATE', asked, 'has no rate to be set') ?? 0;
  if (share > 0 && share <= RATE_SHARE_MOST) return { rate: null, rate_share: share };
  throw new NotReadyError(
    `RATE: expected above 0% and at most ${spellShare(RATE_SHARE_MOST)}; found "${text}".`,
    'correct it, or leave it out.',
  );
}

/** What some loads alone take. @type {(loads: string[], load: string, name: string, value: number | null, why: string) => number | null} */
function underLoads(loads, load, name, value, why) {
  if (value === null || loads.includes(load)) return value;
  throw new NotReadyError(
    `${name}: expected none, because LOAD=${load} ${why}; found "${value}".`,
    `leave it out, or use LOAD=${loads[0]}.`,
  );
}

/** A budget that is computed from what another scenario's request costs would not be what it says. @type {(architecture: string, text: string) => string} */
function readBudget(architecture, text) {
  const budget = oneOf('BUDGET', text, Object.keys(budgets));
  const { calibrated, noun } = scenarios[scenarioOf(architecture)];
  if (calibrated || !isComputed(budget)) return budget;
  const others = Object.keys(budgets).filter((id) => !isComputed(id));
  throw new NotReadyError(
    `BUDGET: expected ${others.join(' or ')} for ${architecture}; found "${budget}", which is computed from what a request of the document service costs, and not from its ${noun}.`,
    'use one of them, or leave it out.',
  );
}

/**
 * @param {Record<string, string | undefined>} env
 * @returns {ImageMode}
 * @throws {NotReadyError}
 */
export const readImageMode = (env) => oneOf('IMAGES', env.IMAGES || 'auto', IMAGE_MODES);

/** @param {Record<string, string | undefined>} env @returns {number} @throws {NotReadyError} */
export const readSeed = (env) => whole('SEED', env.SEED, 0, SEED_MOST) ?? 1;

/** @param {Record<string, string | undefined>} env @returns {boolean} @throws {NotReadyError} */
export const readDashboard = (env) => whole('DASHBOARD', env.DASHBOARD, 0, 1) === 1;

/** Whether what passes the networks of a user's own system is recorded. @type {(env: Record<string, string | undefined>) => boolean} */
export const readCapture = (env) => whole('CAPTURE', env.CAPTURE, 0, 1) !== 0;

/** @type {(text: string | undefined, generators: number) => number | null} */
function readUsers(text, generators) {
  const users = whole('USERS', text, USERS_LEAST, USERS_EACH_MOST * GENERATORS_MOST);
  if (users === null || users <= USERS_EACH_MOST * generators) return users;
  throw new NotReadyError(
    `USERS: expected at most ${USERS_EACH_MOST * generators} with GENERATORS=${generators}, each of which has memory for ${USERS_EACH_MOST}; found "${text}".`,
    `use GENERATORS=${Math.ceil(users / USERS_EACH_MOST)}.`,
  );
}

/** @type {(env: Record<string, string | undefined>) => number} */
function readGenerators(env) {
  const generators = whole('GENERATORS', env.GENERATORS, 1, GENERATORS_MOST) ?? 1;
  if (generators === 1 || !readDashboard(env)) return generators;
  throw new NotReadyError(
    `DASHBOARD: expected none with GENERATORS=${generators}, of which each would have a page of its own part; found "${env.DASHBOARD}".`,
    'leave one of them out.',
  );
}

/**
 * The command that repeats a run with these settings.
 * @param {Settings} settings
 */
export function commandOf(settings) {
  const variables = [`LOAD=${settings.load}`, `BUDGET=${settings.budget}`, `SEED=${settings.seed}`];
  if (settings.integrity) variables.push('INTEGRITY=1');
  if (settings.dashboard) variables.push('DASHBOARD=1');
  if (settings.capture) variables.push('CAPTURE=1');
  if (settings.generators > 1) variables.push(`GENERATORS=${settings.generators}`);
  if (settings.users !== null) variables.push(`USERS=${settings.users}`);
  if (settings.think !== null) variables.push(`THINK=${settings.think}`);
  if (settings.delay > 0) variables.push(`DELAY=${settings.delay}`);
  if (settings.rate !== null) variables.push(`RATE=${settings.rate}`);
  if (settings.rate_share !== null) variables.push(`RATE=${spellShare(settings.rate_share)}`);
  variables.push(...spellClient(settings.client));
  for (const [name, value] of Object.entries(settings.variables)) variables.push(`${name}=${value}`);
  if (settings.faults.length > 0) variables.push(`FAULT=${shellWord(spellFaults(settings.faults))}`);
  if (settings.hosts === undefined) return spell(['run', settings.architecture], variables);
  if (settings.hosts.length > 0) variables.push(`HOSTS=${shellWord(spellHosts(settings.hosts))}`);
  return spell(['swarm', settings.architecture], variables);
}

/** Whose values `list` names. */
const LISTED = ['architecture', 'experiment', 'BUDGET', 'A', 'B'];

/**
 * @template {string} T
 * @param {string} name
 * @param {string} value
 * @param {readonly T[]} valid
 * @returns {T}
 */
export function oneOf(name, value, valid) {
  const found = valid.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  const listed = LISTED.includes(name) ? `use one of them; "${spell(['list'])}" says what each is.` : 'use one of them.';
  throw new NotReadyError(`${name}: expected one of ${valid.join(', ')}; found "${value}".`, instead(value, valid, listed));
}
