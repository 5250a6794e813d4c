/**
 * Gives every HTTP request of a user's script an id and counts what became of it. To be imported before the script: it replaces
 * the functions of `k6/http` that send, in place, so that the script itself stays as it is.
 *
 * Why that reaches every form of import (k6 1.1.0 and 2.2.0): `k6/http` exports one object for each user and no names (its Exports() has a
 * Default alone, js/modules/k6/http/http.go:124). A default import is that object, and so is what `require` returns
 * (js/modules/require_impl.go:168). A named import is read from it at each use: sobek compiles it to a call of GetBindingValue
 * (sobek, compiler_stmt.go:904 and vm.go:3113), which does `getDefaultExport().Get(name)` (js/modules/gomodule.go:87), and `import * as`
 * reads through the same (sobek, modules_namespace.go:112). Libraries that k6 fetches from the network use the same object. With `k6`
 * itself it is otherwise: see user-k6.js.
 *
 * Not counted: requests of setup and teardown (their ids begin with w, like those of a warm-up), those that a page's own methods
 * send (`submitForm`, `clickLink` go past these functions and carry no id), a batch that fails under `throw`, of which k6 does not
 * tell which request failed, what k6 cuts off when it takes a user away in a ramp-down, and what a script begins when the time for answers
 * is over: k6 lets an iteration come to its end that thinks first and asks then (their ids begin with w too).
 */
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter } from 'k6/metrics';
import { comesBackMs, durationMs, isOpen, lastAnswerMs } from './durations.js';
import { countFailure, waitedMs } from './outcomes.js';
import { beginLog as beginGathering, connectingOf, logRequest } from './request-log.js';
import { insideOf } from './user-addresses.js';
import { newFirsts } from './user-first.js';
import { batchOf, identified, identifiedApart, idSent } from './user-params.js';
import { isAnswer, isUsual, statusesOf } from './user-statuses.js';

/** k6's own. */
const TIMEOUT_MS = 60_000;
/** k6 has no code for the error of a request that throws, beyond what the error itself holds. */
const CODE_NONE = 1000;
/** k6's times have fractions of a millisecond, the clock has none. */
const CLOCK_MS = 2;
/** Ids of failed requests that a check may still be asked about. */
const REMEMBERED_MOST = 64;

/** Each once: k6 looks an imported or a global name up in a table at each use. @type {any} */
const api = http;
const { asyncRequest: askLater, batch: askTogether, expectedStatuses, request: ask, setResponseCallback } = api;
const clock = Date.now;
/** k6's own count has each hop of a redirected request too, and those that go past these functions. */
const finished = new Counter('lab_finished');
const inside = insideOf(JSON.parse(__ENV.LOCAL_ADDRESSES || '{}'), JSON.parse(__ENV.LOCAL_HOSTS || '{}'));
const never = () => false;

/** @typedef {(status: number) => boolean} IsGood */
/** @typedef {{ id: string, params: any, sentAt: number, isCounted: boolean, endsWithLoad: boolean, given: any }} Asked  params: of the script; given: to k6 */

/** What the script made with `http.expectedStatuses`. @type {WeakMap<object, IsGood>} */
const expectations = new WeakMap();
/** @type {IsGood} */
let isExpected = isUsual;
/** k6 makes this object anew each time that it gives a user to a scenario. @type {unknown} */
let activation;
let isCounted = false;
let prefix = '';
let sent = 0;
/** Milliseconds since 1970. */
let stopsAt = Number.POSITIVE_INFINITY;
/** @type {string[]} */
let failedIds = [];
/** @type {ReturnType<typeof newFirsts> | null} */
let firsts = null;

/** The request that is counted; the same object for each, because k6 spends as much on its script as on HTTP. */
const current = {
	id: '',
	sentAt: 0,
	lateMs: 0,
	isGood: isUsual,
	endsWithLoad: false,
};

