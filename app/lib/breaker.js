/**
 * A circuit breaker around a node's database work (Nygard, Release It!, 2007; https://martinfowler.com/bliki/CircuitBreaker.html), by
 * opossum. While the database stalls or fails, requests are refused at once instead of held; from time to time one is let through, and
 * when that is answered all are again.
 */
import { performance } from 'node:perf_hooks';
import CircuitBreaker from 'opossum';
import { currentRequest, longestWait } from './pool-monitor.js';
import { Refusal } from './refusal.js';

/** Of the requests in the window, more than which have to fail: the default of opossum, as of Hystrix. */
const ERROR_THRESHOLD_PERCENT = 50;
/**
 * The lab's own choice. Of opossum's 10 s most would be good answers from before a stall, so that a stall of some seconds would be over
 * before the breaker opened. Opossum compares what failed in the window with what was begun in it.
 */
const WINDOW_MS = 1000;
/**
 * Fewer requests begun in the window say too little of a share: opossum asks for none, and would open at the first failure of a quiet
 * second; Hystrix asks for 20 in 10 s (https://github.com/Netflix/Hystrix/wiki/Configuration).
 */
const VOLUME_THRESHOLD = 10;
const REFUSED = 'BreakerOpenError';
/**
 * What a request is answered with that took too long, by what it waited for: as the driver calls its own time-outs, by which the lab knows
 * the pool and the database.
 */
const TIMED_OUT = { app: 'TimeoutError', pool: 'MongoWaitQueueTimeoutError', database: 'MongoOperationTimeoutError' };
const MS_A_SECOND = 1000;

/**
 * Puts a breaker around the work. Where no time-out is given, the work is left as it is, and there is no breaker.
 * @template {{ get: (header: string) => string | undefined }} Asked
 * @template T
 * @param {Pick<import('./config.js').Config, 'breakerTimeoutMs' | 'breakerResetMs'>} config
 * @param {(asked: Asked) => Promise<T>} work  with the database, of one request
 * @returns {(asked: Asked) => Promise<T>} throws a Refusal while the breaker is open
 */
export function withBreaker({ breakerTimeoutMs, breakerResetMs }, work) {
	if (breakerTimeoutMs === undefined) return work;
	const breaker = new CircuitBreaker(work, {
		name: 'database',
		timeout: breakerTimeoutMs,
		resetTimeout: breakerResetMs,
		errorThresholdPercentage: ERROR_THRESHOLD_PERCENT,
		volumeThreshold: VOLUME_THRESHOLD,
		rollingCountTimeout: WINDOW_MS,
		// Figures of its own, which nobody reads.
		rollingPercentilesEnabled: false,
		enableSnapshots: false,
	});
	const retryAfterS = Math.ceil(breakerResetMs / MS_A_SECOND);
	// The same is thrown for as long as it is open: each new one would cost a stack.
	let refusal = new Refusal(REFUSED, retryAfterS);
	let failed = /** @type {string | undefined} */ (undefined);
	breaker.on('failure', (_error, _latency, [asked]) => {
		failed = asked.get('x-request-id');
	});
	breaker.on('open', () => {
		refusal = new Refusal(REFUSED, retryAfterS, failed);
	});
	return async (asked) => {
		const beganAt = performance.now();
		try {
			return await breaker.fire(asked);
		} catch (error) {
			throw answered(error, refusal, beganAt);
		}
	};
}

/** What is thrown in the place of the breaker's own errors; others are the work's. @type {(error: any, refusal: Refusal, beganAt: number) => unknown} beganAt: by performance.now() */
function answered(error, refusal, beganAt) {
	if (!CircuitBreaker.isOurError(error)) return error;
	if (error.code !== 'ETIMEDOUT') return refusal;
	const times = currentRequest.getStore();
	return Object.assign(error, { name: TIMED_OUT[times ? longestWait(times, beganAt) : 'database'] });
}
