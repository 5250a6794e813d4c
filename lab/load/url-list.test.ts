import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { byFirstHosts, readUrlList } from './url-list.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const one = (entry: unknown) => readUrlList([entry])[0];

const refused = (entries: unknown, message: RegExp) =>
	assert.throws(
		() => readUrlList(entries),
		(error) => error instanceof NotReadyError && message.test(error.message),
		JSON.stringify(entries),
	);

test('a line is a method and a path, with how often it is sent before it', () => {
	assert.deepEqual(one('GET /'), { method: 'GET', path: '/', weight: 1 });
	assert.deepEqual(one('3x GET /search?q=a'), { method: 'GET', path: '/search?q=a', weight: 3 });
	assert.deepEqual(one('  delete   /orders/1  '), { method: 'DELETE', path: '/orders/1', weight: 1 });
});

test('a path alone is a GET', () => {
	assert.deepEqual(one('/health'), { method: 'GET', path: '/health', weight: 1 });
	assert.deepEqual(one('2x /health'), { method: 'GET', path: '/health', weight: 2 });
});

test('what follows the path is the body, whose type is told by how it looks', () => {
	const order = { method: 'POST', path: '/orders', weight: 1, headers: JSON_TYPE, body: '{"item": 1}' };
	assert.deepEqual(one('POST /orders {"item": 1}'), order);
	assert.deepEqual(one('PUT /list [1, 2]').headers, JSON_TYPE);
	assert.deepEqual(one('POST /login user=a&password=b').headers, { 'Content-Type': 'application/x-www-form-urlencoded' });
	assert.deepEqual(one('POST /notes hello = world').headers, { 'Content-Type': 'text/plain' });
});

test('the place of an id is none of JSON’s braces, and stays as it is', () => {
	const typeOf = (text: string) => one(text).headers;
	assert.deepEqual(typeOf('POST /notes {{request_id}}'), { 'Content-Type': 'text/plain' });
	assert.deepEqual(typeOf('POST /orders ref={{request_id}}'), { 'Content-Type': 'application/x-www-form-urlencoded' });
	const { headers, body } = one('POST /orders {"ref": "{{request_id}}"}');
	assert.deepEqual([headers, body], [JSON_TYPE, '{"ref": "{{request_id}}"}']);
	assert.equal(one('PUT /orders/{{request_id}}?a={{request_id}}').path, '/orders/{{request_id}}?a={{request_id}}');
});

test('an object says more', () => {
	assert.deepEqual(
		one({ method: 'post', path: '/orders', body: { item: 1 }, weight: 0.5, expect: 201, name: 'buy', headers: { Accept: '*/*' } }),
		{
			method: 'POST',
			path: '/orders',
			weight: 0.5,
			name: 'buy',
			headers: { ...JSON_TYPE, Accept: '*/*' },
			body: '{"item":1}',
			expect: [201],
		},
	);
	assert.deepEqual(one({ path: '/gone', expect: [404, 410] }).expect, [404, 410]);
});

test('a content type that is given stays the only one', () => {
	const headers = { 'content-type': 'application/merge-patch+json' };
	assert.deepEqual(one({ method: 'PATCH', path: '/a', body: { b: 1 }, headers }).headers, headers);
});

test('at another entry than the first a URL stands in the place of the path', () => {
	const targets = ['http://vote:80/', 'http://Result/', 'http://api:8000/v1', 'https://vote:443/'];
	const found = readUrlList(
		['GET /', '2x GET http://result:80/a?b=1', 'GET http://api:8000/v1/x', 'GET http://api:8000/v1', 'GET http://vote/c'],
		{ targets },
	);
	assert.deepEqual(
		found.map(({ path, target }) => [path, target]),
		[
			['/', undefined],
			['/a?b=1', targets[1]],
			['/x', targets[2]],
			['/', targets[2]],
			['/c', undefined],
		],
	);
	for (const url of ['GET http://elsewhere/', 'GET http://api:8000/v10', 'GET http://api:8000/', 'GET https://result/'])
		assert.throws(() => readUrlList([url], { targets }), /expected a path .*, or a URL below|expected a path that begins/);
});

