/**
 * What `init --observe` reads off what it asked and saw: where users come in, how entries want to be asked (scheme and port, the host names by
 * which they answer, the word of a proxy that spoke TLS before them), and which pages a load could ask. Pure.
 *
 * @typedef {import('../../catalog/project-schema.ts').Project} Project
 * @typedef {import('../../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('./settle-load.ts').EntryPoint} EntryPoint
 * @typedef {{ service: string, url: string }} Entry
 * @typedef {{ entry: Entry, observed: import('../../wire/tenancy.ts').Observed }} Seen
 *
 * @typedef {object} FoundEntryPoints
 * @property {Record<string, string>} entries  as they are written, with the URL that is to stand in their place; none where that stays
 * @property {Record<string, string>} hosts    names that a redirect gave, with the URL of their entry as it is to be written
 * @property {Record<string, string>} headers  that all of the load needs besides
 */
import { entryUrls, hostsAt, isPlaceholder, partsOfEntry, placeholderFor, urlOfHost } from '../../catalog/project-schema.ts';
import { serviceOfEntry } from '../../target/describe.ts';
import { hostOf } from './entry-way.ts';
import { ASKED_MOST, ROOT } from './probe.ts';

/** Of those at which users could enter. */
const ENTRIES_MOST = 4;

/**
 * Where no file says which of several services users come in at, each is asked, unless its user chose, or says what to ask for.
 * @param {Project} project
 * @param {Pick<import('./checked-system.ts').CheckedSystem, 'proposal'>} checked
 * @returns {Entry[]} those of doubletake.yaml first
 */
export function askedEntries(project, { proposal: { entries = [] } }) {
	const urls = entryUrls(project);
	const written = urls.map((url) => ({ service: serviceOfEntry(project, url), url }));
	const isProposed = urls.every((url, index) => entries[index]?.url === url);
	return isProposed && isPlaceholder(project) ? entries.slice(0, Math.max(ENTRIES_MOST, urls.length)) : written;
}

/**
 * Where users come in: at what doubletake.yaml names, and at what the requests to reach more services than to any of those; what stands behind
 * another of them is none.
 * @param {Seen[]} all
 * @param {string[]} written  URLs
 * @returns {{ entered: Seen[], passed: Seen[] }} entered: in the order of the file, where nothing changes; else what reaches most comes first
 */
export function enteredOf(all, written) {
	const sorted = mostReaching(all);
	const named = sorted.filter((seen, index) => index === 0 || written.includes(seen.entry.url));
	const isBehind = (/** @type {Seen} */ seen, /** @type {number} */ at) =>
		named.some(
			(other, index) => index < at && reachedFrom(other).includes(seen.entry.service) && other.entry.service !== seen.entry.service,
		);
	const kept = named.filter((seen, index) => !isBehind(seen, index));
	const isAsWritten = kept.length === written.length && kept.every(({ entry: { url } }) => written.includes(url));
	const entered = isAsWritten ? all.filter((seen) => kept.includes(seen)) : kept;
	return { entered, passed: all.filter((seen) => !entered.includes(seen)) };
}

/** From where requests come to more services is where users come in; of those alike, what was proposed. @param {Seen[]} all */
const mostReaching = (all) => all.toSorted((one, other) => reachedFrom(other).length - reachedFrom(one).length);

/** The entry among them. @param {Seen} seen */
export const reachedFrom = ({ observed: { services } }) => services.filter(({ place }) => place === 'way').map(({ service }) => service);

/** @type {FoundEntryPoints} */
const NOTHING = { entries: {}, hosts: {}, headers: {} };

/**
 * @param {Pick<Project, 'entry' | 'hosts' | 'load'>} project
 * @param {EntryPoint[]} entryPoints  of what is asked
 * @returns {FoundEntryPoints}
 */
export function foundEntryPoints(project, entryPoints) {
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
 * @param {{ project: Project, entryPoints: FoundEntryPoints, pages: ListedRequest[], entered: Seen[] }} seen  pages: that were answered well
 * @returns {string[]} as a load names them; none where the placeholder stays as it is
 */
export function urlsSeen({ project, entryPoints, pages, entered }) {
	const written = entered.map(({ entry: { url } }) => url);
	const entry = written.length > 1 ? written : written[0];
	const after = withEntryPoints({ ...project, entry }, entryPoints);
	const urls = urlsOf(pages, after);
	return urls.length > 0 ? urls : movedPlaceholder(project, after);
}

/**
 * Pages of each entry and host, of none more than its share, and nothing where that is the placeholder.
 * @param {ListedRequest[]} pages
 * @param {Pick<Project, 'entry' | 'hosts' | 'services'>} project  as it is to be written
 */
function urlsOf(pages, project) {
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

/**
 * The file as it is to be, as far as it is told by this.
 * @template {Pick<Project, 'entry' | 'hosts'>} P
 * @param {P} project
 * @param {FoundEntryPoints} found
 * @returns {P}
 */
function withEntryPoints(project, { entries, hosts }) {
	const movedTo = (/** @type {string} */ entry) => entries[entry] ?? entry;
	const named = Object.fromEntries(Object.entries(project.hosts ?? {}).map(([host, entry]) => [host, movedTo(entry)]));
	const all = { ...named, ...hosts };
	const urls = entryUrls(project).map(movedTo);
	return { ...project, entry: urls.length > 1 ? urls : urls[0], ...(Object.keys(all).length > 0 ? { hosts: all } : {}) };
}

/**
 * @param {{ path: string, entry: string, host: string }} page  host: by which it is asked; empty where that is said nowhere
 * @param {Pick<Project, 'entry' | 'hosts'>} project
 * @returns {string} as a load names it
 */
function urlOfPage({ path, entry, host }, project) {
	const [first] = entryUrls(project);
	const { base } = partsOfEntry(entry);
	if (host !== '' && hostsAt(project, entry)[0] !== host) return `${urlOfHost(host, entry).slice(0, -1)}${base}${path}`;
	return entry === first ? path : `${entry.replace(/\/+$/, '')}${path}`;
}

/** @param {Project} before @param {Pick<Project, 'entry' | 'hosts'>} after @returns {string[]} of the placeholder, where it is another one then */
function movedPlaceholder(before, after) {
	const { urls = [] } = placeholderFor(after);
	return !isPlaceholder(before) || urls.join('\n') === before.load.urls?.join('\n') ? [] : urls;
}
