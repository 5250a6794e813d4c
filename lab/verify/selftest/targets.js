/**
 * What the self-test is made on: the shipped systems, each fault on its own, or a user's own system, with the faults that the adapters of
 * its services know, each put into an ordinary run of it.
 *
 * @typedef {import('./injection.js').PlannedFault} PlannedFault
 * @typedef {import('./selftest.js').Described} Described
 * @typedef {import('./selftest.js').SelftestTarget} SelftestTarget
 * @typedef {import('../../options/faults.js').Demand} Demand
 * @typedef {import('../../record/selftest-total.js').Score} Score
 * @typedef {Record<string, string | undefined>} Env
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faults as shipped } from '../../adapters/shipped-faults.js';
import { NotInjectedError, NotReadyError } from '../../base/errors.js';
import { readPrivate } from '../../base/files.js';
import { formatCommand, formatProjectCommand, instead } from '../../base/format-command.js';
import { RECORD } from '../../base/paths.js';
import { DEFAULT_BUDGET } from '../../catalog/budgets.js';
import { measurableArchitecture, measurableFolder } from '../../compare/systems.js';
import { readManifest } from '../../diagnose/read-raw.js';
import { analyseRun } from '../../diagnose/result.js';
import { acceptedBy, readOption, refuseAllBut } from '../../options/accepted-options.js';
import { readSettings } from '../../options/settings.js';
import { RIGHT_LEAST, skippedScore } from '../../record/selftest-total.js';
import { finishRun } from '../../report/reports.js';
import { checkSystem } from '../../run/attach/checked-system.js';
import { hasProject, readProject, readProjectSettings } from '../../run/attach/commands.js';
import { projectService } from '../../target/describe.js';
import { consentTo } from './consent.js';
import { CONTROL, injectionOf, obstacleTo, planFaults, planShipped } from './injection.js';
import { AGAIN, ALL, REST, scoreRecord, testDiagnosis } from './selftest.js';

/** Of all faults of the shipped systems, as the result page is made; some of them are tried once. */
const REPEATS_OF_ALL = 3;
/** Those that run with the tests. */
const SHORT = 'short';
/** Below reports/: out of the list of runs, which are of the system as it is. */
const GROUP = 'selftest/runs';

/**
 * On the system of a folder, where one is described there, else on the shipped ones, where that is meant.
 * @param {string} folder
 * @param {Env} env
 * @param {{ allowData: boolean, ask?: ((question: string) => Promise<boolean>) | null } & import('../../cli/reporter.js').Around} options  ask:
 *   whether the lab itself is meant, null: nobody can be asked; it is where there is none
 * @returns {Promise<number>} exit code: 0 when every fault that could be put in is diagnosed rightly
 */
export const selftest = async (folder, env, { allowData, ask, ...around }) =>
  (await hasProject(folder))
    ? selftestProject(folder, env, { allowData, ...around })
    : selftestShipped(env, around, ask === undefined ? undefined : (left) => consentTo(left, ask, folder));

/**
 * On the shipped systems.
 * @param {Env} env  FAULTS: `all` (default), `short`, ids with commas between, `rest` or `again`; REPEATS: runs of each
 * @param {import('../../cli/reporter.js').Around} around
 * @param {SelftestTarget['consent']} [consent]  where it may not have been meant
 * @returns {Promise<number>} exit code: 0 when every fault is diagnosed rightly
 */
export async function selftestShipped(env, around, consent) {
  const wanted = readOption('FAULTS', env);
  // The dose of a fault is its own, and what is gone on with was settled when it began.
  const isNew = wanted !== AGAIN && wanted !== REST;
  refuseAllBut(`the self-test with FAULTS=${wanted}`, isNew ? acceptedBy('selftest') : ['FAULTS'], env);
  return testDiagnosis({ ...architectureTarget(env), consent }, env, around);
}

/**
 * On a user's own system.
 * @param {string} folder of doubletake.yaml
 * @param {Env} env  FAULTS: `all` (default), ids with commas between, `rest` or `again`; REPEATS: runs of each
 * @param {{ allowData: boolean } & import('../../cli/reporter.js').Around} options
 * @returns {Promise<number>} exit code: 0 when every fault that could be put in is diagnosed rightly
 * @throws {NotReadyError} when the system cannot be measured at all
 */
