import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probedOf, standInsOf } from './probe.ts';

const ENTRY = 'http://web:8080/';

test('the probe sends what changes nothing, a part of a long list, and the root where there is none', () => {
	const get = { method: 'GET', path: '/items' };
	assert.deepEqual(probedOf([{ method: 'POST', path: '/orders' }, get]), [get]);
	assert.equal(probedOf(Array.from({ length: 100 }, (_, index) => ({ method: 'GET', path: `/${index}` }))).length, 20);
	assert.deepEqual(probedOf([{ method: 'DELETE', path: '/' }]), [{ method: 'GET', path: '/' }]);
});

test('an entry that the load asks by a script alone is asked what its health check asks, else its root', () => {
	const entries = [ENTRY, 'http://api/', 'http://below/v1/'];
	const healthPath = (entry: string) => (entry === ENTRY ? '' : '/healthz');
	const asked = (requests: { path: string; target: string }[]) => requests.map(({ path, target }) => `${target} ${path}`);
	assert.deepEqual(asked(standInsOf({ entries, listed: [], healthPath })), [`${ENTRY} /`, 'http://api/ /healthz', 'http://below/v1/ /']);
	assert.deepEqual(asked(standInsOf({ entries: [ENTRY], listed: [{ method: 'GET', path: '/cart' }] })), []);
});
