/**
 * What is under reports/: a run's result and report, and the list of all.
 */
import { existsSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { writePrivate } from '../base/files.js';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, RECORD, REPORTS } from '../base/paths.js';
import { exitCodeOf, judgeExpectations } from '../diagnose/expectations.js';
import { analyseRun } from '../diagnose/result.js';
import { ALL, FINDINGS_RECORD, readRecord } from '../record/findings.js';
import { capacityTitle } from './capacity/words.js';
import { beginReport, FILES, renderReport } from './report.js';
import { renderIndex } from './report-index.js';
import { formatJUnit, formatRunMarkdown, formatSummary } from './run-markdown.js';

/**
 * Analyses a run, judges it by the thresholds given, and renders its report and its summary, all from the record in its folder.
 * @param {string} folder
 * @param {import('../options/expect.js').Expectation[]} [expectations]
 * @returns {Promise<import('../record/types.js').Result>}
 */
export async function finishRun(folder, expectations = []) {
  beginReport();
  const result = await analyseRun(folder);
  const judged = judgeExpectations(expectations, result);
  const page = await renderReport(result, { files: [...(await k6ReportIn(folder)), ...FILES] });
  const summary = formatRunMarkdown({ result, judged });
  // Without thresholds no judgement stands, and one of an older result must not stand beside this one.
  const suite = `doubletake ${result.architecture} ${result.load}`;
  const verdicts = judged.length === 0 ? null : formatJUnit({ suite, result, judged });
  await writePrivate(join(folder, RECORD.report), page);
  await writePrivate(join(folder, RECORD.summary), summary);
  const junit = join(folder, RECORD.junit);
  if (verdicts === null) await rm(junit, { force: true });
  else await writePrivate(junit, verdicts);
  return result;
}

/**
 * Says what came of a run.
 * @param {import('../record/types.js').Result} result
 * @param {string} folder
 * @param {import('../options/expect.js').Expectation[]} expectations
 * @param {import('../cli/reporter.js').Reporter} reporter
 * @returns {number} the exit code
 */
export function conclude(result, folder, expectations, reporter) {
  const judged = judgeExpectations(expectations, result);
  const page = relative(process.cwd(), join(folder, RECORD.report));
  reporter.tell(formatSummary(result, page, judged));
  reporter.give({ folder: dirname(page), report: page, thresholds: judged, result });
  return exitCodeOf(result, judged);
}

/** Of a run with k6's own page (DASHBOARD=1), and of earlier ones. @param {string} folder @returns {Promise<string[]>} its name, if it is there */
const k6ReportIn = (folder) =>
  lstat(join(folder, RECORD.k6Report)).then(
    () => [RECORD.k6Report],
    () => [],
  );

/** The list of everything under reports/. */
export async function writeIndex() {
  const runs = (await readResults()).map(({ path, result }) => ({ ...result, href: `${path}/${RECORD.report}` }));
  const judged = await readRecords(EXPERIMENT_RECORD.result);
  const compared = await readRecords(EXPERIMENT_RECORD.comparison);
  const plans = await Promise.all(judged.map(async ({ path }) => (await plansIn(join(REPORTS, path))).map((plan) => planRow(path, plan))));
  const experiments = [
    ...judged.filter(hasPage(EXPERIMENT_RECORD.page)).map(({ path, record }) => experimentRow(path, record)),
    ...plans.flat(),
    ...compared.filter(hasPage(EXPERIMENT_RECORD.comparisonPage)).map(({ path, record }) => comparisonRow(path, record)),
  ];
  await writePrivate(join(REPORTS, 'index.html'), renderIndex({ runs, experiments, findings: await newestFindings() }));
}

/** A stored experiment has its pages once they are rendered. @param {string} page @returns {(found: { path: string }) => boolean} */
const hasPage =
  (page) =>
  ({ path }) =>
    existsSync(join(REPORTS, path, page));