export async function selftestProject(folder, env, { allowData, ...around }) {
  if (env.EXPECT)
    throw new NotReadyError(
      `EXPECT: expected none, because each fault says itself what is to be found; found "${env.EXPECT}".`,
      'leave it out.',
    );
  return testDiagnosis(await projectTarget(folder, env, allowData), env, around);
}

/** @param {Env} env @returns {SelftestTarget} */
export function architectureTarget(env) {
  const plan = planShipped();
  return {
    ...targetOf(plan),
    command: formatCommand(['selftest']),
    budget: env.BUDGET || DEFAULT_BUDGET,
    repeatsOfAll: REPEATS_OF_ALL,
    system: undefined,
    cannot: () => null,
    measure: (id, given) => measureShipped(faultIn(plan, id), env, given),
    score: async (id, folder) => scoreFault(faultIn(plan, id), folder, await analyseRun(folder)),
    // Not every machine can make a way between containers a bad one.
    mayRefuse: (id) => (faultIn(plan, id).how?.actions ?? []).some(({ other }) => other !== undefined),
  };
}

/** @type {(fault: PlannedFault, env: Env, given: Parameters<SelftestTarget['measure']>[1]) => Promise<string>} */
async function measureShipped(fault, env, { budget, progress, signal }) {
  const { architecture, load } = shipped[fault.id];
  const system = measurableArchitecture(readSettings(architecture, { ...env, BUDGET: budget, LOAD: load }));
  return (await system.measure({ progress, signal, injection: injectionOf(fault) })).folder;
}

/** @type {(folder: string, env: Env, allowData: boolean) => Promise<SelftestTarget>} */
async function projectTarget(folder, env, allowData) {
  const settings = readProjectSettings(folder, env, allowData, { command: 'selftest' });
  const project = await readProject(folder);
  const plan = planFaults(await checkSystem({ folder, project, arm: null, allowData }), project, textOf);
  /** Found out when the system was up in the control. @type {Map<string, string>} */
  const obstacles = new Map();
  /** @type {SelftestTarget['measure']} */
  const measure = async (id, { progress, signal }) => {
    const fault = faultIn(plan, id);
    const whenUp = async (/** @type {import('../../docker/containers.js').Service[]} */ stack) => {
      for (const one of fault.how === null ? plan.values() : [fault]) {
        const why = one.cannot ?? (await obstacleTo(one, stack));
        if (why !== null) obstacles.set(one.id, why);
      }
      const why = obstacles.get(id);
      if (why !== undefined) throw new NotInjectedError(why);
    };
    const command = formatProjectCommand(['selftest', ...(allowData ? ['--allow'] : [])], [`FAULTS=${id}`, `SEED=${settings.seed}`]);
    const system = measurableFolder({ folder, project, settings: { ...settings, command } });
    return (await system.measure({ group: GROUP, progress, signal, injection: injectionOf(fault, whenUp) })).folder;
  };
  return {
    ...targetOf(plan),
    command: formatProjectCommand(['selftest']),
    budget: settings.budget,
    repeatsOfAll: 1,
    system: { name: settings.name, faults: Object.fromEntries([...plan.values()].map(described)) },
    cannot: (id) => faultIn(plan, id).cannot ?? obstacles.get(id) ?? null,
    measure,
    score: (id, run) => scoreProject(faultIn(plan, id), project, run),
    mayRefuse: () => true,
  };
}

/** @type {(plan: Map<string, PlannedFault>) => Pick<SelftestTarget, 'choose' | 'titleOf'>} */
const targetOf = (plan) => ({ choose: (wanted) => chooseFaults(wanted, [...plan.keys()]), titleOf: (id) => plan.get(id)?.title });

/** @type {(plan: Map<string, PlannedFault>, id: string) => PlannedFault} */
const faultIn = (plan, id) => /** @type {PlannedFault} */ (plan.get(id));

/** As the record keeps it. @type {(fault: PlannedFault) => [string, import('../../record/selftest-total.js').DescribedFault]} */
const described = ({ id, title, demand: { expected = [] } }) => [
  id,
  { title, expected: expected.map(({ tier, cause, may }) => ({ tier, cause, may })) },
];

/** @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * A control comes first in any case: what fails without a fault is not the fault's.
 * @param {string} wanted
 * @param {string[]} known
 * @returns {string[]} ids, in the order in which they are to be run
 * @throws {NotReadyError} naming what is not known
 */
