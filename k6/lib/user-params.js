/**
 * Gives each request of a user's script an id of the lab's, and leaves the script's own objects as they are: one object of
 * headers may serve every request of the script. Knows neither k6 nor time.
 *
 * A script that sets the header itself, in whatever case, keeps its value; which one was sent is told by the answer
 * (`idSent`), so that it costs nothing while all goes well.
 */

const ID = 'X-Request-Id';
const ID_LOWER = ID.toLowerCase();

/** For requests without any: k6 has read it when the call returns. */
const plain = { headers: { [ID]: '' } };

/**
 * k6 sets headers in the order of the object's keys, by names without case; so the script's own comes after the lab's and stays.
 * @param {any} params as the script gave them
 * @param {string} id
 * @param {number} timeoutMs that replaces the script's own; 0 for none
 */
export function identified(params, id, timeoutMs) {
	if (timeoutMs === 0 && (params === undefined || params === null)) {
		plain.headers[ID] = id;
		return plain;
	}
	return withTimeout({ ...params, headers: { [ID]: id, ...params?.headers } }, timeoutMs);
}

/**
 * For one of several that are given to k6 together: k6 reads those later, and their headers in no order.
 * @param {any} params @param {string} id @param {number} timeoutMs
 */
export function identifiedApart(params, id, timeoutMs) {
	const headers = { ...params?.headers };
	if (!Object.keys(headers).some((name) => name.toLowerCase() === ID_LOWER)) headers[ID] = id;
	return withTimeout({ ...params, headers }, timeoutMs);
}

/** @param {any} params of the lab's own @param {number} timeoutMs */
function withTimeout(params, timeoutMs) {
	if (timeoutMs > 0) params.timeout = timeoutMs;
	return params;
}

/**
 * The requests of `http.batch`, an array or an object of them, in any of the forms that k6 takes. What is none of them is left
 * to k6, which says what is wrong.
 * @param {any} requests
 * @param {(params: any, key: string | number) => any} identify gives the params of one request, in place of the script's own
 * @param {(url: any, params: any) => { url: any, params: any }} [move]  what is asked in its place
 */
export function batchOf(requests, identify, move = (url, params) => ({ url, params })) {
	const one = (/** @type {any} */ entry, /** @type {string | number} */ key) => entryOf(entry, (params) => identify(params, key), move);
	if (Array.isArray(requests)) return requests.map(one);
	return Object.fromEntries(Object.entries(requests).map(([key, entry]) => [key, one(entry, key)]));
}

/** @param {any} entry @param {(params: any) => any} identify @param {(url: any, params: any) => { url: any, params: any }} move */
function entryOf(entry, identify, move) {
	if (typeof entry === 'string' || isTemplate(entry)) {
		const { url, params } = move(entry, undefined);
		return ['GET', url, null, identify(params)];
	}
	if (Array.isArray(entry)) {
		const { url, params } = move(entry[1], entry[3]);
		return [entry[0], url, entry[2] ?? null, identify(params)];
	}
	if (typeof entry === 'object' && entry !== null) {
		const { url, params } = move(entry.url, entry.params);
		return { ...entry, url, params: identify(params) };
	}
	return entry;
}

/** What http.url`...` makes: not an object of JavaScript, and only whole of use to k6. @param {any} entry */
const isTemplate = (entry) => typeof entry === 'object' && entry !== null && typeof entry.clean_url === 'string';

/**
 * @param {any} answer of k6, or anything else
 * @returns {string} the id that its request carried; empty where it is no answer
 */
export const idSent = (answer) => answer?.request?.headers?.[ID]?.[0] ?? '';
