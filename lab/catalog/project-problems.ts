/**
 * What is wrong in a file of the user's about a system, in sentences that name the line. Two passes: what the schema says, and what follows from
 * several entries together.
 */

import type { ErrorObject } from 'ajv';
import { Ajv } from 'ajv';
import type { ListedRequest } from '../../k6/lib/request-list.js';
import { NotReadyError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { causes } from '../record/causes.ts';
import type { Project, ProjectLoad, Remedy, Shipped } from './project-schema.ts';
import { entryUrls, hostOfEntry, LOAD_SOURCES, PROJECT_FILE, PROJECT_SCHEMA } from './project-schema.ts';

export type Problem = {
	/** way to the entry at fault */
	at: string[];
	/** in it, the name at fault */
	key?: string;
	expected: string;
	found: string;
	/** as an order */
	remedy: string;
};

/**
 * The headers that doubletake.yaml gives to every request. Their values may be secrets: no message has one, the record has their names
 * alone, and `${NAME}` in them is taken from the environment.
 *
 */

const AT = ['load', 'headers'];
const EXPECTED = `headers by their names, such as { Authorization: "Bearer \${TOKEN}" }`;
/** RFC 9110, 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
export const isHeaderName = (name: string) => NAME.test(name);

/** By which every tier records a request. */
const OF_THE_LAB = 'x-request-id';
const VARIABLE = /\$\{([^}]{0,999})\}/g;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
/** RFC 9110, 5.5: a client that is given another character sends nothing. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @param value of a header */
export const isSendable = (value: string) => SENDABLE.test(value);

/** @param headers as the file has them; undefined where it has none */
function headerProblems(headers: unknown): Problem[] {
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

function problemIn(name: string, value: unknown): Problem | null {
	if (!isHeaderName(name)) return problem(name, 'the name of a header', 'other signs in it', 'correct it');
	if (name.toLowerCase() === OF_THE_LAB)
		return problem(name, `any header but ${name}, by which Doubletake knows each request`, 'it', 'leave it out');
	if (typeof value !== 'string') return problem(name, 'a text', kindOf(value), 'put it in quotes');
	if (variablesIn(value).every((variable) => VARIABLE_NAME.test(variable))) return null;
	return problem(name, `the name of an environment variable in \${NAME}`, 'something else in the braces', 'correct it');
}

const problem: (name: string, expected: string, found: string, remedy: string) => Problem = (name, expected, found, remedy) => ({
	at: [...AT, name],
	expected,
	found,
	remedy,
});

const variablesIn = (value: string) => [...value.matchAll(VARIABLE)].map(([, name]) => name);

/**
 * @param headers as the file has them
 * @returns which takes which variable of the environment
 */
export const variablesOf = (headers: Record<string, string> = {}): { header: string; variable: string }[] =>
	Object.entries(headers).flatMap(([header, value]) => variablesIn(value).map((variable) => ({ header, variable })));

const KINDS: Record<string, string> = { number: 'a number', boolean: 'true or false' };

/** What something is, without telling it. */
function kindOf(value: unknown) {
	if (value === null) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty mapping' : 'names and values';
	return KINDS[typeof value] ?? 'a text';
}

/**
 * @param headers as the file has them
 * @returns with what the environment has
 * @throws {NotReadyError} naming the variable that is not there, or the header that cannot be sent
 */
export function filledHeaders(headers: Record<string, string>, env: Record<string, string | undefined>): Record<string, string> {
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

/** A request as the record keeps it, which is sent with these headers besides. */
export function withGiven({ headers = {}, ...request }: ListedRequest, names: string[]): ListedRequest {
	const given = names.map((name) => name.toLowerCase());
	const own = Object.entries(headers).filter(([name]) => !given.includes(name.toLowerCase()));
	return { ...request, ...(own.length > 0 && { headers: Object.fromEntries(own) }), ...(names.length > 0 && { given: names }) };
}

// Not compared with the schema of schemas, which would be compiled first, for 30 ms of each command: a keyword that there is not is told all
// the same.
const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, validateSchema: false });
/** A found value is only shown for the reader to know it again. */
const SHOWN_MOST = 60;

