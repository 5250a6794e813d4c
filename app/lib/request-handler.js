/**
 * What every node does with a request, whatever its work is: counts it, takes its time, logs what became of it by its id, and
 * answers HTTP 500 with the tier that failed when the work throws, and HTTP 503 when it has too much to do or the work
 * is refused.
 *
 * @import { Config } from './config.js'
 * @import { RequestTimes } from './pool-monitor.js'
 * @import { Counts } from './telemetry.js'
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { failedTier } from './failed-tier.js';
import { addCost, corruptResponse, hasRequestFaults } from './faults.js';
import { currentRequest, placeOf } from './pool-monitor.js';
import { Refusal } from './refusal.js';
import { logAnswered, logBroken, logReceived } from './request-log.js';
import { startShedding } from './shedding.js';

/** The first status that is not a good answer. */
const FIRST_BAD_STATUS = 400;
/** Of a request that is refused before its work is begun. */
const OVERLOADED = { name: 'Overloaded', retryAfterS: 1 };
const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'];

/**
 * @typedef {object} Answer
 * @property {number} [status]  200 unless given
 * @property {object} [body]    what the answer says beside its latency and the node's name
 */

/**
 * @param {Config} config
 * @param {Counts} counts
 * @param {(req: import('express').Request) => Promise<Answer | void>} work
 * @param {() => boolean} [isTooBusy]  whether a request is to be refused
 * @returns {import('express').RequestHandler}
 */
export function requestHandler(config, counts, work, isTooBusy = startShedding(config.shedDelayMs)) {
	const workOrFail = withFaults(config, work);
	const isHarmed = hasRequestFaults(config.faults);
	// A request whose client has hung up is worked on all the same.
	let atWork = 0;
	return async (req, res) => {
		const started = performance.now();
		const times = newTimes();
		const id = req.get('x-request-id');
		followUntilClosed(id, res, counts, times);
		if (isHarmed) {
			addCost(config.faults, id);
			if (corruptResponse(config.faults, id, res)) return;
		}
		if (atWork >= config.workMost || isTooBusy()) {
			refuse(config, counts, res, times, OVERLOADED);
			return;
		}

		let failure = /** @type {unknown} */ (undefined);
		let answer = /** @type {Answer} */ ({});
		atWork += 1;
		try {
			answer = (await currentRequest.run(times, workOrFail, req)) ?? {};
		} catch (error) {
			failure = error;
		}
		atWork -= 1;
		const handlerMs = performance.now() - started;
		if (failure !== undefined) {
			if (failure instanceof Refusal) refuse(config, counts, res, times, failure);
			else answerFailure(config, counts, res, times, failure);
			return;
		}
		const { status = 200, body } = answer;
		// Not of a client who has hung up: nobody waited for that time.
		if (status < FIRST_BAD_STATUS && !res.closed) {
			counts.ok_ms.count += 1;
			counts.ok_ms.handler += handlerMs;
			counts.ok_ms.pool += times.poolMs;
			counts.ok_ms.database += times.databaseMs;
		}
		res.status(status).json({ ...body, latency: handlerMs, server: config.name });
	};
}

/** @returns {RequestTimes} of a request that begins */
export const newTimes = () => ({ poolMs: 0, databaseMs: 0, place: 'app', error: undefined });

/**
 * Counts a request and logs what becomes of it; for nodes of another framework too.
 * @param {string | undefined} id  nothing is logged of a request without one
 * @param {import('node:http').ServerResponse} res
 * @param {Counts} counts
 * @param {RequestTimes} times
 */
export function followUntilClosed(id, res, counts, times) {
	counts.received += 1;
	counts.in_flight += 1;
	if (id !== undefined) logReceived(id);
	res.on('close', () => {
		counts.in_flight -= 1;
		if (res.writableFinished) {
			const statusClass = STATUS_CLASSES[Math.floor(res.statusCode / 100)];
			counts.answered[statusClass] = (counts.answered[statusClass] ?? 0) + 1;
			if (id !== undefined) logAnswered(id, res.statusCode, times.error, times.opener);
		} else {
			counts.aborted += 1;
			if (id !== undefined) logBroken(id, placeOf(times));
		}
	});
}

/**
 * The failures and the delay that the lab may ask of any node. Where it asks for none, the work is left as it is: each function
 * more that is waited for costs the request.
 * @template Asked, T
 * @param {Config} config
 * @param {(asked: Asked) => Promise<T>} work
 */
export function withFaults({ errorShare, extraDelayMs }, work) {
	if (errorShare === 0 && extraDelayMs === 0) return work;
	return async (/** @type {Asked} */ asked) => {
		if (Math.random() < errorShare) throw new Error('the app failed on purpose');
		const answer = await work(asked);
		if (extraDelayMs > 0) await wait(extraDelayMs);
		return answer;
	};
}

/** @type {(config: Config, counts: Counts, res: import('express').Response, times: RequestTimes, why: { name: string, retryAfterS: number, opener?: string }) => void} */
function refuse(config, counts, res, times, { name, retryAfterS, opener }) {
	counts.errors[name] = (counts.errors[name] ?? 0) + 1;
	times.error = name;
	times.opener = opener;
	res.setHeader('X-Failed-Tier', 'app');
	res.setHeader('X-Error-Name', name);
	res.setHeader('Retry-After', String(retryAfterS));
	res.status(503).json({ error: name, server: config.name });
}

/** @type {(config: Config, counts: Counts, res: import('express').Response, times: RequestTimes, failure: unknown) => void} */
function answerFailure(config, counts, res, times, failure) {
	const name = failure instanceof Error ? failure.name : 'Error';
	counts.errors[name] = (counts.errors[name] ?? 0) + 1;
	times.error = name;
	res.setHeader('X-Failed-Tier', failedTier(failure));
	res.setHeader('X-Error-Name', name);
	res.status(500).json({ error: name, server: config.name });
}
