/**
 * Plans of a user's own system: its arms are what runs in place of the folder as it is, said on the command line or in experiment.yaml.
 * Each is resolved and checked before anything is measured.
 *
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 * @typedef {import('../../run/attach/checked-system.js').ResolvedArm} ResolvedArm
 * @typedef {import('../../target/run-options.js').GivenArm} GivenArm
 * @typedef {import('../../options/accepted-options.js').Arm} Arm
 * @typedef {import('../../options/accepted-options.js').Resolved} Resolved
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('./experiment-file.js').ProjectQuestion} ProjectQuestion
 *
 * @typedef {object} Given     of the command line
 * @property {string} folder   of doubletake.yaml
 * @property {boolean} allowData
 * @property {import('./read-plan.js').Env} env  REPEATS, SEED, IMAGES; of an experiment ARMS
 * @property {(text: string) => void} say
 * @property {AbortSignal} signal
 */

import { resolve } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { readIfThere } from '../../base/files.js';
import { formatProjectCommand, shellWord } from '../../base/format-command.js';
import { readProject } from '../../catalog/project-file.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';
import { LISTED } from '../../catalog/scenarios.js';
import { ensureGenerator } from '../../docker/images.js';
import { readScript } from '../../load/user-script.js';
import { AS_IT_IS, acceptedBy, formatArms, formatOptions, isSameSystem, readOption, tellApart } from '../../options/accepted-options.js';
import { checkConfig, loadNameOf, resolveSide } from '../../run/attach/checked-system.js';
import { readProjectSettings } from '../../run/attach/commands.js';
import { askedFingerprint, loadFingerprint } from '../../run/attach/open-view.js';
import { refuseOtherImages } from '../../run/attach/prepare-images.js';
import { changedFiles, openCheckouts } from '../../target/revision.js';
import {
  absentServices,
  labelOfSide,
  notesOfNames,
  projectOfSide,
  RUN_OPTIONS,
  readGivenArm,
  readRunOptions,
  titleOfSide,
} from '../../target/run-options.js';
import { measuredFor, shapeOfShare, withRate } from '../measured-rate.js';
import { ASKED, COMPARE } from '../plan.js';
import { claimsIn, curveIn, EXPERIMENT_FILE, loadUnder, readQuestion, saidOf } from './experiment-file.js';
import { comparisonOf, makePlan, seedIn } from './read-plan.js';

const EXPERIMENT = 'experiment';
/** Of a list that is too long for a line. */
const FILES_NAMED = 5;

/**
 * @param {Given & { a: string[], b: string[] }} given  a: of the baseline, none: the folder as it is; b: of the candidate
 * @returns {Promise<Plan>}
 * @throws {NotReadyError} naming what keeps an arm from being run as it is meant; or how long it would take, where nothing says what is compared
 */
export async function planProjectComparison({ a, b, ...asked }) {
  refuseResuming(asked.env, 'comparison', 'leave out --a and --b to go on with it.');
  const { name } = settingsOf(COMPARE, asked);
  const givenArms = [readGivenArm('--a', a), readGivenArm('--b', b)];
  checkOptions(givenArms, asked.env);
  const project = await readProject(asked.folder, ASKED.compare);
  const { arms, configs } = await resolveArms(givenArms, { ...asked, project, name });
  const { given, measured } = await withNumber(asked, { project, name, arm: arms[0] });
  const settings = settingsOf(COMPARE, given);
  const ownLoad = loadNameOf(project.load);
  const table = comparisonOf(arms, project.load.script === undefined ? (settings.options.load ?? ownLoad) : ownLoad);
  const { words } = formatArms({ a: arms[0], b: arms[1] });
  const about = {
    loads: { [table.load]: {} },
    givenArms,
    configs,
    project,
    settings,
    measured,
    commandFor: commandOf(COMPARE, words, { ...given, name: settings.name }),
  };
  const isAsked = a.length + b.length > 0;
  const saying = isAsked ? given : { ...given, say: () => {} };
  const plan = await makePlan(
    { experiment: COMPARE, table, claims: () => [], settle: (experiment) => settle(experiment, about, saying) },
    given.env,
  );
  if (isAsked) return plan;
  const { minutes, secondsLeft } = await import('./run-experiment.js');
  throw unasked(settings.name, `${plan.schedule.flat().length} runs, about ${minutes(secondsLeft(plan))}`);
}

