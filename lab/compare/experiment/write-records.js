/**
 * Writes the records of an experiment, and beside each the pages that its readers see.
 */
import { mkdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, RECORD } from '../../base/paths.js';
import { writePrivate } from '../../base/private-file.js';
import { writeWhole } from '../../base/whole-file.js';
import { renderCapacityPlan } from '../../report/capacity-plan.js';
import { renderCompare } from '../../report/compare.js';
import { formatCompareMarkdown } from '../../report/compare-markdown.js';
import { renderExperiment } from '../../report/experiment.js';
import { formatExperimentMarkdown } from '../../report/experiment-markdown.js';
import { renderReport } from '../../report/report.js';
import { keptRuns } from './kept-runs.js';
import { readOtherwise } from './read-otherwise.js';

/**
 * What is made of a record, by its name: texts by theirs. beside: the names of all records in its folder; records: all of them, by path.
 * @type {Record<string, (record: any, beside: string[], records: import('../../record/excerpt-file.js').Records) => Record<string, string | Promise<string>>>}
 */
const PAGES = {
  [EXPERIMENT_RECORD.result]: (experiment, _, records) => {
    const otherwise = readOtherwise(experiment, records[RECORD.manifest]?.claims, keptRuns(records[RECORD.manifest], records));
    return {
      [EXPERIMENT_RECORD.markdown]: formatExperimentMarkdown(experiment, otherwise),
      [EXPERIMENT_RECORD.page]: renderExperiment(experiment, otherwise),
    };
  },
  [EXPERIMENT_RECORD.comparison]: (comparison) => ({
    [EXPERIMENT_RECORD.comparisonMarkdown]: formatCompareMarkdown(comparison),
    [EXPERIMENT_RECORD.comparisonPage]: renderCompare(comparison),
  }),
  [CAPACITY_RECORD.data]: (plan) => ({ [CAPACITY_RECORD.page]: renderCapacityPlan(plan) }),
  // Where a run's result is among the records, it is a copy: its raw record and the list of everything are elsewhere.
  [RECORD.result]: (result, beside) => ({ [RECORD.report]: renderReport(result, { files: beside, hasIndex: false }) }),
};

/**
 * @param {string} folder of the experiment
 * @param {import('../../record/excerpt-file.js').Records} records
 */
export async function writeRecords(folder, records) {
  const paths = Object.keys(records);
  for (const path of paths) {
    const place = join(folder, posix.dirname(path));
    const beside = paths.filter((other) => posix.dirname(other) === posix.dirname(path)).map((other) => posix.basename(other));
    await mkdir(place, { recursive: true });
    await writeWhole(join(folder, path), `${JSON.stringify(records[path])}\n`);
    const pages = PAGES[posix.basename(path)]?.(records[path], beside, records) ?? {};
    for (const [name, text] of Object.entries(pages)) await writePrivate(join(place, name), await text);
  }
}
