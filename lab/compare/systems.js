/**
 * What can be measured, whatever it is: an architecture that the lab brings along, or the system of a folder. Which of them is decided here, by
 * what was asked for; who has runs made of it, puts faults into it or measures what watching it costs asks it for them.
 *
 * @typedef {object} Measurable
 * @property {string} name          which its runs lie under, unless they are told where
 * @property {import('../options/expect.js').Expectation[]} expect  thresholds that a run is to meet
 * @property {readonly import('../options/expect.js').Host[]} [hosts]  of a Swarm, that it is to run on beside this machine
 * @property {(run: Run) => Promise<{ folder: string, interrupted: boolean, images: Record<string, string> }>} measure  one run, from nothing to
 *   nothing
 *
 * @typedef {import('../run/run-target.js').RunOptions & { injection?: import('../run/run-target.js').Injection,
 *   onHosts?: OnHosts } & Differing} Run  onHosts: this machine alone unless given
 * @typedef {Pick<import('../run/run-target.js').RunOptions, 'progress' | 'signal'>} Around
 *
 * @typedef {<T>(use: (hosts?: import('../run/run-target.js').Hosts) => Promise<T>) => Promise<T>} OnHosts  opens the hosts of a Swarm, and closes them
 *
 * @typedef {object} Differing
 * @property {string} [group]       folder below reports/ that the run's folder is made in
 * @property {boolean} [capture]    whether what passes its networks is recorded; as it was asked for unless given
 *
 * @typedef {object} Tested         what the faults of a self-test are put into
 * @property {import('../record/selftest-total.js').TestedSystem} system
 * @property {string} budget
 * @property {number} repeatsOfAll  runs of each fault, where all are tried and nothing else is asked for
 * @property {Map<string, PlannedFault>} plan  by id, the control first
 * @property {(id: string, run: Around & { budget: string, injection: import('../run/run-target.js').Injection }) => Promise<string>} measure  makes a
 *   run with the fault in it, and gives its folder
 * @property {(folder: string) => Promise<import('../record/types.js').Result>} read  of such a run
 * @property {((ids: string[]) => number) | null} secondsOf  about so long runs of these take; null where the folder says that they are meant
 *
 * @typedef {object} Bench        what watching is measured on
 * @property {boolean} ofCapture    it is what recording the wire costs; else what all of the lab does
 * @property {Record<string, string>} without  the arms without the lab, with their titles
 * @property {string} conditions    of all runs, in words
 * @property {(around: Around) => Promise<BenchReady>} prepare  called while the lock is held
 *
 * @typedef {object} BenchReady
 * @property {Record<string, unknown>} about  what the file says of it
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {{ name: string, script: import('../load/user-script.js').UserScript } | null} script  null where the load is no script of the user's own
 * @property {(differing: Differing) => Promise<{ folder: string }>} run  with the whole lab
 * @property {(arm: string) => Promise<any>} bare  without it, as an arm has it; k6's summary
 *
 * @typedef {object} Asked
 * @property {string} [architecture]  none: the system of the folder
 * @property {string} folder        of doubletake.yaml
 * @property {boolean} allowData    the user has said that what a run could harm may be harmed
 *
 * @typedef {import('../options/settings.js').Settings} Settings
 * @typedef {import('../adapters/faults.js').PlannedFault} PlannedFault
 * @typedef {Record<string, string | undefined>} Env
 * @typedef {Omit<import('../run/attach/project-target.js').ProjectRun, 'injection'>} ProjectRun
 */
import { resolve } from 'node:path';
import { NotReadyError } from '../base/errors.js';
import { formatCommand, formatProjectCommand } from '../base/format-command.js';
import { scenarioOf } from '../catalog/architectures.js';
import { DEFAULT_BUDGET } from '../catalog/budgets.js';
import { hasProject, readProject } from '../catalog/project-file.js';
import { shapeOf, shapes } from '../catalog/scenarios.js';
import { acceptedBy, readOption, readVariables, refuseAllBut } from '../options/accepted-options.js';
import { secondsOfRun } from '../options/calibration.js';
import { readSettings, readSwarmSettings } from '../options/settings.js';
import { checkSystem, readIfThere } from '../run/attach/checked-system.js';
import { initFirst, readProjectSettings } from '../run/attach/commands.js';
import { notesOfNames } from '../target/run-options.js';
import { measuredFor, withRate } from './measured-rate.js';