test('a URL may begin with a host of an entry; what names none is asked by the first of its entry', () => {
	const targets = ['http://edge:8080/', 'https://admin:443/app'];
	const hosts = { 'shop.test': targets[0], 'api.test': targets[0], 'admin.test': targets[1] };
	const sites = { targets, hosts };
	const urls = [
		'GET /cart',
		'GET http://API.test/v1',
		'GET http://api.test:8080/v2',
		'GET https://admin.test/app/x',
		'GET https://admin/app/y',
	];
	const found = byFirstHosts(readUrlList(urls, sites), sites);
	assert.deepEqual(
		found.map(({ path, target, headers, shown }) => [path, target, headers?.Host, shown]),
		[
			['/cart', undefined, 'shop.test', 'http://shop.test/'],
			['/v1', undefined, 'api.test', 'http://api.test/'],
			['/v2', undefined, 'api.test:8080', 'http://api.test:8080/'],
			['/x', targets[1], 'admin.test', 'https://admin.test/'],
			['/y', targets[1], 'admin.test', 'https://admin.test/'],
		],
	);
	assert.throws(() => readUrlList(['GET https://shop.test/'], sites), /expected http, which its entry http:\/\/edge:8080\/ speaks/);
	assert.throws(() => readUrlList(['GET https://admin.test/other'], sites), /expected a path below \/app/);
});

test('a mistake is named with the entry, what is expected and what is there', () => {
	refused(['GET /', 'FETCH /'], /^Request 2 of the load: expected one of GET, HEAD, .*; found "FETCH"\.\n {2}To do: write it as/);
	refused(['GET http://shop/'], /expected a path that begins with a slash, without the address, .*; found "http:\/\/shop\/"/);
	refused(['GET //shop/'], /begins with a slash/);
	refused(['GET'], /begins with a slash.*found "GET"/);
	refused(['GET /a#b'], /without "#"/);
	refused([''], /expected a method and a path; found ""/);
	refused(['POST /orders {"item": }'], /expected a body that is JSON, because it begins like it; found "\{"item": \}"/);
	refused(['POST /orders {"ref": {{request_id}}}'], /expected a body that is JSON, because it begins like it/);
	refused(['GET / {"item": 1}'], /expected no body with GET/);
	refused(['0x GET /'], /expected a weight above 0 and up to 1,000; found 0/);
	refused([{ path: '/a b' }], /without blanks/);
	refused([{ path: '/', expect: [99] }], /HTTP statuses from 100 to 599; found \[99\]/);
	refused([{ path: '/', headers: { A: 1 } }], /headers as names with texts/);
	refused([{ path: '/', url: '/' }], /no other keys than method, .*; found "url"/);
	refused([{ method: 'GET' }], /begins with a slash.*found \{"method":"GET"\}/);
	refused([7], /expected a text or an object; found 7/);
});

test('a path with a backslash and a header with a line break are refused, and no such sign reaches the terminal', () => {
	refused([{ path: '/\\\\evil.example' }], /a path of the entry \(it has a backslash/);
	refused(
		[{ path: '/', headers: { 'X-A\r\nX-B': 'c' } }],
		/the name of a header, without blanks, line breaks and colons; found "X-A\\u000d\\u000aX-B"/,
	);
	refused(
		[{ path: '/', headers: { 'X-A': 'Bearer s3cret\r\nX-B: c' } }],
		/a value of a header on one line, .*; found "other signs in that of X-A"\./,
	);
	refused([{ path: '/a\u001b]52;' }], /found "\/a\\u001b\]52;"/);
});

test('a list that is none, is empty or is too long is refused', () => {
	refused('GET /', /expected a list of 1 to 1000 requests; found "GET \/"/);
	refused([], /found 0 of them/);
	refused(new Array(1001).fill('GET /'), /found 1001 of them/);
});

test('what is long is cut in messages', () => {
	refused([`GET ${'x'.repeat(500)}`], /found "x{119} \.\.\./);
});
