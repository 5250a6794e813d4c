/**
 * The panels on the shared time axis: which lines each has, how they are drawn and how a value is said in words. The
 * page takes its captions and legends from here, the script in the page its charts and their tables.
 */

import { ownOf } from '../base/values.ts';
import type { Limit, Result, TimeLedger, WireStanding } from '../record/types.js';
import {
	amount,
	cores,
	count,
	figure,
	inTierOrder,
	MISSING,
	milliseconds,
	percent,
	plural,
	rate,
	tierColour,
	tierTitle,
} from './format.ts';

/** what the panels are made of, and no more of a result than that */
export type Drawn = {
	timeline: DrawnRow[];
	series: Result['series'];
	metrics: Pick<Result['metrics'], 'failures'>;
	queue: Pick<NonNullable<Result['queue']>, 'backlog'> | null;
	resources: Record<string, Pick<Result['resources'][string], 'tier' | 'cpu_quota_cores'>>;
	machine: Pick<Result['machine'], 'cores'>;
	/** where there are several */
	hosts?: { name: string }[];
	time_ledger: Pick<TimeLedger, 'parts' | 'series'> | null;
	stages: DrawnStage[];
	faults: DrawnFault[];
	standing?: DrawnStanding | null;
	latency_grid?: Result['latency_grid'];
};

export type DrawnRow = Pick<
	Result['timeline'][number],
	't_s' | 'vus' | 'throughput_rps' | 'goodput_rps' | 'latency_ms_p50_ok' | 'latency_ms_p95_ok' | 'latency_ms_p99_ok' | 'latency_ms_p95'
>;

export type DrawnStage = Pick<Result['stages'][number], 'from_s' | 'target' | 'held' | 'unit'>;

export type DrawnFault = Pick<Result['faults'][number], 'began_s' | 'ended_s'>;

export type PanelSeries = {
	label: string;
	/** name of a CSS variable */
	colour: string;
	/** as drawn; areas are stacked on each other in their order */
	values: (number | null)[];
	/** what the highest second is found by, where it is not what is drawn */
	amounts: (number | null)[];
	/** what is to be said of one second */
	text: (index: number) => string;
	/** cells: a row of a grid of counts */
	kind: 'line' | 'area' | 'cells';
	hatched: boolean;
	/** an area in its full colour, where it is what the picture is about */
	isSolid?: boolean;
	stroke: 'solid' | 'dashed' | 'dotted';
	/** a level that lasts until it is next measured: seconds without a value leave no gap */
	bridged: boolean;
	/** drawn as a band around a line */
	range: { low: (number | null)[]; high: (number | null)[] } | null;
	/** of cells: how many of each value failed */
	failed?: (number | null)[];
};

export type Panel = {
	id: string;
	title: string;
	/** what to see in it */
	caption: string;
	t_s: number[];
	series: PanelSeries[];
	tick: (value: number) => string;
	logarithmic: boolean;
	/** a value that gets a line of its own */
	reference: number | null;
	/** of the plot in CSS pixels */
	height: number;
	/** stages are named above it */
	marksStages: boolean;
	/** a value holds from the second before to its own */
	isStepped?: boolean;
	/** what happened, as lines with a number; texts where they fit */
	marks?: { t_s: number; kind: string; text: string }[];
	/** of cells: what is between their rows, the lowest first, and how many values each of them is for */
	grid?: { edges: number[]; step: number };
	/** areas have their names in them where they are large enough */
	namesAreas?: boolean;
};

/** Lines of one tier are told apart by their stroke, since they share its colour. */
const STROKES = ['solid', 'dashed', 'dotted'] as const;

/** @returns from top to bottom */
export function timelinePanels(result: Drawn): Panel[] {
	// How many users an arrival rate keeps waiting is no part of the load.
	const isOfUsers = result.stages.every(({ unit }) => unit === 'users');
	const all = [
		...[throughputPanel(result), ...queuePanel(result), latencyPanel(result), ...latencyGridPanel(result)],
		...[cpuPanel(result), limitsPanel(result)],
	];
	const panels = [...(isOfUsers ? [usersPanel(result)] : []), ...all].filter(({ series }) => series.some(isMeasured));
	return panels.map((panel, index) => ({ ...panel, marksStages: index === 0 }));
}

