/**
 * Asks before hours of runs that nobody may have meant: in a folder without a system of its own the self-test is that of the lab's own
 * diagnosis.
 */
import { faults } from '../../adapters/shipped-faults.js';
import { NotReadyError } from '../../base/errors.js';
import { formatProjectCommand } from '../../base/format-command.js';
import { scenarioOf } from '../../catalog/architectures.js';
import { shapeOf, shapes } from '../../catalog/scenarios.js';
import { readVariables } from '../../options/accepted-options.js';
import { secondsOfRun } from '../../options/calibration.js';

/** The option that says yes. */
const YES = '--yes';
const MINUTE_S = 60;
const HOUR_MINUTES = 60;

/**
 * @param {string[]} ids  of the faults, one for each run that is to be made
 * @param {((question: string) => Promise<boolean>) | null} ask  null where nobody can be asked
 * @param {string} folder
 * @throws {NotReadyError} when the runs are not wanted, or nobody can say so
 */
export async function consentTo(ids, ask, folder) {
  const seconds = ids.reduce((sum, id) => sum + secondsOf(id), 0);
  const runs = `${ids.length} ${ids.length === 1 ? 'run' : 'runs'} of systems that the lab brings along, about ${lengthOf(seconds)}`;
  if (ask !== null && (await ask(`There is no doubletake.yaml in ${folder}: this tests the lab itself, with ${runs}. Begin? [y/N] `)))
    return;
  throw new NotReadyError(
    `selftest: expected doubletake.yaml in ${folder}, or a yes to ${runs}; found neither.`,
    `to test the lab itself say ${formatProjectCommand(['selftest', YES])} (FAULTS=short makes fewer runs); to test your own system run "doubletake init" in its folder first.`,
  );
}

/** @param {string} id */
function secondsOf(id) {
  const { architecture, load } = faults[id];
  return secondsOfRun(shapes[shapeOf(scenarioOf(architecture), load)](readVariables(architecture, {})));
}

/** @param {number} seconds */
export function lengthOf(seconds) {
  const minutes = Math.ceil(seconds / MINUTE_S);
  if (minutes < HOUR_MINUTES) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const [hours, rest] = [Math.floor(minutes / HOUR_MINUTES), minutes % HOUR_MINUTES];
  return `${hours} h${rest === 0 ? '' : ` ${rest} min`}`;
}
