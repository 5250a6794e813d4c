/** A calibration in a few lines, for the terminal. */

import { adapterFor } from '../adapters/registry.ts';
import type { PerTier } from '../catalog/budgets.ts';
import { metrics } from '../catalog/metrics.ts';
import { scenarios } from '../catalog/scenarios.ts';
import type { Judged } from '../diagnose/expectations.ts';
import type { Calibration } from '../options/calibration.ts';
import { costSpread, shareSpreads } from '../options/calibration.ts';
import type { Result, Wire, WireUrl } from '../record/types.js';
import type { Metric } from '../stats/metric.ts';
import { cores, count, FORMATS, figure, MISSING, milliseconds, moment, numeric, percent, plural, rate, withUnit } from './format.ts';

/** what a budget makes of it */
export type Use = {
	budget: string;
	/** in cores; empty when there are none */
	quotas: PerTier;
	/** of one node */
	capacity_rps: number | null;
	/** of 2,000 patient users */
	think_time_s: number | null;
	/** why the budget does not fit here, or null */
	refusal: string | null;
};

/** In the order in which a request meets them. */
const TIERS: [string, string][] = [
	['generator', 'generator'],
	['load-balancer', 'load balancer'],
	['app', 'app'],
	['database', 'database'],
];

export function formatCalibration({
	readings,
	uses,
	file,
}: {
	/** oldest first, of one machine and one set of images */
	readings: Calibration[];
	/** of the newest */
	uses: Use[];
	file: string;
}): string {
	return [
		'',
		`  CPU that a request costs here, two nodes behind ${adapterFor({ name: '', tier: 'load-balancer' })?.title}, without quotas:`,
		...readings.map(readingLine),
		...(readings.length > 1 ? spreadLines(readings) : []),
		'',
		...uses.map(useLine),
		'',
		`  kept in ${file}`,
		'',
	].join('\n');
}

/** @param demand in milliseconds of CPU */
const demandText = (demand: PerTier) => TIERS.map(([tier, name]) => `${name} ${milliseconds(demand[tier])}`).join(', ');

/** For a report's list of facts. */
export const calibrationText = ({ demand_ms: demand, measured, validity }: Calibration) =>
	`CPU a request: ${demandText(demand)} (${moment(measured)}${validity === 'VALID' ? '' : `, ${validity}`})`;

function readingLine({ measured, validity, demand_ms: demand, throughput_rps: rps }: Calibration) {
	return `  ${moment(measured)}: ${demandText(demand)}; ${rate(rps)}${validity === 'VALID' ? '' : ` (${validity})`}`;
}

function spreadLines(readings: Calibration[]) {
	const shares = shareSpreads(readings);
	const [[tier, name]] = TIERS.toSorted(([one], [other]) => shares[other] - shares[one]);
	return [
		`  the ${readings.length} latest differ by ${percent(costSpread(readings))} in what a request costs: this machine's speed, from which the think time follows;`,
		`  and by at most ${percent(shares[tier])} in a tier's share of that (${name}), from which the quotas follow`,
	];
}

function useLine({ budget, quotas, capacity_rps: rps, think_time_s: think, refusal }: Use) {
	if (refusal) return `  ${refusal}`;
	const given = TIERS.filter(([tier]) => quotas[tier] !== undefined).map(([tier, name]) => `${name} ${cores(quotas[tier])}`);
	const quotaText = given.length === 0 ? 'no quotas' : given.join(', ');
	return `  BUDGET=${budget}: ${quotaText}; one node serves about ${figure(rps)} rps, so LOAD=patient thinks for ${withUnit(think, 's')}`;
}

/**
 * What a run's scenario says of it: what one request is, who made the load, and which figures it has of its own.
 *
 */

/** What a run of a scenario that is gone is taken for. */
const UNKNOWN = 'documents';

export const scenarioOf = ({ scenario }: Pick<Result, 'scenario'>) => scenarios[Object.hasOwn(scenarios, scenario) ? scenario : UNKNOWN];

/** A program times no request and has no users: what is said of those is left out. */
export const isProgram = (result: Pick<Result, 'scenario'>) => scenarioOf(result).driver === 'program';

/** @returns null of an earlier result */
export const requestText = ({ load_facts: facts }: Pick<Result, 'load_facts'>): string | null =>
	facts ? `Requests of the load: ${facts.source}.` : null;