/**
 * @param value of the whole file
 * @param schema each of whose descriptions ends the sentence "expected ..."; doubletake.yaml's unless given
 * @returns empty where the schema takes it
 */
export function schemaProblems(value: unknown, schema: object = PROJECT_SCHEMA): Problem[] {
	// The same one is compiled once.
	const validate = ajv.compile(schema);
	if (validate(value)) return [];
	const problems: Map<string, Problem> = new Map();
	for (const error of validate.errors ?? []) {
		const problem = problemOf(error);
		const place = JSON.stringify([problem.at, problem.key]);
		// Of several rules that an entry breaks, the first says enough.
		if (!problems.has(place)) problems.set(place, problem);
	}
	return [...problems.values()];
}

function problemOf({ keyword, instancePath, params, parentSchema, data }: ErrorObject): Problem {
	const at = instancePath
		.split('/')
		.slice(1)
		.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
	const description = String(parentSchema?.description);
	if (keyword === 'required')
		return { at, expected: `an entry "${params.missingProperty}"`, found: 'none', remedy: `add "${params.missingProperty}:"` };
	if (keyword !== 'additionalProperties')
		return { at, expected: description, found: shown(data), remedy: suggestion(data, params.allowedValues) ?? 'correct it' };
	const key = String(params.additionalProperty);
	const known = Object.keys(parentSchema?.properties ?? {});
	const remedy = suggestion(key, known) ?? 'leave it out';
	return { at, key, expected: `one of ${known.join(', ')}`, found: JSON.stringify(key), remedy };
}

function suggestion(found: unknown, known: string[] | undefined): string | null {
	const meant = typeof found === 'string' && known ? nearest(found, known) : null;
	return meant === null ? null : `write "${meant}" instead of ${JSON.stringify(found)}`;
}

