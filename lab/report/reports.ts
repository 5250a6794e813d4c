/** What is under reports/: a run's result and report, and the list of all. */

import { type Dirent, existsSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { areReportsOwn, makePrivate, recordAt, refuseForeignReports } from '../base/files.ts';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, LIMIT_RECORD, RECORD, REPORTS } from '../base/paths.ts';
import type { Reporter } from '../base/progress.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { exitCodeOf, judgeExpectations } from '../diagnose/expectations.ts';
import { analyseRun } from '../diagnose/result.ts';
import type { Expectation } from '../options/expect.ts';
import { readRecord } from '../record/excerpt-file.ts';
import { ALL, FINDINGS_RECORD, readFitting } from '../record/findings.ts';
import type { CapacityPlan, Comparison, ExperimentResult, LoadLimit, Result } from '../record/types.js';
import { capacityTitle } from './capacity/words.ts';
import { formatJUnit } from './junit.ts';
import { beginReport, FILES, renderReport } from './report.ts';
import { type ExperimentRow, type FindingsLink, renderIndex } from './report-index.ts';
import { formatRunMarkdown } from './run-markdown.ts';
import { earlierRun, sinceText } from './since.ts';
import { formatSummary } from './terminal.ts';

/** What a run is judged by. */
type Thresholds = {
	expectations: Expectation[];
	/** whether a doubt about what they read decides how the run ends */
	strict: boolean;
};

/** Analyses a run, judges it by the thresholds given, and renders its report and its summary, all from the record in its folder. */
export async function finishRun(
	folder: string,
	{ expectations, strict }: Thresholds = { expectations: [], strict: false },
): Promise<Result> {
	beginReport();
	const result = await analyseRun(folder);
	const judged = judgeExpectations(expectations, result);
	const since = sinceText(result, await earlierRun(folder, result));
	const page = await renderReport(result, { files: [...(await k6ReportIn(folder)), ...FILES], judged, since });
	const summary = formatRunMarkdown({ result, judged, since });
	// Without thresholds no judgement stands, and one of an older result must not stand beside this one.
	const suite = `doubletake ${result.architecture} ${result.load}`;
	const verdicts = judged.length === 0 ? null : formatJUnit({ suite, result, judged, strict });
	await writeFileAtomic(join(folder, RECORD.report), page);
	await writeFileAtomic(join(folder, RECORD.summary), summary);
	const junit = join(folder, RECORD.junit);
	if (verdicts === null) await rm(junit, { force: true });
	else await writeFileAtomic(junit, verdicts);
	return result;
}

/**
 * Says what came of a run.
 * @returns the exit code
 */
export async function conclude(result: Result, folder: string, { expectations, strict }: Thresholds, reporter: Reporter): Promise<number> {
	const judged = judgeExpectations(expectations, result);
	const page = relative(process.cwd(), join(folder, RECORD.report));
	reporter.tell(formatSummary(result, page, judged, sinceText(result, await earlierRun(folder, result))));
	reporter.give({ folder: dirname(page), report: page, thresholds: judged, result });
	return exitCodeOf(result, judged, strict);
}

/**
 * Of a run with k6's own page (DASHBOARD=1), and of earlier ones.
 * @returns its name, if it is there
 */
const k6ReportIn = (folder: string): Promise<string[]> =>
	lstat(join(folder, RECORD.k6Report)).then(
		() => [RECORD.k6Report],
		() => [],
	);

/** The list of everything under reports/. */
export async function writeIndex() {
	// Of a run that lies elsewhere a report is made all the same.
	if (!areReportsOwn()) return;
	// "doubletake list" names them.
	const skip = () => {};
	const runs = (await readResults(skip)).map(({ path, result }) => ({ ...result, href: `${path}/${RECORD.report}` }));
	const judged = await readRecords(EXPERIMENT_RECORD.result, skip);
	const compared = await readRecords(EXPERIMENT_RECORD.comparison, skip);
	const plans = await Promise.all(judged.map(async ({ path }) => (await plansIn(join(REPORTS, path))).map((plan) => planRow(path, plan))));
	const experiments = [
		...judged.filter(hasPage(EXPERIMENT_RECORD.page)).map(({ path, record }) => experimentRow(path, record)),
		...plans.flat(),
		...(await readRecords(LIMIT_RECORD.data, skip)).filter(hasPage(LIMIT_RECORD.page)).map(({ path, record }) => limitRow(path, record)),
		...compared.filter(hasPage(EXPERIMENT_RECORD.comparisonPage)).map(({ path, record }) => comparisonRow(path, record)),
	];
	// The run of which a report is made again may lie elsewhere.
	await makePrivate(REPORTS);
	await writeFileAtomic(join(REPORTS, 'index.html'), renderIndex({ runs, experiments, findings: await newestFindings() }));
}

