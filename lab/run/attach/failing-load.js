/**
 * A load whose every request fails says nothing of the system: it is refused before it begins, with the line of doubletake.yaml to edit.
 * What fails in part goes on, and is reported.
 *
 * @typedef {import('../../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('../../docker/http-answer.js').Answer} Answer
 * @typedef {{ request: ListedRequest, answer: Answer, isStandIn?: boolean }} Probe  isStandIn: the load may not ask for it
 */

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { withId } from '../../../k6/lib/stored-id.js';
import { NotReadyError } from '../../base/errors.js';
import { ENTRY, entryUrls, PROJECT_FILE, partsOfEntry } from '../../catalog/project-schema.js';
import { answerOf, isReachable } from '../../docker/http-answer.js';
import { serviceOfEntry } from '../../target/describe.js';

/** They change nothing, so that they may be asked before the load (RFC 9110, 9.2.1). */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];
const FIRST_REFUSAL = 400;
/** At once; a system is not to be loaded by the question whether it answers. */
const TOGETHER = 10;
/** A service that has just come up may answer with 503, or without what it fills its caches with: three times in 10 s. */
const FAILING_LOAD_TIMES = { triesMost: 3, betweenMs: 5000, limitMs: 30_000 };
const SHOWN_MOST = 5;
export const FIRST_SERVER_ERROR = 500;

/** Every request of the load fails. */
export class FailingLoadError extends NotReadyError {
  /** @param {string} problem @param {string} remedy @param {boolean} isServers  it is the servers that fail, and not what was asked for */
  constructor(problem, remedy, isServers) {
    super(problem, remedy);
    this.isServers = isServers;
  }
}

/** @param {ListedRequest} request */
export const isSafe = ({ method }) => SAFE.includes(method);

/** As the load judges it. @param {Pick<ListedRequest, 'expect'>} request @param {Pick<Answer, 'status'>} answer */
export const isGood = ({ expect }, { status }) => (expect ? expect.includes(status) : status > 0 && status < FIRST_REFUSAL);

/**
 * @param {object} options
 * @param {ListedRequest[]} options.requests  of the load
 * @param {(request: ListedRequest) => Promise<Answer>} options.ask
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @param {{ triesMost: number, betweenMs: number, limitMs: number }} [options.times]  limitMs: of each try
 * @returns {Promise<Probe[] | null>} the last answers where every request of the load failed each time; null where one was good, or where
 *   not all could be asked, so that nobody knows
 */
export async function allFailing({ requests, ask, say, signal, times = FAILING_LOAD_TIMES }) {
  if (requests.length === 0 || !requests.every(isSafe)) return null;
  for (let tries = 1; ; tries += 1) {
    const failed = await untilGood(requests, ask, Date.now() + times.limitMs);
    if (failed === null || tries === times.triesMost) return failed;
    if (tries === 1) say(`every request of the load fails (${spelt(failed[0])}); asking again, ${times.triesMost} times in all`);
    await wait(times.betweenMs, undefined, { signal });
  }
}

/** @type {(requests: ListedRequest[], ask: (request: ListedRequest) => Promise<Answer>, endsAt: number) => Promise<Probe[] | null>} */
async function untilGood(requests, ask, endsAt) {
  const failed = /** @type {Probe[]} */ ([]);
  for (let from = 0; from < requests.length; from += TOGETHER) {
    if (from > 0 && Date.now() > endsAt) return null;
    const some = requests.slice(from, from + TOGETHER);
    const probes = await Promise.all(some.map(async (request) => ({ request, answer: await ask(request) })));
    if (probes.some(({ request, answer }) => isGood(request, answer))) return null;
    failed.push(...probes);
  }
  return failed;
}

/**
 * @param {object} options
 * @param {Probe[]} options.failed   of every request of the load
 * @param {Answer | null} options.root  what the entry's own address answers; null where that is among them
 * @param {{ source: string, line: number }} options.place  which entry of load they come from, and its line
 * @param {string} options.entry
 * @param {string[]} options.advice  a sentence each
 * @returns {FailingLoadError}
 */
