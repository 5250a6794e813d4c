/**
 * How an entry wants to be asked so that it answers well: by TLS, for another host name, or as behind a proxy that speaks TLS. It is tried in
 * the copy before the load, so that the load goes to the lab's own containers, whatever public address a redirect names.
 */

import type { ListedRequest } from '../../../k6/lib/request-list.js';
import type { Proposal } from '../../adapters/observed-system.ts';
import { OPERATORS_PORTS } from '../../adapters/well-known.ts';
import { NotReadyError } from '../../base/errors.ts';
import { ownOf } from '../../base/values.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { ENTRY, entryUrls, PROJECT_FILE, partsOfEntry } from '../../catalog/project-schema.ts';
import type { Answer } from '../../docker/http-answer.ts';
import type { AttachedService } from '../../target/compose-model.ts';
import { projectService, serviceOfEntry } from '../../target/describe.ts';
import { filesIn, linksIn } from './page-links.ts';
import { ROOT } from './probe.ts';

export type Way = {
	/** URL that the load is given in the place of the entry's */
	target: string;
	/** of the container, where the target's name is none of its network's */
	address?: string;
};

type EntryPoint = {
	ask: (request: ListedRequest) => Promise<Answer>;
	/** of a container of that service */
	addressOf: (entry: string) => Promise<string | undefined>;
	/** by which users may know it */
	names?: string[];
	/** of these, what its network knows it by as well */
	hosts?: string[];
};

/** Of what comes where the other of HTTP and HTTPS is spoken; a port that nobody listens on says something else. */
const NOT_SPOKEN = /parse error|hang up|reset|EPROTO|SSL|TLS|wrong version/i;
/** A server that speaks TLS, and has no certificate for the name that it was asked by. */
const NO_SUCH_NAME = /\balert\b|unrecognized name|handshake failure/i;
/** What servers that speak TLS answer to a request that comes without. */
const BAD_REQUEST = 400;
const [FIRST_REDIRECT, FIRST_REFUSAL] = [300, 400];
const TLS_PORT = 443;
/** By which a proxy that speaks TLS says so to what is behind it. */
const FORWARDED = { 'X-Forwarded-Proto': 'https' };

/** By which a request is to be answered, whatever it is sent to; empty where it says nothing. */
export const hostOf = ({ headers = {} }: Pick<ListedRequest, 'headers'>) =>
	Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '';

const withoutPort = (host: string) => host.replace(/:\d+$/, '');

/**
 * Asks each entry in what it speaks: as it is written, and by the other of HTTP and HTTPS where that is answered and the first is not. What is
 * found of a request holds for all of the same entry and Host.
 */
export function waysOf({ ask, addressOf, names = [], hosts = [] }: EntryPoint) {
	const known: Map<string, Way> = new Map();
	const keyOf = (entry: string, host: string) => `${entry} ${host}`;

	/** A server of TLS chooses by the name that it is asked by, before it reads the Host. */
	const asWritten = (entry: string, host: string): Way => {
		const { scheme, ...parts } = partsOfEntry(entry);
		const name = withoutPort(host);
		return { target: scheme === 'https' && hosts.includes(name) ? urlOf({ ...parts, scheme, host: name }) : entry };
	};

	const of = (entry: string, host: string = ''): Way => known.get(keyOf(entry, host)) ?? asWritten(entry, host);

	const askBy = (request: ListedRequest, { target, address }: Way) => ask({ ...request, target, ...(address && { address }) });

	/** @param answer as it is written */
	async function otherwise(request: ListedRequest, entry: string, answer: Answer): Promise<Answer> {
		const written = partsOfEntry(entry);
		const other = written.scheme === 'http' ? 'https' : 'http';
		let [scheme, found] = [other, answer];
		if (NO_SUCH_NAME.test(answer.error) && written.scheme === 'https') scheme = 'https';
		else {
			const way = { target: urlOf({ ...written, scheme: other }) };
			found = await askBy(request, way);
			if (found.status > 0) return keep(entry, request, way, found);
		}
		if (scheme === 'http' || !NO_SUCH_NAME.test(found.error)) return answer;
		const own = withoutPort(hostOf(request));
		for (const name of own === '' ? names : [own]) {
			const way = await byName(urlOf({ ...written, scheme: 'https', host: name }), entry);
			found = await askBy(request, way);
			if (found.status > 0) return keep(entry, request, way, found);
		}
		return answer;
	}

	/** @param target whose name may be none of its network's */
	async function byName(target: string, entry: string): Promise<Way> {
		const isKnown = hosts.includes(partsOfEntry(target).host) || partsOfEntry(target).host === partsOfEntry(entry).host;
		return isKnown ? { target } : { target, address: await addressOf(entry) };
	}

	function keep(entry: string, request: ListedRequest, way: Way, answer: Answer) {
		known.set(keyOf(entry, hostOf(request)), way);
		return answer;
	}

	return {
		of,
		use: (entry: string, host: string, way: Way) => known.set(keyOf(entry, host), way),
		/** @param way another than that which is known */
		async ask(request: ListedRequest, entry: string, way?: Way): Promise<Answer> {
			const host = hostOf(request);
			const answer = await askBy(request, way ?? of(entry, host));
			const mayBeOther = answer.status === BAD_REQUEST || (answer.status === 0 && NOT_SPOKEN.test(answer.error));
			return way === undefined && !known.has(keyOf(entry, host)) && mayBeOther ? otherwise(request, entry, answer) : answer;
		},
		byName,
		names,
	};
}

