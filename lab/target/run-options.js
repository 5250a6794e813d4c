/**
 * What options change about a run of a user's own system: its load, who makes it, what its users do when an answer is late or bad, and the CPU
 * that its services may use. What is not given is as doubletake.yaml and the Compose files have it.
 *
 * @typedef {Pick<import('../options/settings.js').Settings, 'load' | 'rate' | 'rate_share' | 'users' | 'think' | 'client' | 'generators' | 'cores' | 'integrity'>} RunOptions
 *
 * @typedef {object} AskedLoad       what the users of a list of requests do
 * @property {string} load           key of k6/lib/shapes.js
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {number} users          at the top of a closed load
 * @property {number} thinkTimeS     of an open load: in the warm-up alone
 * @property {number | null} rate
 * @property {RunOptions['client']} client
 * @property {number} generators
 */

import { shapes } from '../../k6/lib/shapes.js';
import { isStored, PLACEHOLDER } from '../../k6/lib/stored-id.js';
import { NotReadyError } from '../base/errors.js';
import { LOAD_DEFAULTS, PROJECT_FILE } from '../catalog/project-schema.js';
import { LISTED } from '../catalog/scenarios.js';
import { AS_IT_IS, acceptedByArm, acceptedForAll, formatOptions } from '../options/accepted-options.js';
import { clientEnvironment, readSettings } from '../options/settings.js';
import { HERE } from './compose-changes.js';
import { entryServices } from './describe.js';

/** How a k6 script has the same, which is run as it is. @type {Record<string, string>} */
const IN_SCRIPT = {
  LOAD: 'write stages, rate or users into its options',
  RATE: 'write the rate into its options (constant-arrival-rate, ramping-arrival-rate)',
  USERS: 'write the users into its options (vus, stages)',
  THINK: 'write sleep() into it',
  TIMEOUT: "give its requests { timeout: '5s' }",
  RETRIES: 'let it ask again itself',
  BACKOFF: 'let it ask again itself',
  RETRY_BUDGET: 'let it ask again itself',
  RETRY_AFTER: 'let it ask again itself',
  GENERATORS: 'one k6 runs it',
  INTEGRITY: 'leave it out, because nobody knows which of its requests store what',
};
/** A folder that has no name is called so; of options all are one. */
const ANY = 'own';
/** What all arms may have of them. */
const FOR_ALL = acceptedForAll(ANY);

/** In which two arms may differ. */
const BY_ARM = acceptedByArm(LISTED);

/** As in a run in which nothing is given. @type {RunOptions} */
export const NO_OPTIONS = readSettings(ANY, {});

/**
 * The load of a run: what doubletake.yaml says of it, and what is given in its place.
 * @param {import('../catalog/project-schema.js').ProjectLoad} own
 * @param {RunOptions} options
 * @returns {AskedLoad}
 * @throws {NotReadyError} when the load is a script that cannot be run so
 */
export function askedLoad(own, options) {
  if (own.script !== undefined) refuseForScript(own.script, options);
  const { shape: projectShape, users: projectUsers, think_ms: projectThinkMs } = { ...LOAD_DEFAULTS, ...own };
  const { load = projectShape, users = projectUsers, think = projectThinkMs } = givenIn(options);
  const { rate, client, generators } = options;
  const shape = shapes[load]({
    USERS: String(users),
    RATE: rate === null ? '' : String(rate),
    ...clientEnvironment(client),
  });
  return { load, shape, users, thinkTimeS: think / 1000, rate, client, generators };
}

/** @param {RunOptions} options @returns {Partial<{ load: string, users: number, think: number }>} */
const givenIn = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== ''));

/** @param {string} script @param {RunOptions} options */
function refuseForScript(script, options) {
  const [given] = formatOptions(Object.keys(IN_SCRIPT), options, LISTED);
  if (given === undefined) return;
  const name = given.split('=')[0];
  throw new NotReadyError(
    `${name}: expected none, because the load is ${script}, a k6 script of yours, which is run as it is; found "${given}".`,
    `${IN_SCRIPT[name]}, or put urls or openapi in its place under load in ${PROJECT_FILE}.`,
  );
}

/**
 * @param {RunOptions['cores']} cores
 * @param {{ service: string }[]} models
 * @param {number} [there]  of this machine
 * @throws {NotReadyError} naming a service that is not there, or that would have more than there is
 */
export function checkBudget(cores, models, there = HERE.cores) {
  const services = models.map(({ service }) => service);
  for (const [service, wanted] of Object.entries(cores ?? {})) {
    if (!services.includes(service))
      throw new NotReadyError(`BUDGET: expected services of the run, ${services.join(', ')}; found "${service}".`, 'correct its name.');
    if (wanted > there)
      throw new NotReadyError(
        `BUDGET: expected at most the ${there} cores of this machine; found ${service}=${wanted}, which would limit nothing.`,
        'give it less, or leave it out.',
      );
  }
}