export function refusalOf({ failed, root, place: { source, line }, entry, advice }) {
  const lines = failed.slice(0, SHOWN_MOST).map((probe) => `    ${spelt(probe)}`);
  const more = failed.length > lines.length ? [`    and ${failed.length - lines.length} more`] : [];
  const all = failed.length === 1 ? 'its one request fails' : `each of its ${failed.length} requests fails`;
  const found = `${PROJECT_FILE}:${line}, load.${source}: expected a request that ${entry} answers well; found that ${all}, so the load was not begun:`;
  const hasRoot = root !== null && isGood({}, root);
  const statuses = [...new Set(failed.map(({ answer }) => answer.status))].filter((status) => status > 0).sort((one, other) => one - other);
  const remedies = [
    `edit line ${line} of ${PROJECT_FILE}.`,
    ...advice,
    ...(hasRoot ? [`"GET /" is answered with ${root.status}: urls: ["GET /"] would do.`] : []),
    ...(statuses.length > 0 ? [`To measure just these answers, add "expect: [${statuses.join(', ')}]" under load.`] : []),
  ];
  const isServers = failed.some(({ answer: { status } }) => status === 0 || status >= FIRST_SERVER_ERROR);
  return new FailingLoadError([found, ...lines, ...more].join('\n'), remedies.join(' '), isServers);
}

/** @param {Pick<ListedRequest, 'method' | 'path' | 'target' | 'shown'>} request */
export const whatOf = ({ method, path, target = '', shown = target }) => `${method} ${shown.replace(/\/+$/, '')}${path}`;

/** @param {Probe} probe @returns {string} a clause */
export function spelt({ request, answer: { status, error, line } }) {
  const what = whatOf(request);
  if (status === 0) return `${what} is not answered: ${error}`;
  const reason = STATUS_CODES[status];
  return `${what} is answered with ${status}${reason ? ` ${reason}` : ''}${line ? `: ${line}` : ''}`;
}

/*
 * Asks the entries of a user's system from this machine, at the addresses of their containers.
 */

/** @type {Answer} */
const NOT_UP = { status: 0, location: '', error: 'its container does not run' };

/**
 * Of a container of the service at which users come in.
 * @param {Pick<Parameters<typeof askerOf>[0], 'project' | 'list'>} options
 * @returns {(entry: string) => Promise<string | undefined>}
 */
export function addressIn({ project, list }) {
  return async (entry) => {
    const asked = serviceOfEntry(project, entry);
    const containers = (await list()).filter(({ service }) => service === asked);
    return containers.flatMap(({ addresses }) => addresses).find((address) => isReachable(address));
  };
}

/**
 * Asks an entry as its network would.
 * @param {object} options
 * @param {import('../../catalog/project-schema.js').Project} options.project
 * @param {() => Promise<Pick<import('../../docker/containers.js').Service, 'service' | 'addresses'>[]>} options.list  the containers
 * @param {Record<string, string>} [options.headers]  that each is sent with
 * @param {boolean} [options.isComplete]  the answers are taken to their ends
 * @returns {(request: ListedRequest) => Promise<Answer>}
 */
export function askerOf({ project, list, headers: given = {}, isComplete = false }) {
  const [first] = entryUrls(project);
  const addressOf = addressIn({ project, list });
  return async ({ method, path, headers, target = first, address: own }) => {
    const place = partsOfEntry(target);
    const address = own ?? (await addressOf(target));
    if (address === undefined) return NOT_UP;
    // None of the load's, which alone are counted.
    const id = randomUUID();
    const all = Object.entries({ ...headers, ...given }).map(([name, value]) => [name, withId(value, id)]);
    const sent = { path: withId(`${place.base}${path}`, id), headers: Object.fromEntries(all) };
    return answerOf({ ...place, ...sent, address, method, isComplete });
  };
}

/*
 * Asks the entry of a user's system what the load will ask it, one request after the other, so that whatever passes the networks meanwhile
 * was asked for that one: what each kind of request asks of whom is learned so.
 */

/** Each request is sent so often: the first may fill a cache, or open a pool. */
export const TIMES = 3;
/** Of the load, so many requests are sent. */
export const ASKED_MOST = 20;
/** What a service does after its answer is not to be the next one's; longer than the silence that a request needs to count as alone. */
const PAUSE_MS = 20;
/** Before a load, for all of them together: the load is what costs time. */
const LISTED_LIMIT_MS = 5000;
/** Whatever there is at the root, where the load does not say what it asks without its script. @type {ListedRequest} */
export const ROOT = { method: 'GET', path: '/' };
/** Nobody has such a page: a program that passes requests on passes this one on too. @type {ListedRequest} */
export const NOWHERE = { method: 'GET', path: '/doubletake-no-such-page' };

