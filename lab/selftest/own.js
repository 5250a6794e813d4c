/**
 * The self-test on a user's own system: the faults that the adapters of its services know, each put into an ordinary run of it.
 *
 * @typedef {import('./own-faults.js').OwnFault} OwnFault
 * @typedef {import('./score-record.js').Described} Described
 * @typedef {import('../define/faults.js').Demand} Demand
 * @typedef {import('./score.js').Score} Score
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../analyse/read-raw.js';
import { checkSystem } from '../attach/checked-system.js';
import { readOwnSettings, readProject } from '../attach/commands.js';
import { projectService } from '../attach/describe.js';
import { measureProject } from '../attach/measure.js';
import { NotInjectedError, NotReadyError } from '../define/errors.js';
import { instead } from '../define/nearest.js';
import { RECORD } from '../define/paths.js';
import { spellOwn } from '../define/spelling.js';
import { finishRun } from '../reports.js';
import { CONTROL, planFaults } from './own-faults.js';
import { injectionOf, obstacleTo } from './own-injection.js';
import { skippedScore } from './score.js';
import { scoreRecord } from './score-record.js';
import { ALL, testDiagnosis } from './selftest.js';
import { RIGHT_LEAST } from './total.js';

/** Below reports/: out of the list of runs, which are of the system as it is. */
const GROUP = 'selftest/runs';

/** @typedef {Record<string, string | undefined>} Env */

/**
 * @param {string} folder of doubletake.yaml
 * @param {Env} env  FAULTS: `all` (default), ids with commas between, `rest` or `again`; REPEATS: runs of each
 * @param {{ allowData: boolean } & import('../reporter.js').Around} options
 * @returns {Promise<number>} exit code: 0 when every fault that could be put in is diagnosed rightly
 * @throws {NotReadyError} when the system cannot be measured at all
 */
export async function selftestOwn(folder, env, { allowData, ...around }) {
  if (env.EXPECT)
    throw new NotReadyError(
      `EXPECT: expected none, because each fault says itself what is to be found; found "${env.EXPECT}".`,
      'leave it out.',
    );
  return testDiagnosis(await ownSubject(folder, env, allowData), env, around);
}

/** @type {(folder: string, env: Env, allowData: boolean) => Promise<import('./selftest.js').Subject>} */
async function ownSubject(folder, env, allowData) {
  const settings = readOwnSettings(folder, env, allowData, { command: 'selftest' });
  const project = await readProject(folder);
  const plan = planFaults(await checkSystem({ folder, project, side: null, allowData }), project, textOf);
  /** Found out when the system was up in the control. @type {Map<string, string>} */
  const obstacles = new Map();
  /** @type {import('./selftest.js').Subject['measure']} */
  const measure = async (id, { progress, signal }) => {
    const fault = faultIn(plan, id);
    const whenUp = async (/** @type {import('../measure/containers.js').Service[]} */ stack) => {
      for (const one of fault.how === null ? plan.values() : [fault]) {
        const why = one.cannot ?? (await obstacleTo(one, stack));
        if (why !== null) obstacles.set(one.id, why);
      }
      const why = obstacles.get(id);
      if (why !== undefined) throw new NotInjectedError(why);
    };
    const command = spellOwn(['selftest', ...(allowData ? ['--allow'] : [])], [`FAULTS=${id}`, `SEED=${settings.seed}`]);
    const options = { folder, project, settings: { ...settings, group: GROUP, command } };
    return (await measureProject({ ...options, progress, signal, injection: injectionOf(fault, whenUp) })).folder;
  };
  return {
    command: spellOwn(['selftest']),
    budget: settings.budget,
    repeatsOfAll: 1,
    system: { name: settings.name, faults: Object.fromEntries([...plan.values()].map(described)) },
    choose: (wanted) => chooseOwn(wanted, [...plan.keys()]),
    titleOf: (id) => plan.get(id)?.title,
    cannot: (id) => faultIn(plan, id).cannot ?? obstacles.get(id) ?? null,
    measure,
    score: async (id, run) => scoreOwn(faultIn(plan, id), project, run),
    mayRefuse: true,
  };
}

