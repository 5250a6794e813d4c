/**
 * The command `open`: shows a report in the browser, the one that was written last or that of a folder. Where there is no browser to show
 * it in, it says where the report is.
 */
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { refuseForeignReports } from '../base/files.ts';
import { formatCommand, formatProjectCommand } from '../base/format-command.ts';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, LIMIT_RECORD, RECORD, REPORTS } from '../base/paths.ts';
import type { Reporter } from '../base/progress.ts';
import { FINDINGS_RECORD } from '../record/findings.ts';

/** What a folder may have to show; the whole before its parts. */
const PAGES = [
	RECORD.report,
	EXPERIMENT_RECORD.page,
	EXPERIMENT_RECORD.comparisonPage,
	CAPACITY_RECORD.page,
	LIMIT_RECORD.page,
	FINDINGS_RECORD.page,
];
/** Below reports/: links to other folders, and what came with the lab. */
const NOT_WRITTEN_HERE = ['latest', 'examples'];
/** What opens a file in the user's browser, by platform. */
const OPENERS: Record<string, string> = { darwin: 'open', linux: 'xdg-open' };
/** An opener that is well may stay as long as its browser; one that has no browser to open fails at once. */
const FAILS_WITHIN_MS = 2_000;

type Env = Record<string, string | undefined>;

/**
 * @param path of a folder with a report in it; the report that was written last unless given
 * @returns exit code
 * @throws {NotReadyError} where there is no report
 */
export async function open(
	path: string | undefined,
	{
		env,
		reporter,
		platform = process.platform,
		show = openBy,
		reports = REPORTS,
	}: {
		env: Env;
		reporter: Pick<Reporter, 'tell' | 'give'>;
		/** as Node names it */
		platform?: string;
		/** gives whether it could */
		show?: (opener: string, url: string) => Promise<boolean>;
		reports?: string;
	},
): Promise<number> {
	if (!path && reports === REPORTS) refuseForeignReports();
	const page = path ? await pageOf(resolve(path), path) : await lastPage(reports);
	const url = pathToFileURL(page).href;
	const opener = openerOf(platform, env);
	const isShown = opener !== null && (await show(opener, url));
	const report = relative(process.cwd(), page);
	reporter.tell(`  report: ${report}\n  ${url}\n${isShown ? '' : '  no browser to show it in here: open it where there is one\n'}`);
	reporter.give({ folder: dirname(report), report, result: { url, shown: isShown } });
	return EXIT.done;
}

/** @returns null where nobody could see a browser */
function openerOf(platform: string, env: Env): string | null {
	if (env.CI || env.BROWSER === 'none') return null;
	if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return null;
	return OPENERS[platform] ?? null;
}

/** whether it did, as far as can be told */
async function openBy(opener: string, url: string): Promise<boolean> {
	const settled = new AbortController();
	const child = execa(opener, [url], { stdio: 'ignore', detached: true, cleanup: false, reject: false });
	child.unref();
	const stays = wait(FAILS_WITHIN_MS, true, { signal: settled.signal }).catch(() => true);
	const isShown = await Promise.race([child.then(({ failed }) => !failed), stays]);
	settled.abort();
	return isShown;
}

async function pageOf(folder: string, given: string): Promise<string> {
	const [page] = await pagesIn(folder);
	if (page) return page.path;
	throw new NotReadyError(
		`open: expected a folder with ${PAGES.join(', ')}; found none of them in ${given}.`,
		`"${formatCommand(['list'])}" names the runs that there are; without a folder the last report is opened.`,
	);
}

/** @returns of those of runs, experiments and comparisons */
async function lastPage(reports: string): Promise<string> {
	const groups = (await namesIn(reports)).filter((name) => !NOT_WRITTEN_HERE.includes(name));
	const folders = await Promise.all(
		groups.map(async (group) => (await namesIn(join(reports, group))).map((name) => join(reports, group, name))),
	);
	const pages = (await Promise.all(folders.flat().map(pagesIn))).flat();
	const [last] = pages.toSorted((one, other) => other.writtenMs - one.writtenMs);
	if (last) return last.path;
	throw new NotReadyError(
		`open: expected a report below ${relative(process.cwd(), reports) || '.'}; found none.`,
		`measure something first: ${formatCommand(['run', 'a'])}, or in the folder of your own Compose file ${formatProjectCommand(['init'])} and ${formatProjectCommand(['run'])}.`,
	);
}

/** @returns of the folders in it; none where it is not there */
const namesIn = async (folder: string): Promise<string[]> => {
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
};

/** @returns in the order of PAGES */
async function pagesIn(folder: string): Promise<{ path: string; writtenMs: number }[]> {
	const found = await Promise.all(
		PAGES.map(async (page) => {
			const path = join(folder, page);
			// A link could lead to any page of this machine.
			const file = await lstat(path).catch(() => null);
			return !file?.isFile() ? [] : [{ path, writtenMs: file.mtimeMs }];
		}),
	);
	return found.flat();
}
