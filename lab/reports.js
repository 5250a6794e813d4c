/**
 * What is under reports/: a run's result and report, and the list of all.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyseRun } from './analyse/result.js';
import { RECORD, REPORTS } from './define/paths.js';
import { renderReport } from './render/report.js';
import { renderIndex } from './render/report-index.js';

/**
 * Analyses a run and renders its report, both from the record in its folder.
 * @param {string} folder
 * @returns {Promise<import('./define/result.js').Result>}
 */
export async function finishRun(folder) {
  const result = await analyseRun(folder);
  await writeFile(join(folder, RECORD.report), await renderReport(result));
  return result;
}

/** The list of everything under reports/. */
export async function writeIndex() {
  const rows = (await readResults()).map(({ path, result }) => ({ ...result, href: `${path}/${RECORD.report}` }));
  await writeFile(join(REPORTS, 'index.html'), renderIndex(rows));
}

/** Every run that has a result, newest first. @returns {Promise<{ path: string, result: import('./define/result.js').Result }[]>} path below reports/ */
export async function readResults() {
  const groups = await readdir(REPORTS, { withFileTypes: true }).catch(() => []);
  const folders = await Promise.all(
    groups
      .filter((group) => group.isDirectory() && group.name !== 'latest')
      .map(async ({ name }) => (await readdir(join(REPORTS, name))).map((run) => join(name, run))),
  );
  const found = await Promise.all(
    folders.flat().map(async (path) => {
      const text = await readFile(join(REPORTS, path, RECORD.result), 'utf8').catch(() => null);
      return text === null ? [] : [{ path, result: JSON.parse(text) }];
    }),
  );
  return found.flat().sort((one, other) => other.result.started.localeCompare(one.result.started));
}
