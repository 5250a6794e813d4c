/**
 * The panels on the shared time axis: which lines each has, how they are drawn and how a value is said in words. The
 * page takes its captions and legends from here, the script in the page its charts and their tables.
 *
 * @typedef {object} Drawn  what the panels are made of, and no more of a result than that
 * @property {DrawnRow[]} timeline
 * @property {Result['series']} series
 * @property {Pick<Result['metrics'], 'failures'>} metrics
 * @property {Pick<NonNullable<Result['queue']>, 'backlog'> | null} queue
 * @property {Record<string, Pick<Result['resources'][string], 'tier' | 'cpu_quota_cores'>>} resources
 * @property {Pick<Result['machine'], 'cores'>} machine
 * @property {{ name: string }[]} [hosts]  where there are several
 * @property {Pick<TimeLedger, 'parts' | 'series'> | null} time_ledger
 * @property {DrawnStage[]} stages
 * @property {DrawnFault[]} faults
 * @property {DrawnStanding | null} [standing]
 *
 * @typedef {Pick<Result['timeline'][number], 't_s' | 'vus' | 'throughput_rps' | 'goodput_rps' | 'latency_ms_p50_ok' | 'latency_ms_p95_ok' |
 *   'latency_ms_p99_ok' | 'latency_ms_p95'>} DrawnRow
 * @typedef {Pick<Result['stages'][number], 'from_s' | 'target' | 'held' | 'unit'>} DrawnStage
 * @typedef {Pick<Result['faults'][number], 'began_s' | 'ended_s'>} DrawnFault
 *
 * @typedef {object} PanelSeries
 * @property {string} label
 * @property {string} colour                  name of a CSS variable
 * @property {(number | null)[]} values       as drawn; areas are stacked on each other in their order
 * @property {(number | null)[]} amounts    what the highest second is found by, where it is not what is drawn
 * @property {(index: number) => string} text what is to be said of one second
 * @property {'line' | 'area'} kind
 * @property {boolean} hatched
 * @property {boolean} [isSolid]              an area in its full colour, where it is what the picture is about
 * @property {'solid' | 'dashed' | 'dotted'} stroke
 * @property {boolean} bridged                a level that lasts until it is next measured: seconds without a value leave no gap
 * @property {{ low: (number | null)[], high: (number | null)[] } | null} range  drawn as a band around a line
 *
 * @typedef {object} Panel
 * @property {string} id
 * @property {string} title
 * @property {string} caption               what to see in it
 * @property {number[]} t_s
 * @property {PanelSeries[]} series
 * @property {(value: number) => string} tick
 * @property {boolean} logarithmic
 * @property {number | null} reference      a value that gets a line of its own
 * @property {number} height                of the plot in CSS pixels
 * @property {boolean} marksStages          stages are named above it
 * @property {boolean} [isStepped]          a value holds from the second before to its own
 * @property {{ t_s: number, kind: string, text: string }[]} [marks]  what happened, as lines with a number; texts where they fit
 * @property {boolean} [namesAreas]         areas have their names in them where they are large enough
 *
 * @import { Limit, Result, TimeLedger, WireStanding } from '../record/types.js'
 */

import { ownOf } from '../base/values.ts';
import { amount, cores, count, figure, inTierOrder, MISSING, milliseconds, percent, rate, tierColour, tierTitle } from './format.ts';

/** Lines of one tier are told apart by their stroke, since they share its colour. */
const STROKES = /** @type {const} */ (['solid', 'dashed', 'dotted']);

/**
 * @param {Drawn} result
 * @returns {Panel[]} from top to bottom
 */
export function timelinePanels(result) {
	// How many users an arrival rate keeps waiting is no part of the load.
	const isOfUsers = result.stages.every(({ unit }) => unit === 'users');
	const all = [throughputPanel(result), ...queuePanel(result), latencyPanel(result), cpuPanel(result), limitsPanel(result)];
	const panels = [...(isOfUsers ? [usersPanel(result)] : []), ...all].filter(({ series }) => series.some(isMeasured));
	return panels.map((panel, index) => ({ ...panel, marksStages: index === 0 }));
}

/**
 * @param {Pick<PanelSeries, 'label' | 'colour' | 'values'> & Partial<PanelSeries>} given
 * @param {(value: number | null) => string} format
 * @returns {PanelSeries}
 */
