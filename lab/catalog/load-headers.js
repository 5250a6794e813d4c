/**
 * The headers that doubletake.yaml gives to every request. Their values may be secrets: no message has one, the record has their names
 * alone, and `${NAME}` in them is taken from the environment.
 *
 * @typedef {import('./project-problems.js').Problem} Problem
 * @typedef {import('../../k6/lib/request-list.js').ListedRequest} ListedRequest
 */
import { NotReadyError } from '../base/errors.js';
import { PROJECT_FILE } from './project-schema.js';

const AT = ['load', 'headers'];
const EXPECTED = `headers by their names, such as { Authorization: "Bearer \${TOKEN}" }`;
/** RFC 9110, 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** @param {string} name */
export const isHeaderName = (name) => NAME.test(name);

/** By which every tier records a request. */
const OF_THE_LAB = 'x-request-id';
const VARIABLE = /\$\{([^}]*)\}/g;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
/** RFC 9110, 5.5: a client that is given another character sends nothing. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @param {string} value of a header */
export const isSendable = (value) => SENDABLE.test(value);

/**
 * @param {unknown} headers  as the file has them; undefined where it has none
 * @returns {Problem[]}
 */
export function headerProblems(headers) {
  if (headers === undefined) return [];
  const isMapping = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (!isMapping || Object.keys(headers).length === 0)
    return [{ at: AT, expected: EXPECTED, found: kindOf(headers), remedy: 'write them so, or leave out "headers"' }];
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.entries(headers).flatMap(([name, value], index) => {
    const isTwice = names.indexOf(name.toLowerCase()) < index;
    return isTwice ? [problem(name, 'each header once', 'it twice', 'leave out one of them')] : (problemIn(name, value) ?? []);
  });
}

/** @type {(name: string, value: unknown) => Problem | null} */
function problemIn(name, value) {
  if (!isHeaderName(name)) return problem(name, 'the name of a header', 'other signs in it', 'correct it');
  if (name.toLowerCase() === OF_THE_LAB)
    return problem(name, `any header but ${name}, by which the lab knows each request`, 'it', 'leave it out');
  if (typeof value !== 'string') return problem(name, 'a text', kindOf(value), 'put it in quotes');
  if (variablesIn(value).every((variable) => VARIABLE_NAME.test(variable))) return null;
  return problem(name, `the name of an environment variable in \${NAME}`, 'something else in the braces', 'correct it');
}

/** @type {(name: string, expected: string, found: string, remedy: string) => Problem} */
const problem = (name, expected, found, remedy) => ({ at: [...AT, name], expected, found, remedy });

/** @param {string} value */
const variablesIn = (value) => [...value.matchAll(VARIABLE)].map(([, name]) => name);

/** @type {Record<string, string>} */
const KINDS = { number: 'a number', boolean: 'true or false' };

/** What something is, without telling it. @param {unknown} value */
function kindOf(value) {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty mapping' : 'names and values';
  return KINDS[typeof value] ?? 'a text';
}

/**
 * @param {Record<string, string>} headers  as the file has them
 * @param {Record<string, string | undefined>} env
 * @returns {Record<string, string>} with what the environment has
 * @throws {NotReadyError} naming the variable that is not there, or the header that cannot be sent
 */
export function filledHeaders(headers, env) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const at = `${PROJECT_FILE}, ${[...AT, name].join('.')}`;
      const missing = variablesIn(value).find((variable) => !env[variable]);
      if (missing !== undefined)
        throw new NotReadyError(
          `${at}: expected the environment variable ${missing}; found none.`,
          `set it in this shell (export ${missing}=...), or write the name of another.`,
        );
      const filled = value.replaceAll(VARIABLE, (_, variable) => String(env[variable]));
      if (isSendable(filled)) return [name, filled];
      const source = variablesIn(value).length > 0 ? `; part of it is from ${variablesIn(value).join(', ')}` : '';
      throw new NotReadyError(
        `${at}: expected a value of one line in Latin letters and signs; found other signs in it${source}.`,
        'take line breaks and the like out of it.',
      );
    }),
  );
}

/**
 * A request as the record keeps it, which is sent with these headers besides.
 * @param {ListedRequest} request
 * @param {string[]} names
 * @returns {ListedRequest}
 */
export function withGiven({ headers = {}, ...request }, names) {
  const given = names.map((name) => name.toLowerCase());
  const own = Object.entries(headers).filter(([name]) => !given.includes(name.toLowerCase()));
  return { ...request, ...(own.length > 0 && { headers: Object.fromEntries(own) }), ...(names.length > 0 && { given: names }) };
}