/**
 * What is wrong with it is told before what measures is loaded, which takes as long again.
 * @param {Asked} asked
 * @param {Env} env
 * @param {import('../cli/reporter.js').Reporter} reporter
 * @param {'run' | 'swarm'} [command]
 * @returns {Promise<Measurable>}
 * @throws {import('../base/errors.js').NotReadyError} naming what cannot be measured, or what changes nothing about it
 */
export async function openSystem({ architecture, folder, allowData }, env, reporter, command = 'run') {
  if (architecture && command === 'swarm') {
    const settings = readSwarmSettings(architecture, env);
    return { ...measurableArchitecture(settings), hosts: settings.hosts };
  }
  if (architecture) {
    const settings = readSettings(architecture, env);
    refuseAllBut(architecture, acceptedBy('run', architecture), env);
    return measurableArchitecture(settings);
  }
  const given = readProjectSettings(folder, env, allowData, { command });
  await initFirst(folder, reporter);
  const project = await readProject(folder);
  const measured = await measuredFor({
    ...{ settings: given, project, env, budget: given.options.budget },
    fingerprints: async () => (await checkSystem({ folder, project, arm: null, allowData })).fingerprints,
  });
  const settings =
    measured === null ? given : { ...readProjectSettings(folder, withRate(env, measured), allowData, { command }), measured };
  for (const note of notesOfNames(env, project.compose, (file) => readIfThere(resolve(folder, file))))
    reporter.progress.say(`note: ${note}`);
  if (measured !== null) reporter.progress.say(measured.said);
  return { ...measurableFolder({ folder, project, settings }), expect: settings.expect, hosts: settings.hosts };
}

/** @type {OnHosts} */
const HERE = (use) => use();

/**
 * @param {Settings} settings
 * @param {object} [given]
 * @param {import('../options/calibration.js').Calibration | null} [given.calibration]  of all its runs; that of the machine unless given
 * @returns {Measurable}
 */
export const measurableArchitecture = (settings, given = {}) => ({
  name: settings.architecture,
  expect: settings.expect,
  measure: async ({ group, capture = settings.capture, injection, onHosts = HERE, ...around }) => {
    const { progress, signal } = around;
    const [{ calibrationFor }, { architectureTarget }, { runTarget }] = [
      await import('./calibrate.js'),
      await import('../run/architecture/architecture-target.js'),
      await import('../run/run-target.js'),
    ];
    // On this machine alone, before the others are asked for.
    const { calibration = await calibrationFor({ settings, progress, signal }) } = given;
    return onHosts((hosts) =>
      runTarget(architectureTarget({ settings: { ...settings, capture }, calibration, group, injection, hosts }), around),
    );
  },
});

/** @param {ProjectRun} given @returns {Measurable} */
export const measurableFolder = ({ settings, ...given }) => ({
  name: settings.name,
  expect: [],
  measure: async ({ group, capture = settings.capture, injection, onHosts = HERE, ...around }) => {
    const [{ projectTarget }, { runTarget }] = [await import('../run/attach/project-target.js'), await import('../run/run-target.js')];
    return onHosts(async (hosts) => {
      const target = await projectTarget({ ...given, settings: { ...settings, capture }, group, injection, hosts }, around.progress.say);
      return runTarget(target, around);
    });
  },
});

/** Words of FAULTS that name no faults: of what a self-test left, those are scored again, or gone on with. */
export const AGAIN = 'again';
export const REST = 'rest';
/** Of all faults of the architectures, as the result page is made; some of them are tried once. */
const REPEATS_OF_ALL = 3;
/** Below reports/: out of the list of runs, which are of the system as it is. */
const SELFTEST_GROUP = 'selftest/runs';

/**
 * The system of the folder, where one is described there, else the architectures, each fault on its own.
 * @param {Pick<Asked, 'folder' | 'allowData'>} asked
 * @param {Env} env  FAULTS, BUDGET; REPEATS: runs of each
 * @returns {Promise<Tested>}
 * @throws {NotReadyError} when the system cannot be measured at all, or naming what changes nothing about the test
 */
