/**
 * The figures by which runs are compared, beside what the source of the architecture published, then the scenario's own,
 * the bottleneck and the doubts.
 */

import { grouped, ownOf } from '../../base/values.ts';
import type { Result, Stage, UserTimePart } from '../../record/types.js';
import { isProgram, scenarioFigures, scenarioOf } from '../calibration.ts';
import { clientText } from '../client-words.ts';
import type { StatementKind } from '../doubts.ts';
import { doubtMark, metricMark } from '../doubts.ts';
import { count, duration, figure, inTierOrder, milliseconds, numeric, percent, plural, rate, ratio, tierTitle } from '../format.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';
import { dataTable, table } from '../table.ts';
import { queueText } from '../wire-beside-rows.ts';
import { dataDoubts, failureAnchor, section, stageTarget, tierChip } from './parts.ts';

type HeadlineFigure = {
	/** of the metric */
	id: string;
	label: string;
	measured: number | null;
	published: number | null;
	/** measured as the source measured it, where that is something else */
	asPublished?: number | null;
	format: (value: number | null) => string;
};

/** @param since what is otherwise since the run before */
export function headlineFiguresSection(result: Result, since: string | null = null) {
	const { published, metrics } = result;
	const own = scenarioFigures(result);
	return section(
		'figures',
		'Headline figures',
		html`<div class="tiles">${headlineFigures(result).map((figure) => tile(figure, { isPublished: published !== null, mark: metricMark(result, figure.id) }))}</div>
${own.length > 0 && html`<div class="tiles own">${own.map(({ id, label, text }) => html`<dl class="tile"><dt>${label}</dt><dd class="measured">${text}${metricMark(result, id)}</dd></dl>`)}</div>`}
${since !== null && html`<p class="since">${since}</p>`}
<p class="fine">${count(metrics.requests)} ${scenarioOf(result).noun} ended in ${duration(result.duration_s)}; ${count(metrics.failures)} failed.${Boolean(metrics.refused) && ` A rule or a limit of a tier refused ${count(metrics.refused)} of these.`}${!isProgram(result) && ` The slowest took ${milliseconds(metrics.latency_ms.all.max)}.`}
${!isProgram(result) && 'Latency includes the time to connect; k6’s own duration does not. '}${published && html`The source published that duration: ${published.source}, ${count(published.requests)} requests, ${count(published.failures)} failed. The ratio divides the measured figure by the published one.`}</p>
${client(result)}
${queue(result)}
${bottleneck(result)}
${dataDoubts(result.notes)}`,
	);
}

function headlineFigures(result: Result): HeadlineFigure[] {
	const { metrics, published } = result;
	const { latency_ms: waited, duration_ms: duration } = metrics;
	const latency: (label: string, of: 'all' | 'ok', figure: number | null | undefined) => HeadlineFigure = (label, of, figure) => ({
		id: `latency_ms_p95_${of}`,
		label,
		measured: waited[of].p95,
		published: figure ?? null,
		asPublished: duration?.[of].p95 ?? null,
		format: milliseconds,
	});
	const latencies = [
		latency('p95 of all requests', 'all', published?.latency_ms_p95_all),
		latency('p95 of successful', 'ok', published?.latency_ms_p95_ok),
	];
	return [
		{
			...{ id: 'throughput_rps', label: 'Throughput', measured: metrics.throughput_rps },
			...{ published: published?.throughput_rps ?? null, format: rate },
		},
		{ id: 'goodput_rps', label: 'Goodput', measured: metrics.goodput_rps, published: published?.goodput_rps ?? null, format: rate },
		...(isProgram(result) ? [] : latencies),
		{
			...{ id: 'failure_rate', label: 'Failure rate', measured: metrics.failure_rate },
			...{ published: published?.failure_rate ?? null, format: percent },
		},
	];
}

function tile(
	{ label, measured, published, asPublished, format }: HeadlineFigure,
	{ isPublished, mark }: { isPublished: boolean; mark: Html | null },
): Html {
	return html`<dl class="tile"><dt>${label}</dt><dd class="measured">${format(measured)}${mark}</dd>
${isPublished && html`<dd class="published"><span class="label">published</span> ${format(published)}</dd><dd class="ratio">${ratio(asPublished ?? measured, published)}</dd>`}${asPublished !== undefined && html`<dd class="published own-clock"><span class="label">k6's http_req_duration</span> ${format(asPublished)}</dd>`}</dl>`;
}