export type Ways = ReturnType<typeof waysOf>;

/** path: with its query */
export type Place = { scheme: string; host: string; port: number; path: string };

export const urlOf = ({ scheme, host, port, base = '' }: { scheme: string; host: string; port: number; base?: string }) =>
	`${scheme}://${host}:${port}${base}/`;

/** Of a Host header: without the port that goes without saying. */
const headerOf = ({ scheme, host, port }: { scheme: string; host: string; port: number }) =>
	port === (scheme === 'https' ? TLS_PORT : 80) ? host : `${host}:${port}`;

/**
 * @param from that was asked
 * @returns where it leads; null where it is no redirect, or leads nowhere that HTTP is spoken
 */
export function leadsTo({ status, location }: Answer, { scheme, host, port, path }: Place): Place | null {
	if (status < FIRST_REDIRECT || status >= FIRST_REFUSAL || location === '') return null;
	const absolute = location.replace(/^\/\//, `${scheme}://`);
	if (ENTRY.test(absolute.replace(/[?#].*$/, ''))) {
		const { base: _, ...place } = partsOfEntry(absolute.replace(/[?#].*$/, ''));
		return {
			...place,
			host: place.host.toLowerCase(),
			path: absolute
				.replace(/^https?:\/\/[^/?#]*/i, '')
				.replace(/^(?!\/)/, '/')
				.replace(/#.*$/, ''),
		};
	}
	if (/^[a-z][a-z\d+.-]*:/i.test(absolute) || !URL.canParse(absolute, `http://site.invalid${path}`)) return null;
	const { pathname, search } = new URL(absolute, `http://site.invalid${path}`);
	return { scheme, host, port, path: `${pathname}${search}` };
}

/** As which place a request finds itself: that of its Host, where it has one. */
export function asNamed({ scheme, host, port }: { scheme: string; host: string; port: number }, named: string): Omit<Place, 'path'> {
	if (named === '') return { scheme, host, port };
	const [name, own = scheme === 'https' ? TLS_PORT : 80] = named.split(':');
	return { scheme, host: name, port: Number(own) };
}

export const isSamePlace: (one: Place, other: Omit<Place, 'path'>) => boolean = (one, other) =>
	one.scheme === other.scheme && one.host.toLowerCase() === other.host.toLowerCase() && one.port === other.port;

/**
 * A script finds the entry as it is written.
 * @throws {NotReadyError}
 */
export function refuseOtherScheme(entries: string[], ways: Ways) {
	for (const entry of entries) {
		const { target } = ways.of(entry);
		if (target === entry) continue;
		const [found] = target.split(':');
		throw new NotReadyError(
			`${PROJECT_FILE}, entry: expected ${partsOfEntry(entry).scheme} at ${entry}, as it is written; found that ${found} is spoken there.`,
			`write ${target} as the entry.`,
		);
	}
}

/**
 * What a request to an entry needs that is led elsewhere: the Host of where it leads, the header that says that a proxy before it spoke TLS, or that it is
 * asked by TLS itself; in this order, so that what can be read on the wire stays so.
 * @returns seen: as which place it
 * answers then; what: was needed, in words; null where nothing of this helped, or nothing was needed
 */
export async function throughRedirect({
	ways,
	entry,
	request,
	answer,
}: {
	ways: Ways;
	entry: string;
	request: ListedRequest;
	/** that it is given */
	answer: Answer;
}): Promise<{ headers: Record<string, string>; answer: Answer; seen: Omit<Place, 'path'>; what: string } | null> {
	const named = hostOf(request);
	const way = ways.of(entry, named);
	const asked = partsOfEntry(way.target);
	const place = asNamed(asked, named);
	const led = leadsTo(answer, { ...place, path: `${asked.base}${request.path}` });
	if (led === null || isSamePlace(led, place)) return null;
	const isElsewhere = led.host !== place.host.toLowerCase() || (led.scheme === place.scheme && led.port !== place.port);
	const Host = headerOf(led);
	const byHost = isElsewhere ? [{ headers: { Host }, what: `Host: ${Host}` }] : [];
	const byProto = led.scheme === 'https' && place.scheme === 'http' ? [{ headers: FORWARDED, what: 'X-Forwarded-Proto: https' }] : [];
	const byBoth =
		byHost.length + byProto.length < 2 ? [] : [{ headers: { Host, ...FORWARDED }, what: `Host: ${Host} and X-Forwarded-Proto: https` }];
	for (const { headers, what } of [...byHost, ...byProto, ...byBoth]) {
		const found = await ways.ask(withHeaders(request, headers), entry, way);
		const seen = seenAs(place, headers, led);
		if (isThere(found, seen, request)) return { headers, answer: found, seen, what };
	}
	return led.scheme === 'https' ? byTls({ ways, entry, request, led, base: asked.base }) : null;
}

async function byTls({ ways, entry, request, led, base }: { ways: Ways; entry: string; request: ListedRequest; led: Place; base: string }) {
	const { host, port: written } = partsOfEntry(entry);
	const isOwn = led.host === host.toLowerCase();
	for (const port of new Set([led.port, TLS_PORT])) {
		const by = (name: string, headers: Record<string, string> = {}) => ({
			...{ name, headers, seen: { scheme: 'https', host: name === host ? led.host : name, port: led.port } },
		});
		const byHost = hostOf(request) === '' ? [by(host, { Host: headerOf(led) }), by(led.host)] : [by(led.host)];
		const tries = isOwn ? [by(host), ...ways.names.map((name) => by(name))] : byHost;
		for (const { name, headers, seen } of port === written ? [] : tries) {
			const way = await ways.byName(urlOf({ scheme: 'https', host: name, port, base }), entry);
			const found = await ways.ask(withHeaders(request, headers), entry, way);
			if (!isThere(found, seen, request)) continue;
			ways.use(entry, hostOf(request), way);
			return { headers, answer: found, seen, what: `TLS at port ${port}${isOwn ? '' : ` for ${led.host}`}` };
		}
	}
	return null;
}

const seenAs: (place: Omit<Place, 'path'>, headers: Record<string, string>, led: Place) => Omit<Place, 'path'> = (place, headers, led) => {
	const isForwarded = 'X-Forwarded-Proto' in headers;
	const own = 'Host' in headers ? { ...place, host: led.host, port: led.port } : place;
	return isForwarded ? { ...own, scheme: led.scheme, port: led.port } : own;
};

export const withHeaders = (request: ListedRequest, headers: Record<string, string>): ListedRequest =>
	Object.keys(headers).length === 0 ? request : { ...request, headers: { ...request.headers, ...headers } };

/** Answered well, or led on within the place that it answers as. */
function isThere(answer: Answer, seen: Omit<Place, 'path'>, { path }: ListedRequest): boolean {
	if (answer.status > 0 && answer.status < FIRST_REDIRECT) return true;
	const led = leadsTo(answer, { ...seen, path });
	return led !== null && isSamePlace(led, seen) && led.path !== path;
}

/**
 * Where an entry's page leads to, where it is no page itself: a log-in, the first steps of a new installation, or another page; and what
 * there is besides that answers well.
 */
type PageKind = 'log-in' | 'set-up' | 'page';

/** As browsers, which give up later: who needs more goes in a circle. */
const HOPS_MOST = 5;
/** Of files that a page loads, so many: a page has dozens, which a proxy answers. */
const FILES_MOST = 5;
/** Words of a path, in the order in which they count: who sets up an installation chooses a password too. */
const SET_UP =
	/(^|[/_.-])(install(er|ation)?|set[-_]?up|wizard|onboard(ing)?|first[-_]?(run|start|time|user)|getting[-_]?started|initial(i[sz]e)?)([/_.?-]|$)/i;
const LOG_IN = /(^|[/_.-])(log[-_]?in|sign[-_]?in|auth(enticate|orize)?|sso|session)([/_.?-]|$)/i;
/** Whatever language the page is in. */
const PASSWORD = /<input\b[^>]{0,500}?\btype\s*=\s*["']?password\b/i;
/** A page that has more links than these, and a field for a password, shows something besides it. */
const LINKS_OF_A_LOG_IN = 3;
const ENTRY_PAGES_FIRST_REDIRECT = 300;

export const isPage = ({ status }: Answer) => status >= 200 && status < ENTRY_PAGES_FIRST_REDIRECT;

/**
 * @returns the page at the end; null where the way leaves the place, goes in a
 * circle, or ends badly
 */
export async function followed({
	ask,
	answer,
	from,
	base = '',
}: {
	ask: (path: string) => Promise<Answer>;
	/** of the first path */
	answer: Answer;
	/** that gave it */
	from: Place;
	/** below which all paths have to be */
	base?: string;
}): Promise<{ path: string; paths: string[]; answer: Answer } | null> {
	const paths = [from.path];
	for (let now = answer; paths.length <= HOPS_MOST; ) {
		const path = paths[paths.length - 1];
		if (isPage(now)) return { path, paths, answer: now };
		const led = leadsTo(now, { ...from, path });
		if (led === null || !isSamePlace(led, from) || paths.includes(led.path) || !led.path.startsWith(`${base}/`)) return null;
		paths.push(led.path);
		now = await ask(led.path);
	}
	return null;
}

export function kindOf({ paths, page = '' }: { paths: string[]; page?: string }): PageKind {
	const words = paths.map((path) => path.replace(/\?.*/, ''));
	if (words.some((path) => SET_UP.test(path))) return 'set-up';
	if (words.some((path) => LOG_IN.test(path))) return 'log-in';
	const isAlone = paths.length > 1 || linksIn(page, paths[0], LINKS_OF_A_LOG_IN + 1).length <= LINKS_OF_A_LOG_IN;
	return PASSWORD.test(page) && isAlone ? 'log-in' : 'page';
}

/** What the load measures then. */
export const MEANING: Record<PageKind, string> = {
	'log-in': 'a log-in: the load measures that page and not what lies behind it; a k6 script (load.script) or load.headers can log in',
	'set-up':
		'the first steps of a new installation, because volumes are new in a run: the load measures that page and not the system in use',
	page: 'a page',
};

/**
 * What answers well besides: files that the page loads, pages that it links to.
 * @returns paths
 */
export async function besideIt({
	ask,
	page,
	path,
	base,
	most,
}: {
	ask: (path: string) => Promise<Answer>;
	page: string;
	/** of it */
	path: string;
	/** below which all have to be */
	base: string;
	most: number;
}): Promise<string[]> {
	const wanted = [...filesIn(page, path, FILES_MOST), ...linksIn(page, path, most)].filter((one) => one.startsWith(`${base}/`));
	const good = [];
	for (const one of [...new Set(wanted)].slice(0, most)) if (isPage(await ask(one))) good.push(one);
	return good;
}

/** A store that is asked in HTTP says in its log that somebody spoke nonsense. */
const ASKED_TIERS = ['load-balancer', 'app', 'other'];
/** Which are one door to users, whichever they come by. */
const WEB_PORTS = [80, 443, 8443];
const PORTS_MOST = 12;

/**
 * Which published ports answer HTTP besides the entries: no file says what speaks there, so each is asked once in the copy.
 * @returns one sentence where some answer
 */
export async function aboutEntryPoints({
	project,
	models,
	proposal,
	ways,
}: {
	project: Project;
	models: Pick<AttachedService, 'service' | 'published' | 'networkMode'>[];
	proposal: Proposal;
	ways: Ways;
}): Promise<string[]> {
	const entryPoints = entryPointsBeside(project, models, proposal);
	const answers = await Promise.all(entryPoints.map((entryPoint) => ways.ask(ROOT, entryPoint)));
	const open = entryPoints
		.filter((_, index) => answers[index].status > 0 && answers[index].status < FIRST_REDIRECT)
		.map((entryPoint) => ways.of(entryPoint).target);
	if (open.length === 0) return [];
	return [
		`${open.join(', ')} answer${open.length === 1 ? 's' : ''} HTTP too, and the load does not go there: if users come in there, add it to "entry" in ${PROJECT_FILE}.`,
	];
}

/** @returns URLs; none where somebody chose other entries than were proposed */
function entryPointsBeside(
	project: Project,
	models: Pick<AttachedService, 'service' | 'published' | 'networkMode'>[],
	{ entries = [], services }: Proposal,
): string[] {
	const urls = entryUrls(project);
	if (!urls.every((url, index) => entries[index]?.url === url)) return [];
	const asked = urls.map((url) => `${serviceOfEntry(project, url)}:${partsOfEntry(url).port}`);
	const entered = urls.map((url) => serviceOfEntry(project, url));
	// What is known for a tool is none of the users'.
	const isAsked = (service: string) =>
		ASKED_TIERS.includes(projectService(project, service).tier) && ownOf(services, service)?.likely !== null;
	return models
		.filter(({ service, networkMode }) => networkMode === '' && isAsked(service))
		.flatMap(({ service, published }) =>
			published
				.filter((port) => !OPERATORS_PORTS.includes(port) && !asked.includes(`${service}:${port}`))
				.filter((port) => !entered.includes(service) || !WEB_PORTS.includes(port))
				.map((port) => urlOf({ scheme: 'http', host: service, port })),
		)
		.slice(0, PORTS_MOST);
}
