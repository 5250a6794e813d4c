/**
 * What `init --observe` reads off what it asked and saw: where users come in, how entries want to be asked (scheme and port, the host names by
 * which they answer, the word of a proxy that spoke TLS before them), and which pages a load could ask. Pure.
 */

import type { ListedRequest } from '../../../k6/lib/request-list.js';
import type { Project } from '../../catalog/project-schema.ts';
import { entryUrls, hostsAt, isPlaceholder, partsOfEntry, placeholderFor, urlOfHost } from '../../catalog/project-schema.ts';
import { serviceOfEntry } from '../../target/describe.ts';
import type { Observed } from '../../wire/tenancy.ts';
import type { CheckedSystem } from './checked-system.ts';
import { hostOf } from './entry-way.ts';
import { ASKED_MOST, ROOT } from './probe.ts';
import type { EntryPoint } from './settle-load.ts';

export type Entry = { service: string; url: string };

export type Seen = { entry: Entry; observed: Observed };

export type FoundEntryPoints = {
	/** as they are written, with the URL that is to stand in their place; none where that stays */
	entries: Record<string, string>;
	/** names that a redirect gave, with the URL of their entry as it is to be written */
	hosts: Record<string, string>;
	/** that all of the load needs besides */
	headers: Record<string, string>;
};

/** Of those at which users could enter. */
const ENTRIES_MOST = 4;

/**
 * Where no file says which of several services users come in at, each is asked, unless its user chose, or says what to ask for.
 * @returns those of doubletake.yaml first
 */
export function askedEntries(project: Project, { proposal: { entries = [] } }: Pick<CheckedSystem, 'proposal'>): Entry[] {
	const urls = entryUrls(project);
	const written = urls.map((url) => ({ service: serviceOfEntry(project, url), url }));
	const isProposed = urls.every((url, index) => entries[index]?.url === url);
	return isProposed && isPlaceholder(project) ? entries.slice(0, Math.max(ENTRIES_MOST, urls.length)) : written;
}

/**
 * Where users come in: at what doubletake.yaml names, and at what the requests to reach more services than to any of those; what stands behind
 * another of them is none.
 * @param written URLs
 * @returns entered: in the order of the file, where nothing changes; else what reaches most comes first
 */
export function enteredOf(all: Seen[], written: string[]): { entered: Seen[]; passed: Seen[] } {
	const sorted = mostReaching(all);
	const named = sorted.filter((seen, index) => index === 0 || written.includes(seen.entry.url));
	const isBehind = (seen: Seen, at: number) =>
		named.some(
			(other, index) => index < at && reachedFrom(other).includes(seen.entry.service) && other.entry.service !== seen.entry.service,
		);
	const kept = named.filter((seen, index) => !isBehind(seen, index));
	const isAsWritten = kept.length === written.length && kept.every(({ entry: { url } }) => written.includes(url));
	const entered = isAsWritten ? all.filter((seen) => kept.includes(seen)) : kept;
	return { entered, passed: all.filter((seen) => !entered.includes(seen)) };
}

/** From where requests come to more services is where users come in; of those alike, what was proposed. */
const mostReaching = (all: Seen[]) => all.toSorted((one, other) => reachedFrom(other).length - reachedFrom(one).length);

/** The entry among them. */
export const reachedFrom = ({ observed: { services } }: Seen) =>
	services.filter(({ place }) => place === 'way').map(({ service }) => service);

const NOTHING: FoundEntryPoints = { entries: {}, hosts: {}, headers: {} };

/** @param entryPoints of what is asked */
export function foundEntryPoints(project: Pick<Project, 'entry' | 'hosts' | 'load'>, entryPoints: EntryPoint[]): FoundEntryPoints {
	const isOfUrls = project.load.urls?.some((url) => /^\S+ https?:/i.test(url)) === true;
	// What somebody wrote begins with an entry as it is.
	if (isOfUrls && !isPlaceholder(project)) return NOTHING;
	const entries = entryUrls(project).flatMap((entry) => {
		const targets = [...new Set(entryPoints.filter((entryPoint) => entryPoint.entry === entry).map(({ target }) => target))];
		return targets.length === 1 && targets[0] !== entry ? [[entry, targets[0]]] : [];
	});
	const moved = Object.fromEntries(entries);
	const hosts = entryPoints.flatMap(({ entry, host, headers: { Host } }) =>
		host === '' && Host !== undefined && !Host.includes(':') ? [[Host, moved[entry] ?? entry]] : [],
	);
	const [first, ...others] = entryPoints.map(({ headers: { Host: _, ...headers } }) => JSON.stringify(headers));
	const isOfAll = first !== undefined && others.every((one) => one === first) && project.load.headers === undefined;
	return { entries: moved, hosts: Object.fromEntries(hosts), headers: isOfAll ? JSON.parse(first) : {} };
}

