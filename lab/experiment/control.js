/**
 * Finds the A/A control that was measured last on this machine under the same load and budget: what two identical
 * architectures were seen to differ by, which no comparison here may call a difference.
 */
import { EXPERIMENT_RECORD } from '../define/paths.js';
import { readRecords } from '../reports.js';

/**
 * @param {{ load: string, budget: string, machine: { cpu_model: string, cores: number } }} wanted
 * @returns {Promise<import('../define/comparison.js').Control | null>}
 */
export async function findControl({ load, budget, machine }) {
  const found = (await readRecords(EXPERIMENT_RECORD.control)).map(({ record }) => record);
  const fitting = found.filter(
    (record) =>
      record.load === load &&
      record.budget === budget &&
      record.machine.cpu_model === machine.cpu_model &&
      record.machine.cores === machine.cores,
  );
  return fitting.sort((one, other) => other.control.started.localeCompare(one.control.started))[0]?.control ?? null;
}
