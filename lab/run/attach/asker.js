/**
 * Asks the entries of a user's system from this machine, at the addresses of their containers.
 *
 * @typedef {import('../../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('../../docker/http-answer.js').Answer} Answer
 */

import { entryUrls, partsOfEntry } from '../../catalog/project-schema.js';
import { answerOf, isReachable } from '../../docker/http-answer.js';
import { serviceOfEntry } from '../../target/describe.js';

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
 * @param {boolean} [options.isWhole]  the answers are taken to their ends
 * @returns {(request: ListedRequest) => Promise<Answer>}
 */
export function askerOf({ project, list, headers: given = {}, isWhole = false }) {
  const [first] = entryUrls(project);
  const addressOf = addressIn({ project, list });
  return async ({ method, path, headers, target = first, address: own }) => {
    const place = partsOfEntry(target);
    const address = own ?? (await addressOf(target));
    return address === undefined
      ? NOT_UP
      : answerOf({ ...place, address, method, path: `${place.base}${path}`, headers: { ...headers, ...given }, isWhole });
  };
}
