import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestsTo } from './request-list.js';
import { fillerOf, isStored, PLACEHOLDER, storedId, storedIdReader } from './stored-id.js';

const MARK = 'a1b2c3d4e5f6';

test('an id is a UUID of version 4 that no other request of the run has, and says whose it is', () => {
	const ids = new Set();
	const read = storedIdReader(MARK);
	for (const part of /** @type {const} */ (['load', 'warmup']))
		for (const user of [1, 4095, 4096, 40_000])
			for (const number of [1, 2, 1_000_000]) {
				const id = storedId(MARK, part, user, number);
				assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
				assert.deepEqual(read(id), [{ part, id: `${user}-${number}` }]);
				ids.add(id);
			}
	assert.equal(ids.size, 24);
});

test('it is read however a store prints it, and one of another run, or none, is none of these', () => {
	const read = storedIdReader(MARK);
	const id = storedId(MARK, 'load', 12, 34);
	for (const line of [id, id.toUpperCase(), id.replaceAll('-', ''), `  "${id}",`, `{ ref: '${id}' }`, `7|${id}|2026-11-27`])
		assert.deepEqual(read(line), [{ part: 'load', id: '12-34' }], line);
	for (const line of ['', '12-34', storedId('a1b2c3d4e5f7', 'load', 12, 34), id.slice(0, -1), id.replace('-4000-', '-4007-')])
		assert.deepEqual(read(line), [], line);
});

test('a line may name one several times, and several once each', () => {
	const [one, other] = [1, 2].map((number) => storedId(MARK, 'load', 7, number));
	const found = storedIdReader(MARK)(`{ _id: '${one}', ref: '${one.toUpperCase()}', after: '${other}' }`);
	assert.deepEqual(
		found.map(({ id }) => id),
		['7-1', '7-2'],
	);
});

test('the placeholder is filled wherever it stands, each time with another id, and what has none stays as it is', () => {
	const request = {
		url: `http://shop/a?x=${PLACEHOLDER}`,
		body: `{"a":"${PLACEHOLDER}","b":"${PLACEHOLDER}"}`,
		headers: { Key: `k ${PLACEHOLDER}`, Other: 'x' },
	};
	const fill = fillerOf(request, MARK);
	const [one, other] = [1, 2].map((number) => fill?.('load', 7, number));
	const id = storedId(MARK, 'load', 7, 1);
	assert.deepEqual(one, { url: `http://shop/a?x=${id}`, body: `{"a":"${id}","b":"${id}"}`, headers: { Key: `k ${id}` } });
	assert.notEqual(one?.url, other?.url);
	assert.equal(fillerOf({ url: 'http://shop/', body: null, headers: { Key: '{request_id} {{REQUEST_ID}}' } }, MARK), null);
});

test('an id is to be found afterwards of what has it in path or body, and of what may change something and has it in a header', () => {
	const headers = { 'Idempotency-Key': PLACEHOLDER };
	const found = (/** @type {Partial<Parameters<typeof isStored>[0]>} */ request) => isStored({ method: 'GET', path: '/', ...request });
	assert.deepEqual(
		[found({}), found({ headers }), found({ path: `/?id=${PLACEHOLDER}` }), found({ body: PLACEHOLDER })],
		[false, false, true, true],
	);
	assert.deepEqual(
		['HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH'].map((method) => found({ method, headers })),
		[false, false, false, true, true, true],
	);
});

test('a header whose value stands elsewhere is filled too', () => {
	const list = [{ method: 'POST', path: '/orders', given: ['Idempotency-Key'] }];
	const [{ request }] = requestsTo('http://shop', list, { 'Idempotency-Key': PLACEHOLDER }, MARK);
	assert.equal(request.isStored, true);
	assert.deepEqual(request.fill?.('load', 1, 1).headers, { 'Idempotency-Key': storedId(MARK, 'load', 1, 1) });
});
