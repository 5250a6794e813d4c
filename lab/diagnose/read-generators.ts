/**
 * Reads what k6 left of a load, or each of several k6 that made it together. Every request is on record by itself, so counts add up and
 * percentiles are those of all requests, as if one had made the load.
 */

import { join } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { RAW } from '../base/paths.ts';
import { isRow, jsonIn } from '../base/values.ts';
import { countedByK6, eachRequest, readRequests, tellsRequests, withWritten } from '../record/k6-requests.ts';
import { disturbancesOf } from './fault-effects.ts';
import { lineOnTime, startDelay } from './intended-start.ts';
import type { Failed } from './joins/failed.ts';
import { withLoadOfAll } from './own-scenarios.ts';
import type { Raw } from './read-raw.ts';
import type { RecordFiles } from './record-files.ts';
import { summaryOfAll } from './summaries.ts';
import { isScript } from './time/load-end.ts';
import { plannedSpans } from './time/stages.ts';
import { LONGEST_S } from './time/window.ts';

/** In `raw/`, where the lab once took its seconds from k6's dashboard, which tells no single request. */
const EARLIER_SECONDS = 'k6-record.ndjson';

export type Metric = { type: string; contains?: string; values: Record<string, number> };

/** of k6 */
export type Summary = { metrics: Record<string, Metric>; state: { testRunDurationMs: number } };

type Reader = Pick<RecordFiles, 'text' | 'rows' | 'json'>;

/** of the generators */
type One = {
	/** what its scenario wrote into its log */
	said: any[];
	/** of k6 itself */
	errors: string[];
	summary: any | null;
	/** of the clock from which it counted */
	delayMs: number;
};

export function readGenerators(
	manifest: any,
	record: Reader,
): Pick<Raw, 'snapshots' | 'summary' | 'written' | 'disturbed' | 'byStage' | 'ending' | 'errorSamples' | 'failures' | 'acknowledgedIds'> {
	const folders = (manifest.generators as { name: string }[] | undefined)?.map(({ name }) => name) ?? [''];
	const all = folders.map((folder) => readOne(record, folder, manifest));
	const said = all.flatMap((one) => one.said);
	return {
		...readSeconds(manifest, all, record),
		errorSamples: said.filter(({ kind, code }) => typeof kind === 'string' && typeof code === 'number'),
		acknowledgedIds: said.flatMap(({ acknowledged }) => acknowledged ?? []),
		failures: all.flatMap(failuresOf),
	};
}

function readOne(record: Reader, folder: string, manifest: any): One {
	const lines = record.rows(join(folder, RAW.k6Log), isRow);
	const said = parseK6Log(lines).filter((line) => isOfLoad(line, manifest));
	const errors = lines.flatMap(({ msg, source }) => (typeof msg === 'string' && source === undefined ? msg : []));
	const summary = record.json(join(folder, RAW.k6Summary), isSummary);
	return {
		said,
		errors,
		summary: summary && withLoadOfAll(withoutWait(summary, said)),
		delayMs: startDelay(said),
	};
}

/** A script can write what it likes, and another time than that of its load would make rows for all that lies between. */
function isOfLoad(line: any, { load_began_s: began }: any): boolean {
	const isFar = (t: unknown) => typeof t === 'number' && Math.abs(t - began) > LONGEST_S;
	const failed: unknown[] = Array.isArray(line?.failed) ? line.failed : [];
	if (isFar(line?.t) || failed.some((one) => Array.isArray(one) && isFar(one[1] / 1000))) return false;
	let isNear = true;
	for (const requests of [line?.requests, line?.warm])
		if (tellsRequests({ requests }))
			eachRequest(requests, ({ ended, waitedMs, from, to }) => {
				if ([ended, ended - waitedMs / 1000, from, to].some(isFar)) isNear = false;
			});
	return isNear;
}
const isObject = (value: any) => typeof value === 'object' && value !== null;

const isSummary = (value: any): value is Summary =>
	isRow(value) &&
	isObject(value.metrics) &&
	Object.values<any>(value.metrics).every((metric) => isRow(metric) && isObject(metric.values)) &&
	Number.isFinite(value.state?.testRunDurationMs);

/** What it waited for the others was no time of its load. */
function withoutWait(summary: any, said: any[]) {
	const waitedMs = said.find(({ event }) => event === 'waited')?.ms;
	if (waitedMs === undefined) return summary;
	return { ...summary, state: { ...summary.state, testRunDurationMs: summary.state.testRunDurationMs - waitedMs } };
}

/** What k6 left of each second and of the whole: what its users wrote down. */
function readSeconds(
	manifest: any,
	all: One[],
	record: Reader,
): Pick<Raw, 'snapshots' | 'summary' | 'written' | 'disturbed' | 'byStage' | 'ending'> {
	const lines = all.flatMap(({ said, delayMs }) => said.filter(tellsRequests).map((line) => lineOnTime(line, delayMs)));
	const reported = all.flatMap(({ said }) => said.flatMap(({ event, t }) => (event === 'end' && typeof t === 'number' ? t : [])));
	const ending = { at_s: reported.at(-1) ?? null, last_s: null, said: all.flatMap(({ errors }) => errors) };
	const summary = summaryOfAll(all.flatMap((one) => one.summary ?? []));
	if (lines.length === 0) {
		if (record.text(EARLIER_SECONDS) !== '') refuseEarlier(manifest.run);
		return { snapshots: [], summary, written: null, disturbed: null, byStage: null, ending };
	}
	const from = manifest.load_began_s;
	const spans = disturbancesOf(manifest).map(({ inForce }) => ({ from: from + (inForce?.from ?? 0), to: from + (inForce?.to ?? 0) }));
	const stages = plannedSpans(manifest.shape ?? { stages: [] }).map(({ from_s, to_s }) => ({ from: from + from_s, to: from + to_s }));
	const { snapshots, totals, ended, byStage, last } = readRequests(lines, {
		...{ from, to: ending.at_s ?? manifest.load_ended_s, spans, stages },
		isScript: isScript(manifest),
	});
	// One that left no summary said nothing of what it had counted.
	const counted = all.every((one) => one.summary !== null) ? summary && countedByK6(summary) : null;
	return {
		snapshots,
		summary: summary && withWritten(summary, totals),
		written: { written: totals.lab_finished.values.count, counted },
		disturbed: ended,
		byStage,
		ending: { ...ending, last_s: last },
	};
}

/** @throws {NotReadyError} */
function refuseEarlier(run: string) {
	throw new NotReadyError(
		`${run}: expected what k6's users wrote of their requests in ${RAW.k6Log}; found the seconds of its dashboard in ${EARLIER_SECONDS}, of an earlier version of Doubletake.`,
		'measure it again; the result and report that are in its folder stay as they are.',
	);
}

const failuresOf = ({ said, delayMs }: One): Failed[] =>
	said
		.flatMap(({ failed }) => (Array.isArray(failed) ? failed.filter(Array.isArray) : []))
		.map(([id, endedMs, waitedMs, status, code, kind]) => ({
			id,
			t: endedMs / 1000,
			waited_s: Math.max(0, waitedMs - delayMs) / 1000,
			status,
			code,
			kind,
		}));

/** @param lines of k6's log; the scenario writes its own JSON into `msg`, where a user's script may write anything */
export const parseK6Log = (lines: any[]): any[] =>
	lines.flatMap(({ msg }) => (typeof msg === 'string' && msg.startsWith('{') ? [jsonIn(msg)].filter(isRow) : []));