/**
 * A rate that is a share is one of what the first arm served, and is asked of both.
 * @param {Given} given
 * @param {{ project: Project, name: string, arm: Arm }} about
 * @returns {Promise<{ given: Given, measured: import('../measured-rate.js').MeasuredRun | null }>}
 */
async function withNumber(given, { project, name, arm: { resolved } }) {
  const { env, folder, say } = given;
  const options = readRunOptions({ ...env, ...resolved?.options });
  const measured = await measuredFor({
    ...{ settings: { name, options }, project, env, budget: options.budget },
    fingerprints: async () => ({ files: String(resolved?.fingerprint), load: askedFingerprint(project, readIfThere, folder) }),
  });
  if (measured === null) return { given, measured };
  await refuseOtherImages(measured);
  say(measured.said);
  return { given: { ...given, env: withRate(env, measured) }, measured };
}

/**
 * Nobody who has named no other arm expects a machine to be busy for half an hour.
 * @param {string} name  of the system
 * @param {string} takes  in words
 */
const unasked = (name, takes) =>
  new NotReadyError(
    `compare: expected what differs, as in --b POOL=32 (a variable that your Compose files read), --b compose.tuned.yaml or --b rev:HEAD~1; found nothing, by which ${name} would be measured against itself: ${takes}.`,
    `name what differs; or give --b ${AS_IT_IS} to measure ${name} against itself all the same, which shows what this machine can tell apart.`,
  );

/**
 * @param {Given & { file?: string }} given  file: the experiment's, as seen from the folder; its own unless given
 * @returns {Promise<Plan>}
 * @throws {NotReadyError} naming what is wrong in it, or what keeps an arm from being run as it is meant
 */
export async function planProjectExperiment({ file = EXPERIMENT_FILE, ...given }) {
  refuseResuming(given.env, EXPERIMENT, 'leave out the file to go on with it.');
  const settings = settingsOf(EXPERIMENT, given);
  const project = await readProject(given.folder, ASKED.experiment);
  const question = await readQuestion(given.folder, file);
  const names = Object.keys(question.arms);
  const { title = `${settings.name}: ${names.join(', ')}`, loads = { [loadNameOf(project.load)]: {} }, repeats } = question;
  const id = idOf(file);
  const givenArms = names.map((name) => readGivenArm(`${file}, arms.${name}`, saidOf(question.arms[name])));
  checkOptions(givenArms, given.env);
  const { arms, configs, models } = await resolveArms(givenArms, { ...given, project, name: settings.name, names });
  const [load, ...further] = Object.keys(loads);
  const table = {
    ...{ title, question: question.question, budget: settings.budget, repeats, load, arms },
    pairs: question.pairs ?? names.slice(1).map((name) => /** @type {[string, string]} */ ([names[0], name])),
    further_loads: further.map((other) => ({ load: other, variables: {} })),
    curve: curveIn(question.nodes, models, file),
  };
  const words = file === EXPERIMENT_FILE ? [] : [shellWord(file)];
  const about = {
    loads,
    givenArms,
    configs,
    project,
    settings,
    words,
    commandFor: commandOf(EXPERIMENT, words, { ...given, name: settings.name }),
  };
  const claims = () => claimsIn(question, id, file);
  return makePlan({ experiment: id, table, claims, settle: (experiment) => settle(experiment, about, given) }, given.env);
}

/** Beside the lab's own, of which some are called as a file of the user's may be. @param {string} file */
function idOf(file) {
  if (file === EXPERIMENT_FILE) return EXPERIMENT;
  const name = file.toLowerCase().replace(/\.ya?ml$/, '');
  return `${EXPERIMENT}-${name.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`;
}

/** @type {(command: 'compare' | 'experiment', given: Given) => ReturnType<typeof readProjectSettings>} */
function settingsOf(command, { folder, env, allowData }) {
  const settings = readProjectSettings(folder, { ...env, SEED: seedIn(env) }, allowData, { command });
  readOption('REPEATS', env);
  return settings;
}

/**
 * Checks each arm under each load.
 *
 * @typedef {object} About
 * @property {Record<string, import('./experiment-file.js').LoadChange>} loads
 * @property {GivenArm[]} givenArms
 * @property {Map<Resolved, any>} configs  what Compose makes of each arm
 * @property {Project} project
 * @property {ReturnType<typeof readProjectSettings>} settings
 * @property {ReturnType<typeof commandOf>} commandFor
 * @property {import('../measured-rate.js').MeasuredRun | null} [measured]  of whose good answers the rate is a share
 * @property {string[]} [words]  of its command, where that names a file
 *
 * @param {import('../../catalog/experiments.js').Experiment} experiment  of the arms that are wanted
 * @param {About} about
 * @param {Given} given
 * @returns {Promise<import('./read-plan.js').Settled>}
 */