export function panelSeries(given, format) {
	const { values } = given;
	return {
		kind: 'line',
		hatched: false,
		stroke: 'solid',
		bridged: false,
		range: null,
		amounts: values,
		text: (index) => format(values[index]),
		...given,
	};
}

/** @param {PanelSeries} series */
export const isMeasured = (series) => series.values.some((value) => value !== null && value !== undefined);

/**
 * The second of the load in which a series is highest: what a legend says while no second is pointed at.
 * @param {PanelSeries} series
 * @param {Panel['t_s']} seconds
 * @returns {number} index, or -1 when nothing was measured
 */
export function peakIndex({ amounts }, seconds) {
	let peak = -1;
	for (const [index, value] of amounts.entries()) {
		if (value !== null && seconds[index] > 0 && (peak < 0 || value > /** @type {number} */ (amounts[peak]))) peak = index;
	}
	return peak;
}

/** @type {(result: Drawn) => Panel} */
function usersPanel({ timeline }) {
	return {
		...overSeconds(timeline),
		id: 'users',
		title: 'Users',
		caption: 'Virtual users running in each second.',
		series: [panelSeries({ label: 'users', colour: '--ink', values: timeline.map(({ vus }) => vus), bridged: true }, count)],
		tick: count,
		height: 110,
	};
}

const BOUND_CAPTION =
	' The dashed line is the highest rate that the users and the CPU allow, at the CPU cost per request of the calmest stage.';
/** A bound that is as many times as high as the highest second would press what was measured flat: it is not drawn. The lab's choice. */
const BOUND_TIMES = 2;

/** @type {(result: Drawn) => Panel} */
function throughputPanel({ timeline, series, metrics, queue }) {
	const good = panelSeries(
		{ label: queue ? 'completed writes' : 'successful', colour: '--accent', values: timeline.map((row) => row.goodput_rps), kind: 'area' },
		rate,
	);
	const failed = Object.entries(series.failures_by_tier)
		.filter(([, values]) => values.some((value) => value !== null && value > 0))
		.map(([tier, values]) =>
			panelSeries({ label: `failed: ${tierTitle(tier)}`, colour: tierColour(tier), values, kind: 'area', hatched: true }, rate),
		);
	const highest = Math.max(0, ...timeline.map((row) => row.throughput_rps ?? 0)) * BOUND_TIMES;
	const near = series.bound_rps.map((value) => (value !== null && value > highest ? null : value));
	const bound = panelSeries({ label: 'upper bound by CPU', colour: '--ink', values: near, stroke: 'dashed' }, rate);
	return {
		...overSeconds(timeline),
		id: 'throughput',
		title: 'Throughput',
		caption: `${throughputCaption(metrics.failures > 0, Boolean(queue))}${isMeasured(bound) ? BOUND_CAPTION : ''}`,
		series: [good, ...failed, ...(isMeasured(bound) ? [bound] : [])],
		tick: figure,
		height: 170,
	};
}

/** @type {(hasFailed: boolean, isQueued: boolean) => string} */
function throughputCaption(hasFailed, isQueued) {
	const failures = ' Failures are stacked on top, hatched, by the tier that lost them.';
	if (isQueued) return `Completed writes per second. An accepted write counts only when it is completed.${hasFailed ? failures : ''}`;
	return hasFailed
		? `Finished requests per second. Successful requests are at the bottom.${failures}`
		: 'Finished requests per second. All requests succeeded.';
}

/** @type {(result: Drawn) => Panel[]} none where no queue takes what users ask for */
function queuePanel({ timeline, queue }) {
	if (queue === null) return [];
	const values = timeline.map(({ t_s }) => (t_s > 0 ? (queue.backlog[t_s - 1] ?? null) : null));
	const backlog = panelSeries({ label: 'waiting in the queue', colour: tierColour('queue'), values, kind: 'area' }, count);
	return [
		{
			...overSeconds(timeline),
			id: 'queue',
			title: 'Backlog',
			caption: 'Accepted writes that wait in the queue.',
			series: [backlog],
			tick: count,
			height: 130,
		},
	];
}

