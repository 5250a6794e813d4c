/**
 * The requests that a user sends, as the lab lists them, and which of them comes next. Knows neither k6 nor time.
 *
 * @typedef {object} ListedRequest
 * @property {string} method
 * @property {string} path     with its query; begins with a slash
 * @property {string} [target] where the path begins; that of the list unless given
 * @property {string} [address] of the target, whose name is to lead nowhere else
 * @property {string} [shown]  target as it is told, where its name is the user's own
 * @property {string} [name]   for who reads the list
 * @property {Record<string, string>} [headers]
 * @property {string[]} [given] names of headers whose values stand elsewhere: they may be secrets
 * @property {string | null} [body]
 * @property {number} [weight] how often it is sent, beside those of the others; 1 unless given
 * @property {number[]} [expect] statuses that are good; below 400 unless given
 */

/**
 * @typedef {object} Ready  as the client takes it, which wants the same object each time
 * @property {string} url
 * @property {{ method: string, headers?: Record<string, string>, body: string | null, isGood: (status: number) => boolean, fill: ReturnType<typeof fillerOf>, isStored: boolean }} request
 *   fill: what of it is another each time; isStored: its id is to be found in the store afterwards
 */

import { fillerOf, isStored } from './stored-id.js';

/** A browser and other programs read a backslash as a slash. */
const BACKSLASH = '\\';
const CONTROL = /\p{Cc}/u;
/** Scheme, host and port of a URL. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*/i;

/**
 * What is put behind an address without a slash between becomes a part of it: http://shop:8080 and @example.com are a host that is not the
 * shop's, and would get the load and its headers.
 * @param {unknown} path
 * @returns {string} why it cannot be asked for at the target; empty when it can
 */
export function pathProblem(path) {
	if (typeof path !== 'string' || !path.startsWith('/')) return 'it does not begin with a slash, and could lead to another host';
	if (path.startsWith('//')) return 'it begins with two slashes, as the address of another host does';
	if (path.includes(BACKSLASH)) return 'it has a backslash, which some programs read as a slash';
	return CONTROL.test(path) ? 'it has a line break or another control character' : '';
}

/** Of a URL, without its port. */
const HOST = /^[a-z][a-z0-9+.-]*:\/\/([^/?#:]+)/i;

/** No answer has the status 0. @param {number} status */
const isBelow400 = (status) => status > 0 && status < 400;

/**
 * @param {string} text JSON
 * @returns {ListedRequest[]}
 * @throws {Error} when it lists nothing
 */
export function readList(text) {
	const list = JSON.parse(text || '[]');
	if (list.length > 0) return list;
	throw new Error('Expected a list of requests in REQUESTS or in the file that REQUESTS_FILE names; found none.');
}

/**
 * @param {ListedRequest[]} list
 * @param {string} target where the paths begin
 * @param {Record<string, string>} [values] of the headers that are given
 * @param {string} [mark] of the run, in the ids that its system stores
 * @returns {Ready[]}
 * @throws {Error} when one would be sent elsewhere
 */
export function requestsTo(target, list, values = {}, mark = '') {
	return list.map(({ method, path, target: own = target, headers: listed, given = [], body = null, expect }) => {
		const url = urlAt(own.replace(/\/+$/, ''), path);
		const headers = { ...listed, ...Object.fromEntries(given.map((name) => [name, values[name]])) };
		return {
			url,
			request: {
				method,
				headers,
				body,
				isGood: expect ? (/** @type {number} */ status) => expect.includes(status) : isBelow400,
				fill: fillerOf({ url, headers, body }, mark),
				isStored: isStored({ method, path, headers, body }),
			},
		};
	});
}

/**
 * @param {ListedRequest[]} list
 * @returns {Record<string, string>} names of hosts with their addresses, for those that no name service is to be asked for
 */
export const hostsOf = (list) =>
	Object.fromEntries(list.flatMap(({ target, address }) => (target && address ? [[(HOST.exec(target) ?? [])[1], address]] : [])));

/** @type {(base: string, path: string) => string} */
function urlAt(base, path) {
	const [address] = AUTHORITY.exec(base) ?? [''];
	const url = base + path;
	const problem = pathProblem(path) || (url.startsWith(`${address}/`) ? '' : 'it leads to another host');
	if (problem === '') return url;
	throw new Error(`Expected a path below ${base}; found ${JSON.stringify(path)}: ${problem}.`);
}

/**
 * @param {number[]} weights
 * @returns {(value: number) => number} from a number of 0 to 1 to an index, each as often as its weight says
 */
export function chooserOf(weights) {
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	let upTo = 0;
	const bounds = weights.map((weight) => {
		upTo += weight / total;
		return upTo;
	});
	return (value) => {
		let low = 0;
		let high = bounds.length - 1;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (value < bounds[middle]) high = middle;
			else low = middle + 1;
		}
		return low;
	};
}
