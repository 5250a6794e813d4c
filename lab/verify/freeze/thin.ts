/**
 * A record with fewer requests in it: some of each kind of failure, and some good ones. What a user wrote of its requests, every log's lines of
 * them and, where the wire was recorded, what was asked for them go together; whatever is counted or measured by the second stays, but that
 * requests which are left out are taken off what counts requests. Pure.
 */

import { basename } from 'node:path';
import { RAW, RECORD } from '../../base/paths.ts';
import { some } from '../../diagnose/joins/grouped.ts';
import type { Raw } from '../../diagnose/read-raw.ts';
import type { Window } from '../../diagnose/time/window.ts';
import { type PlacedRequest, type RecordFiles, WIRE } from './files.ts';
import { thinLoad } from './thin-load.ts';
import { ID, thinLogs } from './thin-logs.ts';
import { thinWire } from './thin-wire.ts';

/** a record as it was measured */
export type Whole = {
	files: RecordFiles;
	raw: Raw;
	window: Window;
	/** its failed requests */
	placed: PlacedRequest[];
};

/** Good requests for each one of a kind of failure that is kept, and at least so many. */
const GOOD_EACH = 8;
const GOOD_LEAST = 80;
/** Lines of each kind that name no request, in the same way; where all requests are kept, so many. */
const LINES_EACH = 4;
const LINES_MOST = 160;
/** Failures near which every line of a log is kept. */
const NEAR_MOST = 40;
const WARM = 'w';

/** @param each of every kind of failure so many are kept at least, where there are so many */
export function thin(whole: Whole, each: number): RecordFiles {
	const { files, raw } = whole;
	// What an earlier version of the lab measured says of no good request by itself when it was.
	if (!Number.isFinite(each) || raw.written === null)
		return thinLogs(files, { isDropped: () => false, lines: LINES_MOST, moments: [], raw });
	const chosen = new Set(kindsOf(whole.placed).flatMap((ids) => some(ids, each)));
	const isFailed = new Set(raw.failures.map(({ id }) => id));
	const load = thinLoad(files, { chosen, good: Math.max(GOOD_LEAST, each * GOOD_EACH) });
	const logged = idsIn(files);
	const ofWarmUp = logged.filter((id) => id.startsWith(WARM));
	const good = logged.filter((id) => !id.startsWith(WARM) && !isFailed.has(id));
	const kept = new Set([...load.failed, ...some(good, load.good), ...some(ofWarmUp, load.warm)]);
	const known = new Set([...logged, ...isFailed]);
	const isDropped = (id: string) => known.has(id) && !kept.has(id);
	const moments = raw.failures.filter(({ id }) => kept.has(id)).map(({ t }) => t);
	const logs = thinLogs(
		{ ...files, ...load.files },
		{ isDropped, lines: Math.min(LINES_MOST, each * LINES_EACH), moments: some(moments, NEAR_MOST), raw },
	);
	return files[WIRE] === undefined
		? logs
		: { ...logs, [WIRE]: thinWire(whole, { kept, isDropped, share: kept.size / Math.max(1, known.size) }) };
}

/** Of each kind of failure its requests' ids, as they ended. */
function kindsOf(placed: Whole['placed']): string[][] {
	const kinds: Map<string, string[]> = new Map();
	for (const { id, kind } of placed) {
		const own = kinds.get(kind) ?? [];
		kinds.set(kind, own);
		own.push(id);
	}
	return [...kinds.values()];
}

/**
 * Of all logs the one that has the most of them.
 * @returns once each, as they come
 */
function idsIn(files: RecordFiles): string[] {
	const all = Object.entries(files)
		.filter(([name]) => name !== RECORD.manifest && basename(name) !== RAW.k6Log)
		.map(([, text]) => new Set(text.match(ID)));
	return [...all.reduce((most, one) => (one.size > most.size ? one : most), new Set())];
}
