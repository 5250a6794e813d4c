/** What every run is measured by, and the published figures that it stands beside. */

import { published } from '../catalog/published.ts';
import { causes } from '../record/causes.ts';
import type { Failure, Ledger, Metrics, Percentiles, Published, Queue, Result } from '../record/types.js';
import { rounded, sum } from '../stats/numbers.ts';
import type { Facts } from './ledger/facts.ts';
import { secondsOfLoad } from './time/load-end.ts';

export function metricsOf(
	{ generator, window, raw }: Facts,
	{ failures }: Ledger,
	userTime: Result['user_time'],
	queue: Queue | null,
): Metrics {
	const seconds = secondsOfLoad(raw, window);
	return {
		requests: generator.finished,
		throughput_rps: rounded(generator.finished / seconds, 2) ?? 0,
		// What is accepted is not done.
		goodput_rps: rounded((queue?.completed_in_load ?? generator.ok) / seconds, 2) ?? 0,
		failures: generator.failed,
		refused: sum(failures.filter(isRefused).map(({ count }) => count)),
		unanswered: generator.unanswered,
		dropped_arrivals: generator.droppedArrivals,
		failure_rate: generator.finished === 0 ? null : generator.failed / generator.finished,
		failures_per_user_minute: userTime === null || userTime.total_s === 0 ? null : rounded((generator.failed * 60) / userTime.total_s, 3),
		failed_user_time_share: userTime?.parts.find(({ id }) => id === 'failed')?.share ?? null,
		latency_ms: { all: roundEach(generator.latencyMs.all), ok: roundEach(generator.latencyMs.ok) },
		duration_ms: generator.durationMs && { all: roundEach(generator.durationMs.all), ok: roundEach(generator.durationMs.ok) },
	};
}

/** Whatever made the tier refuse. */
const isRefused = ({ cause, amplifier }: Failure) => [cause, amplifier?.cause ?? ''].some((id) => causes[id]?.refusal);

export function publishedOf(key: string | undefined, isQueued: boolean): Published | null {
	if (!key) return null;
	const [section, run] = key.split('.');
	const figures = published[section].runs[run];
	return {
		source: published[section].source,
		requests: figures.requests,
		throughput_rps: figures.throughput_rps,
		// Not published as such: what is left of the throughput without the published failures. Of what a queue had accepted nobody said when it
		// was done.
		goodput_rps: isQueued ? null : rounded(figures.throughput_rps * (1 - figures.failure_rate), 2),
		failures: figures.failures,
		failure_rate: figures.failure_rate,
		latency_ms_p95_all: figures.latency_ms_p95_all ?? null,
		latency_ms_p95_ok: figures.latency_ms_p95_ok ?? null,
	};
}

const roundEach = ({ p50, p95, p99, max }: Percentiles): Percentiles => ({
	p50: rounded(p50, 2),
	p95: rounded(p95, 2),
	p99: rounded(p99, 2),
	max: rounded(max, 2),
});
