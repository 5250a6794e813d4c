import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CannotFill, resolved } from './openapi-references.ts';
import { givenFor, valueOfSchema } from './openapi-values.ts';

const value = (schema: any, document: any = {}) => valueOfSchema(document, schema);

const cannot = (schema: any, message: RegExp, document: any = {}) =>
	assert.throws(
		() => valueOfSchema(document, schema),
		(error) => error instanceof CannotFill && message.test(error.message),
	);

test('what the document gives comes first: example, default, constant, choice', () => {
	assert.equal(value({ type: 'string', example: 'a', default: 'b', enum: ['c'] }), 'a');
	assert.equal(value({ type: 'string', examples: ['a'], default: 'b' }), 'a');
	assert.equal(value({ type: 'string', default: 'b', enum: ['c'] }), 'b');
	assert.equal(value({ const: 'k' }), 'k');
	assert.equal(value({ enum: [null, 'c'] }), 'c');
	assert.equal(value({ type: 'integer', example: 0 }), 0);
});

test('each type has the plainest value that it allows', () => {
	assert.deepEqual(
		['string', 'integer', 'number', 'boolean', 'null', 'object'].map((type) => value({ type })),
		['example', 1, 1, true, null, {}],
	);
	assert.deepEqual(value({ type: 'array', items: { type: 'integer' } }), [1]);
	assert.equal(value({ type: ['null', 'integer'] }), 1);
	assert.equal(value({}), 'example');
	assert.equal(value(true), 'example');
});

test('formats have values of their own', () => {
	assert.match(String(value({ type: 'string', format: 'uuid' })), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
	assert.ok(!Number.isNaN(Date.parse(String(value({ type: 'string', format: 'date-time' })))));
	assert.equal(value({ type: 'string', format: 'date' }), '2026-01-01');
	assert.equal(value({ type: 'string', format: 'constructor' }), 'example');
	cannot({ type: 'string', format: 'binary' }, /it is a file/);
});

test('texts keep to their length and their pattern', () => {
	assert.equal(value({ type: 'string', minLength: 9 }), 'examplexx');
	assert.equal(value({ type: 'string', maxLength: 3 }), 'exa');
	assert.equal(value({ type: 'string', pattern: '^[a-z]+$' }), 'example');
	cannot({ type: 'string', pattern: '^\\d{4}$' }, /pattern \(\^\\d\{4\}\$\) and no example/);
	cannot({ type: 'string', pattern: '(' }, /pattern/);
});

test('numbers keep within their bounds, those of 3.0 and those of 3.1', () => {
	assert.equal(value({ type: 'integer', minimum: 10 }), 10);
	assert.equal(value({ type: 'integer', maximum: -5 }), -5);
	assert.equal(value({ type: 'integer', minimum: 1, exclusiveMinimum: true }), 2);
	assert.equal(value({ type: 'integer', exclusiveMinimum: 5 }), 6);
	assert.equal(value({ type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 2 }), 1.5);
	assert.equal(value({ type: 'integer', multipleOf: 5 }), 5);
	cannot({ type: 'integer', minimum: 3, maximum: 2 }, /no number was found/);
});

test('an object has what is required and what has an example, and nothing that only the server sets', () => {
	const schema = {
		type: 'object',
		required: ['id', 'item', 'count'],
		properties: {
			id: { type: 'integer', readOnly: true },
			item: { type: 'string' },
			count: { type: 'integer', minimum: 2 },
			note: { type: 'string' },
			colour: { type: 'string', example: 'red' },
		},
	};
	assert.deepEqual(value(schema), { item: 'example', count: 2, colour: 'red' });
});

test('what cannot be filled is named by its place', () => {
	cannot(
		{
			type: 'object',
			required: ['card'],
			properties: { card: { type: 'object', required: ['number'], properties: { number: { pattern: '^\\d+$' } } } },
		},
		/^"card": "number": it has a pattern/,
	);
	cannot({ type: 'array', minItems: 500 }, /a list of 500 and more/);
});

test('joined schemas are one, and of several choices the first that can be filled is taken', () => {
	const base = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } };
	assert.deepEqual(value({ allOf: [base, { allOf: [{ required: ['b'] }] }], properties: { b: { type: 'boolean' } } }), { a: 1, b: true });
	assert.equal(value({ oneOf: [{ type: 'string', format: 'binary' }, { type: 'integer' }] }), 1);
	assert.equal(value({ anyOf: [{ type: 'boolean' }] }), true);
	cannot({ oneOf: [{ type: 'string', format: 'binary' }] }, /it is a file/);
});

test('references are followed, with what stands beside them', () => {
	const document = { components: { schemas: { Id: { $ref: '#/components/schemas/Number' }, Number: { type: 'integer', minimum: 7 } } } };
	assert.equal(value({ $ref: '#/components/schemas/Id' }, document), 7);
	assert.equal(value({ $ref: '#/components/schemas/Id', example: 9 }, document), 9);
	assert.equal(resolved({ paths: { '/a b': { get: {} } } }, { $ref: '#/paths/~1a%20b' }).get !== undefined, true);
});

test('a reference to nothing, to elsewhere or to itself is said', () => {
	cannot({ $ref: '#/components/schemas/Gone' }, /"#\/components\/schemas\/Gone" is not in the document/);
	cannot({ $ref: 'common.yaml#/Id' }, /"common\.yaml#\/Id" is outside the document/);
	cannot({ $ref: '#/a' }, /in a circle/, { a: { $ref: '#/b' }, b: { $ref: '#/a' } });
});

test('a schema that contains itself ends where it may, and is said where it may not', () => {
	const tree = (required: string[]) => ({
		Node: { type: 'object', required, properties: { name: { type: 'string' }, parent: { $ref: '#/Node' } } },
	});
	assert.deepEqual(value({ $ref: '#/Node' }, tree(['name'])), { name: 'example' });
	cannot({ $ref: '#/Node' }, /contains itself without an end/, tree(['name', 'parent']));
});

test('schemas that name each other again and again are left out before they fill the memory', () => {
	const LEVELS = 12;
	const level = (of: (next: object) => object) =>
		Object.fromEntries(
			Array.from({ length: LEVELS }, (_, index) => [`S${index}`, index + 1 < LEVELS ? of({ $ref: `#/S${index + 1}` }) : {}]),
		);
	const wide = (next: object) => ({
		type: 'object',
		required: ['a', 'b', 'c', 'd'],
		properties: { a: next, b: next, c: next, d: next },
	});
	for (const of of [
		wide,
		(next: object) => ({ type: 'array', minItems: 20, items: next }),
		(next: object) => ({ allOf: [next, next, next, next] }),
	])
		cannot({ $ref: '#/S0' }, /it has more than 10,000 values/, level(of));
});

test('examples may have names, or stand in a schema', () => {
	const document = { components: { examples: { Big: { value: 'big' } } } };
	assert.deepEqual(givenFor(document, { examples: { big: { $ref: '#/components/examples/Big' } } }), { value: 'big' });
	assert.deepEqual(givenFor(document, { schema: { example: 'plain' } }), { value: 'plain' });
	assert.equal(givenFor(document, { schema: { type: 'string', default: 'usual' } }), null);
});

test('a pattern that never comes to an end is given up, as one that nothing is known to match', () => {
	const schema = { type: 'string', minLength: 60, pattern: '^example(x+x+)+y$' };
	assert.throws(() => valueOfSchema({}, schema), /it has a pattern .* and no example/);
});