export const openTested = async (asked, env) => (hasProject(asked.folder) ? testedFolder(asked, env) : testedArchitectures(env));

/** @param {Env} env @returns {Promise<Tested>} */
async function testedArchitectures(env) {
  const wanted = readOption('FAULTS', env);
  // The dose of a fault is its own, and what is gone on with was settled when it began.
  const isNew = wanted !== AGAIN && wanted !== REST;
  refuseAllBut(`the self-test with FAULTS=${wanted}`, isNew ? acceptedBy('selftest') : ['FAULTS'], env);
  const [{ architectureFaults, NO_FAULTS }, { analyseRun }] = [
    await import('../run/architecture/planned-faults.js'),
    await import('../diagnose/result.js'),
  ];
  const plan = architectureFaults();
  const faultIn = (/** @type {string} */ id) =>
    /** @type {import('../run/architecture/planned-faults.js').ArchitectureFault} */ (plan.get(id));
  return {
    plan,
    system: {
      ...{ name: '', into: 'a small stack, one at a time, under load', command: formatCommand(['selftest']) },
      ...{ faults: describedFaults(plan), left_out: NO_FAULTS, is_document: true },
    },
    budget: env.BUDGET || DEFAULT_BUDGET,
    repeatsOfAll: REPEATS_OF_ALL,
    measure: async (id, { budget, ...run }) => {
      const { architecture, load } = faultIn(id);
      const system = measurableArchitecture(readSettings(architecture, { ...env, BUDGET: budget, LOAD: load }));
      return (await system.measure(run)).folder;
    },
    read: analyseRun,
    secondsOf: (ids) =>
      ids
        .map(faultIn)
        .map(({ architecture, load }) => secondsOfRun(shapes[shapeOf(scenarioOf(architecture), load)](readVariables(architecture, {}))))
        .reduce((sum, seconds) => sum + seconds, 0),
  };
}

/** @param {Pick<Asked, 'folder' | 'allowData'>} asked @param {Env} env @returns {Promise<Tested>} */
async function testedFolder({ folder, allowData }, env) {
  if (env.EXPECT)
    throw new NotReadyError(
      `EXPECT: expected none, because each fault says itself what is to be found; found "${env.EXPECT}".`,
      'leave it out.',
    );
  const settings = readProjectSettings(folder, env, allowData, { command: 'selftest' });
  const project = await readProject(folder);
  const [{ planFaults }, { finishRun }] = [await import('../run/attach/planned-faults.js'), await import('../report/reports.js')];
  const plan = planFaults(await checkSystem({ folder, project, arm: null, allowData }), project, readIfThere);
  const { name, budget, seed } = settings;
  const into = `a copy of ${name}, one at a time, under the load of its doubletake.yaml. The control is a run without a fault`;
  return {
    plan,
    system: {
      ...{ name, into, command: formatProjectCommand(['selftest']) },
      ...{ faults: describedFaults(plan), left_out: {}, is_document: false },
    },
    budget,
    repeatsOfAll: 1,
    measure: async (id, { progress, signal, injection }) => {
      const command = formatProjectCommand(['selftest', ...(allowData ? ['--allow'] : [])], [`FAULTS=${id}`, `SEED=${seed}`]);
      const system = measurableFolder({ folder, project, settings: { ...settings, command } });
      return (await system.measure({ group: SELFTEST_GROUP, progress, signal, injection })).folder;
    },
    read: finishRun,
    secondsOf: null,
  };
}

/** As the record keeps them. @param {Map<string, PlannedFault>} plan @returns {import('../record/selftest-total.js').TestedSystem['faults']} */
const describedFaults = (plan) =>
  Object.fromEntries(
    [...plan.values()].map(({ id, title, demand: { expected } }) => [
      id,
      { title, ...(expected && { expected: expected.map(({ tier, cause, may }) => ({ tier, cause, may })) }) },
    ]),
  );

const BENCH_ARCHITECTURE = 'a';
/** Of several hops, and with room in every table: what fails would not be compared with what is served. */
const CAPTURED_ARCHITECTURE = '2a-slots';
/** The published app and the bare k6 know no delay and no rate: an arm that had them would be compared with one that has not. */
const BENCH_TAKES = acceptedBy('bench-overhead');
const FOLDER_BENCH = 'bench-overhead of your own system';

