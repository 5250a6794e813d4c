/** What the analysis says of frozen records. */

import { readdirSync } from 'node:fs';
import { FROZEN } from '../../lab/base/paths.ts';
import { readRaw } from '../../lab/diagnose/read-raw.ts';
import { placedResult } from '../../lab/diagnose/result.ts';
import { readRecords, withFiles } from '../../lab/verify/freeze/files.ts';
import type { Says } from './report.ts';

/** @returns `group/name` of each frozen record */
export async function recordNames(): Promise<string[]> {
	const groups = readdirSync(FROZEN);
	const names = await Promise.all(
		groups.map(async (group) => [...(await readRecords(FROZEN, group)).keys()].map((name) => `${group}/${name}`)),
	);
	return names.flat();
}

export async function* saysOf(records: string[]): AsyncGenerator<[record: string, says: Says]> {
	for (const group of new Set(records.map((record) => record.split('/')[0])))
		for (const [name, files] of await readRecords(FROZEN, group)) {
			const record = `${group}/${name}`;
			if (records.includes(record)) yield [record, await withFiles(files(), saysFrom)];
		}
}

async function saysFrom(folder: string): Promise<Says> {
	try {
		const { result, all } = placedResult(await readRaw(folder));
		const { waiting, bottleneck } = result;
		return {
			requests: Object.fromEntries(
				all.map(({ trace, placement }) => [trace.id, placement ? `${placement.service}: ${placement.cause}` : 'nowhere']),
			),
			others: [
				...(waiting?.findings ?? []).map(({ place, mechanism }) => `it waits at ${place.service}: ${mechanism ?? 'not known'}`),
				...(bottleneck ? [`the limit is ${bottleneck.service ?? bottleneck.tier}`] : []),
			].sort(),
		};
	} catch (error) {
		return { requests: {}, others: [`it is not analysed: ${(error as Error).message}`] };
	}
}
