/**
 * Waits until the entry of a user's system answers, and looks at what it answers: that a container runs does not say that the service in
 * it does, and a load whose every request is refused, or sent elsewhere, is known before it has run for minutes.
 *
 * @typedef {import('../../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('../../docker/http-answer.js').Answer} Answer
 */

import { setTimeout as wait } from 'node:timers/promises';
import { OPERATORS_PORTS } from '../../adapters/well-known.js';
import { NotReadyError } from '../../base/errors.js';
import { entryUrls, PROJECT_FILE, partsOfEntry } from '../../catalog/project-schema.js';
import { isReachable } from '../../docker/http-answer.js';
import { networkHosts, projectService, serviceOfEntry } from '../../target/describe.js';
import { hostOf, urlOf, waysOf } from './entry-way.js';
import {
  aboutPinned,
  addressIn,
  adviceOf,
  allFailing,
  askerOf,
  FIRST_SERVER_ERROR,
  isSafe,
  lastingNote,
  refusalOf,
  spelt,
  standInsOf,
} from './failing-load.js';
import { settleLoad } from './settle-load.js';

/**
 * Which published ports answer HTTP besides the entries: no file says what speaks there, so each is asked once in the copy.
 *
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 */

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
export function entryPointsBeside(project, models, { entries = [], services }) {
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
 * @param {string[]} entryPoints  URLs
 * @param {import('./entry-way.js').Ways} ways
 * @returns {Promise<string[]>} one sentence where some answer
 */
export async function aboutEntryPoints(entryPoints, ways) {
  const answers = await Promise.all(entryPoints.map((entryPoint) => ways.ask(ROOT, entryPoint)));
  const open = entryPoints
    .filter((_, index) => answers[index].status > 0 && answers[index].status < FIRST_REDIRECT)
    .map((entryPoint) => ways.of(entryPoint).target);
  if (open.length === 0) return [];
  return [
    `${open.join(', ')} answer${open.length === 1 ? 's' : ''} HTTP too, and the load does not go there: if users come in there, add it to "entry" in ${PROJECT_FILE}.`,
  ];
}

/** Nothing answers there, though its container runs. */
export class SilentEntryError extends NotReadyError {}

/** A program for a virtual machine takes a minute on two cores; migrations of a database come on top. */
const ANSWER_LIMIT_MS = 180_000;
/** What a proxy says of a service that is not there may be all that it ever says. */
const BEHIND_LIMIT_MS = 120_000;
const LOOK_MS = 1000;
/** A service that ends for lack of another one does so within its first seconds; where no health check would show it, so long is waited. */
const STEADY_MS = 3000;
/** A proxy says so of a service that is not there yet. */
const NOT_YET = new Set([502, 503, 504]);
/** A program that answers errors itself may wait for its database, or be broken for good. The lab's own choice. */
const BROKEN_LIMIT_MS = 60_000;
/** Of a path that stands in for a load whose paths are not known it may answer them for good, and harm no load. The lab's own choice. */
const STAND_IN_LIMIT_MS = 15_000;
/** In a row: what starts answers one request well and breaks the next. */
const GOOD_TIMES = 3;
const AGAIN_MS = 500;
/** What is answered instead may change with every look while a stack starts: it is said so often at the most. */
const SAY_MS = 10_000;
const TIMES = {
  ...{ limitMs: ANSWER_LIMIT_MS, behindMs: BEHIND_LIMIT_MS, brokenMs: BROKEN_LIMIT_MS, standInMs: STAND_IN_LIMIT_MS },
  ...{ lookMs: LOOK_MS, againMs: AGAIN_MS, sayMs: SAY_MS },
};
/** Of what is not answered well, so many are named. */
const NAMED_MOST = 3;
/** Of the list, so many are asked once. */
const ASKED_MOST = 10;
/**
 * @param {object} options
 * @param {import('../../catalog/project-schema.js').Project} options.project
 * @param {import('../../target/compose-model.js').AttachedService[]} options.models
 * @param {import('../../adapters/observed-system.js').Proposal} options.proposal
 * @param {string[]} [options.names]  by which users may know the entries
 * @param {(entry: string) => string} [options.healthPath]  that a health check of the file asks of an entry
 * @param {ListedRequest[]} options.requests  of the load; none where it is a script
 * @param {() => Promise<Pick<import('../../docker/containers.js').Service, 'service' | 'addresses'>[]>} options.list  the containers: one that
 *   is started again may have another address
 * @param {Record<string, string>} [options.headers]  that each is sent with
 * @param {number | null} [options.line]  of doubletake.yaml, in which the load's requests stand; null where a load whose every request
 *   fails is to be run all the same
 * @param {() => string[]} [options.beside]  what could stand in the place of the load, such as `script: load.js`
 * @param {() => Promise<boolean>} options.look  whether all that has to be there is there
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<import('./settle-load.js').Settled>} the load's requests as they are to be sent; notes: of what they need, and of each that will
 *   fail as it stands
 * @throws {NotReadyError} when nothing answers, or every request of the load fails
 */
export async function untilAnswered({
  project,
  models,
  proposal,
  names = [],
  healthPath,
  requests,
  headers: given = {},
  line = null,
  beside,
  list,
  look,
  say,
  signal,
}) {
  const entries = entryUrls(project);
  const named = entries.join(', ');
  const steadyMs = models.every(({ isChecked }) => isChecked) ? 0 : STEADY_MS;
  const listed = requests.filter(isSafe).slice(0, ASKED_MOST);
  const standIns = standInsOf({ entries, listed, healthPath });
  const askFor = askerOf({ project, list, headers: given });
  const addressOf = addressIn({ project, list });
  const hosts = networkHosts(project);
  const ways = waysOf({ ask: askFor, addressOf, names, hosts });
  const canAsk = (await list()).some(({ addresses }) => addresses.some((address) => isReachable(address)));
  const ask = canAsk
    ? () => {
        const probe = async (/** @type {ListedRequest} */ request) => ({
          request,
          answer: await ways.ask(request, request.target ?? entries[0]),
        });
        const standing = standIns.map(async (request) => ({ ...(await probe(request)), isStandIn: true }));
        return Promise.all([...listed.map(probe), ...standing]);
      }
    : null;
  const waited = await waitFor({ ask, entry: named, look, steadyMs, say, signal });
  if (ask === null) {
    const unasked = `${named} cannot be asked from this machine, and was not waited for.`;
    return { requests, notes: [unasked, ...waited], entryPoints: [] };
  }
  if (project.load.script !== undefined) {
    refuseOtherScheme(entries, ways);
    const others = await aboutEntryPoints(entryPointsBeside(project, models, proposal), ways);
    return { requests, notes: [...waited, ...others], entryPoints: [] };
  }
  const whole = waysOf({ ask: askerOf({ project, list, headers: given, isComplete: true }), addressOf, names, hosts });
  const settled = await settleLoad({ project, requests, ways: whole, healthPath });
  if (line !== null) await refuseFailing({ project, requests: settled.requests, line, beside, ask: askFor, say, signal });
  // Of these it is said already what their redirects are.
  const isAway = (/** @type {ListedRequest} */ request) =>
    settled.entryPoints.some(
      (entryPoint) => entryPoint.isAway && entryPoint.entry === (request.target ?? entries[0]) && entryPoint.host === hostOf(request),
    );
  const notes = settled.requests
    .filter((request) => isSafe(request) && !isAway(request))
    .slice(0, ASKED_MOST)
    .map(async (request) =>
      lastingNote({ request, answer: await askFor(request), ask: askFor, entry: request.shown ?? request.target ?? entries[0] }),
    );
  const entryPoints = await aboutEntryPoints(entryPointsBeside(project, models, proposal), ways);
  const pinned = await aboutPinned(settled.requests, list);
  return { ...settled, notes: [...waited, ...settled.notes, ...pinned, ...(await Promise.all(notes)).flat(), ...entryPoints] };
}

/**
 * A script finds the entry as it is written.
 * @param {string[]} entries @param {import('./entry-way.js').Ways} ways
 * @throws {NotReadyError}
 */
export function refuseOtherScheme(entries, ways) {
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
 * @param {object} options
 * @param {Pick<import('../../catalog/project-schema.js').Project, 'entry' | 'load'>} options.project
 * @param {ListedRequest[]} options.requests
 * @param {number} options.line
 * @param {() => string[]} [options.beside]
 * @param {(request: ListedRequest) => Promise<Answer>} options.ask
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @param {Parameters<typeof allFailing>[0]['times']} [options.times]
 * @throws {NotReadyError} when every request of the load fails
 */
export async function refuseFailing({ project, requests, line, beside = () => [], ask, say, signal, times }) {
  const { load } = project;
  const entries = entryUrls(project);
  const entry = entries.join(' or ');
  const failed = await allFailing({ requests, ask, say, signal, times });
  if (failed === null) return;
  const isAsked = failed.some(({ request: { method, path } }) => method === ROOT.method && path === ROOT.path);
  const root = isAsked ? null : await ask(ROOT);
  const reported = failed.map(({ request, answer }) => adviceOf(request, answer, request.shown ?? request.target ?? entries[0]));
  const below =
    load.openapi === undefined
      ? []
      : [
          `If the paths of ${load.openapi} begin below another one (its "servers"), write that into the entry: ${entries[0].replace(/\/*$/, '/')}api/.`,
          'Volumes are new in a run: are the ids that it asks for in them?',
        ];
  const others = beside().filter((one) => one !== `openapi: ${load.openapi}`);
  const instead = others.length === 0 ? [] : [`In place of it the load could be ${others.join(' or ')}, which lies there.`];
  const place = { source: load.openapi === undefined ? 'urls' : 'openapi', line };
  throw refusalOf({ failed, root, place, entry, advice: [...new Set([...reported.map(asSentence), ...below, ...instead])] });
}

/** @param {string} text */
const asSentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * @param {object} options
 * @param {(() => Promise<Probe[]>) | null} options.ask  each of several requests; null where they cannot be asked from here
 * @param {string} options.entry
 * @param {() => Promise<boolean>} options.look
 * @param {number} options.steadyMs  that nothing may have ended
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @param {typeof TIMES} [options.times]
 * @returns {Promise<string[]>} none where all is well, or a note that it goes on regardless
 * @throws {NotReadyError}
 */
export async function waitFor({ ask, entry, look, steadyMs, say, signal, times = TIMES }) {
  const begin = Date.now();
  let completeSince = begin;
  let goodTimes = 0;
  const said = { what: '', at: Number.NEGATIVE_INFINITY };
  for (;;) {
    const isComplete = await look();
    if (!isComplete) completeSince = Date.now();
    const probes = ask === null ? [] : await ask();
    const what = missingText(probes);
    goodTimes = isComplete && what === '' ? goodTimes + 1 : 0;
    const now = Date.now();
    if (goodTimes >= (ask === null ? 1 : GOOD_TIMES) && now - completeSince >= steadyMs) return [];
    const left = begin + patienceMs(probes, times) - now;
    if (left <= 0) return [goneOn({ probes, what, entry, waitedMs: now - begin, limitMs: times.limitMs })];
    if (what !== '' && what !== said.what && now - said.at >= times.sayMs) {
      say(`waiting until ${entry} answers well (at most ${Math.ceil(left / 1000)} s): ${what}`);
      Object.assign(said, { what, at: now });
    }
    await wait(goodTimes > 0 ? times.againMs : times.lookMs, undefined, { signal });
  }
}

/** @typedef {import('./failing-load.js').Probe} Probe */

/** @param {Probe} probe */
const isMissing = ({ request: { expect }, answer: { status } }) =>
  status === 0 || (status >= FIRST_SERVER_ERROR && !expect?.includes(status));

/** Of a page's text nothing: it may be somebody's. @param {Probe[]} probes @returns {string} what each is answered that is not well; empty where all are */
function missingText(probes) {
  const missing = probes.filter(isMissing);
  const more = missing.length > NAMED_MOST ? [`and ${missing.length - NAMED_MOST} more`] : [];
  const named = missing.slice(0, NAMED_MOST).map(({ request, answer }) => spelt({ request, answer: { ...answer, line: '' } }));
  return [...named, ...more].join('; ');
}

/** @type {(probes: Probe[], times: typeof TIMES) => number} */
function patienceMs(probes, { limitMs, behindMs, brokenMs, standInMs }) {
  if (probes.every(({ answer: { status } }) => status === 0)) return limitMs;
  const missing = probes.filter(isMissing);
  if (missing.some(({ answer: { status } }) => status === 0 || NOT_YET.has(status))) return behindMs;
  return missing.length > 0 && missing.every(({ isStandIn }) => isStandIn) ? standInMs : brokenMs;
}

/**
 * @param {{ probes: Probe[], what: string, entry: string, waitedMs: number, limitMs: number }} last
 * @returns {string} a note
 * @throws {NotReadyError} where nothing answers at all
 */
function goneOn({ probes, what, entry, waitedMs, limitMs }) {
  const [first] = probes;
  if (first !== undefined && probes.every(({ answer: { status } }) => status === 0))
    throw new SilentEntryError(
      `The entry: expected an HTTP answer of ${entry} within ${limitMs / 1000} s; found none: ${first.answer.error}.`,
      `see that the service listens on that port on all addresses (0.0.0.0) of its container; else correct "entry" in ${PROJECT_FILE}, its scheme (http or https) too.`,
    );
  const waited = `in ${Math.round(waitedMs / 1000)} s of waiting`;
  return what === ''
    ? `Not all containers stayed up ${waited}; the load began all the same.`
    : `${entry} did not answer well ${waited} (${what}); the load began all the same.`;
}