/**
 * The system of the folder, where one is described there, else the published app on an architecture; of recording the wire alone on one of
 * several hops.
 * @param {Pick<Asked, 'folder' | 'allowData'>} asked
 * @param {Env} env  of an architecture LOAD and BUDGET as for a run, `hold` and `none` when not given, and PARTS=1: what each part costs too;
 *   CAPTURE=1: what recording the wire costs alone
 * @returns {Promise<Bench>}
 * @throws {NotReadyError} when the system cannot be measured, or naming what changes nothing about it
 */
export const openBench = async (asked, env) => (hasProject(asked.folder) ? benchOfFolder(asked, env) : benchOfArchitecture(env));

/** @param {Env} env @returns {Promise<Bench>} */
async function benchOfArchitecture(env) {
  refuseAllBut('bench-overhead', BENCH_TAKES, env);
  const ofCapture = readOption('CAPTURE', env);
  const takenWithIt = BENCH_TAKES.filter((name) => name !== 'PARTS');
  if (ofCapture) refuseAllBut('bench-overhead with CAPTURE=1', takenWithIt, env);
  const architecture = ofCapture ? CAPTURED_ARCHITECTURE : BENCH_ARCHITECTURE;
  const settings = readSettings(architecture, { ...env, LOAD: env.LOAD || 'hold', BUDGET: env.BUDGET || 'none' });
  const { load, budget, integrity } = settings;
  const withParts = readOption('PARTS', env);
  const { BARE_ARMS, measureBare } = await import('../run/architecture/measure-bare.js');
  const arms = Object.entries(BARE_ARMS).slice(0, withParts ? undefined : 1);
  return {
    ofCapture,
    without: Object.fromEntries(arms.map(([id, { title }]) => [id, title])),
    conditions: `${ofCapture ? `${architecture}, ` : ''}LOAD=${load} BUDGET=${budget}`,
    prepare: async ({ progress, signal }) => {
      const [{ ensureImages }, { calibrationFor }] = [await import('../docker/images.js'), await import('./calibrate.js')];
      const images = await ensureImages({ mode: settings.images, architectures: [architecture], say: progress.say, signal });
      const calibration = await calibrationFor({ settings, progress, signal });
      const system = measurableArchitecture(settings, { calibration });
      return {
        about: { images_mode: images.mode, architecture, load, budget, integrity },
        shape: shapes[shapeOf(scenarioOf(architecture), load)](settings.variables),
        script: null,
        run: (differing) => system.measure({ ...differing, progress, signal }),
        bare: (arm) => measureBare({ parts: BARE_ARMS[arm].parts, settings, images, calibration, say: progress.say, signal }),
      };
    },
  };
}

/** @param {Pick<Asked, 'folder' | 'allowData'>} asked @param {Env} env @returns {Promise<Bench>} */
async function benchOfFolder({ folder, allowData }, env) {
  const settings = readProjectSettings(folder, env, allowData, { command: 'bench-overhead', what: FOLDER_BENCH });
  const ofCapture = readOption('CAPTURE', env);
  const project = await readProject(folder);
  const { name, seed } = settings;
  return {
    ofCapture,
    without: { plain: 'bare Compose and k6' },
    conditions: `${name}, SEED=${seed}`,
    prepare: async ({ progress, signal }) => {
      const { say } = progress;
      const [{ ensureGenerator }, { readScript }, { measureBareProject }] = [
        await import('../docker/images.js'),
        await import('../load/user-script.js'),
        await import('../run/attach/measure-bare.js'),
      ];
      const { shape: listed, load } = await checkSystem({ folder, project, arm: null, allowData });
      const images = await ensureGenerator({ mode: settings.images, say, signal });
      const image = images.variables.K6_IMAGE;
      // What there is to say of it each run of the lab says.
      const script = await readScript({ project, folder, image, say: () => {} });
      const shape = script?.shape ?? listed;
      return {
        about: { images_mode: images.mode, system: name, load, load_title: shape.title, seed },
        shape,
        script: script && { name: String(project.load.script), script },
        run: (differing) => measurableFolder({ folder, project, settings }).measure({ ...differing, progress, signal }),
        bare: () => measureBareProject({ folder, project, settings, image, script, say, signal }),
      };
    },
  };
}
