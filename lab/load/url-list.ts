/**
 * Reads the requests of a load as a user writes them down: `GET /`, `POST /orders {"item": 1}`, `3x GET /search?q=a`, or an
 * object where there is more to say. At another entry than the first, or by another of its hosts, a URL stands in the place of the path. Pure.
 */

import type { ListedRequest } from '../../k6/lib/request-list.js';
import { pathProblem } from '../../k6/lib/request-list.js';
import { storedId, withId } from '../../k6/lib/stored-id.js';
import { NotReadyError } from '../base/errors.ts';
import { jsonIn } from '../base/values.ts';
import { isHeaderName, isSendable } from '../catalog/project-problems.ts';
import { ENTRY as ENTRY_URL, hostsAt, partsOfEntry, urlOfHost } from '../catalog/project-schema.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** HTTP gives a body no meaning there (RFC 9110, 9.3.1), and many servers refuse one. */
const WITHOUT_BODY = ['GET', 'HEAD'];
const KEYS = ['method', 'path', 'name', 'headers', 'body', 'weight', 'expect'];
const WEIGHT_MOST = 1000;
/** Every user of k6 holds the list. */
const REQUESTS_MOST = 1000;
const SHOWN_MOST = 120;
const [STATUS_LEAST, STATUS_MOST] = [100, 599];

