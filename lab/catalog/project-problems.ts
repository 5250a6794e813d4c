/**
 * What is wrong in a file of the user's about a system, in sentences that name the line. Two passes: what the schema says, and what follows from
 * several entries together.
 *
 * @typedef {object} Problem
 * @property {string[]} at     way to the entry at fault
 * @property {string} [key]    in it, the name at fault
 * @property {string} expected
 * @property {string} found
 * @property {string} remedy   as an order
 *
 * @import { ListedRequest } from '../../k6/lib/request-list.js'
 * @import { Project, ProjectLoad, Remedy, Shipped } from './project-schema.ts'
 */

import { Ajv } from 'ajv';
import { NotReadyError } from '../base/errors.ts';
import { nearest } from '../base/format-command.ts';
import { causes } from '../record/causes.ts';
import { entryUrls, hostOfEntry, LOAD_SOURCES, PROJECT_FILE, PROJECT_SCHEMA } from './project-schema.ts';

/**
 * The headers that doubletake.yaml gives to every request. Their values may be secrets: no message has one, the record has their names
 * alone, and `${NAME}` in them is taken from the environment.
 *
 */

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
function headerProblems(headers) {
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
		return problem(name, `any header but ${name}, by which Doubletake knows each request`, 'it', 'leave it out');
	if (typeof value !== 'string') return problem(name, 'a text', kindOf(value), 'put it in quotes');
	if (variablesIn(value).every((variable) => VARIABLE_NAME.test(variable))) return null;
	return problem(name, `the name of an environment variable in \${NAME}`, 'something else in the braces', 'correct it');
}

/** @type {(name: string, expected: string, found: string, remedy: string) => Problem} */
const problem = (name, expected, found, remedy) => ({ at: [...AT, name], expected, found, remedy });

/** @param {string} value */
const variablesIn = (value) => [...value.matchAll(VARIABLE)].map(([, name]) => name);

/**
 * @param {Record<string, string>} [headers]  as the file has them
 * @returns {{ header: string, variable: string }[]} which takes which variable of the environment
 */
export const variablesOf = (headers = {}) =>
	Object.entries(headers).flatMap(([header, value]) => variablesIn(value).map((variable) => ({ header, variable })));

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

// Not compared with the schema of schemas, which would be compiled first, for 30 ms of each command: a keyword that there is not is told all
// the same.
const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, validateSchema: false });
/** A found value is only shown for the reader to know it again. */
const SHOWN_MOST = 60;

/**
 * @param {unknown} value  of the whole file
 * @param {object} [schema]  each of whose descriptions ends the sentence "expected ..."; doubletake.yaml's unless given
 * @returns {Problem[]} empty where the schema takes it
 */
export function schemaProblems(value, schema = PROJECT_SCHEMA) {
	// The same one is compiled once.
	const validate = ajv.compile(schema);
	if (validate(value)) return [];
	/** @type {Map<string, Problem>} */
	const problems = new Map();
	for (const error of validate.errors ?? []) {
		const problem = problemOf(error);
		const place = JSON.stringify([problem.at, problem.key]);
		// Of several rules that an entry breaks, the first says enough.
		if (!problems.has(place)) problems.set(place, problem);
	}
	return [...problems.values()];
}

