/**
 * The command `share`: the report of a run as one file, for readers who have neither its folder nor Doubletake.
 */
import { basename, relative, resolve } from 'node:path';
import { isSomethingAt } from '../base/bounded-file.ts';
import { EXIT, NotReadyError } from '../base/errors.ts';
import type { Reporter } from '../base/progress.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { analyseRun } from '../diagnose/result.ts';
import { renderReport } from '../report/report.ts';
import { runFolderOf } from '../report/run-folder.ts';

/**
 * @param path of the run's folder; the last one of the folder's system unless given
 * @param around to: the file; folder: of doubletake.yaml
 * @returns exit code
 * @throws {NotReadyError} where there is no run, or something is in the file's place already
 */
export async function share(
	path: string | undefined,
	{ to, folder, reporter }: { to?: string; folder: string; reporter: Pick<Reporter, 'tell' | 'give'> },
): Promise<number> {
	const run = await runFolderOf('share', path, folder);
	const result = await analyseRun(run);
	const file = resolve(to ?? `${result.architecture.replaceAll(/[^\w-]+/g, '-').replace(/^-+/, '')}-${basename(run)}.html`);
	const shown = relative(process.cwd(), file);
	if (isSomethingAt(file))
		throw new NotReadyError(`share: expected nothing at ${shown}; found something.`, 'remove it, or name another file with --to.');
	await writeFileAtomic(file, await renderReport(result, { isShared: true }));
	reporter.tell(
		`  ${shown}\n  It names services, requests, settings and lines of logs. Known secrets are left out of it. Read it before you pass it on.\n`,
	);
	reporter.give({ folder: relative(process.cwd(), run), report: shown, result: { shared: shown } });
	return EXIT.done;
}