/**
 * What to write into `load.urls`, where nobody has said what to ask for.
 * @param seen pages: that were answered well
 * @returns as a load names them; none where the placeholder stays as it is
 */
export function urlsSeen({
	project,
	entryPoints,
	pages,
	entered,
}: {
	project: Project;
	entryPoints: FoundEntryPoints;
	pages: ListedRequest[];
	entered: Seen[];
}): string[] {
	const written = entered.map(({ entry: { url } }) => url);
	const entry = written.length > 1 ? written : written[0];
	const after = withEntryPoints({ ...project, entry }, entryPoints);
	const urls = urlsOf(pages, after);
	return urls.length > 0 ? urls : movedPlaceholder(project, after);
}

/**
 * Pages of each entry and host, of none more than its share, and nothing where that is the placeholder.
 * @param project as it is to be written
 */
function urlsOf(pages: ListedRequest[], project: Pick<Project, 'entry' | 'hosts' | 'services'>) {
	const entries = entryUrls(project);
	const placed = pages
		.filter(({ method }) => method === ROOT.method)
		.map((page) => {
			const { path, target = entries[0], shown = target } = page;
			const service = serviceOfEntry(project, shown);
			return {
				path,
				host: hostOf(page),
				entry: entries.find((one) => one === target || serviceOfEntry(project, one) === service) ?? target,
			};
		});
	const entryPoints = entries.flatMap((entry) => {
		const hosts = hostsAt(project, entry);
		return (hosts.length > 0 ? hosts : ['']).map((host) => ({ entry, host, isFirst: host === hosts[0] || host === '' }));
	});
	const each = Math.max(1, Math.floor(ASKED_MOST / entryPoints.length));
	const urls = entryPoints.flatMap((entryPoint) =>
		placed
			.filter(({ entry, host }) => entry === entryPoint.entry && (host === entryPoint.host || (host === '' && entryPoint.isFirst)))
			.slice(0, each)
			.map((page) => `${ROOT.method} ${urlOfPage({ ...page, host: entryPoint.host }, project)}`),
	);
	return urls.join('\n') === placeholderFor(project).urls?.join('\n') ? [] : urls;
}

/** The file as it is to be, as far as it is told by this. */
function withEntryPoints<P extends Pick<Project, 'entry' | 'hosts'>>(project: P, { entries, hosts }: FoundEntryPoints): P {
	const movedTo = (entry: string) => entries[entry] ?? entry;
	const named = Object.fromEntries(Object.entries(project.hosts ?? {}).map(([host, entry]) => [host, movedTo(entry)]));
	const all = { ...named, ...hosts };
	const urls = entryUrls(project).map(movedTo);
	return { ...project, entry: urls.length > 1 ? urls : urls[0], ...(Object.keys(all).length > 0 ? { hosts: all } : {}) };
}

/**
 * @param page host: by which it is asked; empty where that is said nowhere
 * @returns as a load names it
 */
function urlOfPage(
	{ path, entry, host }: { path: string; entry: string; host: string },
	project: Pick<Project, 'entry' | 'hosts'>,
): string {
	const [first] = entryUrls(project);
	const { base } = partsOfEntry(entry);
	if (host !== '' && hostsAt(project, entry)[0] !== host) return `${urlOfHost(host, entry).slice(0, -1)}${base}${path}`;
	return entry === first ? path : `${entry.replace(/\/+$/, '')}${path}`;
}

/** @returns of the placeholder, where it is another one then */
function movedPlaceholder(before: Project, after: Pick<Project, 'entry' | 'hosts'>): string[] {
	const { urls = [] } = placeholderFor(after);
	return !isPlaceholder(before) || urls.join('\n') === before.load.urls?.join('\n') ? [] : urls;
}