function beginLog() {
	activation = __ENV;
	// Setup, teardown and summary have users of their own, with the number 0, and so has the reading of the script.
	isCounted = __VU > 0;
	prefix = isCounted ? `${__VU}-` : `w${clock()}-`;
	if (!isCounted) {
		stopsAt = Number.POSITIVE_INFINITY;
		return;
	}
	const { startTime, options } = scenarioNow();
	// When requests are to have ended, so that what is open then is told by its id, and is not a request that nobody hears of again.
	stopsAt = startTime + lastAnswerMs(options);
	beginGathering('requests', { comesBackUntil: startTime + comesBackMs(options), isOpen: isOpen(options) });
}

/** @returns {{ startTime: number, options: any }} startTime: milliseconds since 1970; 0, and no options, where k6 does not tell */
function scenarioNow() {
	try {
		const { name, startTime } = exec.scenario;
		return { startTime, options: /** @type {any} */ (exec.test.options).scenarios[name] };
	} catch {
		return { startTime: 0, options: undefined };
	}
}

/** @param {any} params @param {typeof identified} identify @returns {Asked} */
function prepared(params, identify) {
	sent += 1;
	const sentAt = clock();
	const left = stopsAt - sentAt;
	if (left <= 0) return preparedLate(params, sentAt, identify);
	const id = prefix + sent;
	const timeoutMs = params?.timeout ? durationMs(params.timeout) : TIMEOUT_MS;
	const endsWithLoad = left < timeoutMs;
	return { id, params, sentAt, isCounted, endsWithLoad, given: identify(params, id, endsWithLoad ? left : 0) };
}

/** It has no time for an answer, so that whatever comes of it says nothing of the system. @param {any} params @param {number} sentAt @param {typeof identified} identify @returns {Asked} */
function preparedLate(params, sentAt, identify) {
	const id = `w${prefix}${sent}`;
	// Nor does a check of it.
	remember(id);
	return { id, params, sentAt, isCounted: false, endsWithLoad: false, given: identify(params, id, 0) };
}

/** @param {string} method @param {any} url @param {any} body @param {any} params */
function send(method, url, body, params) {
	if (__ENV !== activation) beginLog();
	if (inside !== null) ({ url, params } = inside(url, params));
	const asked = prepared(params, identified);
	if (!asked.isCounted) return ask(method, url, body, asked.given);
	let response;
	try {
		response = ask(method, url, body, asked.given);
	} catch (error) {
		countThrown(error, asked);
		throw error;
	}
	countAnswer(response, asked, response.url === url ? 0 : earlierHopsMs(response, asked.sentAt));
	return response;
}

/** @param {string} method @param {any} url @param {any} body @param {any} params */
function sendLater(method, url, body, params) {
	if (__ENV !== activation) beginLog();
	if (inside !== null) ({ url, params } = inside(url, params));
	const asked = prepared(params, identified);
	const promise = askLater(method, url, body, asked.given);
	if (!asked.isCounted) return promise;
	return promise.then(
		(/** @type {any} */ response) => {
			countAnswer(response, asked, 0);
			return response;
		},
		(/** @type {unknown} */ error) => {
			countThrown(error, asked);
			throw error;
		},
	);
}

/** @param {any} requests */
function sendTogether(requests) {
	if (typeof requests !== 'object' || requests === null) return askTogether(requests);
	if (__ENV !== activation) beginLog();
	const all = /** @type {[string | number, Asked][]} */ ([]);
	const given = batchOf(
		requests,
		(params, key) => {
			const asked = prepared(params, identifiedApart);
			all.push([key, asked]);
			return asked.given;
		},
		inside ?? undefined,
	);
	const responses = askTogether(given);
	// Where k6 could not read one of them it sends none, and answers for that one alone.
	for (const [key, asked] of all) if (asked.isCounted && responses[key]) countAnswer(responses[key], asked, 0);
	return responses;
}

/** @param {any} response @param {Asked} asked @param {number} lateMs */
function countAnswer(response, asked, lateMs) {
	const { params } = asked;
	const isGood = isGoodFor(params);
	take(asked, isGood);
	current.lateMs = lateMs;
	if (!isGood(response.status)) {
		// The script may have set an id of its own, which the tiers have on record.
		if (params?.headers) current.id = idSent(response) || asked.id;
		remember(current.id);
	}
	count(response);
}

