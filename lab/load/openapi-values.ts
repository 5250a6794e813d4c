/**
 * Values for what an OpenAPI document describes: the examples that it gives, or else the plainest value that its schema allows.
 * Pure.
 */

import { runInNewContext } from 'node:vm';
import { CannotFill, resolved, tried, within } from './openapi-references.ts';

/**
 * Nothing is an empty one: YAML has it where somebody wrote a name alone.
 * what: it is called
 */
export function mappingOf(node: any, what: string): Record<string, any> {
	if (typeof (node ?? {}) === 'object' && !Array.isArray(node)) return node ?? {};
	throw new CannotFill(`${what} is no mapping`);
}

/** as of mappingOf */
export function listOf(node: any, what: string): any[] {
	if (Array.isArray(node ?? [])) return node ?? [];
	throw new CannotFill(`${what} is no list`);
}

/** Schemas in schemas; a schema that contains itself goes deeper for ever. */
const DEPTH_MOST = 16;
/** Within one value: a few schemas that name each other several times make millions. */
const VALUES_MOST = 10_000;
const ITEMS_MOST = 20;
const LENGTH_MOST = 1000;

/** By the formats of OpenAPI 3 and JSON Schema; addresses are those that are kept for examples (RFC 2606, 5737, 3849). */
const FORMATS = new Map([
	['uuid', '00000000-0000-4000-8000-000000000000'],
	['date', '2026-01-01'],
	['date-time', '2026-01-01T00:00:00Z'],
	['time', '00:00:00Z'],
	['duration', 'PT1S'],
	['email', 'user@example.com'],
	['hostname', 'example.com'],
	['ipv4', '192.0.2.1'],
	['ipv6', '2001:db8::1'],
	['uri', 'https://example.com/'],
	['url', 'https://example.com/'],
	['uri-reference', '/example'],
	['byte', 'ZXhhbXBsZQ=='],
]);
const TEXT = 'example';

/** how many schemas are around one, and how many values were made so far */
type Walk = { depth: number; made: { values: number } };

/**
 * One schema further in.
 * @throws {CannotFill} when that is too far, or there were too many
 */
function deeper({ depth, made }: Walk): Walk {
	made.values += 1;
	if (depth > DEPTH_MOST) throw new CannotFill('its schema contains itself without an end');
	if (made.values > VALUES_MOST) throw new CannotFill(`it has more than ${VALUES_MOST.toLocaleString('en-US')} values`);
	return { depth: depth + 1, made };
}

/**
 * The value that the document itself gives for a parameter or a body.
 * @param node with `example`, `examples` by name, or a schema that has one
 */
export function givenFor(document: any, node: any): { value: unknown } | null {
	if (node.example !== undefined) return { value: node.example };
	for (const example of Object.values(mappingOf(node.examples, 'its "examples"'))) {
		const { value } = resolved(document, example) ?? {};
		if (value !== undefined) return { value };
	}
	const schema = resolved(document, node.schema);
	if (schema?.example !== undefined) return { value: schema.example };
	if (Array.isArray(schema?.examples) && schema.examples.length > 0) return { value: schema.examples[0] };
	return null;
}

/**
 * @param node a schema
 * @throws {CannotFill}
 */
export function valueOfSchema(document: any, node: any, walk: Walk = { depth: 0, made: { values: 0 } }): unknown {
	const inner = deeper(walk);
	const found = resolved(document, node) ?? {};
	if (found === true) return TEXT;
	if (found === false) throw new CannotFill('its schema allows nothing');
	const schema = mappingOf(found, 'its schema');
	const given = givenFor(document, { schema })?.value ?? schema.default ?? schema.const ?? listOf(schema.enum, 'its "enum"').find(isSome);
	if (given !== undefined) return given;
	if (schema.allOf) return valueOfSchema(document, joined(document, schema, inner), inner);
	const choices = schema.oneOf ?? schema.anyOf;
	if (choices) return firstOf(document, choices, inner);
	switch (typeOf(schema)) {
		case 'integer':
			return numberOf(schema, Math.ceil);
		case 'number':
			return numberOf(schema, (value) => value);
		case 'boolean':
			return true;
		case 'null':
			return null;
		case 'array':
			return itemsOf(document, schema, inner);
		case 'object':
			return propertiesOf(document, schema, inner);
		default:
			return textOf(schema);
	}
}

