import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { refuseElsewhere, requestsOf } from './load-requests.ts';
import { readUrlList } from './url-list.ts';

const SHOP = `
openapi: 3.0.3
info: { title: Shop, version: '1' }
servers:
  - url: https://{region}.shop.example/{base}/
    variables:
      region: { default: eu }
      base: { default: v1 }
paths:
  /items:
    parameters:
      - { name: page, in: query, schema: { type: integer } }
    get:
      parameters:
        - { name: kind, in: query, required: true, schema: { type: string, enum: [book, film] } }
        - { name: tags, in: query, example: [a, 'b c'], schema: { type: array } }
        - { name: X-Tenant, in: header, required: true, schema: { type: string } }
        - { name: Accept, in: header, required: true, schema: { type: string } }
    head: {}
  /items/{id}:
    parameters:
      - $ref: '#/components/parameters/Id'
    get: {}
    delete: {}
  /items/{id}/parts/{part}:
    get:
      parameters:
        - $ref: '#/components/parameters/Id'
  /orders:
    post:
      requestBody:
        required: true
        content:
          application/xml: {}
          application/json:
            schema: { $ref: '#/components/schemas/Order' }
  /images:
    post:
      requestBody: { required: true, content: { multipart/form-data: {} } }
components:
  parameters:
    Id: { name: id, in: path, required: true, schema: { type: string, format: uuid } }
  schemas:
    Order:
      type: object
      required: [item]
      properties: { item: { type: string, example: tea }, count: { type: integer } }
`;

/**
 * What is sent of a document, and what is not and why: where nothing is, the refusal says it.
 * @param options given: names of headers that each request is sent with
 */
function requestsOfOpenApi(document: string, { given = [], ...listed }: { include?: string[]; exclude?: string[]; given?: string[] } = {}) {
	const headers = Object.fromEntries(given.map((name) => [name, 'x']));
	const skippedIn = (notes: string[]) =>
		notes.map((note) => {
			const [, operation, why] = /^(.*?) is not sent: (.*)\.$/.exec(note) ?? [];
			return { operation, why };
		});
	try {
		const { requests, notes } = requestsOf({ openapi: 'api.yaml', ...listed, headers }, () => document);
		return { requests, skipped: skippedIn(notes) };
	} catch (error) {
		const [first, ...notes] = (error as NotReadyError).problem.split('\n    ');
		if (!first.endsWith('expected an operation that can be sent; found none.')) throw error;
		return { requests: [], skipped: skippedIn(notes) };
	}
}

const namesOf = (document: string, options?: Parameters<typeof requestsOfOpenApi>[1]) =>
	requestsOfOpenApi(document, options).requests.map(({ name }) => name);

/** @param paths in YAML */
const withPaths = (paths: string, options?: Parameters<typeof requestsOfOpenApi>[1]) =>
	requestsOfOpenApi(`openapi: 3.1.0\n${paths}`, options);

test('operations that only read are taken, under the path of the first server', () => {
	const { requests } = requestsOfOpenApi(SHOP);
	assert.deepEqual(requests, [
		{
			method: 'GET',
			path: '/v1/items?kind=book&tags=a&tags=b%20c',
			name: 'GET /items',
			weight: 1,
			headers: { 'X-Tenant': 'example' },
		},
		{ method: 'HEAD', path: '/v1/items', name: 'HEAD /items', weight: 1 },
		{ method: 'GET', path: '/v1/items/00000000-0000-4000-8000-000000000000', name: 'GET /items/{id}', weight: 1 },
	]);
});

test('what is left out is said, and why', () => {
	assert.deepEqual(requestsOfOpenApi(SHOP).skipped, [
		{ operation: 'DELETE /items/{id}', why: 'it may change something; name it under include to send it' },
		{ operation: 'GET /items/{id}/parts/{part}', why: 'its path has "part", which is not described' },
		{ operation: 'POST /orders', why: 'it may change something; name it under include to send it' },
		{ operation: 'POST /images', why: 'it may change something; name it under include to send it' },
	]);
});

test('what is asked for by name is sent too, with a body of the first kind that can be made', () => {
	const { requests, skipped } = requestsOfOpenApi(SHOP, { include: ['post /orders', 'POST /images'] });
	assert.deepEqual(requests.at(-1), {
		method: 'POST',
		path: '/v1/orders',
		name: 'POST /orders',
		weight: 1,
		headers: { 'Content-Type': 'application/json' },
		body: '{"item":"tea"}',
	});
	assert.deepEqual(skipped.at(-1), { operation: 'POST /images', why: 'body: no value is made for multipart/form-data' });
});