/** `WORKERS=20`, one for each variable of the architecture. */
export const variableTexts = ({ variables }: Pick<Result, 'variables'>) =>
	Object.entries(variables).map(([name, value]) => `${name}=${value}`);

/** The scenario's own figures; none where nothing was measured of any. */
export function scenarioFigures(result: Result): { id: string; label: string; text: string }[] {
	const { figures = {} } = result;
	const own = scenarioOf(result).figures;
	if (!own.some(({ id }) => typeof figures[id] === 'number')) return [];
	return own.map(({ id, label, unit }) => ({ id, label, text: FORMATS[unit](figures[id]) }));
}

/** The metrics that a run of this scenario can have; of a program those that it has. */
export function metricsOf(result: Result): Metric[] {
	const own = scenarioOf(result);
	const foreign = new Set(Object.values(scenarios).flatMap((scenario) => (scenario === own ? [] : scenario.figures.map(({ id }) => id))));
	return metrics.filter(({ id, read }) => !foreign.has(id) && !(isProgram(result) && read(result) === null));
}

export const THRESHOLD_COLUMNS = ['Threshold', 'Verdict', 'Reason'];

/** @returns a text for each column */
export const thresholdRows = (judged: Judged[]): string[][] =>
	judged.map(({ text, verdict, reason, doubts }) => [
		text,
		verdict === 'met' && doubts.length > 0 ? `${verdict}, in doubt` : verdict,
		[reason, ...doubts.map((doubt) => `in doubt: ${doubt}`)].join('; '),
	]);

/**
 * Requests by what they asked for, as rows of tables, for the page and for Markdown.
 *
 */

export const URL_COLUMNS = ['URL', numeric('Requests'), numeric('Failed'), numeric('p50'), numeric('p95'), 'Calls per request'];

export const EDGE_COLUMNS = [
	'Edge',
	'URL',
	numeric('Calls per request'),
	numeric('In calm seconds'),
	numeric('Time per request'),
	numeric('Ambiguous'),
];

export const URL_CAPTION =
	'Requests of the load at the entry, and the calls behind them. A call is matched to its request by an id that both carry, or by the order of their times.';

export const urlName = ({ verb, template }: Pick<WireUrl, 'verb' | 'template'>) => [verb, template].filter(Boolean).join(' ') || 'others';

/** @returns a text for each column */
export const urlRows = (urls: WireUrl[]): string[][] =>
	urls.map((url) => [
		urlName(url),
		count(url.count),
		count(url.failed),
		milliseconds(url.time_ms.p50),
		milliseconds(url.time_ms.p95),
		url.edges.map(({ from, to, calls_per_request: calls }) => `${from} → ${to} ${figure(calls)}`).join(', ') || MISSING,
	]);

export const urlEdgeRows = (urls: WireUrl[]): string[][] =>
	urls.flatMap((url) =>
		url.edges.map((edge) => [
			`${edge.from} → ${edge.to}`,
			urlName(url),
			figure(edge.calls_per_request),
			figure(edge.calls_per_request_calm),
			milliseconds(edge.time_ms_per_request),
			percent(edge.ambiguous_share),
		]),
	);

/** How safely calls were joined. */
export function joinNotes({ joins = [], networks }: Wire): string[] {
	const isComplete = networks.every(({ packets, dropped }) => packets !== null && dropped === 0);
	const hasOrder = joins.some(({ by_order: byOrder }) => byOrder > 0);
	return [
		...joins.map(joinNote),
		...(hasOrder && !isComplete ? ['The record misses packets, so some calls may have been matched to the wrong request'] : []),
	];
}

function joinNote({ from, to, calls, by_id: byId, by_order: byOrder, ambiguous }: NonNullable<Wire['joins']>[number]) {
	const joined = byId + byOrder;
	const counts: string[] = [];
	if (byId > 0) counts.push(`${count(byId)} by id`);
	if (byOrder > 0) counts.push(`${count(byOrder)} by order`);
	if (ambiguous > 0) counts.push(`and ${percent(ambiguous / joined)} of all matched calls could also belong to another request`);
	return `${from} → ${to}: ${plural(calls, 'call')} in the whole recording. Matched to requests: ${counts.join(', ') || 'none'}`;
}
