/**
 * What can be measured, whatever it is: an architecture that the lab brings along, or the system of a folder. Which of them is decided here, by
 * what was asked for; who has runs made of it, compares its arms, puts faults into it or measures what watching it costs asks it for them.
 *
 * @typedef {object} Measurable
 * @property {string} name          which its runs lie under, unless they are told where
 * @property {import('../options/expect.js').Expectation[]} expect  thresholds that a run is to meet
 * @property {readonly import('../options/expect.js').Host[]} [hosts]  of a Swarm, that it is to run on beside this machine
 * @property {(run: Run) => Promise<{ folder: string, interrupted: boolean, images: Record<string, string> }>} measure  one run, from nothing to
 *   nothing
 * @property {(arm: string, around: Around) => Promise<any>} measureBare  one without the lab, of which the arm says what is there all the same; k6's
 *   summary
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
 * @typedef {object} Benched      what a bench is of
 * @property {Measurable} system
 * @property {Record<string, string>} without
 * @property {string} conditions
 * @property {(around: { say: (text: string) => void, signal: AbortSignal }) => Promise<BenchLoad>} prepare
 *
 * @typedef {object} BenchLoad
 * @property {Record<string, unknown>} about  what the file says of it
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {{ name: string, script: import('../load/user-script.js').UserScript } | null} script  null where the load is no script of the user's own
 *
 * @typedef {BenchLoad & { run: (differing: Differing) => Promise<{ folder: string }>, bare: (arm: string) => Promise<any> }} BenchReady  run: with the
 *   whole lab; bare: without it, as an arm has it, k6's summary
 *
 * @typedef {object} Planned      what the runs of a plan are made of: whatever they have in common is settled before the first, and looked at before each
 * @property {() => Promise<void>} prepare  before the first run: gets what all of them need, and settles in the plan what they share
 * @property {(arm: Arm) => Promise<Measurable>} systemOf  of one run
 * @property {() => Promise<void>} close    after the last, however it ended
 *
 * @typedef {object} AskedPlan
 * @property {boolean} isNew  it is not one that is gone on with
 * @property {() => Promise<Plan>} make
 *
 * @typedef {{ a: string[], b: string[] }} GivenArms
 * @typedef {Pick<import('./experiment/project-plan.js').Given, 'folder' | 'allowData' | 'say' | 'signal'>} AskedIn
 *
 * @typedef {object} Asked
 * @property {string} [architecture]  none: the system of the folder
 * @property {string} folder        of doubletake.yaml
 * @property {boolean} allowData    the user has said that what a run could harm may be harmed
 *
 * @typedef {import('../options/settings.js').Settings} Settings
 * @typedef {import('../adapters/faults.js').PlannedFault} PlannedFault
 * @typedef {import('./plan.js').Plan} Plan
 * @typedef {import('../options/arms.js').Arm} Arm
 * @typedef {import('../catalog/project-schema.js').Project} Project
 * @typedef {Record<string, string | undefined>} Env
 * @typedef {Omit<import('../run/project/overlaid-target.js').ProjectRun, 'injection'>} ProjectRun
 */

