import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EXAMPLES } from '../base/paths.ts';
import { ENDING, isExcerpt, noRecord, readRecord } from './excerpt-file.ts';
import { misfitOf } from './misfit.ts';
import { VERSIONS } from './versions.ts';

/** Stands for all experiments that have claims, and is the group below reports/ of what measured them in one go. */
export const ALL = 'all';

/** Names of the files that hold the findings. */
export const FINDINGS_RECORD = Object.freeze({ data: 'findings.json', page: 'findings.html', markdown: 'findings.md' });

/** by path below the experiment's folder, such as `runs/2026-11-22T061436Z-a049/result.json` */
export type Records = Record<string, any>;

/** @returns folders of the stored experiments */
export const storedExperiments = (): string[] =>
	readdirSync(EXAMPLES)
		.sort()
		.map((name) => join(EXAMPLES, name))
		.filter(isExcerpt);

/**
 * As readRecord, of one whose parts are all there.
 * @throws {NotReadyError} where they are not
 */
export async function readFitting(folder: string, path: string): Promise<any> {
	const record = await readRecord(folder, path);
	const document = basename(path, ENDING);
	if (record === null || !Object.hasOwn(VERSIONS, document)) return record;
	const misfit = misfitOf(document as keyof typeof VERSIONS, record);
	if (misfit !== null) throw noRecord(join(folder, path), misfit);
	return record;
}
