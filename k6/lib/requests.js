/**
 * Sends a user's requests: each carries an id of its own, by which every tier records it, and has until the load and its
 * grace end to be answered. What is open then is a failure like any other, told by its id, and not a request that
 * nobody hears of again.
 */
import exec from 'k6/execution';
import http from 'k6/http';
import { intendedOffset } from './arrivals.js';
import { comesBackMs } from './durations.js';
import { scenariosOf } from './options.js';
import { countFailure, waitedMs } from './outcomes.js';
import { beginLog, buffer, connectingOf, countFrom, EACH, flush, LAST, logRequest, logRetried, PER_MS } from './request-log.js';
import { GIVES_UP } from './retries.js';
import { GRACEFUL_STOP_S, loadDuration } from './shapes.js';

/** k6's own. */
const TIMEOUT_MS = 60_000;
const RETRY_AFTER = 'Retry-After';
/** Before k6 interrupts its users: time enough to count and to say what was still open. */
const BEFORE_STOP_MS = 3000;

/** Each once: k6 looks an imported or a global name up in a table at each use. */
const ask = http.request;
const clock = Date.now;
const gathered = buffer;
const { numbers } = buffer;
const writeLine = flush;
const [each, last, perMs] = [EACH, LAST, PER_MS];
/** Milliseconds of dialling from which on it may be counted twice. */
const DIALLED_MS = 1;

/** @typedef {import('k6/http').RefinedResponse<undefined>} Response */
/**
 * A request that was answered or failed; the same object for each request of a user, because k6 spends as much on its script as on HTTP.
 * @typedef {object} Sent
 * @property {string} id
 * @property {string} firstId   of its first attempt, where an id of it is to be stored
 * @property {Response} response
 * @property {number} waitedMs  that the user waited; 0 where they do not count
 * @property {number} thinkS    that the user is to think now
 * @property {number} againMs   until the user tries the same request again; GIVES_UP where it does not
 */
/**
 * The same object each time that it is sent: what k6 needs of it is made once.
 * @typedef {object} Request
 * @property {string} [method]  GET unless given
 * @property {string | null} [body]
 * @property {Record<string, string>} [headers]
 * @property {(status: number) => boolean} [isGood]  as the client says unless given
 * @property {ReturnType<typeof import('./stored-id.js').fillerOf>} [fill]  what of it is another each time; nothing unless given
 */

/** @type {Request} */
const GET = {};

/**
 * @param {import('./shapes.js').Shape} shape
 * @param {(status: number) => boolean} isGood which statuses are good answers
 * @param {number | ((leftS: number) => number)} [think] seconds that the user thinks after each request, or what says so, given the seconds
 *   that are left of the load
 * @param {object} [behaviour]
 * @param {number} [behaviour.timeoutMs]  that the user waits for an answer
 * @param {ReturnType<typeof import('./retries.js').newRetries> | null} [behaviour.retries]  null: nothing is tried again
 */
