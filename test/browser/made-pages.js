/**
 * Pages that tests of runs have made. While runs are measured a browser would take what they need: where `make test` names a list, each page is noted
 * there, and looked at when nothing is measured any more (made-pages.test.js); else it is looked at now.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { checkCompare } from './compare.check.js';
import { checkExperiment } from './experiment.check.js';
import { checkFindings } from './findings.check.js';
import { checkReport } from './report.check.js';

/** @type {Record<string, (path: string) => Promise<void>>} */
export const CHECKS = { compare: checkCompare, experiment: checkExperiment, findings: checkFindings, report: checkReport };

const { DOUBLETAKE_TEST_PAGES: LIST } = process.env;

/**
 * @param {keyof typeof CHECKS} kind
 * @param {string} path  of a page that stays where it is
 */
export const checkPage = (kind, path) => (LIST ? appendFile(LIST, `${JSON.stringify({ kind, path })}\n`) : CHECKS[kind](path));

/** @returns {Promise<{ kind: string, path: string }[]>} those that were noted */
export async function notedPages() {
  if (!LIST) return [];
  const lines = (await readFile(LIST, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}
