import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, identified, identifiedApart, idSent } from './user-params.js';

test('a request without params gets the id alone', () => {
	for (const params of [undefined, null]) assert.deepEqual({ ...identified(params, '1-1', 0) }, { headers: { 'X-Request-Id': '1-1' } });
});

test('what the script gives stays, and its own objects are not touched', () => {
	const headers = Object.freeze({ Authorization: 'Bearer x' });
	const params = Object.freeze({ headers, tags: { name: 'cart' }, timeout: '5s' });
	assert.deepEqual(identified(params, '1-2', 0), {
		headers: { 'X-Request-Id': '1-2', Authorization: 'Bearer x' },
		tags: { name: 'cart' },
		timeout: '5s',
	});
	assert.deepEqual(Object.keys(headers), ['Authorization']);
});

test('params without headers, or with none, get them', () => {
	for (const params of [{ redirects: 0 }, { redirects: 0, headers: null }]) {
		assert.deepEqual(identified(params, '1-3', 0), { redirects: 0, headers: { 'X-Request-Id': '1-3' } });
	}
});

test('an id of the script’s own wins: by its name, or as the later of two names that differ in case', () => {
	assert.deepEqual(identified({ headers: { 'X-Request-Id': 'mine' } }, '1-4', 0).headers, { 'X-Request-Id': 'mine' });
	assert.deepEqual(Object.entries(identified({ headers: { 'x-request-id': 'mine' } }, '1-4', 0).headers), [
		['X-Request-Id', '1-4'],
		['x-request-id', 'mine'],
	]);
});

test('among several requests, whose headers k6 reads in no order, there is only one id', () => {
	assert.deepEqual(identifiedApart({ headers: { 'x-request-ID': 'mine' } }, '1-5', 0).headers, { 'x-request-ID': 'mine' });
	assert.deepEqual(identifiedApart(undefined, '1-5', 0), { headers: { 'X-Request-Id': '1-5' } });
});

test('a time-out that comes with the end of the load replaces the script’s own', () => {
	assert.equal(identified({ timeout: '60s' }, '1-6', 1500).timeout, 1500);
	assert.equal(identified(undefined, '1-6', 1500).timeout, 1500);
	assert.equal(identifiedApart({ timeout: '60s' }, '1-6', 1500).timeout, 1500);
	// And the next request has none of it.
	assert.equal('timeout' in identified(undefined, '1-7', 0), false);
});

const params = { headers: { A: 'b' } };
const identify = (/** @type {any} */ given, /** @type {string | number} */ key) => ({ given, key });

test('a batch is taken in every form that k6 takes', () => {
	const template = { name: 'http://x/:id', url: 'http://x/1', clean_url: 'http://x/1' };
	const requests = [
		'http://x/a',
		['POST', 'http://x/b', 'body', params],
		['GET', 'http://x/c'],
		{ method: 'PUT', url: 'http://x/d', body: 'e', params },
		{ method: 'GET', url: 'http://x/f' },
		template,
	];
	assert.deepEqual(batchOf(requests, identify), [
		['GET', 'http://x/a', null, { given: undefined, key: 0 }],
		['POST', 'http://x/b', 'body', { given: params, key: 1 }],
		['GET', 'http://x/c', null, { given: undefined, key: 2 }],
		{ method: 'PUT', url: 'http://x/d', body: 'e', params: { given: params, key: 3 } },
		{ method: 'GET', url: 'http://x/f', params: { given: undefined, key: 4 } },
		['GET', template, null, { given: undefined, key: 5 }],
	]);
});

test('a batch that is an object keeps its names', () => {
	assert.deepEqual(batchOf({ front: 'http://x/', cart: { method: 'GET', url: 'http://x/cart' } }, identify), {
		front: ['GET', 'http://x/', null, { given: undefined, key: 'front' }],
		cart: { method: 'GET', url: 'http://x/cart', params: { given: undefined, key: 'cart' } },
	});
});

test('what is no request is left to k6, which says so', () => {
	assert.deepEqual(batchOf([null, 7], identify), [null, 7]);
});

test('the id that was sent is told by the answer, and nothing else has one', () => {
	assert.equal(idSent({ status: 200, request: { headers: { 'X-Request-Id': ['7-3'] } } }), '7-3');
	for (const value of [undefined, null, 'text', 7, {}, { request: null }, { request: { headers: {} } }]) assert.equal(idSent(value), '');
});