/** @param {ListedRequest[]} requests  of the load @returns {ListedRequest[]} */
const listedOf = (requests) => requests.filter(isSafe).slice(0, ASKED_MOST);

/** @param {ListedRequest[]} requests  of the load @returns {ListedRequest[]} */
export function probedOf(requests) {
  const listed = listedOf(requests);
  return listed.length > 0 ? listed : [ROOT];
}

/**
 * @param {object} options
 * @param {ListedRequest[]} options.asked
 * @param {import('../../catalog/project-schema.js').Project} options.project
 * @param {Record<string, string>} options.headers  that each is sent with
 * @param {Awaited<ReturnType<Parameters<typeof askerOf>[0]['list']>>} options.containers
 * @param {number} options.limitMs  for all of them together: none begins later
 * @param {AbortSignal} options.signal
 * @param {(request: ListedRequest, answer: Answer) => void} [options.reported]  of each answer
 * @returns {Promise<Map<ListedRequest, Answer>>} the last answers of those that were not answered well
 */
export async function probe({ asked, project, headers, containers, limitMs, signal, reported = () => {} }) {
  const ask = askerOf({ project, list: async () => containers, headers, isComplete: true });
  const until = Date.now() + limitMs;
  /** @type {Map<ListedRequest, Answer>} */
  const failed = new Map();
  for (let time = 0; time < TIMES; time += 1)
    for (const [place, request] of asked.entries()) {
      if (Date.now() >= until) return failed;
      // As the load's carry one: where it is passed on, what carries none is nobody's.
      const answer = await ask({ ...request, headers: { 'X-Request-Id': `probe-${time}-${place}`, ...request.headers } });
      reported(request, answer);
      if (isGood(request, answer)) failed.delete(request);
      else failed.set(request, answer);
      await wait(PAUSE_MS, undefined, { signal });
    }
  return failed;
}

/**
 * Before the load of a run. A script says itself what it sends, and what of that happens to be alone has to do.
 * @param {object} options
 * @param {Pick<import('./checked-system.js').CheckedSystem, 'requests' | 'headers'>} options.checked
 * @param {import('../../catalog/project-schema.js').Project} options.project
 * @param {Parameters<typeof probe>[0]['containers']} options.containers
 * @param {AbortSignal} options.signal
 */
export async function probeListed({ checked: { requests, headers }, project, containers, signal }) {
  await probe({ asked: listedOf(requests), project, headers, containers, limitMs: LISTED_LIMIT_MS, signal });
}

/*
 * What a request's first answer says before the load: that it fails as it stands, or leads elsewhere, and what to do about it.
 */

const TRIES_MOST = 3;
const TOO_MANY = 429;
const BAD_REQUEST = 400;
const UNAVAILABLE = 503;
const LOG_IN = [401, 403];
const FIRST_REDIRECT = 300;

/**
 * What one answer in many is, is no word about all of them.
 * @param {object} options
 * @param {ListedRequest} options.request
 * @param {Answer} options.answer  that it was given already
 * @param {(request: ListedRequest) => Promise<Answer>} options.ask
 * @param {string} options.entry
 * @returns {Promise<string[]>} of the last answer, where none before it was good
 */
export async function lastingNote({ request, answer, ask, entry }) {
  let note = noteOf(request, answer, entry);
  for (let tries = 1; tries < TRIES_MOST && note.length > 0; tries += 1) note = noteOf(request, await ask(request), entry);
  return note;
}

/**
 * @param {Pick<ListedRequest, 'method' | 'path' | 'target' | 'shown' | 'expect'>} request
 * @param {Answer} answer
 * @param {string} entry
 * @returns {string[]} one sentence, or none where it will do
 */
export function noteOf(request, answer, entry) {
  const { expect } = request;
  const { status, location, error } = answer;
  const what = whatOf(request);
  if (status === 0) return [`${what} is not answered (${error}).`];
  if (!isGood(request, answer)) {
    const counts = `${what} answers ${status}${status === TOO_MANY && !expect ? '' : ', which counts as a failure'}`;
    return [`${counts}: ${adviceOf(request, answer, entry)}`];
  }
  if (expect !== undefined || status < FIRST_REDIRECT || location === '') return [];
  return [`${what} is answered by a redirect, which the load does not follow: ${insteadOf(placeOf(location), entry)}.`];
}