/** As the record keeps it. @type {(fault: OwnFault) => [string, import('./total.js').DescribedFault]} */
const described = ({ id, title, demand: { expected = [] } }) => [
  id,
  { title, expected: expected.map(({ tier, cause, may }) => ({ tier, cause, may })) },
];

/** @type {(plan: Map<string, OwnFault>, id: string) => OwnFault} */
const faultIn = (plan, id) => /** @type {OwnFault} */ (plan.get(id));

/** @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * The control comes first in any case: what fails without a fault is not the fault's.
 * @param {string} wanted
 * @param {string[]} known
 * @returns {string[]}
 * @throws {NotReadyError} naming what is not known
 */
export function chooseOwn(wanted, known) {
  if (wanted === ALL) return known;
  const ids = wanted.split(',');
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new NotReadyError(
      `FAULTS: expected all, rest, again or some of ${known.join(', ')}; found "${unknown.join(', ')}".`,
      instead(unknown[0], known, 'use these names.'),
    );
  return [CONTROL, ...ids.filter((id) => id !== CONTROL)];
}

/** @type {(fault: OwnFault, project: import('../define/project-schema.js').Project, folder: string) => Promise<Score>} */
async function scoreOwn(fault, project, folder) {
  const result = await finishRun(folder);
  const { services } = await readManifest(join(folder, RECORD.manifest));
  const demand = namedIn(fault.demand, services);
  if (bore(demand, result.metrics.failures))
    return skippedScore(fault.id, 'no request failed of it, so that there was nothing to diagnose', result.run);
  const score = await scoreRecord({ id: fault.id, fault: demand, folder, result });
  return { ...score, advice: adviceOf(score, result, fault, project) };
}

/**
 * A demand speaks of services, the ledger of containers.
 * @param {Demand} demand
 * @param {Described[]} services
 * @returns {Demand}
 */
export function namedIn(demand, services) {
  const namesOf = (/** @type {string[]} */ wanted) => services.filter(({ service }) => wanted.includes(service)).map(({ name }) => name);
  return {
    ...demand,
    expected: demand.expected?.map((one) => (one.services === undefined ? one : { ...one, services: namesOf(one.services) })),
    ...(demand.near_misses
      ? { near_misses: demand.near_misses.map(({ ids, services: wanted }) => ({ ids, services: namesOf(wanted) })) }
      : {}),
  };
}

/** Whether the system bore the fault, so that the ledger has nothing to say. @param {Demand} demand @param {number} failures */
export const bore = ({ expected = [], least = 1, near_misses: misses }, failures) =>
  expected.length > 0 && misses === undefined && failures < least;

/**
 * What would let the ledger say more: of what it left open, and of a service that tells more at a higher level.
 * @param {Score} score
 * @param {Pick<import('../define/result.js').Result, 'ledger' | 'try_next' | 'command'>} result
 * @param {Pick<OwnFault, 'service' | 'how'>} fault
 * @param {import('../define/project-schema.js').Project} project
 * @returns {string[]} sentences; none where the fault was diagnosed rightly
 */
export function adviceOf({ failures, right, unattributed }, { ledger, try_next: tryNext, command: again }, { service, how }, project) {
  if (right >= failures * RIGHT_LEAST) return [];
  const told = how?.told;
  const isBelow = told !== undefined && projectService(project, service).watch < told.level;
  return [
    ...(unattributed > 0 && ledger.unattributed_reason !== '' ? [`unattributed: ${ledger.unattributed_reason}`] : []),
    ...(isBelow ? [`write ${service}: { watch: ${told.level} } in doubletake.yaml: it then tells ${told.gives}`] : []),
    // What is said of an INVALID run, to make it again, is nothing to be written.
    ...tryNext.filter(({ command }) => command !== again).map(({ command, why }) => `write ${command}: ${why}`),
  ];
}
