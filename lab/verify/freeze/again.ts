/** A frozen record, analysed again: what it says now, beside what it said. Who is told of the differences is not its business. */

import { readRaw } from '../../diagnose/read-raw.ts';
import { placedResult } from '../../diagnose/result.ts';
import { condensed } from './condensed.ts';
import { type Frozen, type RecordFiles, requestOf, withFiles } from './files.ts';

export async function frozenAgain(files: RecordFiles): Promise<Pick<Frozen, 'result' | 'placed'>> {
	const { result, all } = placedResult(await withFiles(files, readRaw));
	return { result: condensed(JSON.parse(JSON.stringify(result))), placed: all.map(requestOf) };
}
