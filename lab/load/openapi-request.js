/**
 * One request for one operation of an OpenAPI document: path, headers and body as the document describes them. Pure.
 */
import { pathProblem } from '../../k6/lib/request-list.js';
import { isHeaderName, isSendable } from '../catalog/load-headers.js';
import { filled, parametersOf } from './openapi-parameters.js';
import { CannotFill, resolved, tried, within } from './openapi-references.js';
import { givenFor, valueOfSchema } from './openapi-values.js';

/** Meant to change nothing (RFC 9110, 9.2.1), so that they may be sent without asking; they have no body. */
export const SAFE = ['GET', 'HEAD'];
const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/;
const FORM_TYPE = /^application\/x-www-form-urlencoded\b/;
const TEXT_TYPE = /^text\/plain\b/;
/** Of a body: those that can be made, the first that there is. */
const TYPES = [JSON_TYPE, FORM_TYPE, TEXT_TYPE];

/** @typedef {import('../../k6/lib/request-list.js').ListedRequest} ListedRequest */
/**
 * @typedef {object} Operation
 * @property {string} name     "POST /orders"
 * @property {string} method
 * @property {string} path     as the document has it, with names in braces
 * @property {any} item        of the path
 * @property {any} operation
 */

/**
 * @param {any} document
 * @param {Operation} operation
 * @param {string[]} given  names of headers that every request is sent with
 * @returns {ListedRequest}
 * @throws {CannotFill}
 */
export function requestFor(document, { name, method, path: template, item, operation }, given) {
  refuseWithoutCredentials(document, operation, given);
  const { path, headers: own } = filled(document, template, parametersOf(document, item, operation));
  const body = SAFE.includes(method) ? null : bodyOf(document, operation);
  const all = { ...(body && { 'Content-Type': body.type }), ...own };
  const whole = prefixOf(document, item, operation) + path;
  refuseUnsendable(whole, all);
  return {
    method,
    path: whole,
    name,
    weight: 1,
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(body && { body: body.text }),
  };
}

/** @param {string} path @param {Record<string, string>} headers @throws {CannotFill} */
function refuseUnsendable(path, headers) {
  const problem = pathProblem(path);
  if (problem !== '') throw new CannotFill(`its path is ${JSON.stringify(path)}, with what the server puts before it: ${problem}`);
  const [name, value] = Object.entries(headers).find((header) => !isHeaderName(header[0]) || !isSendable(header[1])) ?? [];
  if (name === undefined) return;
  const what = isHeaderName(name) ? `value ${JSON.stringify(value)}` : 'name';
  throw new CannotFill(`header ${JSON.stringify(name)}: its ${what} has a line break or another sign that cannot be sent`);
}

/** What the document’s first server puts before every path. @param {any} document @param {any} item @param {any} operation */
function prefixOf(document, item, operation) {
  const [server] = operation.servers ?? item.servers ?? document.servers ?? [];
  const url = String(server?.url ?? '/').replace(/\{([^}]+)\}/g, (_, name) => String(server.variables?.[name]?.default ?? ''));
  // The address is the lab's to choose; a relative one has a path alone.
  const path = url.replace(/^([a-z][\w+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}

/** @param {any} document @param {any} operation @returns {{ type: string, text: string } | null} */
function bodyOf(document, operation) {
  const described = resolved(document, operation.requestBody);
  if (described === undefined) return null;
  const make = () => within('body', () => contentOf(document, Object.entries(described.content ?? {})));
  return described.required ? make() : (tried(make) ?? null);
}

/** @param {any} document @param {[string, any][]} content by its type */
function contentOf(document, content) {
  for (const pattern of TYPES) {
    const [type, media] = content.find(([name]) => pattern.test(name)) ?? [];
    if (type !== undefined)
      return { type, text: textOf(pattern, givenFor(document, media)?.value ?? valueOfSchema(document, media.schema)) };
  }
  throw new CannotFill(`no value is made for ${content.map(([type]) => type).join(', ') || 'what has no type'}`);
}

/** @param {RegExp} pattern of its type @param {any} value */
function textOf(pattern, value) {
  if (pattern === JSON_TYPE) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (pattern === TEXT_TYPE || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const texts = Object.entries(value).map(([key, inner]) => [key, typeof inner === 'object' ? JSON.stringify(inner) : String(inner)]);
  return new URLSearchParams(Object.fromEntries(texts)).toString();
}

/**
 * Without what it asks for, each request would only measure how fast it is turned away.
 * @param {any} document @param {any} operation @param {string[]} given
 * @throws {CannotFill}
 */
function refuseWithoutCredentials(document, operation, given) {
  const ways = operation.security ?? document.security ?? [];
  const names = given.map((name) => name.toLowerCase());
  const isMet = (/** @type {string} */ scheme) => {
    const { type, in: place, name = '' } = resolved(document, document.components?.securitySchemes?.[scheme]) ?? {};
    if (type !== 'apiKey') return names.includes('authorization');
    if (place === 'header') return names.includes(name.toLowerCase());
    return place === 'cookie' && names.includes('cookie');
  };
  // Any one of them will do, and one that asks for nothing makes all of them optional.
  if (ways.length === 0 || ways.some((/** @type {object} */ way) => Object.keys(way).every(isMet))) return;
  throw new CannotFill(`it asks for credentials (${Object.keys(ways[0]).join(', ')}); give them under headers`);
}
