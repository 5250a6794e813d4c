/**
 * Requests that a team has written down or recorded for other programs, as a load: a HAR, a `.http` file, a Postman collection, a sitemap. Only
 * those that change nothing are taken, without what may be a secret; their bodies and headers are not read. Pure.
 *
 * HAR: http://www.softwareishard.com/blog/har-12-spec/. `.http`: https://www.jetbrains.com/help/idea/exploring-http-syntax.html. Postman:
 * https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html. Sitemaps: https://www.sitemaps.org/protocol.html.
 */

import { pathProblem } from '../../k6/lib/request-list.js';

type Recorded = { method: string; url: string };

type Kind = { title: string; is: (file: string, text: string) => boolean; read: (text: string) => Recorded[] };

const SAFE = ['GET', 'HEAD'];
/** As many as the probe sends. */
const REQUESTS_MOST = 20;
/** As doubletake.yaml has it. */
const WEIGHT_MOST = 1000;
/** A parameter that is called so may let somebody in. */
const SECRET = /[?&][^=&]*(token|secret|passw|auth|session|signature|sig|key|code|jwt)[^=&]*=/i;
const VARIABLE = /\{\{|\}\}|\$\{|<[^<>]*>/;
/** Scheme and host, or a variable in their place. */
const HOST = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*|\{\{[^}]*\}\})/i;

/** In the order in which they are to be taken: what users did comes before what a program lists. */
export const KINDS: Kind[] = [
	{ title: 'a HAR', is: (file, text) => file.endsWith('.har') && text.includes('"log"'), read: ofHar },
	{ title: 'an HTTP file', is: (file) => /\.(http|rest)$/.test(file), read: ofHttpFile },
	{ title: 'a Postman collection', is: (file, text) => file.endsWith('.json') && text.includes('schema.getpostman.com'), read: ofPostman },
	{ title: 'a sitemap', is: (file, text) => file.endsWith('.xml') && text.includes('<urlset'), read: ofSitemap },
];

/**
 * @returns urls: as `load.urls` has them, what was asked most often first; others:
 * requests that are not taken. null where it is none of these, or cannot be read
 */
export function recordedIn(file: string, text: string): { title: string; urls: string[]; others: number } | null {
	const kind = KINDS.find(({ is }) => is(file, text));
	if (kind === undefined) return null;
	const all = readAll(kind, text);
	if (all === null) return null;
	const host = hostOf(all[0]?.url ?? '');
	const counts: Map<string, number> = new Map();
	for (const { method, url } of all.filter((one) => SAFE.includes(one.method) && hostOf(one.url) === host)) {
		const path = pathOf(url);
		if (path !== null) counts.set(`${method} ${path}`, (counts.get(`${method} ${path}`) ?? 0) + 1);
	}
	const taken = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, REQUESTS_MOST);
	return {
		title: kind.title,
		urls: taken.map(([request, times]) => (times > 1 ? `${Math.min(times, WEIGHT_MOST)}x ${request}` : request)),
		others: all.length - taken.reduce((sum, [, times]) => sum + times, 0),
	};
}

function readAll({ read }: Kind, text: string) {
	try {
		return read(text);
	} catch (error) {
		// What another program wrote may have any form.
		if ([SyntaxError, TypeError, RangeError].some((kind) => error instanceof kind)) return null;
		throw error;
	}
}

const hostOf = (url: string) => HOST.exec(url)?.[0].toLowerCase() ?? '';

/** @returns null where it cannot be asked as it is */
function pathOf(url: string): string | null {
	const path = url.replace(HOST, '').replace(/#.*$/s, '') || '/';
	const whole = path.startsWith('?') ? `/${path}` : path;
	const isAskable = whole.startsWith('/') && !whole.startsWith('//') && !/\s/.test(whole) && pathProblem(whole) === '';
	return isAskable && !VARIABLE.test(whole) && !SECRET.test(whole) ? whole : null;
}

function ofHar(text: string): Recorded[] {
	const { entries } = JSON.parse(text).log;
	return entries.map(({ request }: any) => ({ method: String(request.method).toUpperCase(), url: String(request.url) }));
}

const REQUEST_LINE = /^(?:([A-Z]+)[ \t]+)?((?:https?:\/\/|\/|\{\{)\S+)(?:[ \t]+HTTP\/[\d.]+)?[ \t]*\r?$/;
const NEXT_REQUEST = /^###.*$/m;
const ASIDE = /^\s*(#|\/\/|@|$)/;

/** The first line of each part that is no comment and no variable. */
function ofHttpFile(text: string): Recorded[] {
	return text.split(NEXT_REQUEST).flatMap((part) => {
		const line = part.split('\n').find((one) => !ASIDE.test(one));
		const found = REQUEST_LINE.exec(line ?? '');
		return found ? [{ method: found[1] ?? 'GET', url: found[2] }] : [];
	});
}

function ofPostman(text: string): Recorded[] {
	const requestsOf = ({ request, item }: any) => [...(request ? [ofPostmanRequest(request)] : []), ...(item ?? []).flatMap(requestsOf)];
	return requestsOf(JSON.parse(text));
}

/** A request may be its URL alone. */
function ofPostmanRequest(request: any): Recorded {
	const { method = 'GET', url = request } = typeof request === 'string' ? {} : request;
	const raw = typeof url === 'string' ? url : String(url?.raw ?? '');
	// A variable of its path.
	return { method: String(method).toUpperCase(), url: raw.replaceAll(/\/:(\w+)/g, '/{{$1}}') };
}

const LOCATION = /<loc>\s*(?:<!\[CDATA\[)?\s*([^<\s\]]+)/g;

function ofSitemap(text: string): Recorded[] {
	return [...text.matchAll(LOCATION)].map(([, url]) => ({ method: 'GET', url: url.replaceAll('&amp;', '&') }));
}