/** @param {import('ajv').ErrorObject} error @returns {Problem} */
function problemOf({ keyword, instancePath, params, parentSchema, data }) {
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

/** @type {(found: unknown, known: string[] | undefined) => string | null} */
function suggestion(found, known) {
	const meant = typeof found === 'string' && known ? nearest(found, known) : null;
	return meant === null ? null : `write "${meant}" instead of ${JSON.stringify(found)}`;
}

/** @param {unknown} value */
function shown(value) {
	if (value === null || value === undefined) return 'nothing';
	if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
	if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty mapping' : 'names and values';
	const text = JSON.stringify(value);
	return text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST)}…` : text;
}

/**
 * @param {Project} project  that the schema takes
 * @returns {Problem[]}
 */
export const meaningProblems = (project) => [
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
 * @param {Shipped} system  that the schema takes
 * @param {{ systems: string[], scenarios: string[], isPublished: (key: string) => boolean }} known
 * @returns {Problem[]}
 */
export const shippedProblems = ({ load, published, remedies = [] }, { systems, scenarios, isPublished }) => [
	...(load === undefined ? [] : unknownIn(['load', 'scenario'], load.scenario, scenarios)),
	...(published === undefined || isPublished(published)
		? []
		: [{ at: ['published'], expected: 'a run of published.json', found: shown(published), remedy: 'correct it' }]),
	...remedyProblems(remedies),
	...remedies.flatMap(({ system = '' }, index) => unknownIn(['remedies', String(index), 'system'], system, systems)),
];

/** @type {(at: string[], found: string, known: string[]) => Problem[]} */
const unknownIn = (at, found, known) =>
	known.includes(found)
		? []
		: [{ at, expected: `one of ${known.join(', ')}`, found: shown(found), remedy: suggestion(found, known) ?? 'correct it' }];

/** @type {(remedies?: Remedy[]) => Problem[]} */
const remedyProblems = (remedies = []) =>
	remedies.flatMap(({ causes: named }, index) =>
		named.flatMap((cause, place) => unknownIn(['remedies', String(index), 'causes', String(place)], cause, Object.keys(causes))),
	);

/** @param {Project} project @returns {Problem[]} */
function entryProblems(project) {
	const urls = entryUrls(project);
	return urls.flatMap((url, index) => {
		const at = ['entry', ...(Array.isArray(project.entry) ? [String(index)] : [])];
		const isTwice = urls.indexOf(url) < index;
		return isTwice
			? [{ at, expected: 'each entry once', found: `${JSON.stringify(url)} twice`, remedy: 'leave one out' }]
			: problemsOf(url, at, project);
	});
}

/** @param {Project} project @returns {Problem[]} */
function hostProblems(project) {
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

/** @type {(entry: string, at: string[], project: Project) => Problem[]} */
function problemsOf(entry, at, { services }) {
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

/** @param {Project} project @returns {Problem[]} */
function edgeProblems({ edges = [], services }) {
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

/** @param {Project} project @returns {Problem[]} */
const integrityProblems = ({ integrity, services }) =>
	integrity === undefined ? [] : unknownIn(['integrity', 'service'], integrity.service, Object.keys(services));

/**
 * What changes nothing about the load must not look as if it did.
 * @param {ProjectLoad} load
 * @returns {Problem[]}
 */
function loadProblems(load) {
	const given = LOAD_SOURCES.filter((source) => load[source] !== undefined);
	const expected = `one of ${LOAD_SOURCES.join(', ')}`;
	if (given.length === 0) return [{ at: ['load'], expected, found: 'none', remedy: 'add urls: ["GET /"]' }];
	if (given.length > 1) return [{ at: ['load'], key: given[1], expected, found: given.join(' and '), remedy: 'leave out all but one' }];
	return [...idleProblems(load, given[0]), ...(given[0] === 'script' ? [] : headerProblems(load.headers))];
}

/**
 * What changes nothing beside a source, and what does instead.
 * @type {Record<typeof LOAD_SOURCES[number], { names: (keyof ProjectLoad)[], why: string, remedy: string }[]>}
 */
const IDLE = {
	urls: [{ names: ['include', 'exclude'], why: 'urls, which are all sent', remedy: 'change the list of urls' }],
	openapi: [],
	script: [
		{ names: ['shape', 'users', 'think_ms'], why: 'a script, which says itself who comes when', remedy: "change the script's options" },
		{ names: ['expect'], why: 'a script, which says itself what a good answer is', remedy: 'call http.setResponseCallback in the script' },
		{ names: ['headers', 'include', 'exclude'], why: 'a script, which says itself what it sends', remedy: 'change the script' },
	],
};

/** @type {(load: ProjectLoad, source: typeof LOAD_SOURCES[number]) => Problem[]} */
const idleProblems = (load, source) =>
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
