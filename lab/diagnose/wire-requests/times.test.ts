import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from '../joins/fixtures/made.ts';
import { joinedOf } from '../joins/joined.ts';
import { wireTreesOf } from './trees.ts';
import { wireTimesOf } from './wire-times.ts';

const WINDOW = { from: 0, to: 100, warmupFrom: 0 };

/** @param failed ids of requests that k6 took for failed */
function timesIn(made: Made, failed: string[] = []) {
	// Two containers are one service.
	for (const name of ['web-1', 'web-2']) made.record.services.push({ name, service: 'web' } as any);
	const raw = { failures: failed.map((id) => ({ id })), program: null, wire: made.record } as any;
	const trees = wireTreesOf(raw, WINDOW, joinedOf(made.record));
	return wireTimesOf(trees, { edges: [] } as any, { raw, window: WINDOW, tiers: new Map() });
}

const servicesIn = (times: ReturnType<typeof timesIn>) => times?.reported.services.map(({ service, ms, share }) => [service, ms, share]);

test('a service had a request for as long as its call took, less the calls that it made meanwhile', () => {
	const made = new Made();
	made.call('k6 lb', 1, 2, { id: 'r1' });
	made.call('lb web-1', 1.1, 1.9, { id: 'r1' });
	made.call('web-1 store', 1.2, 1.5, { id: 'r1' });
	made.call('web-1 store', 1.6, 1.8, { id: 'r1' });
	const times = timesIn(made);
	assert.deepEqual([times?.reported.requests, times?.reported.mean_ms], [1, 1000]);
	assert.deepEqual(servicesIn(times), [
		['lb', 200, 0.2],
		['web', 300, 0.3],
		['store', 500, 0.5],
	]);
	assert.deepEqual(
		times?.reported.edges.map(({ from, to, ms, calls_per_request: calls }) => [from, to, ms, calls]),
		[
			['k6', 'lb', 1000, 1],
			['lb', 'web', 800, 1],
			['web', 'store', 500, 2],
		],
	);
	assert.deepEqual(Object.keys(times?.bySecond.get(2) ?? {}), ['n', 'whole', 'in lb', 'in web', 'in store']);
});

test('calls that go on at once share the time in which they do, and the parts still sum to the whole', () => {
	const made = new Made();
	made.call('k6 web', 0, 10, { id: 'r1' });
	made.call('web one', 2, 8, { id: 'r1' });
	made.call('web other', 4, 8, { id: 'r1' });
	assert.deepEqual(servicesIn(timesIn(made)), [
		['web', 4000, 0.4],
		['one', 3600, 0.36],
		['other', 2400, 0.24],
	]);
});

test('what goes on after the answer is none of the request’s time', () => {
	const made = new Made();
	made.call('k6 web', 0, 1, { id: 'r1' });
	made.call('web mail', 0.5, 5, { id: 'r1' });
	assert.deepEqual(servicesIn(timesIn(made)), [
		['web', 500, 0.5],
		['mail', 500, 0.5],
	]);
});

test('only good requests count, and none that was not seen to its end', () => {
	const made = new Made();
	made.call('k6 web', 0, 1, { id: 'r1' });
	made.call('k6 web', 2, 9, { id: 'bad' });
	made.call('k6 web', 3, null, { id: 'open', end: 'open', by: null });
	assert.equal(timesIn(made, ['bad'])?.reported.mean_ms, 1000);
	assert.equal(timesIn(new Made()), null);
});

test('calls that belong to no request are reported with their time, and what is ambiguous with its share', () => {
	const made = new Made();
	for (const at of [1, 1.0001]) made.call('k6 web', at, at + 1, { on: `u${at}` });
	for (const at of [1.2, 1.2001]) made.call('web store', at, at + 0.5, { on: `s${at}`, protocol: 'postgres' });
	made.call('web store', 50, 52, { protocol: 'postgres' });
	const store = timesIn(made)?.reported.edges.find(({ to }) => to === 'store');
	assert.deepEqual([store?.calls_per_request, store?.unjoined, store?.unjoined_ms], [1, 1, 1000]);
	assert.ok((store?.ambiguous_share ?? 0) > 0);
});
