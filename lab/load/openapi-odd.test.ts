/**
 * An OpenAPI document of others may have anything anywhere: each part of one is replaced by each kind of value, and what is sent, left out or
 * refused is said in words.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathProblem } from '../../k6/lib/request-list.js';
import { NotReadyError } from '../base/errors.ts';
import { refuseElsewhere, requestsOf } from './load-requests.ts';

const schema = {
	type: 'object',
	required: ['name', 'tags', 'size'],
	properties: {
		name: { type: 'string', minLength: 2, format: 'uuid', enum: ['a'] },
		tags: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Tag' } },
		size: { type: 'number', minimum: 1, maximum: 3, multipleOf: 2 },
		other: { oneOf: [{ type: 'string' }, { anyOf: [{ type: 'null' }] }] },
	},
};

const DOCUMENT = {
	openapi: '3.1.0',
	servers: [{ url: '/{base}', variables: { base: { default: 'v1' } } }],
	security: [{ key: [] }],
	paths: {
		'/items/{id}': {
			parameters: [
				{ in: 'path', name: 'id', required: true, schema: { type: 'integer' } },
				{ in: 'query', name: 'q', required: true, schema: { type: 'array', items: { type: 'string' } }, style: 'form', explode: false },
				{ in: 'header', name: 'X-Kind', required: true, examples: { one: { value: 'a' } } },
				{ in: 'cookie', name: 'seen', required: true, content: { 'application/json': { schema: { type: 'boolean' } } } },
			],
			get: { operationId: 'get', servers: [{ url: 'https://example.com/v2' }], responses: { 200: { description: 'ok' } } },
			post: {
				requestBody: {
					required: true,
					content: {
						'application/json': { schema: { allOf: [schema, { $ref: '#/components/schemas/Tag' }] } },
						'text/plain': { example: 'text' },
					},
				},
			},
		},
		'/other': { $ref: '#/components/pathItems/Other' },
	},
	components: {
		pathItems: { Other: { get: { parameters: [{ $ref: '#/components/parameters/Page' }] } } },
		parameters: { Page: { in: 'query', name: 'page', required: true, example: { from: 1, to: [2] }, style: 'deepObject' } },
		schemas: { Tag: { type: 'object', properties: { label: { const: 'x' } }, default: undefined } },
		securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Authorization' } },
	},
};

const VALUES = [null, 0, -1, '', 'x', 'a\r\nb', true, false, [], [null], {}, { $ref: 7 }, { $ref: '#/nowhere' }, { x: null }, Number.NaN];

const placesIn = (node: any, at: string[] = []): string[][] =>
	typeof node !== 'object' || node === null ? [] : Object.keys(node).flatMap((key) => [[...at, key], ...placesIn(node[key], [...at, key])]);

function changed(place: string[], value: unknown) {
	const document = structuredClone(DOCUMENT);
	const within = place.slice(0, -1).reduce((node, key) => node[key], document as any);
	within[place.at(-1) ?? ''] = value;
	return document;
}

/** null where it is refused in words */
function asked(text: string, include?: string[]): ReturnType<typeof requestsOf> | null {
	try {
		const found = requestsOf({ openapi: 'api.json', headers: { Authorization: 'x' }, include }, () => text);
		refuseElsewhere(found.requests, 'http://web:8080/');
		return found;
	} catch (error) {
		assert.ok(error instanceof NotReadyError, `${text}\n${(error as Error).stack}`);
		return null;
	}
}

test('whatever stands wherever in the document, requests are made of it or a sentence says why not', () => {
	assert.equal(asked(JSON.stringify(DOCUMENT), ['POST /items/{id}'])?.requests.length, 3);
	for (const place of placesIn(DOCUMENT))
		for (const value of VALUES) {
			const text = JSON.stringify(changed(place, value));
			for (const include of [undefined, ['POST /items/{id}']])
				for (const { path, headers = {}, body = '' } of asked(text, include)?.requests ?? []) {
					assert.equal(pathProblem(path), '', text);
					assert.doesNotMatch(JSON.stringify(Object.entries(headers)), /\\[rn]/, text);
					assert.equal(typeof body, 'string', text);
				}
		}
});

test('names that every object has are names as others are', () => {
	for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
		const text = JSON.stringify(DOCUMENT).replaceAll('"id"', JSON.stringify(name)).replaceAll('{id}', `{${name}}`).replaceAll('Tag', name);
		assert.deepEqual(
			asked(text, [`POST /items/{${name}}`])?.requests.map(({ path }) => path),
			['/v2/items/1?q=example', '/v1/items/1?q=example', '/v1/other?page%5Bfrom%5D=1&page%5Bto%5D=%5B2%5D'],
		);
	}
});

test('half of a sign, which no address has, is sent as what stands for a sign that is none', () => {
	const parameters = [{ name: 'q', in: 'query', required: true, example: 'a\ud800b', schema: { type: 'string' } }];
	const text = JSON.stringify({ openapi: '3.0.3', paths: { '/items': { get: { parameters } } } });
	assert.deepEqual(
		asked(text)?.requests.map(({ path }) => path),
		['/items?q=a%EF%BF%BDb'],
	);
});
