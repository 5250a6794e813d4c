/**
 * Gathers the records of all experiments, and writes their findings as one page, one table and one file of data: the verdicts on claims,
 * and what the experiments that have none have found.
 */
import { lstat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { inRecord } from '../../base/files.ts';
import { formatCommand } from '../../base/format-command.ts';
import { EXAMPLES, EXPERIMENT_RECORD, RECORD, REPORTS } from '../../base/paths.ts';
import { readPrivate } from '../../base/private-file.ts';
import type { Reporter } from '../../base/progress.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import type { Claim } from '../../catalog/claims.ts';
import { claimsOf } from '../../catalog/claims.ts';
import { experiments } from '../../catalog/experiments.ts';
import { isExcerpt, readExcerpt, readRecord } from '../../record/excerpt-file.ts';
import type { Records } from '../../record/findings.ts';
import { FINDINGS_RECORD } from '../../record/findings.ts';
import type { Findings } from '../../record/types.js';
import { renderFindings } from '../../report/findings.ts';
import { formatFindingsMarkdown } from '../../report/findings-markdown.ts';
import { readRecords, writeIndex } from '../../report/reports.ts';
import { claimAnchor } from '../../report/stamp.ts';
import type { Found, KeptRun } from '../findings.ts';
import { chooseRecord, findingsOf } from '../findings.ts';
import type { Attempt } from '../plan.ts';
import { keptRuns, resultPath } from './kept-runs.ts';

/** Measures them all. */
const COMMAND = formatCommand(['experiment', 'all']);

/** @param id of an experiment */
const hasClaims = (id: string) => claimsOf(id).length > 0;

/** The experiments that have claims, by the order of their table. */
export const claimedExperiments = () => Object.keys(experiments).filter(hasClaims);

/**
 * The findings from what is there: for each experiment the record that speaks for it, as chooseRecord has it.
 * @param path of a folder below reports/: only records in it count, and the findings stand there. That
 * of a `make experiment-all` has no records in it; those that it made count.
 * @returns exit code
 * @throws {NotReadyError} when there is no such folder, or no record in it
 */
export async function findings(path: string | undefined, reporter: Reporter): Promise<number> {
	const folder = path ? resolve(path) : REPORTS;
	await refuseElsewhere(folder, path);
	const made = await recordsOfAll(folder);
	const { chosen: found, others } = made ? { chosen: await recordsMade(made), others: [] } : await recordsBelow(folder);
	if (!found.some(({ result }) => hasClaims(result.experiment)))
		throw new NotReadyError(
			`findings: expected an experiment with claims that was measured, in ${relative(process.cwd(), folder)}; found none.`,
			`"${COMMAND}" measures them all, "${formatCommand(['experiment', '<id>'])}" measures one.`,
		);
	const written = await writeFindings(folder, found, { hasIndex: !path || made !== null, others });
	reporter.tell(`  findings: ${written.report}\n`);
	reporter.give(written);
	return EXIT.done;
}

/**
 * @param folder in which the findings are to stand
 * @param found one record for each experiment at most
 * @param around others: further records, under other loads and budgets
 * @returns report: the page, as the user would type it
 */
export async function writeFindings(
	folder: string,
	found: Found[],
	around: { hasIndex: boolean; others?: Found[] },
): Promise<{ report: string; result: Findings }> {
	const made = await gatherFindings(folder, found, around);
	const page = join(folder, FINDINGS_RECORD.page);
	await writeFileAtomic(join(folder, FINDINGS_RECORD.data), `${JSON.stringify(made, null, 2)}\n`);
	await writeFileAtomic(join(folder, FINDINGS_RECORD.markdown), formatFindingsMarkdown(made));
	await writeFileAtomic(page, renderFindings(made));
	await writeIndex();
	return { report: relative(process.cwd(), page), result: made };
}

/** Those of the stored experiments, curated: the list of everything is not kept with them. */
export const storedFindings = async (): Promise<Findings> => {
	const { chosen, others } = await recordsBelow(EXAMPLES);
	return gatherFindings(EXAMPLES, chosen, { hasIndex: false, others });
};

/** Writes them, as a page too. */
export const writeStoredFindings = async () => {
	const { chosen, others } = await recordsBelow(EXAMPLES);
	return writeFindings(EXAMPLES, chosen, { hasIndex: false, others });
};

/** folder: in which they are to stand */
async function gatherFindings(
	folder: string,
	found: Found[],
	{ hasIndex, others = [] }: { hasIndex: boolean; others?: Found[] },
): Promise<Findings> {
	const hrefFrom = (target: string) => relative(folder, join(REPORTS, target)).split(sep).join('/');
	return findingsOf(
		await Promise.all(
			found.map(async ({ path, result }) => ({
				result,
				href: hrefFrom(`${path}/${EXPERIMENT_RECORD.page}`),
				markdown: hrefFrom(`${path}/${EXPERIMENT_RECORD.markdown}`),
				...(await planIn(path)),
			})),
		),
		{
			experiments: claimedExperiments().map((id) => ({ id, ...experiments[id], claims: claimsOf(id, coresOf(found, id)) })),
			anchorOf: claimAnchor,
			others: others.map(({ result }) => result),
			index: hasIndex ? hrefFrom('index.html') : null,
			command: COMMAND,
		},
	);
}

/** Thresholds that are counted in cores are those of the machine that measured. */
const coresOf = (found: Found[], experiment: string) => found.find(({ result }) => result.experiment === experiment)?.result.machine.cores;

/**
 * What the manifest beside a record has: its claims before the runs; and of each arm a run whose result is there.
 * @param path below reports/
 */
async function planIn(path: string): Promise<{ fixed: Claim[]; kept: KeptRun[] }> {
	const folder = inRecord(REPORTS, path);
	const records = isExcerpt(folder) ? await readExcerpt(folder) : await recordsIn(folder);
	const plan = records[RECORD.manifest];
	return { fixed: plan?.claims ?? [], kept: keptRuns(plan, records) };
}

/** Of an experiment that is no excerpt: its manifest, and of each arm the first run that counts. */
async function recordsIn(folder: string): Promise<Records> {
	const plan = await readRecord(folder, RECORD.manifest);
	const valid = (plan?.attempts ?? []).filter(({ validity }: Attempt) => validity !== 'INVALID');
	const first = valid.filter(({ arm }: Attempt, index: number) => valid.findIndex((one: Attempt) => one.arm === arm) === index);
	const results = await Promise.all(
		first.map(async ({ run }: Attempt) => [resultPath(plan, run), await readRecord(folder, resultPath(plan, run))]),
	);
	return { [RECORD.manifest]: plan, ...Object.fromEntries(results) };
}

/**
 * The records of given folders; one that was not judged yet has none.
 * @param folders below reports/
 */
export async function recordsMade(folders: (string | null)[]): Promise<Found[]> {
	const found = await Promise.all(
		folders.map(async (path) => {
			const result = path && (await readRecord(inRecord(REPORTS, path), EXPERIMENT_RECORD.result));
			return path && result ? [{ path, result }] : [];
		}),
	);
	return found.flat();
}

/**
 * @returns chosen: the one record of each experiment that speaks for it; of one without
 * claims, for each of its loads
 */
async function recordsBelow(folder: string): Promise<{ chosen: Found[]; others: Found[] }> {
	const records = (await readRecords(EXPERIMENT_RECORD.result))
		.filter(({ path }) => folder === REPORTS || `${join(REPORTS, path)}${sep}`.startsWith(`${folder}${sep}`))
		.map(({ path, record }) => ({ path, result: record }));
	const chosen = Object.entries(experiments).flatMap(([id, own]) => {
		const made = records.filter(({ result }) => result.experiment === id);
		if (hasClaims(id)) return chooseRecord(made, own) ?? [];
		const loads = [...new Set(made.map(({ result }) => result.load))];
		return loads.flatMap(
			(load) =>
				chooseRecord(
					made.filter(({ result }) => result.load === load),
					own,
				) ?? [],
		);
	});
	return { chosen, others: records.filter((record) => !chosen.includes(record)) };
}

/** @returns folders of the experiments of a `make experiment-all`; null where it is none */
async function recordsOfAll(folder: string): Promise<(string | null)[] | null> {
	const text = readPrivate(join(folder, RECORD.manifest));
	const steps = text === null ? null : JSON.parse(String(text)).experiments;
	return Array.isArray(steps) ? steps.map((step) => step.folder) : null;
}

async function refuseElsewhere(folder: string, path: string | undefined) {
	const isBelow = `${folder}${sep}`.startsWith(`${REPORTS}${sep}`);
	const isThere = (await lstat(folder).catch(() => null))?.isDirectory() ?? false;
	if (isBelow && (isThere || !path)) return void inRecord(REPORTS, relative(REPORTS, folder));
	throw new NotReadyError(
		`findings: expected a folder below reports/; ${path} is ${isThere ? 'elsewhere' : 'not there'}.`,
		'leave RUN out for all that was measured here, or give one such as reports/examples.',
	);
}