function client(result: Result) {
	const text = clientText(result);
	return text !== null && html`<p class="finding"><b>Retries of users</b> – ${text}</p>`;
}

function queue(result: Result) {
	const text = queueText(result);
	return text !== null && html`<p class="finding"><b>Accepted writes</b>${doubtMark(result, ['completions'])} – ${text}</p>`;
}

function bottleneck(result: Result) {
	const { bottleneck: found, bottleneck_reason, giving_way: steps, waiting, ledger } = result;
	const name = found ? html`Bottleneck: ${tierChip(found.tier, found.service)}` : 'No bottleneck named';
	// Of a run whose failures were followed it is where most of them ended.
	const isFollowed = (waiting?.findings.length ?? 0) > 0 && ledger.failures.length > 0;
	return html`<div class="finding"><p><b>${name}</b>${doubtMark(result, ['bottleneck'])} – ${bottleneck_reason}${isFollowed && html`. <a href="#${failureAnchor(0)}">Evidence</a>`}</p>
${found && lostElsewhere(result, found)}
${steps.length > 0 && html`<p>Limits and failures are listed in the order of time. The first need not be the cause of the others.</p><ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`}
${found && html`<ul>${found.evidence.map((text) => html`<li>${text}</li>`)}</ul>`}</div>`;
}

/** Where most requests failed at another tier than what was at its limit: how both are true. */
function lostElsewhere({ ledger: { failures }, metrics }: Result, { tier }: NonNullable<Result['bottleneck']>) {
	const lost = [...grouped(failures, (row) => row.tier)].map(([place, rows]) => ({
		place,
		total: rows.reduce((all, row) => all + row.count, 0),
	}));
	const [worst] = lost.toSorted((one, other) => other.total - one.total);
	if (worst === undefined || worst.place === tier) return null;
	return html`<p>The ${tierTitle(worst.place)} lost ${count(worst.total)} of ${plural(metrics.failures, 'failed request')}, although another tier was at its limit. A tier other than the bottleneck can lose requests.</p>`;
}

/**
 * A row for each stage of the load: a ramp has no steady state, so its overall figures are averages of different loads.
 *
 */

const OF_REQUESTS =
	'A request counts in the stage in which it ended. Requests that ended after the load belong to the last stage, but its rates leave them out. Latency is that of successful requests.';
/** Of a run in which the generator's own record was read. */
const OF_SECONDS =
	'Latency is that of successful requests. This record has no single requests. Each latency is the median of the percentiles of the stage’s seconds: it is no percentile of the stage.';

export function stagesSection(result: Result) {
	const { stages, resources, validity } = result;
	if (stages.length === 0) return null;
	const knowsRequests = stages.every(({ requests }) => typeof requests === 'number');
	const tierOf = (service: string) => ownOf(resources, service)?.tier ?? 'unattributed';
	const measured = [...new Set(stages.flatMap((stage) => Object.keys(stage.cpu_share)))];
	// What observers cost is in the table of resources.
	const services = inTierOrder(measured, tierOf).filter((service) => tierOf(service) !== 'observer');
	return section(
		'stages',
		html`Stages of the load${doubtMark(result, ['rates', 'latencies'])}`,
		html`<p class="lead">${knowsRequests ? OF_REQUESTS : OF_SECONDS} CPU use is the mean share of the quota, or of the machine if there is no quota.</p>
${table(
	'Stages of the load',
	[
		{ title: 'Stage' },
		...[
			'Seconds',
			...(knowsRequests ? ['Requests'] : []),
			'Throughput',
			'Goodput',
			'Failed',
			...['p50', 'p95', 'p99'].map((title) => (knowsRequests ? title : html`<span class="whole">typical second’s</span> ${title}`)),
			...services.map((service) => html`CPU <span class="whole">${service}</span>`),
		].map(numeric),
	],
	stages.map((stage, index) =>
		stageRow(stage, {
			services,
			knowsRequests,
			markOf: (kind) => doubtMark(result, [kind], { doubts: validity.stages[index]?.doubts ?? [] }),
		}),
	),
	{ isCards: true },
)}`,
	);
}