async function settle(
  { arms, load, curve },
  { loads, givenArms, configs, project, settings, measured = null, commandFor, words = [] },
  { folder, allowData, env, say, signal },
) {
  const { budget, seed, images, busy } = settings;
  const read = (/** @type {string} */ file) => readIfThere(resolve(folder, file));
  const owned = [...new Map(arms.map((arm) => [/** @type {Resolved} */ (arm.resolved), arm]))];
  const changed = Object.entries(loads).map(([name, change]) => {
    const under = { ...project, load: loadUnder(project.load, name, change) };
    const [{ shape, thinkTimeS }] = owned.map(([own]) =>
      checkConfig(configs.get(own), {
        ...{ project: projectOfSide(under, own), options: readRunOptions({ ...env, ...own.options }) },
        ...{ allowData, read, folder },
      }),
    );
    return { name, change, under, shape, think: under.load.script === undefined ? thinkTimeS : null };
  });
  // What there is to say of each arm its first run says.
  const ofArms = await notesOfArms({ arms: owned.map(([, arm]) => arm), givenArms, folder, project });
  const ofCurve =
    curve === undefined ? [] : notesOfCurve({ configs: owned.map(([own]) => ({ own, config: configs.get(own) })), options: env, project });
  for (const note of [...notesOfNames(env, project.compose, read), ...ofArms, ...ofCurve]) say(`note: ${note}`);
  /** @type {NonNullable<Plan['loads']>} */
  const known = {};
  for (const { name, change, under, shape, think } of changed)
    known[name] = {
      think_s: think,
      shape: shapeOfShare((await scriptShape({ project: under, folder, images, say, signal })) ?? shape, measured),
      change,
      fingerprint: loadFingerprint(under, readIfThere, folder),
    };
  return {
    ...{ load, budget, seed, images, busy, variables: givenIn(env) },
    ...{ loads: known, allow_data: allowData, ...(words.length > 0 ? { file: words[0] } : {}) },
    commandWith: (repeats) => commandFor({ repeats, seed, ...settings.options }),
  };
}

/** What all arms have of the lab's options. @param {import('./read-plan.js').Env} env @returns {Record<string, string>} */
const givenIn = (env) => Object.fromEntries(RUN_OPTIONS.flatMap((name) => (env[name] ? [[name, String(env[name])]] : [])));

/** @type {(givenArms: GivenArm[], env: import('./read-plan.js').Env) => void} */
function checkOptions(givenArms, env) {
  for (const { options } of givenArms) readRunOptions({ ...env, ...options });
}

/** @type {(env: import('./read-plan.js').Env, what: string, todo: string) => void} */
function refuseResuming({ RESUME }, what, todo) {
  if (RESUME) throw new NotReadyError(`RESUME: expected none in a new ${what} of your own system; found "${RESUME}".`, todo);
}

/**
 * @param {GivenArm[]} givenArms
 * @param {{ folder: string, project: Project, name: string, names?: string[] }} given  name: of the system; names: of the arms, what their
 *   arms say unless given
 * @returns {Promise<{ arms: Arm[], configs: Map<Resolved, any>, models: Record<string, ResolvedArm['models']> }>} models: by the arms' names
 */
async function resolveArms(givenArms, { folder, project, name, names }) {
  const checkouts = openCheckouts(folder);
  try {
    /** @type {ResolvedArm[]} */
    const resolved = [];
    for (const arm of givenArms) resolved.push(await resolveSide(arm, { folder, project, checkouts }));
    const arms = armsOf(resolved, { project, name, names });
    return {
      arms,
      configs: new Map(arms.map(({ resolved: to }, index) => [/** @type {Resolved} */ (to), resolved[index].config])),
      models: Object.fromEntries(arms.map(({ id }, index) => [id, resolved[index].models])),
    };
  } finally {
    await checkouts.close();
  }
}

/**
 * @param {Pick<ResolvedArm, 'arm' | 'commit' | 'compose' | 'models' | 'fingerprint'>[]} resolved
 * @param {{ project: Project, name: string, names?: string[] }} given
 * @returns {Arm[]}
 */
