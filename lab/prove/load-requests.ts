/** The requests of a copy's load, one by one, as its users wrote them down. */

import { join } from 'node:path';
import { readInRecord } from '../base/files.ts';
import { RAW, RECORD } from '../base/paths.ts';
import { parseLines } from '../base/values.ts';
import { parseK6Log } from '../diagnose/read-generators.ts';
import type { FinishedRequest } from '../record/k6-requests.ts';
import { eachRequest, tellsRequests } from '../record/k6-requests.ts';

/**
 * @param folder of the copy
 * @param manifest of it
 * @param take is given one object, which is changed for the next request
 */
export function eachLoadRequest(
	folder: string,
	{ generators }: { generators?: { name: string }[] },
	take: (request: FinishedRequest) => void,
): void {
	for (const { name } of generators ?? [{ name: '' }])
		for (const line of parseK6Log(parseLines(String(readInRecord(folder, join(RECORD.raw, name, RAW.k6Log)) ?? ''))))
			if (tellsRequests(line)) eachRequest(line.requests ?? [], take);
}