function stageRow(
	stage: Stage,
	{
		services,
		knowsRequests,
		markOf,
	}: {
		services: string[];
		knowsRequests: boolean;
		/** by what is in doubt about the stage */
		markOf: (kind: StatementKind) => Html | null;
	},
) {
	return [
		html`<span class="whole">${stageTarget(stage)} ${stage.unit}</span>`,
		`${figure(stage.from_s)}–${figure(stage.to_s)}`,
		...(knowsRequests ? [count(stage.requests)] : []),
		html`${rate(stage.throughput_rps)}${markOf('rates')}`,
		rate(stage.goodput_rps),
		stage.failure_rate ? html`<b class="loss">${percent(stage.failure_rate)}</b>` : percent(stage.failure_rate),
		milliseconds(stage.latency_ms_p50_ok),
		html`${milliseconds(stage.latency_ms_p95_ok)}${markOf('latencies')}`,
		milliseconds(stage.latency_ms_p99_ok),
		...services.map((service) => percent(ownOf(stage.cpu_share, service))),
	];
}

/**
 * Where the users' time went, as one bar for the whole load and one for each stage: all of it is accounted for, what the
 * generator itself took included.
 */
type PartId = UserTimePart;

/** What a part is drawn in; a part that is nobody's fault is quiet. */
const COLOURS: Record<PartId, string> = {
	answered: '--tier-app',
	connecting: '--tier-load-balancer',
	failed: '--loss',
	thinking: '--rule',
	generator: '--tier-generator',
};
/** In the order of the bar. */
const ORDER = Object.keys(COLOURS) as PartId[];
/** Waiting without an answer is shown by more than its colour. */
const HATCHED = new Set(['failed', 'generator']);

/** @returns null where there are no users, or their time is not known */
export function userTimeSection(result: Result): Html | null {
	const { user_time: time, stages } = result;
	if (!time) return null;
	const shares = Object.fromEntries(time.parts.map(({ id, share }) => [id, share]));
	const label = (id: PartId) => time.parts.find((part) => part.id === id)?.label ?? id;
	return section(
		'user-time',
		html`Time of the users${doubtMark(result, ['hop-times'])}`,
		html`<figure class="stage-bars">
<figcaption><b>${count(Math.round(time.total_s))} user-seconds.</b> Each bar is the time of all users. A run is in doubt if the generator's own overhead takes a large share.</figcaption>
<ul class="keys">${ORDER.map((id) => html`<li>${patch(id)}${label(id)} <b>${percent(shares[id])}</b></li>`)}</ul>
<div class="bars">${bar('all', shares, label)}${time.stages.map(({ parts }, index) => bar(stages[index] ? stageTarget(stages[index]) : '', parts, label))}</div>
${dataTable(
	'Time of the users',
	[{ title: 'Stage' }, ...ORDER.map((id) => numeric(label(id)))],
	[
		['all', ...ORDER.map((id) => percent(shares[id]))],
		...time.stages.map(({ parts }, index) => [
			stages[index] ? stageTarget(stages[index]) : String(index + 1),
			...ORDER.map((id) => percent(parts[id])),
		]),
	],
)}
</figure>`,
	);
}

const patch = (id: PartId) => html`<span class="patch${HATCHED.has(id) && ' hatched'}" style="--c: var(${COLOURS[id]})"></span>`;

function bar(name: string, shares: Record<string, number | null>, label: (id: PartId) => string): Html {
	const pieces = ORDER.map((id) => {
		const width = `${(Math.max(0, shares[id] ?? 0) * 100).toFixed(1)}%`;
		return html`<span class="piece${HATCHED.has(id) && ' hatched'}" style="width:${width};--c:var(${COLOURS[id]})" title="${label(id)}: ${percent(shares[id])}"></span>`;
	});
	const known = Object.values(shares).every((share) => share !== null);
	return html`<div class="bar"><span class="target">${name}</span><span class="track">${pieces}</span><span class="sum">${known ? '' : 'not known'}</span></div>`;
}