/** @type {(result: Drawn) => Panel} */
function latencyPanel({ timeline }) {
	const line = (/** @type {string} */ label, /** @type {string} */ colour, /** @type {Exclude<keyof DrawnRow, 't_s'>} */ of) =>
		panelSeries({ label, colour, values: timeline.map((row) => row[of]) }, milliseconds);
	return {
		...overSeconds(timeline),
		id: 'latency',
		title: 'Latency',
		caption: 'Latency percentiles of successful requests, on a logarithmic axis. The dashed line includes failed requests.',
		series: [
			line('p50 of successful', '--percentile-50', 'latency_ms_p50_ok'),
			line('p95 of successful', '--percentile-95', 'latency_ms_p95_ok'),
			line('p99 of successful', '--percentile-99', 'latency_ms_p99_ok'),
			{ ...line('p95 of all', '--ink', 'latency_ms_p95'), stroke: 'dashed' },
		],
		tick: milliseconds,
		logarithmic: true,
		height: 170,
	};
}

/** @type {(result: Drawn) => Panel} */
function cpuPanel({ timeline, series, resources, machine, hosts }) {
	const strokeOf = strokesByTier();
	const tierOf = (/** @type {string} */ service) => ownOf(resources, service)?.tier ?? 'unattributed';
	const lines = inTierOrder(Object.keys(series.cpu_share), tierOf).map((service) => {
		const tier = tierOf(service);
		const values = series.cpu_share[service];
		const ofHost = hosts || ownOf(resources, service)?.cpu_quota_cores !== null ? null : machine.cores;
		const text = (/** @type {number} */ index) => cpuText(values[index], ofHost);
		return panelSeries({ label: service, colour: tierColour(tier), values, stroke: strokeOf(tier), text }, percent);
	});
	return {
		...overSeconds(timeline),
		id: 'cpu',
		title: 'CPU',
		caption:
			"CPU use of each service, as a share of its quota or of the host's cores. A service at 100 % is saturated. Without a quota, the legend shows cores; a single-threaded program is saturated at one core.",
		series: lines,
		...OF_MOST,
	};
}

/** @param {number | null | undefined} share @param {number | null} ofHost  cores, of which it is a share; null where it is one of a quota */
const cpuText = (share, ofHost) =>
	share === null || share === undefined || ofHost === null ? percent(share) : cores(Math.round(share * ofHost * CENTI) / CENTI);
const CENTI = 100;

/** @type {(result: Drawn) => Panel} */
function limitsPanel({ timeline, series }) {
	const strokeOf = strokesByTier();
	const lines = series.limits.filter(isUsed).map(({ label, tier, limit, unit, note, values: amounts }) => {
		const values = amounts.map((value) => (value === null || !limit ? null : value / limit));
		const text = (/** @type {number} */ index) => limitText(amounts[index], { limit, unit, note });
		return panelSeries({ label, colour: tierColour(tier), stroke: strokeOf(tier), values, amounts, text }, percent);
	});
	return {
		...overSeconds(timeline),
		id: 'limits',
		title: 'Limited resources',
		caption:
			'Resources as shares of their limits. At 100 %, new requests are refused or must wait. Resources without a known limit are not drawn; the legend shows their highest values. Resources below 5 % of their limit are left out.',
		series: lines,
		...OF_MOST,
	};
}

/** Some twenty limits are watched; the few that a run comes near to should be seen. */
const USED_SHARE = 0.05;

/** @param {Limit} limit */
export const isUsed = ({ limit, values }) => values.some((value) => value !== null && value > (limit ?? 0) * USED_SHARE);

/** @param {Panel['t_s']} t_s */
const common = (t_s) => ({ t_s, logarithmic: false, reference: /** @type {number | null} */ (null), marksStages: false });
/** @param {DrawnRow[]} timeline */
const overSeconds = (timeline) => common(timeline.map((row) => row.t_s));
/** Of lines that are each a share of what there is at most. */
const OF_MOST = { tick: percent, reference: 1, height: 160 };

/** @type {(value: number | null, of: Pick<Limit, 'limit' | 'unit' | 'note'>) => string} */
function limitText(value, { limit, unit, note }) {
	if (value === null || value === undefined) return MISSING;
	if (!limit) return `${amount(value)} ${unit}, ${note ?? 'limit not on record'}`;
	// A resource whose limit is 1 is a share already.
	if (limit === 1) return percent(value);
	const why = value > limit && note !== undefined ? `: ${note}` : '';
	return `${amount(value)} of ${count(limit)} (${percent(value / limit)}${why})`;
}

/**
 * @template T
 * @param {(number: number, tier: string) => T} styleOf  of a tier's line, from 0 on
 * @returns {(tier: string) => T} that of its next one
 */
function nextOfTier(styleOf) {
	/** @type {Map<string, number>} */
	const seen = new Map();
	return (tier) => {
		const number = (seen.get(tier) ?? -1) + 1;
		seen.set(tier, number);
		return styleOf(number, tier);
	};
}