test('a name that the document does not have is refused, with those that it has', () => {
	assert.throws(
		() => requestsOfOpenApi(SHOP, { include: ['POST /order'] }),
		(error) =>
			error instanceof NotReadyError &&
			/expected an operation "POST \/order"; found none\. It has DELETE \/items\/\{id\}, POST \/orders, POST \/im/.test(error.message),
	);
});

test('the list is one that the load takes', () => {
	const { requests } = requestsOfOpenApi(SHOP, { include: ['POST /orders'] });
	assert.deepEqual(readUrlList(requests), requests);
});

test('an operation that is excluded is left out, be it one that only reads', () => {
	const { requests, skipped } = requestsOfOpenApi(SHOP, { exclude: ['get /items/{id}'] });
	assert.deepEqual(
		requests.map(({ name }) => name),
		['GET /items', 'HEAD /items'],
	);
	assert.deepEqual(skipped[0], { operation: 'GET /items/{id}', why: 'it is named under exclude' });
	assert.throws(
		() => requestsOfOpenApi(SHOP, { exclude: ['GET /itmes'] }),
		/expected an operation "GET \/itmes"; found none\. It has GET \/items, /,
	);
	assert.throws(
		() => requestsOfOpenApi(SHOP, { include: ['POST /orders'], exclude: ['POST /orders'] }),
		/expected "POST \/orders" under include or under exclude; found it under both/,
	);
});

test('an operation that asks for credentials is left out until they are given', () => {
	const paths = `
security: [{ token: [] }]
paths:
  /open: { get: { security: [] } }
  /maybe: { get: { security: [{}, { token: [] }] } }
  /closed: { get: {} }
  /keyed: { get: { security: [{ key: [] }] } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    key: { type: apiKey, in: header, name: X-Key }
`;
	const { requests, skipped } = withPaths(paths);
	assert.deepEqual(
		requests.map(({ name }) => name),
		['GET /open', 'GET /maybe'],
	);
	assert.deepEqual(skipped[0], { operation: 'GET /closed', why: 'it asks for credentials (token); give them under headers' });
	assert.deepEqual(withPaths(paths, { given: ['authorization', 'x-key'] }).skipped, []);
});

test('servers may stand at a path or an operation, and may have a path alone or none', () => {
	const { requests } = withPaths(`
servers: [{ url: /api }]
paths:
  /a: { get: {} }
  /b: { servers: [{ url: 'https://b.example' }], get: {} }
  /c: { get: { servers: [{ url: 'http://c.example/c1/c2?x=1' }] } }
  /d: { servers: [{ url: '/' }], get: {} }
`);
	assert.deepEqual(
		requests.map(({ path }) => path),
		['/api/a', '/b', '/c1/c2/c', '/d'],
	);
});

test('values stand in path and query as the document says', () => {
	const { requests } = withPaths(`
paths:
  /in/{list}/{pair}:
    get:
      parameters:
        - { name: list, in: path, required: true, example: [1, 2] }
        - { name: pair, in: path, required: true, explode: true, example: { a: 1, b: x/y } }
        - { name: many, in: query, explode: false, example: [a, b] }
        - { name: piped, in: query, style: pipeDelimited, example: [a, b] }
        - { name: deep, in: query, style: deepObject, example: { a: 1 } }
        - { name: flat, in: query, example: { c: 1, d: 2 } }
        - { name: json, in: query, content: { application/json: { example: { e: 1 } } } }
        - { name: session, in: cookie, required: true, example: s1 }
`);
	assert.equal(requests[0].path, '/in/1,2/a=1,b=x%2Fy?many=a,b&piped=a%7Cb&deep%5Ba%5D=1&c=1&d=2&json=%7B%22e%22%3A1%7D');
	assert.deepEqual(requests[0].headers, { Cookie: 'session=s1' });
});

test('an operation’s parameter goes before the path’s of the same name and place', () => {
	const { requests } = withPaths(`
paths:
  /a:
    parameters: [{ name: q, in: query, example: of-path }]
    get: { parameters: [{ name: q, in: query, example: of-operation }] }
`);
	assert.equal(requests[0].path, '/a?q=of-operation');
});

