/**
 * Pages that tests of runs have made. While runs are measured a browser would take what they need: where `make test` names a list, each page is noted
 * there, and looked at when nothing is measured any more (made-pages.test.js); else it is looked at now.
 */
import { appendFile, copyFile, mkdtemp, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { EXPERIMENT_RECORD, RECORD, ROOT } from '../../lab/base/paths.ts';
import { checkCompare } from './compare.check.ts';
import { checkExperiment } from './experiment.check.ts';
import { checkFindings } from './findings.check.ts';
import { checkReport } from './report.check.ts';

export const CHECKS: Record<string, (path: string) => Promise<void>> = {
	compare: checkCompare,
	experiment: checkExperiment,
	findings: checkFindings,
	report: checkReport,
};

const { DOUBLETAKE_TEST_PAGES: LIST } = process.env;

/** What a check reads beside the page. */
const READ_BESIDE: Record<string, string[]> = { experiment: [EXPERIMENT_RECORD.result], report: [RECORD.result] };

/** @param path of the page, which may be gone afterwards */
export async function checkPage(kind: keyof typeof CHECKS, path: string) {
	if (!LIST) return CHECKS[kind](path);
	const folder = await mkdtemp(`${LIST}-`);
	for (const file of [basename(path), ...(READ_BESIDE[kind] ?? [])]) await copyFile(join(dirname(path), file), join(folder, file));
	await appendFile(LIST, `${JSON.stringify({ kind, path: join(folder, basename(path)), of: relative(ROOT, path) })}\n`);
}

/** @returns those that were noted; of: where each was made */
export async function notedPages(): Promise<{ kind: string; path: string; of: string }[]> {
	if (!LIST) return [];
	const lines = (await readFile(LIST, 'utf8')).split('\n').filter((line) => line !== '');
	return lines.map((line) => JSON.parse(line));
}
