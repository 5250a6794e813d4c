/**
 * The score of a run, from its record on disk.
 */
import { gatherFacts } from '../../diagnose/ledger/facts.js';
import { placementsOf } from '../../diagnose/placements.js';
import { readRaw } from '../../diagnose/read-raw.js';
import { windowOf } from '../../diagnose/time/window.js';
import { stolen } from '../../diagnose/validity/machine-doubts.js';
import { wholeLoad } from '../../diagnose/validity/span.js';
import { scoreRun } from '../../record/selftest-score.js';
import { isRight } from '../../record/selftest-total.js';

/** @typedef {{ service: string, name: string, tier: string }} Described  a container, as the manifest names it */

/**
 * @param {object} run
 * @param {string} run.id      of the fault
 * @param {import('../../options/faults.js').Demand} run.fault  of services by the names of their containers
 * @param {string} run.folder
 * @param {import('../../record/result.js').Result} run.result
 * @param {(services: Described[]) => Promise<Map<string, Set<string>>>} [run.marksOf]  what services wrote of their own doings, by the
 *   request's id
 * @returns {Promise<import('../../record/selftest-score.js').Score>}
 */
export async function scoreRecord({ id, fault, folder, result, marksOf = async () => new Map() }) {
  const raw = await readRaw(folder);
  const window = /** @type {import('../../diagnose/time/window.js').Window} */ (windowOf(raw));
  const facts = gatherFacts(raw, window);
  const score = scoreRun({
    id,
    fault,
    placed: placementsOf(facts),
    beganS: window.from,
    marks: await marksOf(raw.manifest.services),
    result,
  });
  const [taken] = stolen({ facts }, wholeLoad(window));
  // A control has to be VALID, which on a machine that others took anything of it cannot be.
  const isExcuse = taken?.grade === 'INVALID' || (taken && fault.validity === 'VALID');
  return isExcuse && !isRight(score) ? { ...score, spoilt: taken.reason } : score;
}
