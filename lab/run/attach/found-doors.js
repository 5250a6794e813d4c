/**
 * What `init --observe` writes of how entries want to be asked: scheme and port, the host names by which they answer, and the word of a proxy
 * that spoke TLS before them. Pure.
 *
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 * @typedef {import('./settle-load.js').Door} Door
 *
 * @typedef {object} FoundDoors
 * @property {Record<string, string>} entries  as they are written, with the URL that is to stand in their place; none where that stays
 * @property {Record<string, string>} hosts    names that a redirect gave, with the URL of their entry as it is to be written
 * @property {Record<string, string>} headers  that all of the load needs besides
 */
import { entryUrls, hostsAt, isPlaceholder, partsOfEntry, placeholderFor, urlOfHost } from '../../catalog/project-schema.js';

/** @type {FoundDoors} */
const NOTHING = { entries: {}, hosts: {}, headers: {} };

/**
 * @param {Pick<Project, 'entry' | 'hosts' | 'load'>} project
 * @param {Door[]} doors  of what is asked
 * @returns {FoundDoors}
 */
export function foundDoors(project, doors) {
  const isOfUrls = project.load.urls?.some((url) => /^\S+ https?:/i.test(url)) === true;
  // What somebody wrote begins with an entry as it is.
  if (isOfUrls && !isPlaceholder(project)) return NOTHING;
  const entries = entryUrls(project).flatMap((entry) => {
    const targets = [...new Set(doors.filter((door) => door.entry === entry).map(({ target }) => target))];
    return targets.length === 1 && targets[0] !== entry ? [[entry, targets[0]]] : [];
  });
  const moved = Object.fromEntries(entries);
  const hosts = doors.flatMap(({ entry, host, headers: { Host } }) =>
    host === '' && Host !== undefined && !Host.includes(':') ? [[Host, moved[entry] ?? entry]] : [],
  );
  const [first, ...others] = doors.map(({ headers: { Host: _, ...headers } }) => JSON.stringify(headers));
  const isOfAll = first !== undefined && others.every((one) => one === first) && project.load.headers === undefined;
  return { entries: moved, hosts: Object.fromEntries(hosts), headers: isOfAll ? JSON.parse(first) : {} };
}

/**
 * The file as it is to be, as far as it is told by this.
 * @template {Pick<Project, 'entry' | 'hosts'>} P
 * @param {P} project
 * @param {FoundDoors} found
 * @returns {P}
 */
export function withDoors(project, { entries, hosts }) {
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
export function urlOfPage({ path, entry, host }, project) {
  const [first] = entryUrls(project);
  const { base } = partsOfEntry(entry);
  if (host !== '' && hostsAt(project, entry)[0] !== host) return `${urlOfHost(host, entry).slice(0, -1)}${base}${path}`;
  return entry === first ? path : `${entry.replace(/\/+$/, '')}${path}`;
}

/** @param {Project} before @param {Pick<Project, 'entry' | 'hosts'>} after @returns {string[]} of the placeholder, where it is another one then */
export function movedPlaceholder(before, after) {
  const { urls = [] } = placeholderFor(after);
  return !isPlaceholder(before) || urls.join('\n') === before.load.urls?.join('\n') ? [] : urls;
}