/**
 * @param {Pick<RunOptions, 'integrity'>} options
 * @param {Pick<import('../catalog/project-schema.js').Project, 'integrity'>} project
 * @param {{ requests: import('../../k6/lib/request-list.js').ListedRequest[], headers: Record<string, string> }} load  headers: that each request is
 *   sent with
 * @throws {NotReadyError} when nobody says how stored ids are read, or no request of the load has one
 */
export function checkIntegrity(options, { integrity }, { requests, headers }) {
  if (!options.integrity) return;
  if (integrity === undefined)
    throw new NotReadyError(
      `INTEGRITY=1: expected in ${PROJECT_FILE} how the ids are read that your system stored; found no "integrity" there.`,
      'add as in integrity: { service: db, command: [psql, -U, app, -tA, -c, "select ref from orders"] }, which prints them, one a line.',
    );
  if (!requests.some((request) => isStored({ ...request, headers: { ...request.headers, ...headers } })))
    throw new NotReadyError(
      `INTEGRITY=1: expected a request of the load with ${PLACEHOLDER} in its path or body, or a POST, PUT or PATCH with it in a header; found none.`,
      `write ${PLACEHOLDER} under load in ${PROJECT_FILE} where your system takes an id that it stores, as in "POST /orders {"ref": "${PLACEHOLDER}"}".`,
    );
}

/**
 * What Compose files read of the environment reaches them, whatever else it is.
 * @param {Record<string, string | undefined>} env
 * @param {string[]} files  of Compose
 * @param {(file: string) => string | null} read
 * @returns {string[]} a sentence for each option that would change the system too
 */
export const notesOfNames = (env, files, read) =>
  FOR_ALL.filter((name) => env[name]).flatMap((name) => {
    const reading = files.filter((file) => new RegExp(`\\$\\{?${name}\\b`).test(read(file) ?? ''));
    if (reading.length === 0) return [];
    return [`${name} is a variable of ${reading.join(', ')} too, which has the option's value in this run; give it another name there.`];
  });

const BEFORE_OPTIONS = '.:';
/** A comma begins another option where the name of one follows; elsewhere it is part of the value, as in BUDGET. */
const BETWEEN_OPTIONS = new RegExp(`,(?=(?:${FOR_ALL.join('|')})=)`);

/** Whether an arm's text has options of the lab, and not variables that Compose files read. @param {string} text */
const isArmOptions = (text) => text.startsWith(BEFORE_OPTIONS);

/**
 * Of an arm of a comparison.
 * @param {string} option  such as `--a`, for errors
 * @param {string} text    such as `.:RETRIES=2,BACKOFF=50`
 * @returns {[string, string][]}
 * @throws {NotReadyError} naming what is no option in which arms may differ
 */
const armOptionsIn = (option, text) =>
  text
    .slice(BEFORE_OPTIONS.length)
    .split(BETWEEN_OPTIONS)
    .map((part) => {
      const [name, value = ''] = part.split(/=(.*)/s);
      if (BY_ARM.includes(name) && value !== '') return [name, value];
      const forBoth = FOR_ALL.includes(name) ? `${part} before the command is for both arms.` : '';
      throw new NotReadyError(
        `${option}: expected ${BY_ARM.join('=, ')}= after "${BEFORE_OPTIONS}"; found "${part}".`,
        forBoth || 'write it as in .:RETRIES=2,BACKOFF=50; a variable that the Compose files read stands without the dot.',
      );
    });

/**
 * One arm of a comparison of a user's own system, as the command line has it: what it runs in place of the folder as it is. Each
 * text that is given is of one kind: Compose files, variables that they read, a git revision of the folder, or options of the lab.
 *
 * @typedef {object} GivenArm
 * @property {string} option       such as `--a`, for errors
 * @property {string[]} given      its texts, as typed
 * @property {string[] | null} files  Compose files, in their order; null: those of doubletake.yaml
 * @property {Record<string, string>} variables  that Compose is given
 * @property {string | null} revision  of git; null: the folder as it is
 * @property {Record<string, string>} options  of the lab, for this arm alone
 */

const REVISION = 'rev:';
const VARIABLE = /^[A-Za-z_]\w*=/;
/** A comma begins another variable where a name follows; elsewhere it is part of the value. */
const BETWEEN_VARIABLES = /,(?=[A-Za-z_]\w*=)/;
const COMMIT_SHOWN = 7;

/**
 * @param {string} option
 * @param {string[]} given
 * @returns {GivenArm}
 * @throws {NotReadyError} naming the text that says nothing, or the same thing twice
 */
