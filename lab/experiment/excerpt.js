/**
 * A copy of an experiment that is small enough to be shared: its pages, and of its runs the typical one of each arm.
 */
import { cp, lstat, mkdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { typicalOf } from '../analyse/comparison/arm.js';
import { countingRuns } from '../analyse/comparison/runs.js';
import { EXIT, NotReadyError } from '../define/errors.js';
import { RECORD } from '../define/paths.js';
import { readRuns, writePages } from './finish.js';
import { judgePlan } from './judge.js';
import { readPlan } from './read-plan.js';

/** Of a run; its raw record, hundreds of megabytes in all, stays where it is. */
const KEPT = [RECORD.manifest, RECORD.result, RECORD.report, RECORD.k6Report];

/**
 * @param {string | undefined} from  the experiment's folder
 * @param {string | undefined} into  a folder that is not there yet
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} when either is not what it has to be
 */
export async function excerpt(from, into) {
  if (!from || !into)
    throw new NotReadyError(
      `excerpt: expected the folder of an experiment and a new one; found ${from || 'none'} and ${into || 'none'}.`,
      'say both: make excerpt RUN=reports/doubling/... INTO=shared/doubling',
    );
  const source = resolve(from);
  const target = resolve(into);
  const plan = await readPlan('RUN', source);
  if (await lstat(target).catch(() => null))
    throw new NotReadyError(`INTO: expected a folder that is not there yet; ${into} is.`, 'give another name, or remove it.');
  const runs = await readRuns(source, plan);
  const typical = plan.arms.flatMap(({ id }) => typicalOf([...countingRuns(runs, id).values()])?.attempt.run ?? []);
  await mkdir(target, { recursive: true });
  await cp(join(source, RECORD.manifest), join(target, RECORD.manifest));
  for (const run of typical.map((id) => id.slice(plan.id.length + 1)))
    for (const file of KEPT) {
      // k6's own report is missing where k6 could not write it, and a baseline keeps only what is judged.
      if (await lstat(join(source, run, file)).catch(() => null)) await cp(join(source, run, file), join(target, run, file));
    }
  await writePages(target, judgePlan(plan, runs, { isKept: (run) => typical.includes(run), hasIndex: false }));
  process.stdout.write(`  ${relative(process.cwd(), target)}: the pages, and the typical run of each arm\n`);
  return EXIT.done;
}
