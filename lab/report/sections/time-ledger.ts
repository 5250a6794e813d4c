/** Where the time of good answers went, over time and by stage. */

import { ownOf } from '../../base/values.ts';
import type { Result, Stage, StageBottleneck, TimeLedger, WireTime } from '../../record/types.js';
import { isProgram } from '../calibration.ts';
import { doubtMark } from '../doubts.ts';
import { count, figure, inTierOrder, MISSING, milliseconds, numeric, percent, plural, rate, tierColour } from '../format.ts';
import { type Html, html } from '../html.ts';
import { isMeasured, type Panel, type PanelSeries, peakIndex, timeLedgerPanel } from '../panels.ts';
import { dataTable, table } from '../table.ts';
import { section, stageTarget, tierChip } from './parts.ts';

/**
 * A panel as it stands in the page: caption, legend, room for the chart and for its table. The script draws the chart, writes the table and
 * moves the legend's values with the cursor; until then, and without a script, the legend says the highest values.
 *
 */

export const chartFigure = ({ id, title, caption, series, t_s, height }: Panel) => html`<figure class="chart" data-panel="${id}">
<figcaption><b>${title}.</b> ${caption}</figcaption>
<ul class="legend"><li class="at">highest</li>${series.map((each) => legendItem(each, t_s))}</ul>
<div class="plot" style="height: ${height}px" tabindex="0" role="group" aria-label="Chart: ${title}. Left and right arrow keys move the cursor."></div>
<details class="data"><summary>Table</summary><div class="scroll" tabindex="0" role="region" aria-label="Data of the chart ${title}"><p class="fine">JavaScript fills this table, with one row for each second.</p></div></details>
</figure>
`;

function legendItem(series: PanelSeries, t_s: Panel['t_s']): Html {
	const peak = peakIndex(series, t_s);
	const swatch = `swatch ${series.kind} ${series.stroke}${series.hatched ? ' hatched' : ''}${series.isSolid ? ' full' : ''}`;
	// Of what has no line there is none to be found by its look, nor of a row of cells.
	return html`<li>${series.kind !== 'cells' && isMeasured(series) && html`<span class="${swatch}" style="--c: var(${series.colour})"></span>`}<span class="name">${series.label}</span><span class="value">${peak < 0 ? MISSING : series.text(peak)}</span></li>`;
}

/**
 * Where the time of good requests went by the wire: a bar for each service that they passed, and one for each edge.
 *
 */

/** Of a time, from which on a reader is told that another request would fit as well; below it no bar looks different. */
const AMBIGUOUS_LEAST = 0.01;

function wireTimeFigure({ requests, mean_ms: mean, services, edges }: WireTime) {
	const notes = edges.flatMap(notesOf);
	return html`<figure class="stage-bars">
<figcaption><b>Mean latency by service and by call.</b> Means over ${plural(requests, 'successful request')}. The entry service answered after ${milliseconds(mean)} on average. The bar of a service excludes its calls to other services. The bars of all services add up to the average above. The bar of a call is the time of all such calls, averaged per request. It includes the services behind the callee.</figcaption>
<div class="bars named">${services.map(({ service, tier, ms }) => bar(service, tier, ms, mean))}</div>
<div class="bars named">${edges.filter(({ calls_per_request: calls }) => calls > 0).map(({ from, to, tier, ms }) => bar(`${from} → ${to}`, tier, ms, mean))}</div>
${dataTable(
	'Time by service and edge',
	[
		{ title: 'Service or edge' },
		numeric('Time per request'),
		numeric('Share'),
		numeric('Calls per request'),
		numeric('Ambiguous'),
		numeric('Not matched'),
	],
	[
		...services.map(({ service, ms, share, ambiguous_share: ambiguous }) => [
			service,
			milliseconds(ms),
			percent(share),
			'',
			percent(ambiguous),
			'',
		]),
		...edges.map((edge) => [
			`${edge.from} → ${edge.to}`,
			milliseconds(edge.ms),
			'',
			figure(edge.calls_per_request),
			percent(edge.ambiguous_share),
			plural(edge.unjoined, 'call'),
		]),
	],
)}
${notes.length > 0 && html`<ul class="fine untold">${notes.map((text) => html`<li>${text}</li>`)}</ul>`}
</figure>
`;
}

function bar(name: string, tier: string, ms: number, whole: number) {
	const width = `${(whole > 0 ? Math.min(100, (ms / whole) * 100) : 0).toFixed(1)}%`;
	return html`<div class="bar"><span class="target">${name}</span><span class="track"><span class="piece" style="width:${width};--c:var(${tierColour(tier)})"></span></span><span class="sum">${milliseconds(ms)}</span></div>`;
}

/** How much of it is not safely a request's. */
function notesOf({ from, to, ms, ambiguous_share: ambiguous, unjoined, unjoined_ms: unjoinedMs }: WireTime['edges'][number]): string[] {
	const doubted =
		ambiguous >= AMBIGUOUS_LEAST && ms > 0
			? [`${from} → ${to}: calls that could also belong to another request take ${percent(ambiguous)} of the time.`]
			: [];
	const left =
		unjoined > 0
			? [
					`${from} → ${to}: ${plural(unjoined, 'call')} could not be matched to a request. ${unjoined === 1 ? 'It' : 'They'} accounted for at most ${milliseconds(unjoinedMs)} of the time of a request in ${from}.`,
				]
			: [];
	return [...doubted, ...left];
}