/** The next stroke of that tier. */
const strokesByTier = () => nextOfTier((number) => STROKES[number % STROKES.length]);

/**
 * The panels of where requests stood, and of the answers under it on the same axis.
 *
 * @typedef {Pick<WireStanding, 'step_s' | 'from_s' | 'services' | 'edges' | 'good' | 'failed' | 'marks'>} DrawnStanding
 */

/** Of a request: a service with less was never seen. */
const SEEN_LEAST = 0.05;
/** Services of one tier share its colour, and are told apart by so many shades of it (assets/base.css). */
const SHADES = 4;

/** @param {Pick<Drawn, 'standing' | 'resources'>} drawn @returns {Panel[]} none where nothing was recorded */
export function standingPanels({ standing, resources }) {
	if (!standing) return [];
	const { step_s: step, from_s: from, services, good, failed, marks } = standing;
	// A step is reported at its end, as a second is; what is drawn begins at the first one's begin.
	const t_s = [from, ...good.map((_, at) => from + (at + 1) * step)];
	const shadeOf = shades();
	const series = (/** @type {string} */ label, /** @type {string} */ colour, /** @type {number[]} */ values, rest = {}) => ({
		...panelSeries({ label, colour, values: [values[0], ...values], kind: 'area', ...rest }, figure),
		amounts: [null, ...values],
		text: (/** @type {number} */ index) => (index === 0 ? MISSING : figure(values[index - 1])),
	});
	const seen = services.filter(({ standing: values }) => values.some((value) => value >= SEEN_LEAST));
	const shown = seen.length > 0 ? seen : services.slice(0, 1);
	const stepped = { ...common(t_s), isStepped: true };
	return [
		{
			...stepped,
			id: 'standing',
			title: 'Requests in flight',
			caption: `Requests being worked on in each service. Time spent waiting for another service counts there. Averages over ${figure(step)} s, entry service at the bottom.`,
			series: shown.map(({ name, standing: values }) =>
				series(name, shadeOf(ownOf(resources, name)?.tier ?? 'unattributed'), values, { isSolid: true }),
			),
			tick: figure,
			height: 250,
			marks,
			namesAreas: true,
		},
		{
			...stepped,
			id: 'standing-answers',
			title: 'Responses',
			caption: `Requests that ended in each ${figure(step)} s.`,
			series: [
				series('successful', '--calm', good, { isSolid: true }),
				...(failed.some((value) => value > 0) ? [series('failed', '--loss', failed, { hatched: true })] : []),
			],
			tick: count,
			height: 112,
			marks: marks.map((mark) => ({ ...mark, text: '' })),
		},
	];
}

/** The variable of the tier's next shade. */
const shades = () =>
	nextOfTier((number, tier) => (number % SHADES === 0 ? tierColour(tier) : `${tierColour(tier)}-${(number % SHADES) + 1}`));

/**
 * The panel that shows where the time of good answers went.
 *
 */

/**
 * @param {Pick<TimeLedger, 'parts' | 'series'>} ledger
 * @returns {Panel}
 */
export function timeLedgerPanel({ parts, series }) {
	const areas = parts.map(({ id, label, tier, waits }) =>
		panelSeries({ label, colour: tierColour(tier), values: series.parts[id] ?? [], kind: 'area', hatched: waits }, milliseconds),
	);
	const measured = panelSeries({ label: 'measured by k6', colour: '--ink', values: series.measured_ms, stroke: 'dashed' }, milliseconds);
	return {
		id: 'time-ledger',
		title: 'Mean latency of a successful request',
		caption:
			'Parts of the latency, in the order in which a request passes them. Hatched parts are waiting; plain parts are work. The dashed line is the latency that k6 measured. No part explains the gap to it.',
		...common(series.t_s),
		series: [...areas, measured],
		tick: milliseconds,
		height: 220,
	};
}

/*
 * The data of a chart as a table, a row for each second. The page's script writes it, from the data that the page holds already: as markup
 * these tables were two fifths of a report.
 */

/**
 * @param {Panel} panel
 * @returns {{ heads: string[], rows: string[][] }} the first cell of each row is its second
 */
export const chartTable = ({ t_s, series }) => ({
	heads: ['second', ...series.map(({ label }) => label)],
	rows: t_s.map((t, index) => [figure(t), ...series.map(({ text }) => text(index))]),
});