function armsOf(resolved, { project, name, names }) {
  const services = resolved.map(({ models }) => models.map(({ service }) => service));
  const arms = resolved.map(({ arm, commit, compose, fingerprint }, index) => ({
    id: names?.[index] ?? labelOfSide(arm, name),
    architecture: name,
    variables: arm.variables,
    resolved: {
      title: titleOfSide(arm, name, commit),
      given: arm.given,
      ...(Object.keys(arm.options).length > 0 ? { options: arm.options } : {}),
      compose,
      commit,
      absent: absentServices(project, services[index], services.toSpliced(index, 1).flat()),
      fingerprint,
    },
  }));
  return names === undefined ? tellApart(arms[0], arms[1]) : arms;
}

/**
 * What is worth knowing of them before the first run.
 * @param {{ arms: Arm[], givenArms: GivenArm[], folder: string, project: Project }} given  folder: of doubletake.yaml
 * @returns {Promise<string[]>} a sentence for each
 */
async function notesOfArms({ arms, givenArms, folder, project: { load } }) {
  const revisions = givenArms.flatMap(({ revision }) => (revision === null ? [] : [`rev:${revision}`]));
  // The load is that of the folder in either case.
  const ofFolder = [PROJECT_FILE, ...[load.openapi ?? load.script ?? []].flat()];
  const changed = revisions.length === 0 ? [] : await changedFiles(folder, ofFolder);
  const alike = arms.flatMap((arm, index) =>
    arms.slice(index + 1).flatMap((other) => (isSameSystem(arm, other) ? [[arm.id, other.id]] : [])),
  );
  return [
    ...(changed.length > 0 ? [`not committed, and so not in ${[...new Set(revisions)].join(' and ')}: ${listed(changed)}.`] : []),
    ...alike.map(([one, other]) => `to Compose ${one} and ${other} are one system: this is an A/A control.`),
  ];
}

/**
 * What a capacity plan will lack, said before hours are spent on it.
 * @param {{ configs: { own: Pick<Resolved, 'options'>, config: any }[], options: import('./read-plan.js').Env, project: Project }} given
 * @returns {string[]} a sentence, where a service has no CPU quota
 */
function notesOfCurve({ configs, options, project }) {
  const unlimited = configs.flatMap(({ own, config: { services } }) => {
    const budget = readRunOptions({ ...options, ...own.options }).budget ?? {};
    return Object.keys(project.services).filter(
      (service) =>
        Object.hasOwn(services, service) &&
        project.services[service].tier !== 'other' &&
        budget[service] === undefined &&
        !hasQuota(services[service]),
    );
  });
  const names = [...new Set(unlimited)];
  if (names.length === 0) return [];
  return [
    `no CPU quota for ${names.join(', ')}: no capacity plan can be made of this experiment; give one, as in BUDGET='${names.map((name) => `${name}=0.2`).join(',')}'.`,
  ];
}

/** @param {any} service  as Compose has resolved it */
const hasQuota = ({ cpus, cpu_quota: quota, deploy }) => Number(cpus ?? deploy?.resources?.limits?.cpus ?? 0) > 0 || Number(quota ?? 0) > 0;

/** @param {string[]} files */
function listed(files) {
  const more = files.length - FILES_NAMED;
  return [...files.slice(0, FILES_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/**
 * How long a script lasts k6 says, and nobody else.
 * @param {{ project: Project, folder: string, images: import('../../options/settings.js').ImageMode, say: (text: string) => void, signal: AbortSignal }} options
 */
async function scriptShape({ project, folder, images: mode, say, signal }) {
  if (project.load.script === undefined) return null;
  const images = await ensureGenerator({ mode, say, signal });
  const script = await readScript({ project, folder, image: images.variables.K6_IMAGE, say });
  return script?.shape ?? null;
}

/**
 * The command that repeats it.
 * @type {(command: 'compare' | 'experiment', words: string[], given: Pick<Given, 'allowData' | 'env'> & { name: string }) => (asked: { repeats: number, seed: number }
 *   & Partial<import('../../target/run-options.js').RunOptions>) => string}
 */
const commandOf =
  (command, words, { name, allowData, env: { ARMS } }) =>
  (asked) =>
    formatProjectCommand(
      [command, ...words, ...(allowData ? ['--allow'] : [])],
      [...(ARMS ? [`ARMS=${shellWord(ARMS)}`] : []), ...formatOptions(acceptedBy(command, name), asked, LISTED)],
    );