function shown(value: unknown) {
	if (value === null || value === undefined) return 'nothing';
	if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
	if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty mapping' : 'names and values';
	const text = JSON.stringify(value);
	return text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST)}…` : text;
}

/** @param project that the schema takes */
export const meaningProblems = (project: Project): Problem[] => [
	...entryProblems(project),
	...hostProblems(project),
	...edgeProblems(project),
	...loadProblems(project.load),
	...integrityProblems(project),
	...remedyProblems(project.remedies),
	...Object.keys(project.knobs ?? {}).flatMap((service) => unknownIn(['knobs', service], service, Object.keys(project.services))),
];

/**
 * What a shipped system names, and is in no table.
 * @param system that the schema takes
 */
export const shippedProblems = (
	{ load, published, remedies = [] }: Shipped,
	{ systems, scenarios, isPublished }: { systems: string[]; scenarios: string[]; isPublished: (key: string) => boolean },
): Problem[] => [
	...(load === undefined ? [] : unknownIn(['load', 'scenario'], load.scenario, scenarios)),
	...(published === undefined || isPublished(published)
		? []
		: [{ at: ['published'], expected: 'a run of published.json', found: shown(published), remedy: 'correct it' }]),
	...remedyProblems(remedies),
	...remedies.flatMap(({ system = '' }, index) => unknownIn(['remedies', String(index), 'system'], system, systems)),
];

const unknownIn: (at: string[], found: string, known: string[]) => Problem[] = (at, found, known) =>
	known.includes(found)
		? []
		: [{ at, expected: `one of ${known.join(', ')}`, found: shown(found), remedy: suggestion(found, known) ?? 'correct it' }];

const remedyProblems: (remedies?: Remedy[]) => Problem[] = (remedies = []) =>
	remedies.flatMap(({ causes: named }, index) =>
		named.flatMap((cause, place) => unknownIn(['remedies', String(index), 'causes', String(place)], cause, Object.keys(causes))),
	);

function entryProblems(project: Project): Problem[] {
	const urls = entryUrls(project);
	return urls.flatMap((url, index) => {
		const at = ['entry', ...(Array.isArray(project.entry) ? [String(index)] : [])];
		const isTwice = urls.indexOf(url) < index;
		return isTwice
			? [{ at, expected: 'each entry once', found: `${JSON.stringify(url)} twice`, remedy: 'leave one out' }]
			: problemsOf(url, at, project);
	});
}

function hostProblems(project: Project): Problem[] {
	const urls = entryUrls(project);
	const names = Object.keys(project.services);
	return Object.entries(project.hosts ?? {}).flatMap(([host, entry]) => {
		const at = ['hosts', host];
		if (!urls.includes(entry))
			return [{ at, expected: `one of ${urls.join(', ')}`, found: shown(entry), remedy: suggestion(entry, urls) ?? `write ${urls[0]}` }];
		const service = names.find((name) => name.toLowerCase() === host);
		return service === undefined
			? []
			: [{ at, expected: 'a name that no service has', found: `that of ${service}`, remedy: 'leave it out' }];
	});
}

function problemsOf(entry: string, at: string[], { services }: Project): Problem[] {
	const host = hostOfEntry(entry);
	const names = Object.keys(services);
	const service = names.find((name) => name.toLowerCase() === host.toLowerCase());
	if (service === undefined) {
		const remedy = suggestion(host, names) ?? 'name the service that users ask';
		return [{ at, expected: `the URL of one of ${names.join(', ')}`, found: JSON.stringify(entry), remedy }];
	}
	if (services[service].tier !== 'other') return [];
	return [
		{
			at: ['services', service, 'tier'],
			expected: 'a tier that requests pass, because the entry is there',
			found: '"other"',
			remedy: 'write its tier, or another entry',
		},
	];
}

function edgeProblems({ edges = [], services }: Project): Problem[] {
	const names = Object.keys(services);
	return edges.flatMap((pair, index) => {
		const at = ['edges', String(index)];
		const unknown = pair.find((name) => !names.includes(name));
		if (unknown !== undefined) {
			const remedy = suggestion(unknown, names) ?? 'add it to services, or leave the pair out';
			return [{ at, expected: `two of ${names.join(', ')}`, found: JSON.stringify(unknown), remedy }];
		}
		if (pair[0] !== pair[1]) return [];
		return [{ at, expected: 'two different services', found: `${JSON.stringify(pair[0])} twice`, remedy: 'leave the pair out' }];
	});
}

const integrityProblems = ({ integrity, services }: Project): Problem[] =>
	integrity === undefined ? [] : unknownIn(['integrity', 'service'], integrity.service, Object.keys(services));

/** What changes nothing about the load must not look as if it did. */
function loadProblems(load: ProjectLoad): Problem[] {
	const given = LOAD_SOURCES.filter((source) => load[source] !== undefined);
	const expected = `one of ${LOAD_SOURCES.join(', ')}`;
	if (given.length === 0) return [{ at: ['load'], expected, found: 'none', remedy: 'add urls: ["GET /"]' }];
	if (given.length > 1) return [{ at: ['load'], key: given[1], expected, found: given.join(' and '), remedy: 'leave out all but one' }];
	return [...idleProblems(load, given[0]), ...(given[0] === 'script' ? [] : headerProblems(load.headers))];
}

/** What changes nothing beside a source, and what does instead. */
const IDLE: Record<(typeof LOAD_SOURCES)[number], { names: (keyof ProjectLoad)[]; why: string; remedy: string }[]> = {
	urls: [{ names: ['include', 'exclude'], why: 'urls, which are all sent', remedy: 'change the list of urls' }],
	openapi: [],
	script: [
		{ names: ['shape', 'users', 'think_ms'], why: 'a script, which says itself who comes when', remedy: "change the script's options" },
		{ names: ['expect'], why: 'a script, which says itself what a good answer is', remedy: 'call http.setResponseCallback in the script' },
		{ names: ['headers', 'include', 'exclude'], why: 'a script, which says itself what it sends', remedy: 'change the script' },
	],
};

const idleProblems: (load: ProjectLoad, source: (typeof LOAD_SOURCES)[number]) => Problem[] = (load, source) =>
	IDLE[source].flatMap(({ names, why, remedy }) =>
		names
			.filter((key) => load[key] !== undefined)
			// A header may be a secret.
			.map((key) => ({
				at: ['load'],
				key,
				expected: `no "${key}" beside ${why}`,
				found: key === 'headers' ? 'some' : String(load[key]),
				remedy: `leave out "${key}", and ${remedy}`,
			})),
	);
