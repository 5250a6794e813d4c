/**
 * Reads what k6 left of a load, or each of several k6 that made it together. Every request is on record by itself, so counts add up and
 * percentiles are those of all requests, as if one had made the load.
 */

import { join } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { RAW } from '../base/paths.ts';
import { isRow, jsonIn } from '../base/values.ts';
import { countedByK6, EACH, HEAD, PER_MS, readRequests, tellsRequests, withWritten } from '../record/k6-requests.ts';
import { disturbancesOf } from './fault-effects.ts';
import { isScript, plannedSpans } from './time/window.ts';

/*
 * What users of an open load waited, from the moment that their arrival was meant to begin. k6 counts from a clock that starts
 * before its users are ready, so that every arrival is late by the same time. The first arrival says by how much; that is taken
 * off all of them, and the first one counts as on time.
 */

/** In `raw/`, where the lab once took its seconds from k6's dashboard, which tells no single request. */
const EARLIER_SECONDS = 'k6-record.ndjson';

/** @param {any[]} lines that the scenario wrote into k6's log @returns {number} milliseconds; 0 in a closed load */
const startDelay = (lines) => lines.find(({ event }) => event === 'first-arrival')?.late_ms ?? 0;

/**
 * @typedef {import('../record/k6-requests.ts').Line} Line
 * @param {Line} line  that a user wrote
 * @param {number} delayMs
 * @returns {Line}
 */
export function lineOnTime(line, delayMs) {
	if (delayMs === 0 || !line.requests) return line;
	const late = delayMs * PER_MS;
	const retried = line.retried?.map((took) => (took < 0 ? -1 - Math.max(0, -1 - took - late) : Math.max(0, took - late)));
	return { ...line, requests: numbersOnTime(line.requests, late), ...(retried ? { retried } : {}) };
}