const isSome = (value: unknown) => value !== null && value !== undefined;

/** OpenAPI 3.1 may name several types. */
function typeOf({ type, properties, items }: any) {
	const [first] = [type ?? []].flat().filter((name) => name !== 'null');
	if (first !== undefined) return first;
	if (isSome(type)) return 'null';
	if (properties) return 'object';
	return items ? 'array' : 'string';
}

/** One schema for all of which a value has to be. */
function joined(document: any, { allOf, ...own }: any, walk: Walk): any {
	const inner = deeper(walk);
	const parts = listOf(allOf, 'its "allOf"').map((part: any) => {
		const schema = mappingOf(resolved(document, part), 'a part of its "allOf"');
		return schema.allOf ? joined(document, schema, inner) : schema;
	});
	const all = [...parts, own];
	return Object.assign({ type: 'object' }, ...all, {
		properties: Object.assign({}, ...all.map(({ properties }) => properties)),
		required: all.flatMap(({ required }) => listOf(required, 'its "required"')),
	});
}

function firstOf(document: any, choices: any, walk: Walk) {
	let reason = 'its schema offers no choice';
	for (const choice of listOf(choices, 'its "oneOf" or "anyOf"')) {
		try {
			return valueOfSchema(document, choice, walk);
		} catch (error) {
			if (!(error instanceof CannotFill)) throw error;
			reason = error.message;
		}
	}
	throw new CannotFill(reason);
}

function numberOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 0 }: any, whole: (value: number) => number) {
	// 3.0 has a sign beside the bound, 3.1 a bound of its own.
	const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
	const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
	const isAllowed = (value: number) =>
		!(value < minimum || value > maximum || (typeof above === 'number' && value <= above) || (typeof below === 'number' && value >= below));
	const bounds = [1, minimum, maximum, above + 1, below - 1, (above + below) / 2].filter(Number.isFinite);
	const found = bounds.map((value) => (multipleOf > 0 ? Math.ceil(value / multipleOf) * multipleOf : whole(value))).find(isAllowed);
	if (found === undefined) throw new CannotFill('no number was found within its bounds');
	return found;
}

function textOf({ format, pattern, minLength = 0, maxLength = LENGTH_MOST }: any) {
	if (format === 'binary') throw new CannotFill('it is a file');
	const plain = FORMATS.get(format) ?? TEXT;
	if (minLength > LENGTH_MOST) throw new CannotFill(`it has ${minLength} characters and more`);
	const text = plain.padEnd(minLength, 'x').slice(0, maxLength);
	if (pattern !== undefined && !matches(pattern, text)) throw new CannotFill(`it has a pattern (${pattern}) and no example`);
	return text;
}

/** One that tries every way to match takes years for some texts; an ordinary one takes less than a millisecond. */
const PATTERN_LIMIT_MS = 500;
/** Of such patterns one is waited for. */
let isOneEndless = false;

function matches(pattern: string, text: string) {
	if (isOneEndless) return false;
	try {
		return runInNewContext('new RegExp(pattern, "u").test(text)', { pattern: String(pattern), text }, { timeout: PATTERN_LIMIT_MS });
	} catch (error) {
		isOneEndless = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
		return false;
	}
}

function itemsOf(document: any, { items = {}, minItems = 1, uniqueItems = false }: any, walk: Walk) {
	const count = Math.max(1, minItems);
	if (count > ITEMS_MOST || (count > 1 && uniqueItems)) throw new CannotFill(`it is a list of ${count} and more, and has no example`);
	return Array.from({ length: count }, () => within('an item', () => valueOfSchema(document, items, walk)));
}

/** What is required, and what has an example. */
function propertiesOf(document: any, { properties, required }: any, walk: Walk) {
	const names = listOf(required, 'its "required"');
	const values = Object.entries(mappingOf(properties, 'its "properties"')).flatMap(([name, node]) => {
		const isRequired = names.includes(name);
		const schema = isRequired ? within(`"${name}"`, () => resolved(document, node)) : tried(() => resolved(document, node));
		if (schema?.readOnly || (!isRequired && givenFor(document, { schema }) === null)) return [];
		return [[name, within(`"${name}"`, () => valueOfSchema(document, schema, walk))]];
	});
	return Object.fromEntries(values);
}
