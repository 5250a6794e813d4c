/**
 * Fills the path, the query and the headers of an operation of an OpenAPI document. Pure.
 */
import { CannotFill, resolved, within } from './openapi-references.js';
import { givenFor, valueOfSchema } from './openapi-values.js';

/** OpenAPI says elsewhere what they hold (3.1, Parameter Object, `name`). */
const ELSEWHERE = ['accept', 'content-type', 'authorization'];
const LIST_SIGNS = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };

/**
 * @param {any} document
 * @param {any} item      of the path
 * @param {any} operation
 * @returns {any[]} the parameters of both; where both have one, the operation's
 * @throws {CannotFill} when one of them is none
 */
export function parametersOf(document, item, operation) {
  const lists = [item.parameters ?? [], operation.parameters ?? []];
  if (!lists.every(Array.isArray)) throw new CannotFill('its "parameters" are no list');
  const all = lists.flat().map((parameter) => resolved(document, parameter));
  if (!all.every((parameter) => typeof parameter?.in === 'string' && typeof parameter.name === 'string'))
    throw new CannotFill('one of its "parameters" has no name or no "in"');
  return [...new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

/**
 * @param {any} document
 * @param {string} template `/orders/{id}`
 * @param {any[]} parameters
 * @returns {{ path: string, headers: Record<string, string> }} path: with its query
 * @throws {CannotFill}
 */
export function filled(document, template, parameters) {
  const of = (/** @type {string} */ place) => parameters.filter((parameter) => parameter.in === place);
  const fill = (/** @type {any} */ parameter) => valueFor(document, parameter);
  const paths = new Map(of('path').map((parameter) => [parameter.name, parameter]));
  const path = template.replace(/\{([^}]+)\}/g, (_, name) => {
    const parameter = paths.get(name);
    if (!parameter) throw new CannotFill(`its path has "${name}", which is not described`);
    return inPath(parameter, fill(parameter));
  });
  // What is not required would only narrow the answer, unless the document says how to use it.
  const isSent = (/** @type {any} */ parameter) => parameter.required || exampleFor(document, parameter) !== null;
  const query = of('query').filter(isSent);
  const cookies = of('cookie').filter(isSent);
  const named = of('header').filter((parameter) => isSent(parameter) && !ELSEWHERE.includes(parameter.name.toLowerCase()));
  const headers = Object.fromEntries(named.map((parameter) => [parameter.name, plain(fill(parameter))]));
  if (cookies.length > 0) headers.Cookie = cookies.map((parameter) => `${parameter.name}=${plain(fill(parameter))}`).join('; ');
  const search = query.flatMap((parameter) => inQuery(parameter, fill(parameter))).join('&');
  return { path: search === '' ? path : `${path}?${search}`, headers };
}

/** @param {any} document @param {any} parameter @returns {unknown} */
function valueFor(document, parameter) {
  return within(`${parameter.in} parameter "${parameter.name}"`, () => {
    const given = exampleFor(document, parameter);
    if (given) return given.value;
    if (parameter.schema !== undefined) return valueOfSchema(document, parameter.schema);
    const media = mediaOf(parameter);
    if (media === undefined) throw new CannotFill('it has neither a schema nor an example');
    return JSON.stringify(valueOfSchema(document, media.schema));
  });
}

/** @param {any} document @param {any} parameter @returns {{ value: unknown } | null} */
function exampleFor(document, parameter) {
  const media = mediaOf(parameter);
  const given = givenFor(document, media ?? parameter);
  return given && media ? { value: JSON.stringify(given.value) } : given;
}

/** Of a parameter that is described by the type of its content, which is JSON then. @param {any} parameter @returns {any} */
const mediaOf = ({ content = {} }) => Object.values(content)[0];

/** @param {any} parameter @param {unknown} value */
function inPath({ name, style = 'simple', explode = false }, value) {
  if (style !== 'simple') throw new CannotFill(`path parameter "${name}": its style is "${style}", and only "simple" is filled`);
  const text = partsOf(value, explode ? '=' : ',').join(',');
  if (text === '') throw new CannotFill(`path parameter "${name}": its value is empty`);
  return text;
}

/** @param {unknown} value @param {string} sign between the name and the value of a part */
function partsOf(value, sign) {
  if (Array.isArray(value)) return value.map(encoded);
  if (isObject(value)) return Object.entries(value).map(([key, inner]) => `${encoded(key)}${sign}${encoded(inner)}`);
  return [encoded(value)];
}

/** @param {any} parameter @param {unknown} value @returns {string[]} */
function inQuery({ name, style = 'form', explode = style === 'form' }, value) {
  const key = encoded(name);
  if (Array.isArray(value)) {
    if (explode) return value.map((inner) => `${key}=${encoded(inner)}`);
    return [`${key}=${value.map(encoded).join(LIST_SIGNS[/** @type {keyof typeof LIST_SIGNS} */ (style)] ?? ',')}`];
  }
  if (!isObject(value)) return [`${key}=${encoded(value)}`];
  const parts = Object.entries(value);
  if (style === 'deepObject') return parts.map(([inner, of]) => `${key}%5B${encoded(inner)}%5D=${encoded(of)}`);
  if (explode) return parts.map(([inner, of]) => `${encoded(inner)}=${encoded(of)}`);
  return [`${key}=${parts.flatMap(([inner, of]) => [encoded(inner), encoded(of)]).join(',')}`];
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {unknown} value */
const plain = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** @param {unknown} value */
const encoded = (value) => encodeURIComponent(plain(value));
