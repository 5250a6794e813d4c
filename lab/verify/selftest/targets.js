/**
 * The self-test of whatever is asked for: each of the faults that can be put into it on its own, and how right the diagnosis of its run is.
 *
 * @typedef {import('../../adapters/faults.js').PlannedFault} PlannedFault
 * @typedef {import('./selftest.js').SelftestTarget} SelftestTarget
 * @typedef {import('../../adapters/faults.js').Demand} Demand
 * @typedef {import('../../record/selftest-total.js').Score} Score
 */
import { join } from 'node:path';
import { CONTROL } from '../../adapters/faults.js';
import { NotInjectedError, NotReadyError } from '../../base/errors.js';
import { readPrivate } from '../../base/files.js';
import { formatProjectCommand, instead } from '../../base/format-command.js';
import { RECORD } from '../../base/paths.js';
import { AGAIN, openTested, REST } from '../../compare/systems.js';
import { readManifest } from '../../diagnose/read-raw.js';
import { skippedScore } from '../../record/selftest-total.js';
import { injectionOf, obstacleTo } from './injection.js';
import { ALL, adviceOf, scoreRecord, testDiagnosis, toContainerNames } from './selftest.js';

/** Those that run with the tests. */
const SHORT = 'short';

/**
 * @param {string} folder  of doubletake.yaml, where there is one; else the lab itself is tested, where that is meant
 * @param {Record<string, string | undefined>} env  FAULTS: `all` (default), `short`, ids with commas between, `rest` or `again`; REPEATS: runs of
 *   each
 * @param {{ allowData: boolean, ask?: ((question: string) => Promise<boolean>) | null } & import('../../cli/reporter.js').Around} options  ask:
 *   whether the lab itself is meant, null: nobody can be asked; it is where there is none
 * @returns {Promise<number>} exit code: 0 when every fault that could be put in is diagnosed rightly
 * @throws {NotReadyError} when the system cannot be measured at all
 */
export async function selftest(folder, env, { allowData, ask, ...around }) {
  const tested = await openTested({ folder, allowData }, env);
  const { secondsOf } = tested;
  const consent =
    ask === undefined || secondsOf === null
      ? undefined
      : (/** @type {string[]} */ left) => consentTo({ runs: left.length, seconds: secondsOf(left) }, ask, folder);
  return testDiagnosis({ ...targetOf(tested), consent }, env, around);
}

/** @param {import('../../compare/systems.js').Tested} tested @returns {SelftestTarget} */
export function targetOf({ plan, system, budget, repeatsOfAll, measure, read }) {
  const faultIn = (/** @type {string} */ id) => /** @type {PlannedFault} */ (plan.get(id));
  const short = [...plan.values()].filter(({ isShort }) => isShort).map(({ id }) => id);
  /** Found out when the system was up in the control. @type {Map<string, string>} */
  const obstacles = new Map();
  return {
    ...{ system, budget, repeatsOfAll },
    choose: (wanted) => chooseFaults(wanted, [...plan.keys()], short),
    titleOf: (id) => plan.get(id)?.title,
    cannot: (id) => faultIn(id).cannot ?? obstacles.get(id) ?? null,
    measure: (id, run) => {
      const fault = faultIn(id);
      const whenUp = async (/** @type {import('../../docker/containers.js').Service[]} */ stack) => {
        for (const one of fault.how === null ? plan.values() : [fault]) {
          const why = one.cannot ?? (await obstacleTo(one, stack));
          if (why !== null) obstacles.set(one.id, why);
        }
        const why = obstacles.get(id);
        if (why !== undefined) throw new NotInjectedError(why);
      };
      return measure(id, { ...run, injection: injectionOf(fault, whenUp) });
    },
    score: async (id, folder) => {
      const fault = faultIn(id);
      const result = await read(folder);
      if (fault.mayBear && survived(fault.demand, result.metrics.failures))
        return skippedScore(id, 'no request failed of it, so that there was nothing to diagnose', result.run);
      const score = await scoreFault(fault, folder, result);
      const advice = adviceOf(score, result, fault);
      return advice.length > 0 ? { ...score, advice } : score;
    },
    mayRefuse: (id) => faultIn(id).mayRefuse,
  };
}

/**
 * A control comes first in any case: what fails without a fault is not the fault's.
 * @param {string} wanted
 * @param {string[]} known
 * @param {string[]} short  of these
 * @returns {string[]} ids, in the order in which they are to be run
 * @throws {NotReadyError} naming what is not known
 */
function chooseFaults(wanted, known, short = []) {
  if (wanted === ALL) return known;
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

/** @type {(fault: Pick<PlannedFault, 'id' | 'demand'>, folder: string, result: import('../../record/types.js').Result) => Promise<Score>} */
async function scoreFault({ id, demand }, folder, result) {
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

/** Whether the system bore the fault, so that the ledger has nothing to say. @param {Demand} demand @param {number} failures */
const survived = ({ expected = [], least = 1, near_misses: misses }, failures) =>
  expected.length > 0 && misses === undefined && failures < least;

/*
 * Asks before hours of runs that nobody may have meant: in a folder without a system of its own the self-test is that of the lab's own
 * diagnosis.
 */

/** The option that says yes. */
const YES = '--yes';
const MINUTE_S = 60;
const HOUR_MINUTES = 60;

/**
 * @param {{ runs: number, seconds: number }} wanted  that are to be made, and how long they take together
 * @param {((question: string) => Promise<boolean>) | null} ask  null where nobody can be asked
 * @param {string} folder
 * @throws {NotReadyError} when the runs are not wanted, or nobody can say so
 */
export async function consentTo({ runs: count, seconds }, ask, folder) {
  const runs = `${count} ${count === 1 ? 'run' : 'runs'} of systems that the lab brings along, about ${lengthOf(seconds)}`;
  if (ask !== null && (await ask(`There is no doubletake.yaml in ${folder}: this tests the lab itself, with ${runs}. Begin? [y/N] `)))
    return;
  throw new NotReadyError(
    `selftest: expected doubletake.yaml in ${folder}, or a yes to ${runs}; found neither.`,
    `to test the lab itself say ${formatProjectCommand(['selftest', YES])} (FAULTS=short makes fewer runs); to test your own system run "doubletake init" in its folder first.`,
  );
}

/** @param {number} seconds */
function lengthOf(seconds) {
  const minutes = Math.ceil(seconds / MINUTE_S);
  if (minutes < HOUR_MINUTES) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const [hours, rest] = [Math.floor(minutes / HOUR_MINUTES), minutes % HOUR_MINUTES];
  return `${hours} h${rest === 0 ? '' : ` ${rest} min`}`;
}
