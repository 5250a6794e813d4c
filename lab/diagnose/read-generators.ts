/**
 * Reads what k6 left of a load, or each of several k6 that made it together. Every request is on record by itself, so counts add up and
 * percentiles are those of all requests, as if one had made the load.
 */

import { join } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { RAW } from '../base/paths.ts';
import { isRow, jsonIn } from '../base/values.ts';
import type { Line } from '../record/k6-requests.ts';
import { countedByK6, EACH, eachRequest, HEAD, PER_MS, readRequests, tellsRequests, withWritten } from '../record/k6-requests.ts';
import { disturbancesOf } from './fault-effects.ts';
import type { Failed } from './ledger/traces.ts';
import type { Raw } from './read-raw.ts';
import type { RecordFiles } from './record-files.ts';
import { isScript, LONGEST_S, plannedSpans } from './time/window.ts';

/*
 * What users of an open load waited, from the moment that their arrival was meant to begin. k6 counts from a clock that starts
 * before its users are ready, so that every arrival is late by the same time. The first arrival says by how much; that is taken
 * off all of them, and the first one counts as on time.
 */

/** In `raw/`, where the lab once took its seconds from k6's dashboard, which tells no single request. */
const EARLIER_SECONDS = 'k6-record.ndjson';

/**
 * @param lines that the scenario wrote into k6's log
 * @returns milliseconds; 0 in a closed load
 */
const startDelay = (lines: any[]): number => lines.find(({ event }) => event === 'first-arrival')?.late_ms ?? 0;

/** @param line that a user wrote */
export function lineOnTime(line: Line, delayMs: number): Line {
	if (delayMs === 0 || !line.requests) return line;
	const late = delayMs * PER_MS;
	const retried = line.retried?.map((took) => (took < 0 ? -1 - Math.max(0, -1 - took - late) : Math.max(0, took - late)));
	return { ...line, requests: numbersOnTime(line.requests, late), ...(retried ? { retried } : {}) };
}

/**
 * Of a request that is tried again only the first attempt waits for its arrival.
 * @param late tenths of a millisecond
 */
function numbersOnTime(numbers: number[], late: number) {
	const corrected = [...numbers];
	let isFurther = numbers[2] < 0;
	for (let at = HEAD; at + EACH <= numbers.length; at += EACH) {
		const earlier = isFurther ? 0 : Math.min(late, numbers[at + 1]);
		corrected[at] += earlier;
		corrected[at + 1] -= earlier;
		isFurther = numbers[at + 3] < 0;
	}
	return corrected;
}

/*
 * k6 counts the scenarios of a user's own script apart, by their names. The load is all of them together: their counts and means are added
 * up under the name that the lab's own scenarios have. Percentiles of several cannot be: they are those of all requests that k6 made, where
 * these are the load's and no other, and else left out.
 */

const APART = /^(http_req_duration|http_req_blocked|iteration_duration)\{scenario:([^,}]+)(,expected_response:true)?\}$/;
const OURS = new Set(['load', 'warmup']);

/** @returns the same where the load is the lab's own scenario */
function withLoadOfAll<Summary extends { metrics: Record<string, any> }>(summary: Summary): Summary {
	const sums: Map<string, { count: number; total: number; only: any }> = new Map();
	for (const [name, metric] of Object.entries(summary.metrics)) {
		const [, base, scenario, good = ''] = APART.exec(name) ?? [];
		if (base === undefined || OURS.has(scenario) || typeof metric.values?.count !== 'number') continue;
		const key = `${base}{scenario:load${good}}`;
		const { count, avg = 0 } = metric.values;
		const known = sums.get(key);
		sums.set(key, {
			count: (known?.count ?? 0) + count,
			total: (known?.total ?? 0) + count * avg,
			// Of one scenario alone every figure stands.
			only: known === undefined ? metric.values : null,
		});
	}
	const added = [...sums].map(([key, { count, total, only }]) => {
		const ofAll = summary.metrics[allNamed(key)]?.values;
		const values = only ?? (ofAll?.count === count ? ofAll : { count, avg: count === 0 ? 0 : total / count });
		return [key, { type: 'trend', contains: 'time', values }];
	});
	return added.length === 0 ? summary : { ...summary, metrics: { ...summary.metrics, ...Object.fromEntries(added) } };
}

/** k6's name of the same over all scenarios, the script's setup included. */
const allNamed = (key: string) => key.replace('{scenario:load}', '').replace('{scenario:load,', '{');

/*
 * Several generators' summaries as one. Counts add up, and so do means by their counts; the least and the largest value stay what they
 * are. Percentiles of several cannot be had from theirs and are left out: those that matter are of the requests themselves.
 */

type Metric = { type: string; contains?: string; values: Record<string, number> };

/** of k6 */
type Summary = { metrics: Record<string, Metric>; state: { testRunDurationMs: number } };

/** @returns null of none */
function summaryOfAll(summaries: Summary[]): Summary | null {
	if (summaries.length < 2) return summaries[0] ?? null;
	const names = [...new Set(summaries.flatMap(({ metrics }) => Object.keys(metrics)))];
	const joined = names.map((name) => [name, joinedMetric(summaries.flatMap(({ metrics }) => metrics[name] ?? []))]);
	const testRunDurationMs = Math.max(...summaries.map(({ state }) => state.testRunDurationMs));
	return { ...summaries[0], state: { ...summaries[0].state, testRunDurationMs }, metrics: Object.fromEntries(joined) };
}

/** @param metrics of one name */
function joinedMetric(metrics: Metric[]): Metric {
	const { type, contains } = metrics[0];
	const values = metrics.map((metric) => metric.values);
	return { type, ...(contains === undefined ? {} : { contains }), values: (JOINED[type] ?? added)(values) };
}

/** k6's values of one metric, by their names */
type Joined = (values: Record<string, number>[]) => Record<string, number>;

/** By k6's types of metrics (https://grafana.com/docs/k6/latest/using-k6/metrics/). */
const JOINED: Record<string, Joined> = {
	counter: (values) => ({ count: sumOf(values, 'count') }),
	gauge: (values) => added(values),
	rate: (values) => {
		const [passes, fails] = [sumOf(values, 'passes'), sumOf(values, 'fails')];
		return { passes, fails, rate: passes + fails === 0 ? 0 : passes / (passes + fails) };
	},
	trend: joinedTrend,
};

function joinedTrend(values: Parameters<Joined>[0]): ReturnType<Joined> {
	const some = values.filter(({ count }) => count > 0);
	const count = sumOf(some, 'count');
	if (count === 0) return { count };
	return {
		count,
		avg: some.reduce((sum, value) => sum + value.avg * value.count, 0) / count,
		min: Math.min(...some.map(({ min }) => min)),
		max: Math.max(...some.map(({ max }) => max)),
	};
}

function added(values: Parameters<Joined>[0]): ReturnType<Joined> {
	const names = [...new Set(values.flatMap(Object.keys))];
	return Object.fromEntries(names.map((name) => [name, sumOf(values, name)]));
}

const sumOf = (values: Record<string, number>[], name: string) => values.reduce((sum, value) => sum + (value[name] ?? 0), 0);

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