/** @param {import('k6/http').RefinedResponse<undefined>} response to the current request */
function count(response) {
	const { status, timings } = response;
	const { sentAt, lateMs } = current;
	finished.add(1);
	const isGood = current.isGood(status);
	firsts ??= newFirsts(__VU, (line) => console.error(line));
	firsts.take(isGood, response);
	const waited = isGood ? waitedMs(timings, sentAt) + lateMs : countFailure(response, current, status);
	logRequest(sentAt, waited, connectingOf(timings?.blocked ?? 0, isGood));
}

/** Under `throw` k6 raises what it otherwise answers with. @param {any} error @param {Asked} asked */
function countThrown(error, asked) {
	take(asked, never);
	current.lateMs = 0;
	remember(asked.id);
	// Without the address, which may hold a secret.
	const text = String(error?.message ?? error).replace(/^\w+ "[^"]*": /, '');
	count(/** @type {any} */ ({ status: 0, error: text, error_code: codeOf(error?.value) }));
}

/** @param {any} cause as k6 puts it into an error: one of its own, or one of Go's around it */
const codeOf = (cause) => cause?.err?.code ?? cause?.code ?? CODE_NONE;

/** @param {Asked} asked @param {IsGood} isGood */
function take({ id, sentAt, endsWithLoad }, isGood) {
	current.id = id;
	current.sentAt = sentAt;
	current.endsWithLoad = endsWithLoad;
	current.isGood = isGood;
}

/** @param {any} params @returns {IsGood} */
function isGoodFor(params) {
	const callback = params?.responseCallback;
	return callback === undefined ? isExpected : expectationOf(callback);
}

/** @param {any} callback null where the script wants no status judged @returns {IsGood} */
const expectationOf = (callback) => (callback === null ? isAnswer : (expectations.get(callback) ?? isUsual));

/** Of a request that was redirected k6 times the last hop alone. @param {any} response @param {number} sentAt */
function earlierHopsMs(response, sentAt) {
	if (response.status === 0 || response.url === response.request?.url) return 0;
	const earlier = clock() - sentAt - response.timings.blocked - response.timings.duration;
	return earlier > CLOCK_MS ? earlier : 0;
}

/** @param {string} id */
function remember(id) {
	if (failedIds.length >= REMEMBERED_MOST) failedIds = failedIds.slice(REMEMBERED_MOST / 2);
	failedIds.push(id);
}

/** Whether the answer to this request was counted as a failure already. @param {string} id */
export const isKnownFailure = (id) => failedIds.includes(id);

/** Whether what happens now belongs to the load, and not to setup, teardown or the reading of the script. */
export const isLoad = () => __VU > 0;

Object.assign(api, {
	get: (/** @type {any} */ url, /** @type {any} */ params) => send('GET', url, undefined, params),
	head: (/** @type {any} */ url, /** @type {any} */ params) => send('HEAD', url, undefined, params),
	post: (/** @type {any} */ url, /** @type {any} */ body, /** @type {any} */ params) => send('POST', url, body, params),
	put: (/** @type {any} */ url, /** @type {any} */ body, /** @type {any} */ params) => send('PUT', url, body, params),
	patch: (/** @type {any} */ url, /** @type {any} */ body, /** @type {any} */ params) => send('PATCH', url, body, params),
	del: (/** @type {any} */ url, /** @type {any} */ body, /** @type {any} */ params) => send('DELETE', url, body, params),
	options: (/** @type {any} */ url, /** @type {any} */ body, /** @type {any} */ params) => send('OPTIONS', url, body, params),
	request: send,
	asyncRequest: sendLater,
	batch: sendTogether,
	expectedStatuses: (/** @type {any[]} */ ...accepted) => {
		const callback = expectedStatuses(...accepted);
		expectations.set(callback, statusesOf(accepted));
		return callback;
	},
	setResponseCallback: (/** @type {any} */ callback) => {
		setResponseCallback(callback);
		isExpected = expectationOf(callback);
	},
});