/**
 * What to do about a request that fails.
 * @param {Pick<ListedRequest, 'expect'>} request
 * @param {Answer} answer
 * @param {string} entry
 * @returns {string} from behind a colon to the end of the last sentence
 */
export function adviceOf({ expect }, { status }, entry) {
  if (status === 0) return 'see in its log why it does not answer, or list requests under load.urls that it answers.';
  if (expect !== undefined) return `load.expect names ${expect.join(', ')} alone; add ${status} to it if that is good too.`;
  if (status === TOO_MANY) return 'a rate limiter. All users of the load have one address: raise its limit for the run.';
  if (LOG_IN.includes(status)) return 'list requests that need no log-in, or log in with a k6 script (load.script).';
  const byHost = `If it wants another Host than that of ${entry}, name it under hosts.`;
  if (status >= FIRST_SERVER_ERROR)
    // A proxy says so of a Host that it has no server for.
    return `its log may say why. Volumes are new in a run: is what it needs in them?${status === UNAVAILABLE ? ` ${byHost}` : ''}`;
  // Servers that speak TLS say so of a request that comes without.
  if (status === BAD_REQUEST && entry.startsWith('http:'))
    return `if that port speaks HTTPS, write https:// in the entry; else list requests under load.urls that it serves. ${byHost}`;
  return `list requests under load.urls that it serves. ${byHost}`;
}

/**
 * What to ask for in place of what is redirected: never a place outside of the run, which may be the public one of the site.
 * @param {string} location  without its query
 * @param {string} entry
 */
function insteadOf(location, entry) {
  const asked = partsOfEntry(entry);
  const absolute = location.replace(/^\/\//, `${asked.scheme}://`);
  if (!/^https?:\/\//i.test(absolute)) return `ask for ${location} instead`;
  const path = absolute.replace(/^https?:\/\/[^/]*/i, '') || '/';
  const { scheme, host, port } = ENTRY.test(absolute) ? partsOfEntry(absolute) : { ...asked, host: '' };
  if (host.toLowerCase() !== asked.host.toLowerCase())
    return `it leads away from the entry, to ${location}. Ask for ${path} if ${entry} serves it too; if that wants its users’ Host, name it under hosts`;
  if (scheme === asked.scheme && port === asked.port) return `ask for ${path} instead`;
  return `it leads to ${location}. If the service listens there, write "${scheme}://${host}:${port}/" as the entry in ${PROJECT_FILE}`;
}

/** Without what may be a secret. @param {string} location */
const placeOf = (location) => location.replace(/\?.*/, '');

/**
 * A name that the network of the run does not know is looked up by nobody: k6 is given one address for it.
 * @param {ListedRequest[]} requests
 * @param {() => Promise<Pick<import('../../docker/containers.js').Service, 'service' | 'addresses'>[]>} list
 * @returns {Promise<string[]>}
 */
export async function aboutPinned(requests, list) {
  const pinned = new Set(requests.flatMap(({ address }) => address ?? []));
  const containers = pinned.size === 0 ? [] : await list();
  const services = new Set(containers.filter(({ addresses }) => addresses.some((one) => pinned.has(one))).map(({ service }) => service));
  return [...services].flatMap((service) => {
    const { length } = containers.filter((one) => one.service === service);
    return length < 2
      ? []
      : [
          `${service} has ${length} containers and is asked by a name that is none of its network's: all of the load goes to one of them. Written under "hosts" in ${PROJECT_FILE}, the name leads to all of them.`,
        ];
  });
}

/**
 * What is asked of each entry of which no request of the load can be: what its health check asks, which the service is made to answer well,
 * else whatever there is at its root.
 * @param {{ entries: string[], listed: ListedRequest[], healthPath?: (entry: string) => string }} given
 * @returns {(ListedRequest & { target: string })[]}
 */
export function standInsOf({ entries, listed, healthPath = () => '' }) {
  const isAsked = (/** @type {string} */ entry) => listed.some(({ target = entries[0] }) => target === entry);
  // Of an entry that begins below the root, a health check has another beginning.
  const pathOf = (/** @type {string} */ entry) => (partsOfEntry(entry).base === '' && healthPath(entry)) || '/';
  return entries.filter((entry) => !isAsked(entry)).map((target) => ({ method: 'GET', path: pathOf(target), target }));
}
