import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from './random.js';
import { chooserOf, pathProblem, readList, requestsTo } from './request-list.js';

test('each request is chosen as often as its weight says', () => {
	const weights = [3, 1, 0.5, 5.5];
	const choose = chooserOf(weights);
	const random = randomOf(1);
	const chosen = weights.map(() => 0);
	for (let draw = 0; draw < 20_000; draw += 1) chosen[choose(random())] += 1;
	// Four standard errors of a share of 20,000 draws are at most 0.014.
	for (const [index, weight] of weights.entries()) assert.ok(Math.abs(chosen[index] / 20_000 - weight / 10) < 0.014, chosen.join(' '));
});

test('the ends of the range belong to the first and to the last request', () => {
	const choose = chooserOf([1, 1, 1]);
	assert.deepEqual([choose(0), choose(0.5), choose(0.999999), choose(1)], [0, 1, 2, 2]);
	assert.equal(chooserOf([4])(0.7), 0);
});

test('paths begin where the target ends, however it ends', () => {
	for (const target of ['http://shop:8080', 'http://shop:8080/']) {
		assert.equal(requestsTo(target, [{ method: 'GET', path: '/a?b=1' }])[0].url, 'http://shop:8080/a?b=1');
	}
	assert.equal(requestsTo('http://shop/v1/', [{ method: 'GET', path: '/a' }])[0].url, 'http://shop/v1/a');
});

test('no path leads to another host than the target’s, nor takes its headers there', () => {
	const elsewhere = [
		'@evil.example/x',
		'0',
		':80@evil.example/',
		'.evil.example/',
		'//evil.example/',
		'/\\evil.example',
		'\\\\evil.example',
		'/a\r\nHost: evil.example',
		'',
		'http://evil.example/',
	];
	for (const path of elsewhere) {
		assert.notEqual(pathProblem(path), '', path);
		assert.throws(
			() => requestsTo('http://web:8080', [{ method: 'GET', path }], { Authorization: 'Bearer x' }),
			/Expected a path below http:\/\/web:8080; found/,
		);
	}
	// What looks like it and is a path of the target.
	for (const path of ['/@evil.example/x', '/a//b', '/?to=http://evil.example', '/a:80@b']) {
		assert.equal(new URL(requestsTo('http://web:8080', [{ method: 'GET', path }])[0].url).host, 'web:8080', path);
	}
});

test('below 400 is good unless the list says otherwise, and no answer never is', () => {
	const [usual, strange] = requestsTo('http://shop', [
		{ method: 'GET', path: '/' },
		{ method: 'GET', path: '/gone', expect: [404] },
	]).map(({ request }) => request.isGood);
	assert.deepEqual([0, 200, 302, 399, 400, 429, 500].map(usual), [false, true, true, true, false, false, false]);
	assert.deepEqual([0, 200, 404].map(strange), [false, false, true]);
});

test('a header whose value is not in the list has it from elsewhere', () => {
	const list = [{ method: 'POST', path: '/', headers: { 'Content-Type': 'text/plain' }, given: ['Authorization'] }];
	const [{ request }] = requestsTo('http://shop', list, { Authorization: 'Bearer x', 'X-Other': 'y' });
	assert.deepEqual(request.headers, { 'Content-Type': 'text/plain', Authorization: 'Bearer x' });
});

test('an empty list is refused', () => {
	for (const text of ['', '[]']) assert.throws(() => readList(text), /Expected a list of requests in REQUESTS/);
	assert.deepEqual(readList('[{"method":"GET","path":"/"}]'), [{ method: 'GET', path: '/' }]);
});

test('a request of another target goes there, and nowhere else', () => {
	const target = 'http://result:80/';
	assert.equal(requestsTo('http://vote', [{ method: 'GET', path: '/a', target }])[0].url, 'http://result:80/a');
	assert.throws(() => requestsTo('http://vote', [{ method: 'GET', path: '@evil.example/', target }]), /below http:\/\/result:80; found/);
});