export function newClient(shape, isGood, think = 0, { timeoutMs = TIMEOUT_MS, retries = null } = {}) {
	const { warmup, load } = scenariosOf(shape);
	const durationMs = loadDuration(shape) * 1000;
	const isOpen = shape.model === 'open';
	let options = GET;
	let { method, params, headers, body, fill } = callOf(GET, timeoutMs);
	/** Which statuses are good answers, of the request that is sent now. */
	let judge = isGood;
	/** Each request's, once it was sent. @type {Map<Request, ReturnType<typeof callOf>>} */
	const calls = new Map();
	/** Of the ids: k6 numbers its users after it has read the script, and those of several generators in one row. */
	let user = '';
	let userNumber = 0;
	let sent = 0;
	/** Which of the user's requests it was whose attempts these are. */
	let first = 0;
	/** Milliseconds since 1970; known once the load has begun. */
	let stopsAt = 0;
	let endsAt = 0;
	let isWarming = false;
	const thinkOf = typeof think === 'function' ? think : null;
	/** Milliseconds. */
	let thinkMs = typeof think === 'function' ? 0 : think * 1000;
	let thinkTenths = Math.round(thinkMs * perMs);
	/** The one request that the user has under way. */
	const current = {
		id: '',
		firstId: '',
		response: /** @type {Response} */ ({}),
		waitedMs: 0,
		sentAt: 0,
		lateMs: 0,
		endsWithLoad: false,
		thinkS: thinkMs / 1000,
		againMs: GIVES_UP,
	};
	/** Milliseconds since 1970, of the request that is tried again. */
	let wantedAt = 0;
	/** Milliseconds since 1970 at which the user's last request had ended; 0 before its first. */
	let freeAt = 0;
	/** Milliseconds by which its arrivals were late, the least so far. */
	let leastLateMs = Number.POSITIVE_INFINITY;

	return {
		/** A request that is not counted. @param {string} url @param {Request} [wanted] @returns {Sent} */
		warm(url, wanted = GET) {
			if (!isWarming) beginWarmup();
			if (wanted !== options) take(wanted);
			sent += 1;
			current.id = `w${user}${sent}`;
			headers['X-Request-Id'] = current.id;
			const to = fill === null ? url : filledFor('warmup', sent, fill);
			const sentAt = clock();
			const response = ask(method, to, body, params);
			const { timings } = response;
			logRequest(sentAt, waitedMs(timings, sentAt), connectingOf(timings.blocked, true));
			current.response = response;
			return current;
		},

		/**
		 * Written out in one piece: for k6 a call of a function is as dear as a metric.
		 * @param {string} url @param {Request} [wanted] @returns {Sent}
		 */
		send(url, wanted = GET) {
			if (stopsAt === 0) beginLoad();
			if (wanted !== options) take(wanted);
			sent += 1;
			const id = user + sent;
			headers['X-Request-Id'] = id;
			const sentAt = clock();
			const left = stopsAt - sentAt;
			if (left < timeoutMs) params.timeout = left > 1 ? left : 1;
			const isFurther = current.againMs !== GIVES_UP;
			let to = url;
			if (fill !== null) {
				if (!isFurther) {
					first = sent;
					current.firstId = id;
				}
				to = filledFor('load', first, fill);
			}
			if (isOpen) {
				current.lateMs = isFurther ? 0 : lateness(sentAt);
				countFrom(sentAt);
				if (isFurther) numbers[2] = -1;
			}
			const { lateMs } = current;
			if (retries !== null && !isFurther) {
				wantedAt = sentAt - lateMs;
				retries.begin();
			}
			const response = ask(method, to, body, params);
			const { status, timings } = response;
			const { blocked } = timings;
			current.id = id;
			current.response = response;
			let connecting = (blocked * perMs + 0.5) | 0;
			let waited = lateMs;
			if (judge(status)) {
				waited += blocked < DIALLED_MS ? blocked + timings.duration : waitedMs(timings, sentAt);
			} else {
				current.sentAt = sentAt;
				current.endsWithLoad = left < timeoutMs;
				waited = countFailure(response, current, status);
				connecting = -1 - connecting;
			}
			current.waitedMs = waited;
			const endedAt = sentAt + waited - lateMs;
			freeAt = endedAt;
			if (retries !== null) {
				current.againMs = connecting < 0 ? againAfter(response, endedAt) : GIVES_UP;
				if (isFurther && current.againMs === GIVES_UP) logRetried(endedAt - wantedAt, connecting >= 0);
			}
			if (thinkOf !== null) setThink(thinkOf((endsAt - endedAt) / 1000));
			const at = gathered.filled;
			numbers[at] = ((sentAt - lateMs - gathered.origin) * perMs) | 0;
			numbers[at + 1] = (waited * perMs + 0.5) | 0;
			numbers[at + 2] = connecting;
			const { againMs } = current;
			numbers[at + 3] = againMs < 0 ? thinkTenths : -1 - ((againMs * perMs + 0.5) | 0);
			gathered.filled = at + each;
			if (at >= last || endedAt + (againMs < 0 ? thinkMs : againMs) > gathered.writeAt) writeLine();
			return current;
		},
	};

	/** @type {(part: import('./stored-id.js').Part, number: number, fillWith: NonNullable<Request['fill']>) => string} its URL; headers and body are set */
	function filledFor(part, number, fillWith) {
		const filled = fillWith(part, userNumber, number);
		body = filled.body;
		Object.assign(headers, filled.headers);
		return filled.url;
	}

	/** No attempt is begun when the load is over. @param {Response} response @param {number} endedAt */
	function againAfter({ headers: said }, endedAt) {
		const againMs = retries === null ? GIVES_UP : retries.after(said?.[RETRY_AFTER]);
		return endedAt + againMs < endsAt ? againMs : GIVES_UP;
	}

	/** @param {number} seconds */
	function setThink(seconds) {
		current.thinkS = seconds;
		thinkMs = seconds * 1000;
		thinkTenths = (thinkMs * perMs + 0.5) | 0;
	}

	/** @param {Request} wanted */
	function take(wanted) {
		let call = calls.get(wanted);
		if (!call) {
			call = callOf(wanted, timeoutMs);
			calls.set(wanted, call);
		}
		options = wanted;
		({ method, params, headers, body, fill } = call);
		judge = wanted.isGood || isGood;
	}

	function beginWarmup() {
		isWarming = true;
		userNumber = exec.vu.idInTest;
		user = `${userNumber}-`;
		beginLog('warm', { comesBackUntil: exec.scenario.startTime + comesBackMs(warmup), isOpen: false });
	}

	function beginLoad() {
		const began = exec.scenario.startTime;
		userNumber = exec.vu.idInTest;
		user = `${userNumber}-`;
		endsAt = began + durationMs;
		stopsAt = endsAt + GRACEFUL_STOP_S * 1000 - BEFORE_STOP_MS;
		beginLog('requests', { comesBackUntil: isOpen ? 0 : began + comesBackMs(load), isOpen });
	}

	/**
	 * How long after its intended moment an arrival begins, by the scenario's clock. That clock starts before k6 has its users ready, so all
	 * arrivals are late by the same time; the first one of each generator says by how much, and the analysis takes it off.
	 *
	 * k6 numbers the arrivals that it begins, and not those that it drops because no user is free: by its number one that comes later seems
	 * to be late by all of those. A user who was free took the next arrival at once, so that none waited for longer than that user did.
	 * @param {number} now
	 */
	function lateness(now) {
		const { scenario } = exec;
		const lateMs = now - scenario.startTime - intendedOffset(shape, scenario.iterationInTest) * 1000;
		if (scenario.iterationInInstance === 0) console.error(JSON.stringify({ event: 'first-arrival', late_ms: lateMs }));
		leastLateMs = Math.min(leastLateMs, lateMs);
		return freeAt === 0 ? lateMs : Math.min(lateMs, now - freeAt + leastLateMs);
	}
}

/** @param {Request} request @param {number} timeoutMs */
function callOf({ method = 'GET', body, headers: own, fill = null }, timeoutMs) {
	const headers = { ...own, 'X-Request-Id': '' };
	return { method, body, headers, fill, params: { headers, timeout: timeoutMs } };
}
