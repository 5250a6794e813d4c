/**
 * Which published ports answer HTTP besides the entries: no file says what speaks there, so each is asked once in the copy.
 *
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 */
import { OPERATORS_PORTS } from '../../adapters/well-known.js';
import { entryUrls, PROJECT_FILE, partsOfEntry } from '../../catalog/project-schema.js';
import { projectService, serviceOfEntry } from '../../target/describe.js';
import { urlOf } from './entry-way.js';

/** A store that is asked in HTTP says in its log that somebody spoke nonsense. */
const ASKED_TIERS = ['load-balancer', 'app', 'other'];
/** Which are one door to users, whichever they come by. */
const WEB_PORTS = [80, 443, 8443];
const PORTS_MOST = 12;
const FIRST_REDIRECT = 300;
/** @type {import('../../../k6/lib/request-list.js').ListedRequest} */
const ROOT = { method: 'GET', path: '/' };

/**
 * @param {Project} project
 * @param {Pick<import('../../target/compose-model.js').AttachedService, 'service' | 'published' | 'networkMode'>[]} models
 * @param {import('../../adapters/observed-system.js').Proposal} proposal
 * @returns {string[]} URLs; none where somebody chose other entries than were proposed
 */
export function doorsBeside(project, models, { entries = [], services }) {
  const urls = entryUrls(project);
  if (!urls.every((url, index) => entries[index]?.url === url)) return [];
  const asked = urls.map((url) => `${serviceOfEntry(project, url)}:${partsOfEntry(url).port}`);
  const entered = urls.map((url) => serviceOfEntry(project, url));
  // What is known for a tool is none of the users'.
  const isAsked = (/** @type {string} */ service) =>
    ASKED_TIERS.includes(projectService(project, service).tier) && services[service]?.likely !== null;
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

/**
 * @param {string[]} doors  URLs
 * @param {import('./entry-way.js').Ways} ways
 * @returns {Promise<string[]>} one sentence where some answer
 */
export async function aboutDoors(doors, ways) {
  const answers = await Promise.all(doors.map((door) => ways.ask(ROOT, door)));
  const open = doors
    .filter((_, index) => answers[index].status > 0 && answers[index].status < FIRST_REDIRECT)
    .map((door) => ways.of(door).target);
  if (open.length === 0) return [];
  return [
    `${open.join(', ')} answer${open.length === 1 ? 's' : ''} HTTP too, and the load does not go there: if users come in there, add it to "entry" in ${PROJECT_FILE}.`,
  ];
}
