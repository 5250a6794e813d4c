/**
 * The commands `report` and `examples`. Of the rooms it loads those alone that the record in the folder wants: what measures takes half a second to load, and all
 * of them as much again.
 */
import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { recordAt } from '../base/files.ts';
import { formatCommand } from '../base/format-command.ts';
import { lineWithCodes } from '../base/hidden-characters.ts';
import { IS_CHECKOUT, LIMIT_RECORD, RECORD } from '../base/paths.ts';
import { readPrivate } from '../base/private-file.ts';
import type { Reporter } from '../base/progress.ts';
import { readManifest } from '../diagnose/read-raw.ts';
import { readOption, refuse } from '../options/accepted-options.ts';
import { isExcerpt } from '../record/excerpt-file.ts';
import { readFitting, storedExperiments } from '../record/findings.ts';

/** What a run is judged by, and a comparison. */
const JUDGING = ['EXPECT', 'STRICT'];
const FAILING = ['FAIL_ON'];

/**
 * Builds result and report of a run again, from its raw record alone, and judges it by EXPECT where that is given; or
 * judges an experiment again, from the results of its runs, a comparison by FAIL_ON; or renders an excerpt, which has not the results of all.
 * @param path of the run's, the experiment's or the excerpt's folder
 */
export async function report(path: string | undefined, env: Record<string, string | undefined>, reporter: Reporter): Promise<number> {
	const thresholds = { expectations: readOption('EXPECT', env) ?? [], strict: readOption('STRICT', env) ?? false };
	if (!path)
		throw new NotReadyError(
			'report: expected the folder of a run; found none.',
			`say which: ${formatCommand(['report', 'reports/latest/2a'])}`,
		);
	const folder = recordAt('report', path);
	if (isExcerpt(folder)) {
		refuse('the report of an excerpt', [...JUDGING, ...FAILING], env);
		const { writeIndex } = await import('../report/reports.ts');
		const { renderExcerpt } = await import('../compare/experiment/excerpt.ts');
		const page = await renderExcerpt(folder);
		await writeIndex();
		const shown = relative(process.cwd(), page);
		reporter.tell(`  report: ${shown}\n`);
		reporter.give({ folder: relative(process.cwd(), folder), report: shown, result: { rendered: shown } });
		return EXIT.done;
	}
	if (readPrivate(join(folder, LIMIT_RECORD.data)) !== null) {
		refuse('the report of a limit', [...JUDGING, ...FAILING], env);
		const { writeIndex } = await import('../report/reports.ts');
		const { writeRecords } = await import('../compare/experiment/write-records.ts');
		const result = await readFitting(folder, LIMIT_RECORD.data);
		await writeRecords(folder, { [LIMIT_RECORD.data]: result });
		await writeIndex();
		const shown = relative(process.cwd(), join(folder, LIMIT_RECORD.page));
		reporter.tell(`  ${lineWithCodes(result.sentence)}\n  report: ${shown}\n`);
		reporter.give({ folder: relative(process.cwd(), folder), report: shown, sentence: result.sentence, result });
		return EXIT.done;
	}
	const found = await lstat(join(folder, RECORD.manifest)).catch(() => null);
	if (!found)
		throw new NotReadyError(
			`report: expected ${RECORD.manifest} in ${path}; found none.`,
			`"${formatCommand(['list'])}" names the runs that there are.`,
		);
	// Of whatever it is the record: one that is cut is reported as such.
	const manifest = await readManifest(join(folder, RECORD.manifest));
	const isOfAll = Array.isArray(manifest.experiments);
	if (isOfAll || manifest.schedule !== undefined) {
		refuse('the report of an experiment or a comparison', JUDGING, env);
		if (isOfAll) refuse('the report of several experiments', FAILING, env);
		return isOfAll
			? (await import('../compare/experiment/findings.ts')).findings(folder, reporter)
			: (await import('../compare/experiment/command.ts')).judgeAgain(folder, env, reporter);
	}
	refuse('the report of a run', FAILING, env);
	const { conclude, finishRun, writeIndex } = await import('../report/reports.ts');
	const result = await finishRun(folder, thresholds);
	await writeIndex();
	const exitCode = await conclude(result, folder, thresholds, reporter);
	return thresholds.expectations.length > 0 || thresholds.strict ? exitCode : EXIT.done;
}

/**
 * Renders the pages of the stored experiments, of which the repository keeps the records.
 * @returns exit code
 * @throws {NotReadyError} in a package, which has no stored experiments
 */
export async function renderExamples(reporter: Reporter): Promise<number> {
	if (!IS_CHECKOUT)
		throw new NotReadyError(
			'examples: expected a checkout of Doubletake; found an installed package.',
			'give it in a checkout: "make examples".',
		);
	const pages: string[] = [];
	const tell = (page: string) => {
		pages.push(relative(process.cwd(), page));
		reporter.tell(`  ${pages.at(-1)}\n`);
	};
	const { renderExcerpt } = await import('../compare/experiment/excerpt.ts');
	const { writeStoredFindings } = await import('../compare/experiment/findings.ts');
	for (const folder of storedExperiments()) tell(await renderExcerpt(folder));
	tell((await writeStoredFindings()).report);
	reporter.give({ result: { pages } });
	return EXIT.done;
}