/** Those that were written last, of all records here or of one `make experiment-all`. @returns {Promise<import('./report-index.js').FindingsLink | null>} */
async function newestFindings() {
  const ofAll = await readdir(join(REPORTS, ALL)).catch(() => []);
  const found = await Promise.all(
    ['.', ...ofAll.map((name) => `${ALL}/${name}`)].map(async (folder) => {
      const written = await lstat(join(REPORTS, folder, FINDINGS_RECORD.data)).catch(() => null);
      return written ? [{ folder, at: written.mtimeMs }] : [];
    }),
  );
  const [newest] = found.flat().sort((one, other) => other.at - one.at);
  if (!newest) return null;
  const { headline } = await readRecord(join(REPORTS, newest.folder), FINDINGS_RECORD.data);
  return { href: `${newest.folder}/${FINDINGS_RECORD.page}`, headline };
}

/** @type {(path: string, result: import('../record/types.js').ExperimentResult) => import('./report-index.js').ExperimentRow} */
const experimentRow = (path, { id, title, started, headline, claims, blocks }) => ({
  kind: 'experiment',
  href: `${path}/${EXPERIMENT_RECORD.page}`,
  id,
  title,
  started,
  sentence: headline,
  stamps: claims.map((claim) => ({ label: claim.id, word: claim.verdict })),
  blocks,
});

/** @type {(path: string, comparison: import('../record/types.js').Comparison) => import('./report-index.js').ExperimentRow} */
const comparisonRow = (path, { id, title, started, verdict, blocks }) => ({
  kind: 'comparison',
  href: `${path}/${EXPERIMENT_RECORD.comparisonPage}`,
  id,
  title,
  started,
  sentence: verdict.sentence,
  stamps: [{ label: '', word: verdict.word }],
  blocks,
});

/** @type {(path: string, plan: Awaited<ReturnType<typeof plansIn>>[number]) => import('./report-index.js').ExperimentRow} */
const planRow = (path, { path: own, record: { id, experiment, target, headline, verdict } }) => ({
  kind: 'capacity plan',
  href: `${path}/${own}/${CAPACITY_RECORD.page}`,
  id,
  title: capacityTitle(target),
  started: experiment.started,
  sentence: headline,
  stamps: [{ label: 'hold-out', word: verdict }],
  blocks: experiment.blocks,
});

/**
 * @param {string} folder  of an experiment
 * @returns {Promise<{ path: string, record: import('../record/types.js').CapacityPlan }[]>} the capacity plans made by it;
 *   path of the folder below it
 */
export async function plansIn(folder) {
  const names = await readdir(join(folder, CAPACITY_RECORD.plans)).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = `${CAPACITY_RECORD.plans}/${name}`;
      const record = await readRecord(join(folder, path), CAPACITY_RECORD.data);
      return record === null ? [] : [{ path, record }];
    }),
  );
  return found.flat();
}

/** Every run that has a result, newest first; those of an experiment are on its own page. @returns {Promise<{ path: string, result: import('../record/types.js').Result }[]>} path below reports/ */
export async function readResults() {
  const found = await readRecords(RECORD.result);
  return found
    .map(({ path, record }) => ({ path, result: record }))
    .sort((one, other) => other.result.started.localeCompare(one.result.started));
}

/**
 * One record of every folder that has it.
 * @param {string} file  such as result.json
 * @returns {Promise<{ path: string, record: any }[]>} path of the folder below reports/
 */
export async function readRecords(file) {
  const groups = await readdir(REPORTS, { withFileTypes: true }).catch(() => []);
  const folders = await Promise.all(
    groups
      .filter((group) => group.isDirectory() && group.name !== 'latest')
      .map(async ({ name }) => (await readdir(join(REPORTS, name))).map((run) => join(name, run))),
  );
  const found = await Promise.all(
    folders.flat().map(async (path) => {
      const record = await readRecord(join(REPORTS, path), file);
      return record === null ? [] : [{ path, record }];
    }),
  );
  return found.flat();
}
