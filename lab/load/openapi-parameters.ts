/** Fills the path, the query and the headers of an operation of an OpenAPI document. Pure. */

import { CannotFill, resolved, within } from './openapi-references.ts';
import { givenFor, listOf, mappingOf, valueOfSchema } from './openapi-values.ts';

/** OpenAPI says elsewhere what they hold (3.1, Parameter Object, `name`). */
const ELSEWHERE = ['accept', 'content-type', 'authorization'];
const LIST_SIGNS = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };

/**
 * @param item of the path
 * @returns the parameters of both; where both have one, the operation's
 * @throws {CannotFill} when one of them is none
 */
export function parametersOf(document: any, item: any, operation: any): any[] {
	const lists = [item, operation].map(({ parameters }) => listOf(parameters, 'its "parameters"'));
	const all = lists.flat().map((parameter) => resolved(document, parameter));
	if (!all.every((parameter) => typeof parameter?.in === 'string' && typeof parameter.name === 'string'))
		throw new CannotFill('one of its "parameters" has no name or no "in"');
	return [...new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

/**
 * @param template `/orders/{id}`
 * @returns path: with its query
 * @throws {CannotFill}
 */
export function filled(document: any, template: string, parameters: any[]): { path: string; headers: Record<string, string> } {
	const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
	const fill = (parameter: any) => valueFor(document, parameter);
	const paths = new Map(of('path').map((parameter) => [parameter.name, parameter]));
	const path = template.replace(/\{([^}]{1,999})\}/g, (_, name) => {
		const parameter = paths.get(name);
		if (!parameter) throw new CannotFill(`its path has "${name}", which is not described`);
		return inPath(parameter, fill(parameter));
	});
	// What is not required would only narrow the answer, unless the document says how to use it.
	const isSent = (parameter: any) => parameter.required || exampleFor(document, parameter) !== null;
	const query = of('query').filter(isSent);
	const cookies = of('cookie').filter(isSent);
	const named = of('header').filter((parameter) => isSent(parameter) && !ELSEWHERE.includes(parameter.name.toLowerCase()));
	const headers = Object.fromEntries(named.map((parameter) => [parameter.name, plain(fill(parameter))]));
	if (cookies.length > 0) headers.Cookie = cookies.map((parameter) => `${parameter.name}=${plain(fill(parameter))}`).join('; ');
	const search = query.flatMap((parameter) => inQuery(parameter, fill(parameter))).join('&');
	return { path: search === '' ? path : `${path}?${search}`, headers };
}

function valueFor(document: any, parameter: any): unknown {
	return within(`${parameter.in} parameter "${parameter.name}"`, () => {
		const given = exampleFor(document, parameter);
		if (given) return given.value;
		if (parameter.schema !== undefined) return valueOfSchema(document, parameter.schema);
		const media = mediaOf(parameter);
		if (media === undefined) throw new CannotFill('it has neither a schema nor an example');
		return JSON.stringify(valueOfSchema(document, media.schema));
	});
}

function exampleFor(document: any, parameter: any): { value: unknown } | null {
	const media = mediaOf(parameter);
	const given = givenFor(document, media ?? parameter);
	return given && media ? { value: JSON.stringify(given.value) } : given;
}

/** Of a parameter that is described by the type of its content, which is JSON then. */
const mediaOf = ({ content }: any): any => {
	const [media] = Object.values(mappingOf(content, 'its "content"'));
	return media === undefined ? undefined : mappingOf(media, 'the type of its "content"');
};

function inPath({ name, style = 'simple', explode = false }: any, value: unknown) {
	if (style !== 'simple') throw new CannotFill(`path parameter "${name}": its style is "${style}", and only "simple" is filled`);
	const text = partsOf(value, explode ? '=' : ',').join(',');
	if (text === '') throw new CannotFill(`path parameter "${name}": its value is empty`);
	return text;
}

/** @param sign between the name and the value of a part */
function partsOf(value: unknown, sign: string) {
	if (Array.isArray(value)) return value.map(encoded);
	if (isObject(value)) return Object.entries(value).map(([key, inner]) => `${encoded(key)}${sign}${encoded(inner)}`);
	return [encoded(value)];
}

function inQuery({ name, style = 'form', explode = style === 'form' }: any, value: unknown): string[] {
	const key = encoded(name);
	if (Array.isArray(value)) {
		if (explode) return value.map((inner) => `${key}=${encoded(inner)}`);
		return [`${key}=${value.map(encoded).join(LIST_SIGNS[style as keyof typeof LIST_SIGNS] ?? ',')}`];
	}
	if (!isObject(value)) return [`${key}=${encoded(value)}`];
	const parts = Object.entries(value);
	if (style === 'deepObject') return parts.map(([inner, of]) => `${key}%5B${encoded(inner)}%5D=${encoded(of)}`);
	if (explode) return parts.map(([inner, of]) => `${encoded(inner)}=${encoded(of)}`);
	return [`${key}=${parts.flatMap(([inner, of]) => [encoded(inner), encoded(of)]).join(',')}`];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Half of a sign has no form in an address. */
const encoded = (value: unknown) => encodeURIComponent(plain(value).replace(HALF_SIGN, '\ufffd'));
const HALF_SIGN = /\p{Surrogate}/gu;
