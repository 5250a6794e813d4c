/**
 * What the process says of itself once a second, one line of JSON in the form of the lab's own programs (app/lib/telemetry.js): a process
 * that stands still, or whose event loop serves nothing else, leaves a gap.
 */
import os from 'node:os';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import process from 'node:process';
import { setInterval } from 'node:timers';
import v8 from 'node:v8';
import { threadId } from 'node:worker_threads';
import { attempt, trouble } from './attempt.mjs';
import { counts } from './counts.mjs';

const EVERY_MS = 1000;
const LOOP_DELAY_RESOLUTION_MS = 10;
const NANOSECONDS_PER_MS = 1e6;
const { now } = Date;

/**
 * @param {(line: string) => void} write
 * @returns {(code: number) => void} writes the last line, with the code that the process ends with
 */
export function beginHeartbeat(write) {
	const loopDelay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
	loopDelay.enable();
	let utilisation = performance.eventLoopUtilization();
	let saidTrouble = false;

	/** @param {string} event @param {object} [more] */
	const record = (event, more) => {
		const busy = performance.eventLoopUtilization(utilisation).utilization;
		utilisation = performance.eventLoopUtilization();
		const isNew = trouble.text !== '' && !saidTrouble;
		saidTrouble ||= isNew;
		const line = {
			t: now() / 1000,
			event,
			...more,
			...counts,
			// The histogram counts the sampling interval itself; what exceeds it is the delay.
			loop_delay_ms: { max: Math.max(0, loopDelay.max / NANOSECONDS_PER_MS - LOOP_DELAY_RESOLUTION_MS) },
			loop_utilisation: busy,
			pool: null,
			heap_bytes: v8.getHeapStatistics().used_heap_size,
			...(isNew ? { trouble: trouble.text } : {}),
		};
		loopDelay.reset();
		write(`${JSON.stringify(line)}\n`);
	};

	record('start', {
		pid: process.pid,
		thread: threadId,
		addresses: userAddresses(),
		heap_limit_bytes: v8.getHeapStatistics().heap_size_limit,
		versions: { node: process.versions.node },
	});
	setInterval(() => attempt(() => record('tick')), EVERY_MS).unref();
	return (code) => record('stop', { code });
}

/** By which the lab tells the containers of one service apart. */
function userAddresses() {
	try {
		return Object.values(os.networkInterfaces())
			.flatMap((found) => found ?? [])
			.filter(({ internal }) => !internal)
			.map(({ address }) => address);
	} catch {
		// Some sandboxes do not tell; of a service with one container nothing is lost.
		return [];
	}
}
