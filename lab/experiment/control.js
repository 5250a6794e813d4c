/**
 * Finds the A/A control that was measured last on this machine under the same load and budget: what two identical
 * architectures were seen to differ by, which no comparison here may call a difference.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXPERIMENT_RECORD, REPORTS } from '../define/paths.js';

/**
 * @param {{ load: string, budget: string, machine: { cpu_model: string, cores: number } }} wanted
 * @returns {Promise<import('../define/comparison.js').Control | null>}
 */
export async function findControl({ load, budget, machine }) {
  const groups = await readdir(REPORTS, { withFileTypes: true }).catch(() => []);
  const folders = await Promise.all(
    groups
      .filter((group) => group.isDirectory() && group.name !== 'latest')
      .map(async ({ name }) => (await readdir(join(REPORTS, name))).map((folder) => join(REPORTS, name, folder))),
  );
  const controls = await Promise.all(
    folders.flat().map(async (folder) => {
      const text = await readFile(join(folder, EXPERIMENT_RECORD.control), 'utf8').catch(() => null);
      return text === null ? [] : [JSON.parse(text)];
    }),
  );
  const fitting = controls
    .flat()
    .filter(
      (found) =>
        found.load === load &&
        found.budget === budget &&
        found.machine.cpu_model === machine.cpu_model &&
        found.machine.cores === machine.cores,
    );
  const newest = fitting.sort((one, other) => other.control.started.localeCompare(one.control.started))[0];
  return newest?.control ?? null;
}
