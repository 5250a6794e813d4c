/** One request for one operation of an OpenAPI document: path, headers and body as the document describes them. Pure. */

import { type ListedRequest, pathProblem } from '../../k6/lib/request-list.js';
import { isHeaderName, isSendable } from '../catalog/project-problems.ts';
import { filled, parametersOf, plain } from './openapi-parameters.ts';
import { CannotFill, resolved, tried, within } from './openapi-references.ts';
import { givenFor, listOf, mappingOf, valueOfSchema } from './openapi-values.ts';

/** Meant to change nothing (RFC 9110, 9.2.1), so that they may be sent without asking; they have no body. */
export const SAFE = ['GET', 'HEAD'];
const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/;
const FORM_TYPE = /^application\/x-www-form-urlencoded\b/;
const TEXT_TYPE = /^text\/plain\b/;
/** Of a body: those that can be made, the first that there is. */
const TYPES = [JSON_TYPE, FORM_TYPE, TEXT_TYPE];

export type Operation = {
	/** "POST /orders" */
	name: string;
	method: string;
	/** as the document has it, with names in braces */
	path: string;
	/** of the path */
	item: any;
	operation: any;
};

/**
 * @param given names of headers that every request is sent with
 * @throws {CannotFill}
 */
export function requestFor(document: any, { name, method, path: template, item, operation }: Operation, given: string[]): ListedRequest {
	mappingOf(operation, 'its description');
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

/** @throws {CannotFill} */
function refuseUnsendable(path: string, headers: Record<string, string>) {
	const problem = pathProblem(path);
	if (problem !== '') throw new CannotFill(`its path is ${JSON.stringify(path)}, with what the server puts before it: ${problem}`);
	const [name, value] = Object.entries(headers).find((header) => !isHeaderName(header[0]) || !isSendable(header[1])) ?? [];
	if (name === undefined) return;
	const what = isHeaderName(name) ? `value ${JSON.stringify(value)}` : 'name';
	throw new CannotFill(`header ${JSON.stringify(name)}: its ${what} has a line break or another sign that cannot be sent`);
}

/** What the document’s first server puts before every path. */
function prefixOf(document: any, item: any, operation: any) {
	const [first] = listOf(operation.servers ?? item.servers ?? document.servers, 'the list of its "servers"');
	const server = mappingOf(first, 'its server');
	const variables = mappingOf(server.variables, 'the "variables" of its server');
	const standardOf = (name: string) => (Object.hasOwn(variables, name) ? variables[name]?.default : undefined);
	if (!['undefined', 'string'].includes(typeof (server.url ?? undefined))) throw new CannotFill('the "url" of its server is no text');
	const url = String(server.url ?? '/').replace(/\{([^}]{1,999})\}/g, (_, name) => plain(standardOf(name) ?? ''));
	// The address is the lab's to choose; a relative one has a path alone.
	const path = url.replace(/^([a-z][\w+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
	const trimmed = path.replace(/\/+$/, '');
	return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}

function bodyOf(document: any, operation: any): { type: string; text: string } | null {
	const found = resolved(document, operation.requestBody) ?? undefined;
	if (found === undefined) return null;
	const described = mappingOf(found, 'its body');
	const make = () => within('body', () => contentOf(document, Object.entries(mappingOf(described.content, 'its "content"'))));
	return described.required ? make() : (tried(make) ?? null);
}

/** @param content by its type */
function contentOf(document: any, content: [string, any][]) {
	for (const pattern of TYPES) {
		const [type, found] = content.find(([name]) => pattern.test(name)) ?? [];
		const media = mappingOf(found, `"${type}"`);
		if (type !== undefined)
			return { type, text: textOf(pattern, givenFor(document, media)?.value ?? valueOfSchema(document, media.schema)) };
	}
	throw new CannotFill(`no value is made for ${content.map(([type]) => type).join(', ') || 'what has no type'}`);
}

/** @param pattern of its type */
function textOf(pattern: RegExp, value: any) {
	if (pattern === JSON_TYPE) return JSON.stringify(value);
	if (typeof value === 'string') return value;
	if (pattern === TEXT_TYPE || typeof value !== 'object' || value === null) return JSON.stringify(value);
	const texts = Object.entries<any>(value).map(([key, inner]) => [key, typeof inner === 'object' ? JSON.stringify(inner) : String(inner)]);
	return new URLSearchParams(Object.fromEntries(texts)).toString();
}

/**
 * Without what it asks for, each request would only measure how fast it is turned away.
 * @throws {CannotFill}
 */
function refuseWithoutCredentials(document: any, operation: any, given: string[]) {
	const ways = listOf(operation.security ?? document.security, 'its "security"').map((way) => mappingOf(way, 'a way of its "security"'));
	const names = given.map((name) => name.toLowerCase());
	const isMet = (scheme: string) => {
		const schemes = mappingOf(document.components?.securitySchemes, 'the list of security schemes');
		const described = Object.hasOwn(schemes, scheme) ? resolved(document, schemes[scheme]) : {};
		const { type, in: place, name } = mappingOf(described, `security scheme "${scheme}"`);
		if (type !== 'apiKey') return names.includes('authorization');
		if (place === 'header') return names.includes(String(name).toLowerCase());
		return place === 'cookie' && names.includes('cookie');
	};
	// Any one of them will do, and one that asks for nothing makes all of them optional.
	if (ways.length === 0 || ways.some((way) => Object.keys(way).every(isMet))) return;
	throw new CannotFill(`it asks for credentials (${Object.keys(ways[0]).join(', ')}); give them under headers`);
}