/** Weight, method, path, body. */
const ENTRY = /^(?:(\d+)x\s+)?(?:([A-Za-z]+)\s+)?(\S+)(?:\s+([\s\S]+))?$/;
const EXAMPLE_ID = storedId('e0a1e0a1e0a1', 'load', 1, 1);
const JSON_BEGINS = /^[[{]/;
const FORM = /^[^\s=&]+=[^\s&]*(&[^\s=&]+=[^\s&]*)*$/;

const REMEDY = 'write it as "GET /path", "POST /path {"item": 1}" or "3x GET /path", or as an object with method and path.';

type Wrong = (expected: string, found?: unknown) => NotReadyError;

/** targets: URLs below which one of the list may be; hosts: names, with theirs */
type Sites = { targets: string[]; hosts?: Record<string, string> };

/** @throws {NotReadyError} naming the entry, what it is to be and what it is */
export function readUrlList(entries: unknown, sites: Sites = { targets: [] }): ListedRequest[] {
	if (!Array.isArray(entries) || entries.length === 0 || entries.length > REQUESTS_MOST) {
		const found = Array.isArray(entries) ? `${entries.length} of them` : shown(entries);
		throw new NotReadyError(`The requests of the load: expected a list of 1 to ${REQUESTS_MOST} requests; found ${found}.`, REMEDY);
	}
	return entries.map((entry, index) => {
		const wrong: Wrong = (expected, found = entry) =>
			new NotReadyError(`Request ${index + 1} of the load: expected ${expected}; found ${shown(found)}.`, REMEDY);
		if (typeof entry === 'string') return fromText(entry.trim(), wrong, sites);
		if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return fromObject(entry, wrong);
		throw wrong('a text or an object');
	});
}

function fromText(text: string, wrong: Wrong, sites: Sites) {
	const found = ENTRY.exec(text);
	if (!found) throw wrong('a method and a path');
	const [, weight, method, place, body] = found;
	const { path, target, host } = IS_URL.test(place) ? placeIn(place, sites, wrong) : { path: place };
	const request = checked({ method, path, body, ...(weight && { weight: Number(weight) }) }, wrong);
	const there = target === undefined || target === sites.targets[0] ? request : { ...request, target };
	return host === undefined ? there : byHost(there, host, target ?? sites.targets[0]);
}

/** @param host as it is sent */
const byHost = (request: ListedRequest, host: string, entry: string): ListedRequest => ({
	...request,
	headers: { Host: host, ...request.headers },
	shown: urlOfHost(host, entry),
});

/** What names no host is asked by the first of its entry. */
export const byFirstHosts = (requests: ListedRequest[], { targets, hosts }: Sites): ListedRequest[] =>
	requests.map((request) => {
		const entry = request.target ?? targets[0];
		const [host] = hostsAt({ hosts }, entry);
		const isNamed = Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'host');
		return host === undefined || isNamed ? request : byHost(request, host, entry);
	});

const PATH_WANTED = 'a path that begins with a slash, without the address, which Doubletake adds';
const IS_URL = /^https?:\/\//i;

/** @returns target: the one with the longest path; host: by which it is to be asked */
function placeIn(url: string, { targets, hosts = {} }: Sites, wrong: Wrong): { path: string; target: string; host?: string } {
	const [, scheme, name = '', port, rest = '/'] = ENTRY_URL.exec(url) ?? [];
	const to = partsOfEntry(url);
	const entry = Object.hasOwn(hosts, name.toLowerCase()) ? hosts[name.toLowerCase()] : undefined;
	if (entry !== undefined) {
		const { scheme: spoken, base } = partsOfEntry(entry);
		if (spoken !== scheme.toLowerCase()) throw wrong(`${spoken}, which its entry ${entry} speaks`, url);
		if (!(rest === base || rest.startsWith(`${base}/`) || rest.startsWith(`${base}?`)))
			throw wrong(`a path below ${base}, as of its entry`, url);
		return { path: below(rest, base), target: entry, host: `${name.toLowerCase()}${port ? `:${port}` : ''}` };
	}
	const [target] = targets
		.filter((one) => {
			const { scheme, host, port, base } = partsOfEntry(one);
			const isSame = scheme === to.scheme && host.toLowerCase() === to.host?.toLowerCase() && port === to.port;
			return isSame && (rest === base || rest.startsWith(`${base}/`) || rest.startsWith(`${base}?`));
		})
		.toSorted((one, other) => other.length - one.length);
	if (target === undefined) throw wrong(`${PATH_WANTED}; or a URL below one of several entries, or of "hosts"`, url);
	return { path: below(rest, partsOfEntry(target).base), target };
}

const below = (path: string, base: string) => path.slice(base.length).replace(/^(?!\/)/, '/');

function fromObject(given: Record<string, unknown>, wrong: Wrong) {
	const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
	if (unknown !== undefined) throw wrong(`no other keys than ${KEYS.join(', ')}`, unknown);
	return checked(given, wrong);
}

function checked({ method = 'GET', path, name, headers, body, weight = 1, expect }: Record<string, any>, wrong: Wrong): ListedRequest {
	const verb = String(method).toUpperCase();
	if (!METHODS.includes(verb)) throw wrong(`one of ${METHODS.join(', ')}`, method);
	checkPath(path, wrong);
	const isWeight = typeof weight === 'number' && weight > 0 && weight <= WEIGHT_MOST;
	if (!isWeight) throw wrong(`a weight above 0 and up to ${WEIGHT_MOST.toLocaleString('en-US')}`, weight);
	if (name !== undefined && typeof name !== 'string') throw wrong('a name that is a text', name);
	if (expect !== undefined) checkStatuses(expect, wrong);
	if (headers !== undefined) checkHeaders(headers, wrong);
	const sent = bodyOf(body, wrong);
	if (sent !== null && WITHOUT_BODY.includes(verb)) throw wrong(`no body with ${verb}`, body);
	const hasType = Object.keys(headers ?? {}).some((key) => key.toLowerCase() === 'content-type');
	const allHeaders = { ...(sent !== null && !hasType && { 'Content-Type': sent.type }), ...headers };
	return {
		method: verb,
		path,
		weight,
		...(name !== undefined && { name }),
		...(Object.keys(allHeaders).length > 0 && { headers: allHeaders }),
		...(sent !== null && { body: sent.text }),
		...(expect !== undefined && { expect: [expect].flat() }),
	};
}

function checkPath(path: unknown, wrong: Wrong) {
	const expected = PATH_WANTED;
	if (typeof path !== 'string' || !path.startsWith('/') || path.startsWith('//')) throw wrong(expected, path);
	if (/\s/.test(path)) throw wrong('a path without blanks (write %20)', path);
	const problem = pathProblem(path);
	if (problem !== '') throw wrong(`a path of the entry (${problem})`, path);
	if (path.includes('#')) throw wrong('a path without "#", which never reaches a server', path);
}

function checkStatuses(expect: unknown, wrong: Wrong) {
	const statuses = [expect].flat();
	const isStatus = (status: any) => Number.isInteger(status) && status >= STATUS_LEAST && status <= STATUS_MOST;
	if (statuses.length === 0 || !statuses.every(isStatus)) throw wrong(`HTTP statuses from ${STATUS_LEAST} to ${STATUS_MOST}`, expect);
}

function checkHeaders(headers: unknown, wrong: Wrong) {
	const isPlain = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
	if (!isPlain || !Object.values(headers).every((value) => typeof value === 'string'))
		throw wrong('headers as names with texts (quote numbers)', headers);
	for (const [name, value] of Object.entries(headers as Record<string, string>)) {
		if (!isHeaderName(name)) throw wrong('the name of a header, without blanks, line breaks and colons', name);
		// Its value may be a secret.
		if (!isSendable(value)) throw wrong('a value of a header on one line, in Latin letters and signs', `other signs in that of ${name}`);
	}
}

function bodyOf(body: unknown, wrong: Wrong): { text: string; type: string } | null {
	if (body === undefined || body === null) return null;
	if (typeof body !== 'string') return { text: JSON.stringify(body), type: 'application/json' };
	// As it is sent: the placeholder of an id has braces of its own.
	const sent = withId(body, EXAMPLE_ID);
	if (JSON_BEGINS.test(sent)) {
		if (jsonIn(sent) === null) throw wrong('a body that is JSON, because it begins like it', body);
		return { text: body, type: 'application/json' };
	}
	return { text: body, type: FORM.test(body) ? 'application/x-www-form-urlencoded' : 'text/plain' };
}

/** A terminal would do what they say. */
const visible = (text: string) => text.replace(/\p{Cc}/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

function shown(value: unknown) {
	const text = typeof value === 'string' ? `"${visible(value)}"` : (JSON.stringify(value) ?? 'nothing');
	return text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST)} ...` : text;
}
