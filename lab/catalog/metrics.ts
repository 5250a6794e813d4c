/**
 * The metrics that runs are compared by, and that thresholds (EXPECT) may name. Tables, charts and comparisons follow from
 * this list, in this order. What a scenario has of its own is in scenarios.ts, and joins it at the end.
 *
 * A metric is compared as a ratio, or as a difference where it may be 0 (a failure rate). The gates are judged first: no
 * architecture is better on anything else while it is worse on a gate.
 *
 * Failures are reported in three ways, and a verdict rests on one of them, the same under every load: the share of attempts that
 * failed, beside goodput. It is what the sources published, and nothing makes it of nothing: an architecture that loses no
 * request has 0, however its users behave. Its size is another matter where failed users come straight back (`ramp`): a user
 * who fails in a millisecond makes a hundred attempts while another waits for one answer, so that slow successes raise the
 * share. How large it is should be read under `patient` or `open`, where the users and not the failures set the rate of
 * attempts; and two figures stand beside it that are compared by nothing. Failures per user-minute still count each return.
 * The share of user-time that ended in a failure does not, and would let an architecture pass that fails most of what it is
 * asked, as long as it fails fast: that is why it is no gate. Both stay out of the families too: six metrics is as many
 * as 8 blocks can tell apart (6 x 0.0078, the least p of 8 pairs, is below 0.05; 7 x is not).
 */

import type { Result } from '../record/types.js';
import type { Metric } from '../stats/metric.ts';
import { scenarios } from './scenarios.ts';

/** What most metrics are. */
const USUAL = { gate: false, success_only: false };

const ofEveryRun = (
	[
		{
			id: 'goodput_rps',
			label: 'goodput',
			unit: 'rps',
			better: 'higher',
			scale: 'ratio',
			gate: true,
			read: (result) => result.metrics.goodput_rps,
		},
		{
			id: 'failure_rate',
			label: 'failure rate',
			unit: 'share',
			better: 'lower',
			scale: 'difference',
			gate: true,
			read: (result) => result.metrics.failure_rate,
		},
		{
			id: 'failures_per_user_minute',
			label: 'failures per user-minute',
			unit: 'count',
			better: null,
			scale: 'difference',
			read: (result) => result.metrics.failures_per_user_minute,
		},
		{
			id: 'failed_user_time_share',
			label: 'user-time that ended in a failure',
			unit: 'share',
			better: null,
			scale: 'difference',
			read: (result) => result.metrics.failed_user_time_share,
		},
		{
			id: 'throughput_rps',
			label: 'throughput, failures included',
			unit: 'rps',
			better: 'higher',
			scale: 'ratio',
			read: (result) => result.metrics.throughput_rps,
		},
		{
			id: 'latency_ms_p50_ok',
			label: 'p50 of successes',
			unit: 'ms',
			better: 'lower',
			scale: 'ratio',
			success_only: true,
			read: (result) => result.metrics.latency_ms.ok.p50,
		},
		{
			id: 'latency_ms_p95_ok',
			label: 'p95 of successes',
			unit: 'ms',
			better: 'lower',
			scale: 'ratio',
			success_only: true,
			read: (result) => result.metrics.latency_ms.ok.p95,
		},
		{
			id: 'latency_ms_p99_ok',
			label: 'p99 of successes',
			unit: 'ms',
			better: 'lower',
			scale: 'ratio',
			success_only: true,
			read: (result) => result.metrics.latency_ms.ok.p99,
		},
		{
			id: 'latency_ms_p95_all',
			label: 'p95 of all, failures included',
			unit: 'ms',
			better: 'lower',
			scale: 'ratio',
			read: (result) => result.metrics.latency_ms.all.p95,
		},
		{
			id: 'came_back_share',
			label: 'good answers a second 30 to 60 s after the last fault or surge, of those before it',
			unit: 'share',
			better: null,
			scale: 'difference',
			read: cameBackShare,
		},
		{
			id: 'writes_lost',
			label: 'writes that were acknowledged and are gone; of a queue, accepted and neither done nor left',
			unit: 'count',
			// With a direction it would be a seventh that is compared.
			better: null,
			scale: 'difference',
			read: (result) => result.gone_writes?.count ?? null,
		},
		{
			id: 'writes_duplicated',
			label: 'requests that are stored more than once, by their ids',
			unit: 'count',
			better: null,
			scale: 'difference',
			read: (result) => result.ledger.writes?.duplicated ?? null,
		},
		{
			id: 'cpu_ms_per_good',
			label: 'CPU of all tiers per good answer',
			unit: 'ms',
			better: 'lower',
			scale: 'ratio',
			read: cpuPerGood,
		},
	] as (Omit<Metric, keyof typeof USUAL> & Partial<Metric>)[]
).map((metric) => ({ ...USUAL, ...metric }) as Metric);

/** Null in the runs of other scenarios. */
const ofScenarios: Metric[] = Object.values(scenarios).flatMap(({ figures }) =>
	figures.map((figure) => ({
		...figure,
		scale: 'ratio' as const,
		gate: false,
		read: (result) => result.figures?.[figure.id] ?? null,
	})),
);

export const metrics = [...ofEveryRun, ...ofScenarios];

const ownIds = new Set(ofScenarios.map(({ id }) => id));

/**
 * The family of a metric: within each, p is adjusted for the number of its metrics.
 * @returns own: of a scenario
 */
export function familyOf({ id, gate }: { id: string; gate: boolean }): 'gates' | 'others' | 'own' {
	if (gate) return 'gates';
	return ownIds.has(id) ? 'own' : 'others';
}

export type ComparedMetric = Metric & { better: 'higher' | 'lower' };

/** Those by which one run can be better than another. */
export const comparedMetrics = metrics.filter(({ better }) => better !== null) as ComparedMetric[];

function cameBackShare({ faults }: Result) {
	const { before, later_rps: later } = faults.at(-1) ?? {};
	return before && later !== null && later !== undefined && before.goodput_rps > 0 ? later / before.goodput_rps : null;
}

function cpuPerGood({ resources, metrics: { goodput_rps: goodput } }: Result) {
	const tiers = Object.values(resources).filter(({ tier }) => tier !== 'generator' && tier !== 'observer');
	const cores = tiers.reduce((sum, { cpu_cores: cpu }) => sum + (cpu.mean ?? Number.NaN), 0);
	return Number.isFinite(cores) && goodput > 0 ? (cores * 1000) / goodput : null;
}

export function metricOf(id: string) {
	const found = metrics.find((metric) => metric.id === id);
	if (!found) throw new RangeError(`no metric ${id}`);
	return found;
}
