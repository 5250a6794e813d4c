/**
 * What a consumer does with what it takes from the queue: works on it, counts it and logs what became of it by the request's id, in the
 * form in which a node does.
 */
import { performance } from 'node:perf_hooks';
import { currentRequest, placeOf } from '../lib/pool-monitor.js';
import { newTimes } from '../lib/request-handler.js';
import { logAnswered, logBroken, logReceived } from '../lib/request-log.js';

const DONE = 200;
const FAILED = 500;

/**
 * @param {import('../lib/telemetry.js').Counts} counts
 * @param {(write: import('../documents/documents.js').Write) => Promise<void>} work
 * @returns {(write: import('../documents/documents.js').Write, isLast?: boolean) => Promise<void>} rejects with what failed, when that is
 *   counted and logged; isLast: the write is not tried again
 */
export function newConsumption(counts, work) {
	return async (write, isLast = true) => {
		const { id } = write;
		const times = newTimes();
		const started = performance.now();
		counts.received += 1;
		counts.in_flight += 1;
		if (id !== undefined) logReceived(id);
		try {
			await currentRequest.run(times, work, write);
			end(DONE);
			counts.ok_ms.count += 1;
			counts.ok_ms.handler += performance.now() - started;
			counts.ok_ms.pool += times.poolMs;
			counts.ok_ms.database += times.databaseMs;
		} catch (error) {
			const name = error instanceof Error ? error.name : 'Error';
			counts.errors[name] = (counts.errors[name] ?? 0) + 1;
			if (isLast) end(FAILED, name);
			else giveBack();
			throw error;
		}

		/** @param {number} status @param {string} [error] */
		function end(status, error) {
			const statusClass = status === DONE ? '2xx' : '5xx';
			counts.in_flight -= 1;
			counts.answered[statusClass] = (counts.answered[statusClass] ?? 0) + 1;
			if (id !== undefined) logAnswered(id, status, error);
		}

		function giveBack() {
			counts.in_flight -= 1;
			counts.aborted += 1;
			if (id !== undefined) logBroken(id, placeOf(times));
		}
	};
}
