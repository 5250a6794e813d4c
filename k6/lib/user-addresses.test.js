import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insideOf } from './user-addresses.js';

const inside = /** @type {NonNullable<ReturnType<typeof insideOf>>} */ (insideOf({ 8080: 'nginx:80', 443: 'edge:8443' }));

test('what a script asks of its own machine is asked of the service behind that port, with the Host that it wrote', () => {
	assert.deepEqual(inside('http://localhost:8080/items?n=1', { tags: { a: 'b' } }), {
		url: 'http://nginx:80/items?n=1',
		params: { tags: { a: 'b' }, headers: { Host: 'localhost:8080' } },
	});
	assert.deepEqual(inside('https://127.0.0.1', { headers: { Host: 'shop.test' } }), {
		url: 'https://edge:8443',
		params: { headers: { Host: 'shop.test' } },
	});
	const template = { clean_url: 'x', url: 'http://localhost:8080/items/1', name: 'http://localhost:8080/items/' };
	assert.deepEqual(inside(template, undefined), {
		url: 'http://nginx:80/items/1',
		params: { tags: { name: template.name }, headers: { Host: 'localhost:8080' } },
	});
});

test('a host that leads to the machine keeps its name, at the port of the service behind that of the machine', () => {
	const named = /** @type {NonNullable<ReturnType<typeof insideOf>>} */ (
		insideOf({ 8080: 'edge:80', 443: 'edge:8443' }, { 'shop.test': null, 'own.test': '8080', 'any.test': '' })
	);
	assert.deepEqual(named('http://shop.test:8080/a', {}), { url: 'http://shop.test:80/a', params: { headers: { Host: 'shop.test:8080' } } });
	assert.deepEqual(named('https://Shop.test', null), { url: 'https://Shop.test:8443', params: { headers: { Host: 'Shop.test' } } });
	assert.deepEqual(named('http://own.test/a', null), { url: 'http://edge:80/a', params: { headers: { Host: 'own.test' } } });
	assert.deepEqual(named('https://any.test/', null), { url: 'https://edge:8443/', params: { headers: { Host: 'any.test' } } });
	for (const url of ['http://shop.test/', 'http://other.test:8080/']) assert.deepEqual(named(url, null), { url, params: null });
});

test('other addresses, and ports that nothing is published at, stay as they are', () => {
	for (const url of [
		'http://nginx/',
		'http://localhost:9090/',
		'http://localhost.shop.test:8080/',
		'https://localhost:8080x/',
		{ a: 1 },
		undefined,
	])
		assert.deepEqual(inside(url, null), { url, params: null });
	assert.equal(insideOf({}), null);
});
