/**
 * A copy of an experiment that is small enough to be shared: its pages, and of its runs the report and the manifest of the
 * typical one of each arm. A report holds its result; the raw record, hundreds of megabytes in all, stays where it is.
 */
import { cp, lstat, mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { typicalOf } from '../analyse/comparison/arm.js';
import { countingRuns } from '../analyse/comparison/runs.js';
import { EXIT, NotReadyError } from '../define/errors.js';
import { RECORD } from '../define/paths.js';
import { spell } from '../define/spelling.js';
import { renderReport } from '../render/report.js';
import { plansIn } from '../reports.js';
import { writeCapacityPlan } from './capacity-plan.js';
import { readRuns, writePages } from './finish.js';
import { judgePlan } from './judge.js';
import { readPlan } from './read-plan.js';

/**
 * @param {string | undefined} from  the experiment's folder
 * @param {string | undefined} into  a folder that is not there yet
 * @param {import('../reporter.js').Reporter} reporter
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} when either is not what it has to be
 */
export async function excerpt(from, into, reporter) {
  if (!from || !into)
    throw new NotReadyError(
      `excerpt: expected the folder of an experiment and a new one; found ${from || 'none'} and ${into || 'none'}.`,
      `say both: ${spell(['excerpt', 'reports/doubling/...', 'shared/doubling'])}`,
    );
  const source = resolve(from);
  const target = resolve(into);
  const plan = await readPlan('RUN', source);
  if (await lstat(target).catch(() => null))
    throw new NotReadyError(`INTO: expected a folder that is not there yet; ${into} is.`, 'give another name, or remove it.');
  const runs = await readRuns(source, plan);
  const typical = plan.arms.flatMap(({ id }) => typicalOf([...countingRuns(runs, id).values()]) ?? []);
  await mkdir(target, { recursive: true });
  await cp(join(source, RECORD.manifest), join(target, RECORD.manifest));
  for (const { attempt, result } of typical) {
    const folder = attempt.run.slice(plan.id.length + 1);
    await mkdir(join(target, folder), { recursive: true });
    // A baseline keeps only what is judged.
    const hasManifest = await lstat(join(source, folder, RECORD.manifest)).catch(() => null);
    if (hasManifest) await cp(join(source, folder, RECORD.manifest), join(target, folder, RECORD.manifest));
    const report = await renderReport(result, { files: hasManifest ? [RECORD.manifest] : [], hasIndex: false });
    await writeFile(join(target, folder, RECORD.report), report);
  }
  const isKept = (/** @type {string} */ run) => typical.some(({ attempt }) => attempt.run === run);
  await writePages(target, judgePlan(plan, runs, { isKept, hasIndex: false }));
  // The list of everything is not shared with them.
  for (const { path, record } of await plansIn(source)) await writeCapacityPlan(join(target, path), { ...record, index: null });
  const shown = relative(process.cwd(), target);
  reporter.tell(`  ${shown}: the pages, and the typical run of each arm\n`);
  reporter.give({ folder: shown, result: { runs: typical.map(({ attempt }) => attempt.run) } });
  return EXIT.done;
}