export function readGivenArm(option, given) {
  /** @type {GivenArm} */
  const arm = { option, given, files: null, variables: {}, revision: null, options: {} };
  for (const text of given) {
    if (text === AS_IT_IS) continue;
    if (text.startsWith(REVISION)) addRevision(arm, text);
    else if (isArmOptions(text)) addValues(arm, arm.options, armOptionsIn(option, text));
    else if (VARIABLE.test(text)) addValues(arm, arm.variables, variablesIn(text));
    else addFiles(arm, text);
  }
  return arm;
}

/** @param {GivenArm} arm @param {string} text */
function addRevision(arm, text) {
  const revision = text.slice(REVISION.length).trim();
  if (arm.revision !== null)
    throw new NotReadyError(`${arm.option}: expected one revision; found "${arm.revision}" and "${revision}".`, 'leave one out.');
  // What begins with a dash git takes for an option.
  if (revision === '' || revision.startsWith('-'))
    throw new NotReadyError(
      `${arm.option}: expected a git revision after "${REVISION}"; found "${revision}".`,
      'write it as in rev:v1.2 or rev:HEAD~1.',
    );
  arm.revision = revision;
}

/** @param {string} text @returns {[string, string][]} */
const variablesIn = (text) =>
  text.split(BETWEEN_VARIABLES).map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), part.slice(at + 1)];
  });

/** @type {(arm: GivenArm, known: Record<string, string>, values: [string, string][]) => void} */
function addValues({ option }, known, values) {
  for (const [name, value] of values) {
    if (Object.hasOwn(known, name))
      throw new NotReadyError(`${option}: expected one value of ${name}; found several.`, 'leave the others out.');
    known[name] = value;
  }
}

/** @param {GivenArm} arm @param {string} text */
function addFiles(arm, text) {
  const files = text.split(',').map((file) => file.trim());
  if (files.includes(''))
    throw new NotReadyError(
      `${arm.option}: expected Compose files with commas between, NAME=value, rev:REVISION, or .:OPTION=value; found "${text}".`,
      'write it as in compose.tuned.yaml, POOL=32, rev:v1.2 or .:RETRIES=2.',
    );
  arm.files = [...(arm.files ?? []), ...files];
}

/**
 * What an arm is called.
 * @param {GivenArm} givenArm
 * @param {string} name of the system, which the folder as it is goes by
 */
export function labelOfSide({ files, variables, revision, options }, name) {
  const ofFiles = [...(revision === null ? [] : [`${REVISION}${revision}`]), ...(files ? [files.join(',')] : []), ...valuesOf(variables)];
  const parts = [...ofFiles, ...valuesOf(options)];
  return parts.length === 0 ? name : parts.join(', ');
}

/**
 * The same in words.
 * @param {GivenArm} givenArm
 * @param {string} name   of the system
 * @param {string | null} commit  of the revision
 */
export function titleOfSide({ files, variables, revision, options }, name, commit) {
  const values = [...valuesOf(variables), ...valuesOf(options)];
  const parts = [
    ...(revision === null ? [] : [`at ${revision} (${commit?.slice(0, COMMIT_SHOWN)})`]),
    ...(files ? [`by ${files.join(', ')}`] : []),
    ...(values.length > 0 ? [`with ${values.join(', ')}`] : []),
  ];
  return `${name} ${parts.length === 0 ? 'as it is' : parts.join(', ')}`;
}

/** @param {Record<string, string>} variables */
const valuesOf = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);

/**
 * doubletake.yaml as it is for one arm of a comparison: with that arm's Compose files, and without the services that only the other
 * arm has.
 *
 * @typedef {import('../catalog/project-schema.js').Project} Project
 */

/**
 * Services that an arm leaves out. What neither arm has is a mistake in doubletake.yaml, and so is an arm without the entry: both are reported when the arm is checked.
 * @param {Project} project
 * @param {string[]} own    services of the arm's files
 * @param {string[]} other  of the other arm's
 */
export const absentServices = (project, own, other) =>
  Object.keys(project.services).filter(
    (service) => !own.includes(service) && other.includes(service) && !entryServices(project).includes(service),
  );

/**
 * @param {Project} project
 * @param {Pick<import('../options/accepted-options.js').Resolved, 'compose' | 'absent'>} own
 * @returns {Project}
 */
export function projectOfSide(project, { compose, absent }) {
  const isThere = (/** @type {string} */ service) => !absent.includes(service);
  return {
    ...project,
    compose,
    services: Object.fromEntries(Object.entries(project.services).filter(([service]) => isThere(service))),
    edges: project.edges.filter((pair) => pair.every(isThere)),
  };
}