/** Of a request that is tried again only the first attempt waits for its arrival. @param {number[]} numbers @param {number} late tenths of a millisecond */
function numbersOnTime(numbers, late) {
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

/**
 * @template {{ metrics: Record<string, any> }} Summary
 * @param {Summary} summary
 * @returns {Summary} the same where the load is the lab's own scenario
 */
function withLoadOfAll(summary) {
	/** @type {Map<string, { count: number, total: number, only: any }>} */
	const sums = new Map();
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

/** k6's name of the same over all scenarios, the script's setup included. @param {string} key */
const allNamed = (key) => key.replace('{scenario:load}', '').replace('{scenario:load,', '{');

/*
 * Several generators' summaries as one. Counts add up, and so do means by their counts; the least and the largest value stay what they
 * are. Percentiles of several cannot be had from theirs and are left out: those that matter are of the requests themselves.
 */

/**
 * @typedef {{ type: string, contains?: string, values: Record<string, number> }} Metric
 * @typedef {{ metrics: Record<string, Metric>, state: { testRunDurationMs: number } }} Summary  of k6
 */

/**
 * @param {Summary[]} summaries
 * @returns {Summary | null} null of none
 */
function summaryOfAll(summaries) {
	if (summaries.length < 2) return summaries[0] ?? null;
	const names = [...new Set(summaries.flatMap(({ metrics }) => Object.keys(metrics)))];
	const joined = names.map((name) => [name, joinedMetric(summaries.flatMap(({ metrics }) => metrics[name] ?? []))]);
	const testRunDurationMs = Math.max(...summaries.map(({ state }) => state.testRunDurationMs));
	return { ...summaries[0], state: { ...summaries[0].state, testRunDurationMs }, metrics: Object.fromEntries(joined) };
}

/** @param {Metric[]} metrics  of one name @returns {Metric} */
function joinedMetric(metrics) {
	const { type, contains } = metrics[0];
	const values = metrics.map((metric) => metric.values);
	return { type, ...(contains === undefined ? {} : { contains }), values: (JOINED[type] ?? added)(values) };
}

/** @typedef {(values: Record<string, number>[]) => Record<string, number>} Joined  k6's values of one metric, by their names */

/** By k6's types of metrics (https://grafana.com/docs/k6/latest/using-k6/metrics/). @type {Record<string, Joined>} */
const JOINED = {
	counter: (values) => ({ count: sumOf(values, 'count') }),
	gauge: (values) => added(values),
	rate: (values) => {
		const [passes, fails] = [sumOf(values, 'passes'), sumOf(values, 'fails')];
		return { passes, fails, rate: passes + fails === 0 ? 0 : passes / (passes + fails) };
	},
	trend: joinedTrend,
};

/** @type {Joined} */
function joinedTrend(values) {
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

/** @type {Joined} */
function added(values) {
	const names = [...new Set(values.flatMap(Object.keys))];
	return Object.fromEntries(names.map((name) => [name, sumOf(values, name)]));
}

/** @param {Record<string, number>[]} values @param {string} name */
const sumOf = (values, name) => values.reduce((sum, value) => sum + (value[name] ?? 0), 0);

/**
 * @typedef {Pick<import('./record-files.ts').RecordFiles, 'text' | 'rows' | 'json'>} Reader
 *
 * @typedef {object} One  of the generators
 * @property {any[]} said     what its scenario wrote into its log
 * @property {string[]} errors  of k6 itself
 * @property {any | null} summary
 * @property {number} delayMs of the clock from which it counted
 */

/**
 * @param {any} manifest
 * @param {Reader} record
 * @returns {Pick<import('./read-raw.ts').Raw, 'snapshots' | 'summary' | 'written' | 'disturbed' | 'byStage' | 'ending' | 'errorSamples' | 'failures' | 'acknowledgedIds'>}
 */
export function readGenerators(manifest, record) {
	const folders = /** @type {{ name: string }[] | undefined} */ (manifest.generators)?.map(({ name }) => name) ?? [''];
	const all = folders.map((folder) => readOne(record, folder));
	const said = all.flatMap((one) => one.said);
	return {
		...readSeconds(manifest, all, record),
		errorSamples: said.filter(({ kind, code }) => typeof kind === 'string' && typeof code === 'number'),
		acknowledgedIds: said.flatMap(({ acknowledged }) => acknowledged ?? []),
		failures: all.flatMap(failuresOf),
	};
}

/** @param {Reader} record @param {string} folder @returns {One} */
function readOne(record, folder) {
	const lines = record.rows(join(folder, RAW.k6Log), isRow);
	const said = parseK6Log(lines);
	const errors = lines.flatMap(({ msg, source }) => (typeof msg === 'string' && source === undefined ? msg : []));
	const summary = record.json(join(folder, RAW.k6Summary), isSummary);
	return {
		said,
		errors,
		summary: summary && withLoadOfAll(withoutWait(summary, said)),
		delayMs: startDelay(said),
	};
}

/** @param {any} value */
const isObject = (value) => typeof value === 'object' && value !== null;

/** @param {any} value @returns {value is Summary} */
const isSummary = (value) =>
	isRow(value) &&
	isObject(value.metrics) &&
	Object.values(value.metrics).every((metric) => isRow(metric) && isObject(metric.values)) &&
	Number.isFinite(value.state?.testRunDurationMs);

/** What it waited for the others was no time of its load. @param {any} summary @param {any[]} said */
function withoutWait(summary, said) {
	const waitedMs = said.find(({ event }) => event === 'waited')?.ms;
	if (waitedMs === undefined) return summary;
	return { ...summary, state: { ...summary.state, testRunDurationMs: summary.state.testRunDurationMs - waitedMs } };
}

/**
 * What k6 left of each second and of the whole: what its users wrote down.
 * @param {any} manifest
 * @param {One[]} all
 * @param {Reader} record
 * @returns {Pick<import('./read-raw.ts').Raw, 'snapshots' | 'summary' | 'written' | 'disturbed' | 'byStage' | 'ending'>}
 */
function readSeconds(manifest, all, record) {
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

/** @param {string} run @throws {NotReadyError} */
function refuseEarlier(run) {
	throw new NotReadyError(
		`${run}: expected what k6's users wrote of their requests in ${RAW.k6Log}; found the seconds of its dashboard in ${EARLIER_SECONDS}, of an earlier version of Doubletake.`,
		'measure it again; the result and report that are in its folder stay as they are.',
	);
}

/** @param {One} one @returns {import('./ledger/traces.ts').Failed[]} */
const failuresOf = ({ said, delayMs }) =>
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

/** @param {any[]} lines of k6's log; the scenario writes its own JSON into `msg`, where a user's script may write anything @returns {any[]} */
export const parseK6Log = (lines) =>
	lines.flatMap(({ msg }) => (typeof msg === 'string' && msg.startsWith('{') ? [jsonIn(msg)].filter(isRow) : []));
