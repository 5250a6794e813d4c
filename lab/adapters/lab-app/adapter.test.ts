import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adapter } from '../contract.ts';
import { adapterFor, adapterOf, errorSignal, everyAdapter } from '../registry.ts';

const { read } = adapterOf('lab-app') as Adapter;

const reported = (texts: Record<string, string>, wanted: string[] = []) =>
	read(
		{ log: '', samples: [], file: (name) => texts[name] ?? '' },
		{ service: 'app-1', tier: 'app', level: 2, names: new Map(), window: { from: 0, to: 9 }, wanted: new Set(wanted) },
	);

test('it is what a service of the tier without a label runs, and no user’s', () => {
	assert.equal(adapterFor({ name: 'app-1', tier: 'app' })?.product, 'lab-app');
	assert.equal(adapterFor({ name: 'app-1', tier: 'app', product: 'node' })?.product, 'node');
	assert.ok(!everyAdapter.some(({ product }) => product === 'lab-app'));
});

test('what it keeps of itself stands in words that are no runtime’s', () => {
	const row = { t: 1, received: 2, loop_utilisation: 0.3, loop_delay_ms: { max: 4 }, pool: { in_use: 1 } };
	assert.deepEqual(reported({ 'app-1.ndjson': `${JSON.stringify(row)}\n{"t":2,"cut` }).heartbeat, [
		{ t: 1, received: 2, busy_share: 0.3, late_ms: { max: 4 }, pool: { in_use: 1 } },
	]);
});

test('of its requests those that are wanted are kept, and all are counted', () => {
	const log = '#1800000000000\n+1-1 100\n+1-2 200\n-1-1 300 200\n+1-2 400\n';
	const { attempts, repeated, identified } = reported({ 'app-1-requests.log': log }, ['1-1']);
	assert.deepEqual([[...(attempts?.keys() ?? [])], repeated, identified], [['1-1'], [1_800_000_000.4], 3]);
	const nothing = reported({});
	assert.deepEqual([nothing.heartbeat, nothing.attempts, nothing.repeated, nothing.identified], [[], new Map(), [], 0]);
});

test('what it calls an error of its queue says so', () => {
	assert.deepEqual(['QueueError', 'TypeError'].map(errorSignal), ['queue-failed', null]);
});