test('forms and texts are bodies as well, and a body that may be missing is left out where none can be made', () => {
	const bodyOf = (body: string) => withPaths(`\npaths:\n  /a: { post: { requestBody: ${body} } }\n`, { include: ['POST /a'] });
	const form = bodyOf('{ content: { application/x-www-form-urlencoded: { example: { a: 1, b: x y } } } }').requests[0];
	assert.deepEqual([form.body, form.headers], ['a=1&b=x+y', { 'Content-Type': 'application/x-www-form-urlencoded' }]);
	assert.equal(bodyOf('{ content: { text/plain: { example: hello } } }').requests[0].body, 'hello');
	assert.equal(bodyOf('{ content: { application/merge-patch+json: { schema: { type: object } } } }').requests[0].body, '{}');
	assert.equal('body' in bodyOf('{ content: { image/png: {} } }').requests[0], false);
});

test('paths of another document are said, because not even their operations are known', () => {
	const { requests, skipped } = withPaths(`\npaths:\n  /a: { $ref: 'a.yaml' }\n  /b: { get: {} }\n`);
	assert.equal(requests.length, 1);
	assert.deepEqual(skipped, [{ operation: '/a', why: '"a.yaml" is outside the document' }]);
});

test('JSON is read as well, and so is a version without quotes', () => {
	assert.deepEqual(namesOf(JSON.stringify({ openapi: '3.1.0', paths: { '/': { get: {} } } })), ['GET /']);
	assert.deepEqual(namesOf('openapi: 3.0\npaths: { /: { get: {} } }'), ['GET /']);
});

test('what is no such document is refused with what it is', () => {
	const refused = (text: string, message: RegExp) =>
		assert.throws(
			() => requestsOfOpenApi(text),
			(error) => error instanceof NotReadyError && message.test(error.message),
		);
	refused('swagger: "2.0"', /expected "openapi: 3\.0" or 3\.1; found "Swagger 2\.0"/);
	refused('openapi: 4.0.0', /found "4\.0\.0"/);
	refused('name: shop', /found no version/);
	refused('', /found no version/);
	refused('a: [', /expected YAML or JSON; found what is neither/);
});

test('a path that is none of the server is left out, with the reason, and what the server puts before one is looked at too', () => {
	const keys = ['@evil.example/x', '//evil.example/x', '/\\\\evil.example', '/a\\r\\nHost: evil.example', 'orders'];
	const document = `paths:\n  /ok: { get: {} }\n${keys.map((key) => `  "${key}": { get: {} }\n`).join('')}`;
	const { requests, skipped } = withPaths(document, { given: ['Authorization'] });
	assert.deepEqual(
		requests.map(({ path }) => path),
		['/ok'],
	);
	assert.deepEqual(
		skipped.map(({ operation, why }) => `${operation}: ${why}`),
		[
			'"@evil.example/x": it does not begin with a slash, and could lead to another host',
			'"//evil.example/x": it begins with two slashes, as the address of another host does',
			String.raw`"/\\evil.example": it has a backslash, which some programs read as a slash`,
			String.raw`"/a\r\nHost: evil.example": it has a line break or another control character`,
			'"orders": it does not begin with a slash, and could lead to another host',
		],
	);
	for (const url of ['https:////evil.example/', String.raw`\\evil.example`, String.raw`/v1\r\nX: 1`]) {
		const server = withPaths(`servers: [{ url: "${url}" }]\npaths: { /ok: { get: {} } }`);
		assert.deepEqual([server.requests, server.skipped.length], [[], 1], url);
		assert.match(server.skipped[0].why, /^its path is .* with what the server puts before it: /);
	}
});

test('paths that are a list have no path, and are left out', () => {
	const { requests, skipped } = withPaths('paths: [{ get: {} }]');
	assert.deepEqual(
		[requests, skipped],
		[[], [{ operation: '"0"', why: 'it does not begin with a slash, and could lead to another host' }]],
	);
});

test('a header that cannot be sent leaves its operation out, by name or by value', () => {
	const header = (name: string, value: string) =>
		withPaths(`paths: { /ok: { get: { parameters: [{ name: "${name}", in: header, required: true, example: "${value}" }] } } }`);
	assert.equal(header('X-A', 'b').requests.length, 1);
	assert.match(header(String.raw`X-A\r\nX-B`, 'b').skipped[0].why, /^header "X-A\\r\\nX-B": its name has a line break or another sign/);
	assert.match(header('X-A', String.raw`b\r\nX-B: c`).skipped[0].why, /^header "X-A": its value "b\\r\\nX-B: c" has a line break/);
});