import { resolve } from 'node:path';
import { NotReadyError } from '../base/errors.js';
import { readIfThere } from '../base/files.js';
import { formatCommand, formatProjectCommand, oneOf } from '../base/format-command.js';
import { ROOT } from '../base/paths.js';
import { architectures, nameOfFolder, scenarioOf } from '../catalog/architectures.js';
import { DEFAULT_BUDGET } from '../catalog/budgets.js';
import { hasProject, readProject } from '../catalog/project-file.js';
import { PROJECT_FILE } from '../catalog/project-schema.js';
import { shapeOf, shapes } from '../catalog/scenarios.js';
import { acceptedBy, readOption, readVariables, refuseAllBut, refuseIdle } from '../options/accepted-options.js';
import { secondsOfRun } from '../options/calibration.js';
import { readSettings } from '../options/settings.js';
import { describedFaults } from '../record/selftest-total.js';
import { checkSystem } from '../run/project/checked-system.js';
import { initFirst } from '../run/project/init-command.js';
import { loadFingerprint } from '../run/project/open-view.js';
import { openCheckouts, projectOfSide } from '../target/revision.js';
import { notesOfNames } from '../target/run-options.js';
import { loadUnder } from './experiment/experiment-file.js';
import { measuredFor, withRate } from './measured-rate.js';
import { ASKED, COMPARE, imagesOf } from './plan.js';
import { settingsOf } from './planned-systems.js';

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
  if (architecture && PATH.test(architecture)) refusePath(architecture, command);
  const name = architecture ? oneOf('architecture', architecture, Object.keys(architectures)) : nameOfFolder(folder);
  refuseIdle(command, name, env, architecture && command === 'swarm' ? `${architecture} on a Swarm` : undefined);
  const given = readSettings(name, env, { command, allowData });
  if (architecture) return { ...measurableArchitecture(given), hosts: given.hosts };
  await initFirst(folder, reporter);
  const project = await readProject(folder);
  const measured = await measuredFor({
    ...{ settings: given, project, env },
    fingerprints: async () => (await checkSystem({ folder, project, arm: null, settings: given })).fingerprints,
  });
  const settings = measured === null ? given : { ...readSettings(name, withRate(env, measured), { command, allowData }), measured };
  for (const note of notesOfNames(env, project.compose, (file) => readIfThere(resolve(folder, file))))
    reporter.progress.say(`note: ${note}`);
  if (measured !== null) reporter.progress.say(measured.said);
  return { ...measurableFolder({ folder, project, settings }), hosts: settings.hosts };
}

/** No id of an architecture has such a character. */
const PATH = /[./\\]/;

/** @param {string} path @param {string} command @throws {NotReadyError} */
function refusePath(path, command) {
  throw new NotReadyError(
    `${command}: expected the id of an architecture of the lab, or nothing for the system of this folder; found "${path}".`,
    `leave it out; other Compose files than the folder's own are named to ${formatProjectCommand(['init'])}, and their folder is the one that the command is called in.`,
  );
}

/**
 * @param {Pick<Measurable, 'name' | 'expect'>} named
 * @param {(run: Run & { hosts?: import('../run/run-target.js').Hosts }) => Promise<import('../run/run-target.js').Target>} targetOf
 * @param {(around: Around) => Promise<void>} [before]  on this machine alone, before the hosts of a Swarm are asked for
 * @returns {Measurable}
 */
const measurable = (named, targetOf, before = async () => {}) => ({
  ...named,
  measure: async ({ progress, signal, watcher, onHosts = (use) => use(), ...differing }) => {
    const { runTarget } = await import('../run/run-target.js');
    await before({ progress, signal });
    return onHosts(async (hosts) => runTarget(await targetOf({ progress, signal, hosts, ...differing }), { progress, signal, watcher }));
  },
  measureBare: async (arm, { progress, signal }) => {
    const { runBare } = await import('../run/run-bare.js');
    await before({ progress, signal });
    return runBare(await targetOf({ progress, signal }), { arm, say: progress.say, signal });
  },
});

/**
 * @param {Settings} settings
 * @param {object} [given]
 * @param {import('../options/calibration.js').Calibration | null} [given.calibration]  of all its runs; unless given that of the machine, as
 *   it is at the first of them
 * @returns {Measurable}
 */
export function measurableArchitecture(settings, { calibration } = {}) {
  let fixed = calibration;
  const calibrate = async (/** @type {Around} */ { progress, signal }) => {
    const { calibrationFor } = await import('./calibrate.js');
    if (fixed === undefined) fixed = await calibrationFor({ settings, progress, signal });
  };
  const targetOf = async (/** @type {Run & { hosts?: import('../run/run-target.js').Hosts }} */ run) => {
    const { group, injection, hosts, capture = settings.capture } = run;
    const { architectureTarget } = await import('../run/project/scenario-target.js');
    return architectureTarget({ settings: { ...settings, capture }, calibration: fixed ?? null, group, injection, hosts });
  };
  return measurable({ name: settings.architecture, expect: settings.expect }, targetOf, calibrate);
}

