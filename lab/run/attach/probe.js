/**
 * Asks the entry of a user's system what the load will ask it, one request after the other, so that whatever passes the networks meanwhile
 * was asked for that one: what each kind of request asks of whom is learned so (alone.js).
 *
 * @typedef {import('../../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('../../docker/http-answer.js').Answer} Answer
 */
import { setTimeout as wait } from 'node:timers/promises';
import { askerOf } from './asker.js';
import { isGood, isSafe } from './failing-load.js';

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
 * @param {(request: ListedRequest, answer: Answer) => void} [options.told]  of each answer
 * @returns {Promise<Map<ListedRequest, Answer>>} the last answers of those that were not answered well
 */
export async function probe({ asked, project, headers, containers, limitMs, signal, told = () => {} }) {
  const ask = askerOf({ project, list: async () => containers, headers, isWhole: true });
  const until = Date.now() + limitMs;
  /** @type {Map<ListedRequest, Answer>} */
  const failed = new Map();
  for (let time = 0; time < TIMES; time += 1)
    for (const [place, request] of asked.entries()) {
      if (Date.now() >= until) return failed;
      // As the load's carry one: where it is passed on, what carries none is nobody's.
      const answer = await ask({ ...request, headers: { 'X-Request-Id': `probe-${time}-${place}`, ...request.headers } });
      told(request, answer);
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