test('parameters that are none leave their operation out, with the reason, and no other', () => {
	const listed = (parameters: string) => withPaths(`paths: { /bad: { get: { parameters: ${parameters} } }, /ok: { get: {} } }`);
	for (const [parameters, why] of [
		['[null]', /^one of its "parameters" has no name/],
		['[{ in: query }]', /^one of its "parameters" has no name/],
		['{ name: a }', /^its "parameters" is no list/],
	] as const) {
		const { requests, skipped } = listed(parameters);
		assert.deepEqual(
			requests.map(({ path }) => path),
			['/ok'],
		);
		assert.match(skipped[0].why, why, parameters);
	}
});

const noFile = () => null;
const OPENAPI = `
openapi: 3.0.0
paths:
  /orders:
    get: {}
    post: {}
`;

test('requests come from a list, each with its weight', () => {
	const { requests, notes } = requestsOf({ urls: ['GET /', 'POST /orders'] }, noFile);
	assert.deepEqual(requests, [
		{ method: 'GET', path: '/', weight: 1 },
		{ method: 'POST', path: '/orders', weight: 1 },
	]);
	assert.deepEqual(notes, []);
});

test('requests come from an OpenAPI document, and what is not sent of it is told', () => {
	const { requests, notes } = requestsOf({ openapi: 'api.yaml' }, (file) => (file === 'api.yaml' ? OPENAPI : null));
	assert.deepEqual(
		requests.map(({ method, path }) => `${method} ${path}`),
		['GET /orders'],
	);
	assert.match(notes.join(), /^POST \/orders is not sent: /);
});

test('a document that is not there, or has nothing to send, is refused', () => {
	assert.throws(() => requestsOf({ openapi: 'api.yaml' }, noFile), /load\.openapi: expected a file "api\.yaml"; found none/);
	const writes = () => OPENAPI.replace('    get: {}\n', '');
	assert.throws(() => requestsOf({ openapi: 'api.yaml' }, writes), /expected an operation that can be sent; found none\.\n +POST \/orders/);
});

test('headers go with every request by their names alone, whatever its source, and their values are for the generator', () => {
	const headers = { Authorization: `Bearer \${TOKEN}`, 'X-Tenant': 'acme-4711' };
	for (const load of [{ urls: ['GET /', 'POST /orders {}'] }, { openapi: 'api.yaml', include: ['POST /orders'] }]) {
		const found = requestsOf({ ...load, headers }, () => OPENAPI, { env: { TOKEN: 'Tr0ub4dor' } });
		assert.deepEqual(found.headers, { Authorization: 'Bearer Tr0ub4dor', 'X-Tenant': 'acme-4711' });
		assert.deepEqual(
			found.requests.map(({ given }) => given),
			[Object.keys(headers), Object.keys(headers)],
		);
		assert.doesNotMatch(JSON.stringify([found.requests, found.notes]), /Tr0ub4dor|acme-4711|TOKEN/);
	}
	assert.throws(() => requestsOf({ urls: ['GET /'], headers }, noFile, { env: {} }), /expected the environment variable TOKEN; found none/);
});

test('operations are sent or left out as doubletake.yaml names them', () => {
	const read = () => OPENAPI;
	const { requests, notes } = requestsOf({ openapi: 'api.yaml', include: ['post /orders'], exclude: ['GET /orders'] }, read);
	assert.deepEqual(
		requests.map(({ name }) => name),
		['POST /orders'],
	);
	assert.deepEqual(notes, ['GET /orders is not sent: it is named under exclude.']);
});

test('a script says itself what it sends', () => {
	assert.deepEqual(requestsOf({ script: 'load.js' }, noFile), { requests: [], headers: {}, notes: [] });
});

test('what the load expects is expected of each request', () => {
	for (const load of [{ urls: ['GET /', 'GET /nope'] }, { openapi: 'api.yaml' }]) {
		const { requests } = requestsOf({ ...load, expect: [200, 404] }, () => OPENAPI);
		assert.ok(requests.length > 0);
		for (const { expect } of requests) assert.deepEqual(expect, [200, 404]);
	}
});

test('a request that would leave the entry is refused, however its path came to be', () => {
	refuseElsewhere([{ method: 'GET', path: '/@me' }], 'http://my_shop:8080/v1/');
	for (const path of ['@evil.example/x', '//evil.example/', '0', '/\\evil.example'])
		assert.throws(
			() => refuseElsewhere([{ method: 'GET', path }], 'http://web:8080'),
			/expected a path of http:\/\/web:8080; found /,
			path,
		);
});
