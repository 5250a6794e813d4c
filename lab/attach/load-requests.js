/**
 * The requests that a load sends, from where doubletake.yaml says that they come from.
 */
import { NotReadyError } from '../define/errors.js';
import { requestsOfOpenApi } from './openapi.js';
import { PROJECT_FILE } from './project-schema.js';
import { readUrlList } from './url-list.js';

/** @typedef {import('../../k6/lib/request-list.js').ListedRequest} ListedRequest */

/**
 * @param {import('./project-schema.js').ProjectLoad} load
 * @param {(file: string) => string | null} read  of the folder of doubletake.yaml; null where there is no such file
 * @returns {{ requests: ListedRequest[], notes: string[] }}  notes: a sentence for each operation that is not sent, and why
 * @throws {NotReadyError} when there is nothing to send
 */
export function requestsOf({ urls, openapi, script }, read) {
  // A script says itself what it sends.
  if (script !== undefined) return { requests: [], notes: [] };
  if (openapi === undefined) return { requests: readUrlList(urls), notes: [] };
  const text = read(openapi);
  if (text === null)
    throw new NotReadyError(`${PROJECT_FILE}, load.openapi: expected a file "${openapi}"; found none.`, 'correct its name.');
  const { requests, skipped } = requestsOfOpenApi(text);
  const notes = skipped.map(({ operation, why }) => `${operation} is not sent: ${why}.`);
  if (requests.length === 0)
    throw new NotReadyError(
      [`${openapi}: expected an operation that can be sent; found none.`, ...notes].join('\n    '),
      'list requests under urls instead.',
    );
  return { requests, notes };
}