export function panelSeries(
	given: Pick<PanelSeries, 'label' | 'colour' | 'values'> & Partial<PanelSeries>,
	format: (value: number | null) => string,
): PanelSeries {
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

export const isMeasured = (series: PanelSeries) => series.values.some((value) => value !== null && value !== undefined);

/**
 * The second of the load in which a series is highest: what a legend says while no second is pointed at.
 * @returns index, or -1 when nothing was measured
 */
export function peakIndex({ amounts }: PanelSeries, seconds: Panel['t_s']): number {
	let peak = -1;
	for (const [index, value] of amounts.entries()) {
		if (value !== null && seconds[index] > 0 && (peak < 0 || value > (amounts[peak] as number))) peak = index;
	}
	return peak;
}

function usersPanel({ timeline }: Drawn): Panel {
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
	' The dashed line is the highest rate that users and CPU allow. It is computed from the CPU cost per request in the least busy stage.';
/** A bound that is as many times as high as the highest second would press what was measured flat: it is not drawn. */
const BOUND_TIMES = 2;

function throughputPanel({ timeline, series, metrics, queue }: Drawn): Panel {
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

function throughputCaption(hasFailed: boolean, isQueued: boolean): string {
	const failures = ' Failed requests are hatched and stacked on top, one layer for each tier where they failed.';
	if (isQueued) return `Completed writes per second. An accepted write counts only when it is completed.${hasFailed ? failures : ''}`;
	return hasFailed
		? `Finished requests per second. Successful requests are at the bottom.${failures}`
		: 'Finished requests per second. All requests succeeded.';
}

/** none where no queue takes what users ask for */
function queuePanel({ timeline, queue }: Drawn): Panel[] {
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

function latencyPanel({ timeline }: Drawn): Panel {
	const line = (
		label: string,
		colour: string,
		of: Exclude<keyof DrawnRow, 't_s'>,
		ended: 'goodput_rps' | 'throughput_rps' = 'goodput_rps',
	) => {
		const values = timeline.map((row) => row[of]);
		// A second without a request has no latency: that is known, where a dash says that it was not measured.
		const text = (index: number) => (values[index] === null && timeline[index][ended] === 0 ? NO_REQUESTS : milliseconds(values[index]));
		return panelSeries({ label, colour, values, text }, milliseconds);
	};
	return {
		...overSeconds(timeline),
		id: 'latency',
		title: 'Latency',
		caption: 'Latency percentiles of successful requests, on a logarithmic axis. The dashed line includes failed requests.',
		series: [
			line('p50 of successful', '--percentile-50', 'latency_ms_p50_ok'),
			line('p95 of successful', '--percentile-95', 'latency_ms_p95_ok'),
			line('p99 of successful', '--percentile-99', 'latency_ms_p99_ok'),
			{ ...line('p95 of all', '--ink', 'latency_ms_p95', 'throughput_rps'), stroke: 'dashed' },
		],
		tick: milliseconds,
		logarithmic: true,
		height: 170,
	};
}

/** @returns with the unit once where both have the same */
function rangeText(from: number, to: number): string {
	const [low, high] = [milliseconds(from), milliseconds(to)];
	const [unit] = /\D+$/.exec(high) ?? [''];
	return `${low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}

const NO_REQUESTS = plural(0, 'request');

/** CSS pixels: a row of the grid holds the name of its edge, and what is around the rows. */
const [ROW_HEIGHT, AROUND_ROWS] = [15, 34];

/** none where no single request is on record */
function latencyGridPanel({ timeline, latency_grid: grid }: Drawn): Panel[] {
	if (!grid) return [];
	const { step_s: step, edges_ms: edges, good, failed } = grid;
	const columns = timeline.map(({ t_s }) => (t_s > 0 ? Math.ceil(t_s / step) - 1 : null));
	const valuesOf = (row?: number[]) => columns.map((column) => (column === null ? null : (row?.[column] ?? 0)));
	const series = good.map((row, at) => {
		const lost = valuesOf(failed[at]);
		const values = valuesOf(row).map((value, index) => (value === null ? null : value + (lost[index] ?? 0)));
		const text = (index: number) => (lost[index] ? `${count(values[index])} (${count(lost[index])} failed)` : count(values[index]));
		const label = rangeText(edges[at], edges[at + 1]);
		return { ...panelSeries({ label, colour: '--accent', values, kind: 'cells', text }, count), failed: lost };
	});
	const per = step === 1 ? 'second' : `${step} seconds`;
	const failures = failed.length > 0 ? ' The hatched part of a cell is its failed requests.' : '';
	return [
		{
			...overSeconds(timeline),
			id: 'latency-grid',
			title: 'Requests by latency',
			caption: `Finished requests of each ${per}, counted by latency. A stronger colour means more requests; the scale is logarithmic.${failures}`,
			series,
			tick: milliseconds,
			height: good.length * ROW_HEIGHT + AROUND_ROWS,
			grid: { edges, step },
		},
	];
}

function cpuPanel({ timeline, series, resources, machine, hosts }: Drawn): Panel {
	const strokeOf = strokesByTier();
	const tierOf = (service: string) => ownOf(resources, service)?.tier ?? 'unattributed';
	const lines = inTierOrder(Object.keys(series.cpu_share), tierOf).map((service) => {
		const tier = tierOf(service);
		const values = series.cpu_share[service];
		const ofHost = hosts || ownOf(resources, service)?.cpu_quota_cores !== null ? null : machine.cores;
		const text = (index: number) => cpuText(values[index], ofHost);
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

/** @param ofHost cores, of which it is a share; null where it is one of a quota */
const cpuText = (share: number | null | undefined, ofHost: number | null) =>
	share === null || share === undefined || ofHost === null ? percent(share) : cores(Math.round(share * ofHost * CENTI) / CENTI);
const CENTI = 100;

function limitsPanel({ timeline, series }: Drawn): Panel {
	const strokeOf = strokesByTier();
	const lines = series.limits.filter(isUsed).map(({ label, tier, limit, unit, note, values: amounts }) => {
		const values = amounts.map((value) => (value === null || !limit ? null : value / limit));
		const text = (index: number) => limitText(amounts[index], { limit, unit, note });
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

export const isUsed = ({ limit, values }: Limit) => values.some((value) => value !== null && value > (limit ?? 0) * USED_SHARE);

const common = (t_s: Panel['t_s']) => ({ t_s, logarithmic: false, reference: null as number | null, marksStages: false });
const overSeconds = (timeline: DrawnRow[]) => common(timeline.map((row) => row.t_s));
/** Of lines that are each a share of what there is at most. */
const OF_MOST = { tick: percent, reference: 1, height: 160 };

function limitText(value: number | null, { limit, unit, note }: Pick<Limit, 'limit' | 'unit' | 'note'>): string {
	if (value === null || value === undefined) return MISSING;
	if (!limit) return `${amount(value)} ${unit}, ${note ?? 'limit not on record'}`;
	// A resource whose limit is 1 is a share already.
	if (limit === 1) return percent(value);
	const why = value > limit && note !== undefined ? `: ${note}` : '';
	return `${amount(value)} of ${count(limit)} (${percent(value / limit)}${why})`;
}

/**
 * @param styleOf of a tier's line, from 0 on
 * @returns that of its next one
 */
function nextOfTier<T>(styleOf: (number: number, tier: string) => T): (tier: string) => T {
	const seen: Map<string, number> = new Map();
	return (tier) => {
		const number = (seen.get(tier) ?? -1) + 1;
		seen.set(tier, number);
		return styleOf(number, tier);
	};
}

/** The next stroke of that tier. */
const strokesByTier = () => nextOfTier((number) => STROKES[number % STROKES.length]);

/** The panels of where requests stood, and of the answers under it on the same axis. */
export type DrawnStanding = Pick<WireStanding, 'step_s' | 'from_s' | 'services' | 'edges' | 'good' | 'failed' | 'marks'>;

/** Of a request: a service with less was never seen. */
const SEEN_LEAST = 0.05;
/** Services of one tier share its colour, and are told apart by so many shades of it (assets/base.css). */
const SHADES = 4;

/** @returns none where nothing was recorded */
export function standingPanels({ standing, resources }: Pick<Drawn, 'standing' | 'resources'>): Panel[] {
	if (!standing) return [];
	const { step_s: step, from_s: from, services, good, failed, marks } = standing;
	// A step is reported at its end, as a second is; what is drawn begins at the first one's begin.
	const t_s = [from, ...good.map((_, at) => from + (at + 1) * step)];
	const shadeOf = shades();
	const series = (label: string, colour: string, values: number[], rest = {}) => ({
		...panelSeries({ label, colour, values: [values[0], ...values], kind: 'area', ...rest }, figure),
		amounts: [null, ...values],
		text: (index: number) => (index === 0 ? MISSING : figure(values[index - 1])),
	});
	const seen = services.filter(({ standing: values }) => values.some((value) => value >= SEEN_LEAST));
	const shown = seen.length > 0 ? seen : services.slice(0, 1);
	const stepped = { ...common(t_s), isStepped: true };
	return [
		{
			...stepped,
			id: 'standing',
			title: 'Requests in flight',
			caption: `Requests in each service. Each request counts in the service that works on it. Each value is a mean over ${figure(step)} s. The entry service is at the bottom.`,
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

export function timeLedgerPanel(
	{ parts, series }: Pick<TimeLedger, 'parts' | 'series'>,
	timeline: Pick<DrawnRow, 't_s' | 'goodput_rps'>[],
): Panel {
	const empty = new Set(timeline.flatMap(({ t_s, goodput_rps: good }) => (good === 0 ? t_s : [])));
	const textOf = (values: (number | null)[]) => (index: number) =>
		values[index] === null && empty.has(series.t_s[index]) ? NO_REQUESTS : milliseconds(values[index]);
	const areas = parts.map(({ id, label, tier, waits }) => {
		const values = series.parts[id] ?? [];
		return panelSeries({ label, colour: tierColour(tier), values, kind: 'area', hatched: waits, text: textOf(values) }, milliseconds);
	});
	const { measured_ms: values } = series;
	const measured = panelSeries({ label: 'measured by k6', colour: '--ink', values, stroke: 'dashed', text: textOf(values) }, milliseconds);
	return {
		id: 'time-ledger',
		title: 'Mean latency of a successful request',
		caption:
			'Parts of the latency, in the order in which a request passes them. Hatched parts are waiting; plain parts are work. The dashed line is the latency that k6 measured. The gap between the parts and the line is unexplained.',
		...common(series.t_s),
		series: [...areas, measured],
		tick: milliseconds,
		height: 220,
	};
}
