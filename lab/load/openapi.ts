/**
 * Makes a list of requests from an OpenAPI document, 3.0 or 3.1, in YAML or JSON: operations that only read, and others where they
 * are asked for by name. What cannot be filled in is left out, and said. Pure.
 */

import { type ListedRequest, pathProblem } from '../../k6/lib/request-list.js';
import { NotReadyError } from '../base/errors.ts';
import { PROJECT_FILE } from '../catalog/project-schema.ts';
import { CannotFill, resolved } from './openapi-references.ts';
import { type Operation, requestFor, SAFE } from './openapi-request.ts';
import { readOpenApiText } from './openapi-text.ts';
import { mappingOf } from './openapi-values.ts';

/** Those of OpenAPI's operations that k6 can send and that have a meaning to a load. */
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'];
/** YAML reads an unquoted 3.0 as the number 3. */
const VERSIONS = /^3($|\.[01](\.|$))/;
const NOT_SAFE = 'it may change something; name it under include to send it';
const EXCLUDED = 'it is named under exclude';
const SHOWN_MOST = 20;

/** operation: "POST /orders" */
type Skipped = { operation: string; why: string };

/**
 * @param text of the document
 * @throws {NotReadyError} when it is no such document, or has none of the operations that are to be sent
 */
export function requestsOfOpenApi(
	text: string,
	{
		include = [],
		exclude = [],
		given = [],
	}: {
		/** operations that may change something and are to be sent all the same, such as "POST /orders" */
		include?: string[];
		/** operations that are not to be sent */
		exclude?: string[];
		/** names of headers that every request is sent with, such as the Authorization that the service wants */
		given?: string[];
	} = {},
): { requests: ListedRequest[]; skipped: Skipped[] } {
	const document = readDocument(text);
	const requests: ListedRequest[] = [];
	const skipped: Skipped[] = [];
	const operations = operationsOf(document, skipped);
	const wanted = new Set(include.map(nameOf));
	const unwanted = new Set(exclude.map(nameOf));
	refuseUnknown(
		wanted,
		operations.filter(({ method }) => !SAFE.includes(method)),
		operations,
	);
	refuseUnknown(unwanted, operations);
	refuseBoth(wanted, unwanted);
	for (const operation of operations) {
		const { name, method } = operation;
		const isSent = SAFE.includes(method) || wanted.has(name);
		const send = () => requests.push(requestFor(document, operation, given));
		const why = unwanted.has(name) ? EXCLUDED : isSent ? tryTo(send) : NOT_SAFE;
		if (why !== '') skipped.push({ operation: name, why });
	}
	return { requests, skipped };
}

/** @returns why it could not be done; empty when it was */
function tryTo(act: () => void): string {
	try {
		act();
		return '';
	} catch (error) {
		if (error instanceof CannotFill) return error.message;
		throw error;
	}
}

/** @throws {NotReadyError} */
function readDocument(text: string): any {
	const document = readOpenApiText(text) as any;
	const version = document?.openapi ?? (document?.swagger === undefined ? undefined : `Swagger ${document.swagger}`);
	if (!VERSIONS.test(String(version))) {
		throw new NotReadyError(
			`The OpenAPI document: expected "openapi: 3.0" or 3.1; found ${version === undefined ? 'no version' : `"${version}"`}.`,
			'name the right file, or convert it (https://converter.swagger.io).',
		);
	}
	return document;
}

/**
 * @param skipped gets the paths that stand in another document, of which not even the operations are known here, and those that
 * are none of a server: what is behind an address without a slash becomes a part of it
 * @returns in the order of the document
 */
function operationsOf(document: any, skipped: Skipped[]): Operation[] {
	return Object.entries<any>(document.paths ?? {}).flatMap(([path, node]) => {
		const problem = pathProblem(path);
		if (problem !== '') {
			skipped.push({ operation: JSON.stringify(path), why: problem });
			return [];
		}
		let item = {} as any;
		const why = tryTo(() => {
			item = mappingOf(resolved(document, node), 'what is described there');
		});
		if (why !== '') skipped.push({ operation: path, why });
		return METHODS.filter((method) => Object.hasOwn(item, method) && item[method]).map((method) => ({
			name: `${method.toUpperCase()} ${path}`,
			method: method.toUpperCase(),
			path,
			item,
			operation: item[method],
		}));
	});
}

/** As operations are named here, however the user wrote it. */
function nameOf(text: string) {
	const [method, ...path] = text.trim().split(/\s+/);
	return `${method.toUpperCase()} ${path.join(' ')}`;
}

/**
 * @param meant those that one would name
 * @param operations all that may be named
 * @throws {NotReadyError}
 */
function refuseUnknown(named: Set<string>, meant: Operation[], operations: Operation[] = meant) {
	const known = new Set(operations.map(({ name }) => name));
	const unknown = [...named].find((text) => !known.has(text));
	if (unknown === undefined) return;
	const shown = meant.slice(0, SHOWN_MOST).map(({ name }) => name);
	throw new NotReadyError(
		`The OpenAPI document: expected an operation "${unknown}"; found none. It has ${shown.join(', ') || 'none that may change something'}.`,
		'write it as the document does, with its path as it stands there.',
	);
}

/** @throws {NotReadyError} */
function refuseBoth(wanted: Set<string>, unwanted: Set<string>) {
	const both = [...wanted].find((name) => unwanted.has(name));
	if (both === undefined) return;
	throw new NotReadyError(
		`${PROJECT_FILE}, load: expected "${both}" under include or under exclude; found it under both.`,
		'leave it out of one of them.',
	);
}