/** @param {ProjectRun} given @returns {Measurable} */
const measurableFolder = ({ settings, ...given }) =>
  measurable({ name: settings.architecture, expect: settings.expect }, async ({ group, injection, hosts, capture = settings.capture }) => {
    const { projectTarget } = await import('../run/project/overlaid-target.js');
    return projectTarget({ ...given, settings: { ...settings, capture }, group, injection, hosts });
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
export async function openTested(asked, env) {
  const { systemOf, system, ...tested } = hasProject(asked.folder) ? await testedFolder(asked, env) : await testedArchitectures(env);
  return {
    ...tested,
    system: { ...system, faults: describedFaults(tested.plan.values()) },
    measure: async (id, { budget, ...run }) => (await systemOf(id, budget).measure({ group: SELFTEST_GROUP, ...run })).folder,
  };
}

/**
 * @typedef {Omit<Tested, 'measure' | 'system'> & { system: Omit<Tested['system'], 'faults'>, systemOf: (id: string, budget: string) => Measurable }} TestedKind
 */

/** @param {Env} env @returns {Promise<TestedKind>} */
async function testedArchitectures(env) {
  const wanted = readOption('FAULTS', env);
  // The dose of a fault is its own, and what is gone on with was settled when it began.
  const isNew = wanted !== AGAIN && wanted !== REST;
  refuseAllBut(`the self-test with FAULTS=${wanted}`, isNew ? acceptedBy('selftest') : ['FAULTS'], env);
  const [{ namedFaults, NO_FAULTS }, { analyseRun }] = [
    await import('../run/faults/planned-faults.js'),
    await import('../diagnose/result.js'),
  ];
  const plan = namedFaults();
  const on = (/** @type {string} */ id) => /** @type {NonNullable<PlannedFault['on']>} */ (plan.get(id)?.on);
  return {
    plan,
    system: {
      ...{ name: '', into: 'a small stack, one at a time, under load', command: formatCommand(['selftest']) },
      ...{ left_out: NO_FAULTS, is_document: true },
    },
    budget: env.BUDGET || DEFAULT_BUDGET,
    repeatsOfAll: REPEATS_OF_ALL,
    systemOf: (id, budget) => measurableArchitecture(readSettings(on(id).architecture, { ...env, BUDGET: budget, LOAD: on(id).load })),
    read: analyseRun,
    secondsOf: (ids) =>
      ids
        .map(on)
        .map(({ architecture, load }) => secondsOfRun(shapes[shapeOf(scenarioOf(architecture), load)](readVariables(architecture, {}))))
        .reduce((sum, seconds) => sum + seconds, 0),
  };
}

/** @param {Pick<Asked, 'folder' | 'allowData'>} asked @param {Env} env @returns {Promise<TestedKind>} */
async function testedFolder({ folder, allowData }, env) {
  if (env.EXPECT)
    throw new NotReadyError(
      `EXPECT: expected none, because each fault says itself what is to be found; found "${env.EXPECT}".`,
      'leave it out.',
    );
  const name = nameOfFolder(folder);
  refuseIdle('selftest', name, env);
  const settings = readSettings(name, env, { allowData });
  const project = await readProject(folder);
  const [{ planFaults }, { finishRun }] = [await import('../run/faults/planned-faults.js'), await import('../report/reports.js')];
  const { budget, seed } = settings;
  const into = `a copy of ${name}, one at a time, under the load of its doubletake.yaml. The control is a run without a fault`;
  return {
    plan: planFaults(await checkSystem({ folder, project, arm: null, settings }), project, readIfThere),
    system: { name, into, command: formatProjectCommand(['selftest']), left_out: {}, is_document: false },
    budget,
    repeatsOfAll: 1,
    systemOf: (id) => {
      const command = formatProjectCommand(['selftest', ...(allowData ? ['--allow'] : [])], [`FAULTS=${id}`, `SEED=${seed}`]);
      return measurableFolder({ folder, project, settings: { ...settings, command } });
    },
    read: finishRun,
    secondsOf: null,
  };
}

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
export async function openBench(asked, env) {
  const ofCapture = readOption('CAPTURE', env);
  const { system, prepare, ...named } = hasProject(asked.folder)
    ? await benchOfFolder(asked, env)
    : await benchOfArchitecture(ofCapture, env);
  return {
    ...{ ofCapture, ...named },
    prepare: async (around) => ({
      ...(await prepare({ say: around.progress.say, signal: around.signal })),
      run: (differing) => system.measure({ ...differing, ...around }),
      bare: (arm) => system.measureBare(arm, around),
    }),
  };
}

/** @param {boolean} ofCapture @param {Env} env @returns {Promise<Benched>} */
async function benchOfArchitecture(ofCapture, env) {
  refuseAllBut('bench-overhead', BENCH_TAKES, env);
  const takenWithIt = BENCH_TAKES.filter((name) => name !== 'PARTS');
  if (ofCapture) refuseAllBut('bench-overhead with CAPTURE=1', takenWithIt, env);
  const architecture = ofCapture ? CAPTURED_ARCHITECTURE : BENCH_ARCHITECTURE;
  const settings = readSettings(architecture, { ...env, LOAD: env.LOAD || 'hold', BUDGET: env.BUDGET || 'none' });
  const { load, budget, integrity } = settings;
  const withParts = readOption('PARTS', env);
  const { BARE_ARMS } = await import('../run/project/scenario-target.js');
  const arms = Object.entries(BARE_ARMS).slice(0, withParts ? undefined : 1);
  return {
    system: measurableArchitecture(settings),
    without: Object.fromEntries(arms.map(([id, { title }]) => [id, title])),
    conditions: `${ofCapture ? `${architecture}, ` : ''}LOAD=${load} BUDGET=${budget}`,
    prepare: async (around) => {
      const { ensureImages } = await import('../docker/images.js');
      const { mode } = await ensureImages({ mode: settings.images, architectures: [architecture], ...around });
      return {
        about: { images_mode: mode, architecture, load, budget, integrity },
        shape: shapes[shapeOf(scenarioOf(architecture), load)](settings.variables),
        script: null,
      };
    },
  };
}

/** @param {Pick<Asked, 'folder' | 'allowData'>} asked @param {Env} env @returns {Promise<Benched>} */
async function benchOfFolder({ folder, allowData }, env) {
  const name = nameOfFolder(folder);
  refuseIdle('bench-overhead', name, env, FOLDER_BENCH);
  const settings = readSettings(name, env, { allowData });
  const project = await readProject(folder);
  const { seed } = settings;
  return {
    system: measurableFolder({ folder, project, settings }),
    without: { plain: 'bare Compose and k6' },
    conditions: `${name}, SEED=${seed}`,
    prepare: async (around) => {
      const [{ ensureGenerator }, { readScript }] = [await import('../docker/images.js'), await import('../load/user-script.js')];
      const { shape: listed, load } = await checkSystem({ folder, project, arm: null, settings });
      const { mode, variables } = await ensureGenerator({ mode: settings.images, ...around });
      // What there is to say of it each run of the lab says.
      const script = await readScript({ project, folder, image: variables.K6_IMAGE, say: () => {} });
      const shape = script?.shape ?? listed;
      return {
        about: { images_mode: mode, system: name, load, load_title: shape.title, seed },
        shape,
        script: script && { name: String(project.load.script), script },
      };
    },
  };
}

/**
 * Of the runs of a plan: what each arm is asked, and what all of them share, the load of a doubletake.yaml or what follows from a calibration.
 * @param {{ plan: Plan } & Around} options
 * @returns {Planned}
 */
export function openPlanned({ plan, progress, signal }) {
  const folder = process.cwd();
  const checkouts = openCheckouts(folder);
  const readSame = async () => {
    const project = await readProject(folder, plan.experiment === COMPARE ? ASKED.compare : ASKED.experiment);
    refuseOtherLoads(plan, (load) => loadFingerprint(projectUnder(project, plan, load), readIfThere, folder));
    return project;
  };
  /** @type {(arm: Arm, resolved: import('../options/arms.js').Resolved) => Promise<Measurable>} */
  const inFolder = async (arm, resolved) => {
    const project = projectOfSide(projectUnder(await readSame(), plan, arm.load ?? plan.load), resolved);
    const place = resolved.commit === null ? { folder, root: folder } : await checkouts.at(resolved.commit);
    const settings = { ...settingsOf(plan, arm.id), command: plan.command };
    return measurableFolder({ folder, project, settings, arm: { arm, ...place, kept: imagesOf(plan, arm.id) } });
  };
  return {
    prepare: async () => {
      const named = plan.arms.filter(({ resolved }) => resolved === undefined).map(({ architecture }) => architecture);
      if (named.length < plan.arms.length) await readSame();
      if (named.length === 0) return;
      const [{ ensureImages }, { calibrationFor, fixConditions }] = [await import('../docker/images.js'), await import('./calibrate.js')];
      await ensureImages({ mode: plan.images, architectures: named, say: progress.say, signal });
      await fixConditions(plan, (settings) => calibrationFor({ settings, progress, signal }));
    },
    systemOf: async (arm) =>
      arm.resolved ? inFolder(arm, arm.resolved) : measurableArchitecture(settingsOf(plan, arm.id), { calibration: plan.calibration }),
    close: async () => {
      for (const left of await checkouts.close()) progress.say(`still there: ${left}; a container wrote into it; remove it by hand`);
    },
  };
}

/** @type {(project: Project, plan: Pick<Plan, 'loads'>, load: string) => Project} */
const projectUnder = (project, { loads = {} }, load) => ({ ...project, load: loadUnder(project.load, load, loads[load].change) });

/**
 * @param {Pick<Plan, 'loads'>} plan
 * @param {(load: string) => string} fingerprintOf  what doubletake.yaml and the files of a load are now
 * @throws {NotReadyError}
 */
function refuseOtherLoads({ loads = {} }, fingerprintOf) {
  if (Object.entries(loads).every(([load, { fingerprint }]) => fingerprintOf(load) === fingerprint)) return;
  throw new NotReadyError(
    `${PROJECT_FILE}: expected it and the files of its load as they were before the first run; found others.`,
    'take back what was changed in them, or begin anew.',
  );
}

/** By flags, which may be given several times, or as variables. @type {(flags: Partial<GivenArms>, env: Env) => GivenArms} */
const givenArms = ({ a, b }, { A, B }) => ({ a: a ?? (A ? [A] : []), b: b ?? (B ? [B] : []) });

/** An assignment, a file or a revision. @param {string} head */
const isSide = (head) => /[=/.]/.test(head) || head === 'rev';

/** Whether what names nothing is about the folder in which it was given; that of the lab is about the architectures. @param {string} folder */
const isOfFolder = (folder) => hasProject(folder) || folder !== ROOT;

/**
 * Whether `compare` is about the system of a folder, and not about shipped architectures. A plan that is resumed says so itself.
 * @param {string} folder
 * @param {Partial<GivenArms>} flags
 * @param {Env} env  A and B in their place
 */
export function isProjectComparison(folder, flags, env) {
  const { a, b } = givenArms(flags, env);
  // What stands before the options of an arm, or before a revision.
  const heads = [...a, ...b].map((text) => text.split(':')[0]);
  if (heads.length === 0) return !env.RESUME && isOfFolder(folder);
  return heads.some((head) => !Object.hasOwn(architectures, head)) && (hasProject(folder) || heads.some(isSide));
}

/**
 * Two architectures, or two arms of the system of a folder.
 * @param {Partial<GivenArms>} flags
 * @param {Env} env  A and B in their place
 * @param {AskedIn} given
 * @returns {AskedPlan}
 */
export function askedComparison(flags, env, given) {
  const pair = givenArms(flags, env);
  if (isProjectComparison(given.folder, flags, env))
    return {
      isNew: true,
      make: async () => (await import('./experiment/project-plan.js')).planProjectComparison({ ...pair, ...given, env }),
    };
  return newOrNot(env, async () =>
    (await import('./experiment/make-plan.js')).planComparison({ ...env, A: pair.a.join(' '), B: pair.b.join(' ') }),
  );
}

/**
 * An experiment of the lab, by its id, or one of a user's own system, by its file.
 * @param {string | undefined} id  none: of the system of this folder, where it has one
 * @param {Env} env
 * @param {AskedIn} given
 * @returns {AskedPlan}
 */
export function askedExperiment(id, env, given) {
  // A file of the user's has an ending, which no id has.
  const isOwn = id === undefined ? isOfFolder(given.folder) : /\.ya?ml$/i.test(id);
  if (isOwn)
    return newOrNot(env, async () => (await import('./experiment/project-plan.js')).planProjectExperiment({ file: id, ...given, env }));
  return newOrNot(env, async () => (await import('./experiment/make-plan.js')).planExperiment(id ?? '', env));
}

/** @type {(env: Env, make: AskedPlan['make']) => AskedPlan} */
const newOrNot = (env, make) =>
  env.RESUME
    ? { isNew: false, make: async () => (await import('./experiment/read-plan.js')).planToResume(String(env.RESUME), env) }
    : { isNew: true, make };
