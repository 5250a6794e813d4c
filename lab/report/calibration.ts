/**
 * A calibration in a few lines, for the terminal.
 *
 * @typedef {object} Use   what a budget makes of it
 * @property {string} budget
 * @property {PerTier} quotas  in cores; empty when there are none
 * @property {number | null} capacity_rps  of one node
 * @property {number | null} think_time_s  of 2,000 patient users
 * @property {string | null} refusal       why the budget does not fit here, or null
 *
 * @import { PerTier } from '../catalog/budgets.ts'
 * @import { Metric } from '../catalog/metrics.ts'
 * @import { Calibration } from '../options/calibration.ts'
 * @import { Result, Wire, WireUrl } from '../record/types.js'
 */

import { adapterFor } from '../adapters/registry.ts';
import { metrics } from '../catalog/metrics.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { costSpread, shareSpreads } from '../options/calibration.ts';
import { cores, count, FORMATS, figure, MISSING, milliseconds, moment, numeric, percent, plural, rate, withUnit } from './format.ts';

/** In the order in which a request meets them. @type {[string, string][]} */
const TIERS = [
	['generator', 'generator'],
	['load-balancer', 'load balancer'],
	['app', 'app'],
	['database', 'database'],
];

/**
 * @param {object} found
 * @param {Calibration[]} found.readings  oldest first, of one machine and one set of images
 * @param {Use[]} found.uses  of the newest
 * @param {string} found.file
 * @returns {string}
 */
export function formatCalibration({ readings, uses, file }) {
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

/** @param {PerTier} demand in milliseconds of CPU */
const demandText = (demand) => TIERS.map(([tier, name]) => `${name} ${milliseconds(demand[tier])}`).join(', ');

/** For a report's list of facts. @param {Calibration} calibration */
export const calibrationText = ({ demand_ms: demand, measured, validity }) =>
	`CPU a request: ${demandText(demand)} (${moment(measured)}${validity === 'VALID' ? '' : `, ${validity}`})`;

/** @param {Calibration} reading */
function readingLine({ measured, validity, demand_ms: demand, throughput_rps: rps }) {
	return `  ${moment(measured)}: ${demandText(demand)}; ${rate(rps)}${validity === 'VALID' ? '' : ` (${validity})`}`;
}

/** @param {Calibration[]} readings */
function spreadLines(readings) {
	const shares = shareSpreads(readings);
	const [[tier, name]] = TIERS.toSorted(([one], [other]) => shares[other] - shares[one]);
	return [
		`  the ${readings.length} latest differ by ${percent(costSpread(readings))} in what a request costs: this machine's speed, from which the think time follows;`,
		`  and by at most ${percent(shares[tier])} in a tier's share of that (${name}), from which the quotas follow`,
	];
}

/** @param {Use} use */
function useLine({ budget, quotas, capacity_rps: rps, think_time_s: think, refusal }) {
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

/** @param {Pick<Result, 'scenario'>} result */
export const scenarioOf = ({ scenario }) => scenarios[Object.hasOwn(scenarios, scenario) ? scenario : UNKNOWN];

/** A program times no request and has no users: what is said of those is left out. @param {Pick<Result, 'scenario'>} result */
export const isProgram = (result) => scenarioOf(result).driver === 'program';

/** @param {Pick<Result, 'load_facts'>} result @returns {string | null} null of an earlier result */
export const requestText = ({ load_facts: facts }) => (facts ? `Requests of the load: ${facts.source}.` : null);

/** `WORKERS=20`, one for each variable of the architecture. @param {Pick<Result, 'variables'>} result */
export const variableTexts = ({ variables }) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);

/**
 * The scenario's own figures; none where nothing was measured of any.
 * @param {Result} result
 * @returns {{ id: string, label: string, text: string }[]}
 */
export function scenarioFigures(result) {
	const { figures = {} } = result;
	const own = scenarioOf(result).figures;
	if (!own.some(({ id }) => typeof figures[id] === 'number')) return [];
	return own.map(({ id, label, unit }) => ({ id, label, text: FORMATS[unit](figures[id]) }));
}

/**
 * The metrics that a run of this scenario can have; of a program those that it has.
 * @param {Result} result
 * @returns {Metric[]}
 */
export function metricsOf(result) {
	const own = scenarioOf(result);
	const foreign = new Set(Object.values(scenarios).flatMap((scenario) => (scenario === own ? [] : scenario.figures.map(({ id }) => id))));
	return metrics.filter(({ id, read }) => !foreign.has(id) && !(isProgram(result) && read(result) === null));
}

export const THRESHOLD_COLUMNS = ['Threshold', 'Verdict', 'Reason'];

/** @param {import('../diagnose/expectations.ts').Judged[]} judged @returns {string[][]} a text for each column */
export const thresholdRows = (judged) =>
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

/** @param {Pick<WireUrl, 'verb' | 'template'>} url */
export const urlName = ({ verb, template }) => [verb, template].filter(Boolean).join(' ') || 'others';

/** @param {WireUrl[]} urls @returns {string[][]} a text for each column */
export const urlRows = (urls) =>
	urls.map((url) => [
		urlName(url),
		count(url.count),
		count(url.failed),
		milliseconds(url.time_ms.p50),
		milliseconds(url.time_ms.p95),
		url.edges.map(({ from, to, calls_per_request: calls }) => `${from} → ${to} ${figure(calls)}`).join(', ') || MISSING,
	]);

/** @param {WireUrl[]} urls @returns {string[][]} */
export const urlEdgeRows = (urls) =>
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

/** How safely calls were joined. @param {Wire} wire @returns {string[]} */
export function joinNotes({ joins = [], networks }) {
	const isComplete = networks.every(({ packets, dropped }) => packets !== null && dropped === 0);
	const hasOrder = joins.some(({ by_order: byOrder }) => byOrder > 0);
	return [
		...joins.map(joinNote),
		...(hasOrder && !isComplete ? ['The record misses packets, so some calls may have been matched to the wrong request'] : []),
	];
}

/** @param {NonNullable<Wire['joins']>[number]} joined */
function joinNote({ from, to, calls, by_id: byId, by_order: byOrder, ambiguous }) {
	const joined = byId + byOrder;
	/** @type {string[]} */
	const counts = [];
	if (byId > 0) counts.push(`${count(byId)} by id`);
	if (byOrder > 0) counts.push(`${count(byOrder)} by order`);
	if (ambiguous > 0) counts.push(`${percent(ambiguous / joined)} of these could also belong to another request`);
	return `${from} → ${to}: ${plural(calls, 'call')} in the whole recording; matched to their requests: ${counts.join(', ') || 'none'}`;
}
