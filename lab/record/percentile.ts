/**
 * Percentiles as k6 computes its own (metrics/sink.go, TrendSink.P): the value at that share of the sorted values, counted from the first to
 * the last, and between two of them on the straight line.
 */

/**
 * @param sorted of at least one value
 * @param share 0 to 1
 */
export function percentileOf(sorted: ArrayLike<number>, share: number) {
	const place = share * (sorted.length - 1);
	const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
	return below + (above - below) * (place - Math.floor(place));
}

/** of the load that belong to a stage */
export type StageRequests = {
	requests: number;
	failures: number;
	/** of the requests, that ended before the stage did: all, but for those after the last stage */
	ended_in: number;
	/** of these, the good ones */
	good_in: number;
	latency_ms_ok: { p50: number | null; p95: number | null; p99: number | null };
};
