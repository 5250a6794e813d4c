/**
 * The node's record of itself: counters since its start, written once a second as one line of JSON, so that a node
 * under load is never asked a question that it could not answer in time.
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const RECORD_EVERY_MS = 1000;
const LOOP_DELAY_RESOLUTION_MS = 10;
const nanosecondsPerMs = 1e6;

/** What the node counts of requests. Times are sums over the requests answered well, in milliseconds. */
export function newCounts() {
	return {
		received: 0,
		answered: /** @type {Record<string, number>} */ ({}), // by status class: 2xx, 4xx, 5xx
		aborted: 0, // the caller hung up before the answer was out
		in_flight: 0,
		errors: /** @type {Record<string, number>} */ ({}), // by the error's name
		ok_ms: { count: 0, handler: 0, pool: 0, database: 0 },
	};
}

/**
 * What every node counts, and under `own` what a node counts beside that; the latter only grows.
 * @typedef {ReturnType<typeof newCounts> & { own?: Record<string, number> }} Counts
 */

/**
 * @param {{ name: string, recordFolder: string, start: object }} node  start: what the first line says beside the counters
 * @param {Counts} counts
 * @param {() => object} [readPool]  of the database's connections, where there is a pool
 */
export function startTelemetry({ name, recordFolder, start }, counts, readPool) {
	const loopDelay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
	loopDelay.enable();
	let utilisation = performance.eventLoopUtilization();
	// Held open: a node that has no file descriptors left would end by the lab's own record, and not by what is tried on it.
	const file = openSync(join(recordFolder, `${name}.ndjson`), 'a');

	/** @param {string} event @param {object} [more] */
	const record = (event, more) => {
		const busy = performance.eventLoopUtilization(utilisation).utilization;
		utilisation = performance.eventLoopUtilization();
		const line = {
			t: Date.now() / 1000,
			event,
			...more,
			...counts,
			// The histogram counts the sampling interval itself; what exceeds it is the delay.
			loop_delay_ms: {
				mean: Math.max(0, loopDelay.mean / nanosecondsPerMs - LOOP_DELAY_RESOLUTION_MS),
				p99: Math.max(0, loopDelay.percentile(99) / nanosecondsPerMs - LOOP_DELAY_RESOLUTION_MS),
				max: Math.max(0, loopDelay.max / nanosecondsPerMs - LOOP_DELAY_RESOLUTION_MS),
			},
			loop_utilisation: busy,
			pool: readPool?.() ?? null,
		};
		loopDelay.reset();
		writeSync(file, `${JSON.stringify(line)}\n`);
	};

	record('start', start);
	const timer = setInterval(() => record('tick'), RECORD_EVERY_MS);
	return {
		/** Writes the last line. */
		stop() {
			clearInterval(timer);
			record('stop');
		},
	};
}