export function timeLedgerSection(result: Result) {
	const { time_ledger, time_untold: unreported, stages, wire } = result;
	if (isProgram(result)) return null;
	if (!time_ledger && !wire?.time && unreported.length === 0) return null;
	const onWire = wire?.time ? wireTimeFigure(wire.time) : null;
	return section('time', html`Latency by service${doubtMark(result, ['hop-times'])}`, [
		...(time_ledger
			? [chartFigure(timeLedgerPanel(time_ledger, result.timeline)), stageFigure(time_ledger, stages), checkLine(time_ledger)]
			: []),
		onWire,
		unreportedList(unreported),
	]);
}

/** Services whose time is in that of another, and what would tell it. */
const unreportedList = (texts: string[]) =>
	texts.length > 0 && html`<ul class="fine untold">${texts.map((text) => html`<li>${text}.</li>`)}</ul>`;

function checkLine({ check, parts, source }: TimeLedger) {
	if (parts.some(({ id }) => id === 'loop') && !parts.some(({ id }) => id === 'balancer'))
		return html`<p class="fine">A node sees a request only after reading it. The time before that counts as waiting for its event loop, so the sum of the parts cannot be checked.</p>`;
	const times = source === 'wire' && 'Times are those of calls on the network. ';
	return html`<p class="fine">${times}Over the whole load, the parts add up to ${milliseconds(check.sum_ms)}; k6 measured ${milliseconds(check.measured_ms)}. The difference is ${percent(Math.abs(check.gap_fraction))}.</p>`;
}

function stageFigure(ledger: TimeLedger, loadStages: Result['stages']) {
	const { parts, stages } = ledger;
	// Only the load's own stages know whether a target is moved to or held.
	const names = stages.map(({ target }, index) => (loadStages[index]?.target === target ? stageTarget(loadStages[index]) : count(target)));
	const longest = Math.max(...stages.map((stage) => stageSum(ledger, stage)));
	return html`<figure class="stage-bars">
<figcaption><b>Mean latency by stage.</b> The length of a bar is the mean latency of a successful request. Colours are as above; hatched parts are waiting.</figcaption>
<div class="bars">${stages.map((stage, index) => stageBar(ledger, stage, names[index], longest))}</div>
${dataTable(
	'Mean latency of a successful request by stage',
	[{ title: 'Part' }, ...names.map(numeric)],
	[
		...parts.map(({ id, label, waits }) => [
			`${label}${waits ? ' (waiting)' : ''}`,
			...stages.map((stage) => milliseconds(stage.parts[id])),
		]),
		['measured by k6', ...stages.map(({ measured_ms }) => milliseconds(measured_ms))],
	],
)}
</figure>
`;
}

function stageBar(ledger: TimeLedger, stage: TimeLedger['stages'][number], name: string, longest: number): Html {
	const pieces = ledger.parts.map(({ id, label, tier, waits }) => {
		const share = longest > 0 ? (stage.parts[id] ?? 0) / longest : 0;
		const width = `${(share * 100).toFixed(1)}%`;
		return html`<span class="piece${waits && ' hatched'}" style="width:${width};--c:var(${tierColour(tier)})" title="${label}: ${milliseconds(stage.parts[id])}"></span>`;
	});
	return html`<div class="bar"><span class="target">${name}</span><span class="track">${pieces}</span><span class="sum">${milliseconds(stage.measured_ms ?? stageSum(ledger, stage))}</span></div>`;
}

/** length of the bar */
const stageSum: (ledger: TimeLedger, stage: TimeLedger['stages'][number]) => number = ({ parts }, stage) =>
	parts.reduce((sum, { id }) => sum + (stage.parts[id] ?? 0), 0);

/**
 * The tier that binds in each stage: a load that grows meets one limit after the other.
 *
 */

export function bottleneckSection(result: Result) {
	const { bottleneck_by_stage: rows, stages, resources } = result;
	if (rows.length === 0) return null;
	const nameOf = (at: number) => html`<span class="whole">${stageTarget(stages[at])} ${stages[at].unit}</span>`;
	return section(
		'bottleneck',
		html`Bottleneck by stage${doubtMark(result, ['bottleneck'])}`,
		html`<p class="lead">The bottleneck of a stage is the tier that was at a limit for most of it. The upper bound is the smaller of two rates: the rate that the load offers, and the rate that the CPU allows. The CPU rate uses the CPU cost per request of the least busy stage. If the measured rate is far below the bound, neither the load nor the CPU limited it. Failures cost less CPU, so a stage with failures can exceed the bound.</p>
${table(
	'Bottleneck by stage',
	[{ title: 'Stage' }, numeric('Measured'), numeric('Upper bound'), { title: 'Bottleneck' }, { title: 'Evidence' }],
	rows.map((row, at) => [nameOf(at), rate(row.measured_rps), rate(row.bound_rps), bindingText(row), evidence(row)]),
	{ isCards: true },
)}
${costTable(stages, resources, nameOf)}`,
	);
}

function bindingText({ tier, service, what }: StageBottleneck) {
	return tier === null ? what : html`${tierChip(tier)} ${service}: ${what}`;
}

const evidence = ({ evidence: texts }: StageBottleneck) =>
	texts.length > 0 && html`<ul class="evidence">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

function costTable(stages: Stage[], resources: Result['resources'], nameOf: (at: number) => Html): Html {
	const measured = [...new Set(stages.flatMap(({ cpu_ms_per_request: cost }) => Object.keys(cost)))];
	const services = inTierOrder(measured, (service) => ownOf(resources, service)?.tier ?? 'unattributed');
	return html`<p class="lead">CPU time per finished request in each service, including failed requests.</p>
${table(
	'CPU time per finished request by stage',
	[{ title: 'Stage' }, ...services.map((service) => numeric(service))],
	stages.map(({ cpu_ms_per_request: cost }, at) => [nameOf(at), ...services.map((service) => milliseconds(cost[service]))]),
	{ isCards: true },
)}`;
}