export function chooseFaults(wanted, known) {
  if (wanted === ALL) return known;
  const short = known.filter((id) => shipped[id]?.short);
  if (wanted === SHORT && short.length > 0) return short;
  const ids = wanted.split(',');
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new NotReadyError(
      `FAULTS: expected ${[ALL, ...(short.length > 0 ? [SHORT] : []), REST, AGAIN].join(', ')} or some of ${known.join(', ')}; found "${unknown.join(', ')}".`,
      instead(unknown[0], known, 'use these names.'),
    );
  return known.includes(CONTROL) ? [CONTROL, ...ids.filter((id) => id !== CONTROL)] : ids;
}

/** @type {(fault: PlannedFault, project: import('../../catalog/project-schema.js').Project, folder: string) => Promise<Score>} */
async function scoreProject(fault, project, folder) {
  const result = await finishRun(folder);
  if (survived(fault.demand, result.metrics.failures))
    return skippedScore(fault.id, 'no request failed of it, so that there was nothing to diagnose', result.run);
  const score = await scoreFault(fault, folder, result);
  return { ...score, advice: adviceOf(score, result, fault, project) };
}

/** @type {(fault: Pick<PlannedFault, 'id' | 'demand'>, folder: string, result: import('../../record/types.js').Result) => Promise<Score>} */
export async function scoreFault({ id, demand }, folder, result) {
  const { services } = await readManifest(join(folder, RECORD.manifest));
  return scoreRecord({ id, fault: toContainerNames(demand, services), folder, result, marksOf: async (all) => readMarks(folder, all) });
}

/**
 * What the lab's own nodes wrote of the faults that they committed; the diagnosis does not read it.
 * @param {string} folder
 * @param {{ name: string, tier: string }[]} services
 */
function readMarks(folder, services) {
  /** @type {Map<string, Set<string>>} */
  const marks = new Map();
  for (const { name } of services.filter(({ tier }) => tier === 'app')) {
    const text = String(readPrivate(join(folder, RECORD.raw, `${name}.log`)) ?? '');
    for (const [, id, mark] of text.matchAll(/^fault (\S+) (\w+)$/gm)) marks.set(id, (marks.get(id) ?? new Set()).add(mark));
  }
  return marks;
}

/**
 * A demand speaks of services, or of their containers, the ledger of containers.
 * @param {Demand} demand
 * @param {Described[]} services
 * @returns {Demand}
 */
export function toContainerNames(demand, services) {
  const namesOf = (/** @type {string[]} */ wanted) =>
    services.filter(({ service, name }) => wanted.includes(service) || wanted.includes(name)).map(({ name }) => name);
  return {
    ...demand,
    expected: demand.expected?.map((one) => (one.services === undefined ? one : { ...one, services: namesOf(one.services) })),
    ...(demand.near_misses
      ? { near_misses: demand.near_misses.map(({ ids, services: wanted = [] }) => ({ ids, services: namesOf(wanted) })) }
      : {}),
  };
}

/** Whether the system bore the fault, so that the ledger has nothing to say. @param {Demand} demand @param {number} failures */
export const survived = ({ expected = [], least = 1, near_misses: misses }, failures) =>
  expected.length > 0 && misses === undefined && failures < least;

/**
 * What would let the ledger say more: of what it left open, and of a service that tells more at a higher level.
 * @param {Score} score
 * @param {Pick<import('../../record/types.js').Result, 'ledger' | 'try_next' | 'command'>} result
 * @param {Pick<PlannedFault, 'service' | 'how'>} fault
 * @param {import('../../catalog/project-schema.js').Project} project
 * @returns {string[]} sentences; none where the fault was diagnosed rightly
 */
export function adviceOf({ failures, right, unattributed }, { ledger, try_next: tryNext, command: again }, { service, how }, project) {
  if (right >= failures * RIGHT_LEAST) return [];
  const reported = how?.reported;
  const isBelow = reported !== undefined && projectService(project, service).watch < reported.level;
  return [
    ...(unattributed > 0 && ledger.unattributed_reason !== '' ? [`unattributed: ${ledger.unattributed_reason}`] : []),
    ...(isBelow ? [`write ${service}: { watch: ${reported.level} } in doubletake.yaml: it then tells ${reported.gives}`] : []),
    // What is said of an INVALID run, to make it again, is nothing to be written.
    ...tryNext.filter(({ command }) => command !== again).map(({ command, why }) => `write ${command}: ${why}`),
  ];
}