/** A stored experiment has its pages once they are rendered. */
const hasPage =
	(page: string): ((found: { path: string }) => boolean) =>
	({ path }) =>
		existsSync(join(REPORTS, path, page));

/** Those that were written last, of all records here or of one `make experiment-all`. */
async function newestFindings(): Promise<FindingsLink | null> {
	const ofAll = await readdir(join(REPORTS, ALL)).catch(() => []);
	const found = await Promise.all(
		['.', ...ofAll.map((name) => `${ALL}/${name}`)].map(async (folder) => {
			const written = await lstat(join(REPORTS, folder, FINDINGS_RECORD.data)).catch(() => null);
			return written ? [{ folder, at: written.mtimeMs }] : [];
		}),
	);
	const [newest] = found.flat().sort((one, other) => other.at - one.at);
	if (!newest) return null;
	try {
		const { headline } = await readFitting(join(REPORTS, newest.folder), FINDINGS_RECORD.data);
		return { href: `${newest.folder}/${FINDINGS_RECORD.page}`, headline };
	} catch (error) {
		if (error instanceof NotReadyError) return null;
		throw error;
	}
}

const experimentRow: (path: string, result: ExperimentResult) => ExperimentRow = (
	path,
	{ id, title, started, headline, claims, blocks },
) => ({
	kind: 'experiment',
	href: `${path}/${EXPERIMENT_RECORD.page}`,
	id,
	title,
	started,
	sentence: headline,
	stamps: claims.map((claim) => ({ label: claim.id, word: claim.verdict })),
	blocks,
});

const comparisonRow: (path: string, comparison: Comparison) => ExperimentRow = (path, { id, title, started, verdict, blocks }) => ({
	kind: 'comparison',
	href: `${path}/${EXPERIMENT_RECORD.comparisonPage}`,
	id,
	title,
	started,
	sentence: verdict.sentence,
	stamps: [{ label: '', word: verdict.word }],
	blocks,
});

/** Its blocks are its runs. */
const limitRow: (path: string, limit: LoadLimit) => ExperimentRow = (path, { id, system, started, sentence, runs }) => ({
	...{ kind: 'limit', href: `${path}/${LIMIT_RECORD.page}`, id, title: `The limit of ${system}`, started, sentence, stamps: [] },
	blocks: { complete: runs.filter(({ verdict }) => verdict !== 'unclear').length, wanted: runs.length },
});

const planRow: (path: string, plan: Awaited<ReturnType<typeof plansIn>>[number]) => ExperimentRow = (
	path,
	{ path: own, record: { id, experiment, target, headline, verdict } },
) => ({
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
 * @param folder of an experiment
 * @returns the capacity plans made by it;
 * path of the folder below it
 */
export async function plansIn(folder: string): Promise<{ path: string; record: CapacityPlan }[]> {
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

/**
 * Every run that has a result, newest first; those of an experiment are on its own page.
 * @returns path below reports/
 */
export async function readResults(skip?: Skip): Promise<{ path: string; result: Result }[]> {
	const found = await readRecords(RECORD.result, skip);
	return found
		.map(({ path, record }) => ({ path, result: record }))
		.sort((one, other) => other.result.started.localeCompare(one.result.started));
}

/** Is told of a record that is none. */
type Skip = (error: NotReadyError) => void;

/**
 * One record of every folder that has it.
 * @param file such as result.json
 * @param skip without it one that is none is an error
 * @returns path of the folder below reports/
 */
export async function readRecords(file: string, skip?: Skip): Promise<{ path: string; record: any }[]> {
	// What is elsewhere is named, and not read.
	const readable = (check: () => unknown) => {
		try {
			check();
			return true;
		} catch (error) {
			if (skip === undefined || !(error instanceof NotReadyError)) throw error;
			skip(error);
			return false;
		}
	};
	if (!readable(refuseForeignReports)) return [];
	/** A link names what is elsewhere, or is in the list already. */
	const isOwn = (one: Dirent) => {
		if (one.isSymbolicLink() && skip !== undefined) readable(() => recordAt('reports', join(one.parentPath, one.name)));
		return !one.isSymbolicLink();
	};
	const groups = (await readdir(REPORTS, { withFileTypes: true }).catch(() => [])).filter(({ name }) => name !== 'latest');
	const folders = await Promise.all(
		groups
			.filter((group) => isOwn(group) && group.isDirectory())
			.map(async ({ name }) => {
				const runs = await readdir(join(REPORTS, name), { withFileTypes: true });
				return runs.filter(isOwn).map((run) => join(name, run.name));
			}),
	);
	const found = await Promise.all(
		folders.flat().map(async (path) => {
			try {
				const record = await (skip ? readFitting : readRecord)(join(REPORTS, path), file);
				return record === null ? [] : [{ path, record }];
			} catch (error) {
				if (skip === undefined || !(error instanceof NotReadyError)) throw error;
				skip(error);
				return [];
			}
		}),
	);
	return found.flat();
}
