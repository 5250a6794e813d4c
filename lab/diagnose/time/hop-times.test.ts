import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireRecord } from '../../wire/record.ts';
import { preloaded } from '../fixtures/preload-cases.ts';
import { edgeLine, system } from '../fixtures/project-cases.ts';
import { projectWire, REQUESTS } from '../fixtures/project-wire.ts';
import { factsOf, recordOf } from '../fixtures/record.ts';
import type { Raw } from '../fixtures/story.ts';
import { SECONDS } from '../fixtures/story.ts';
import { resultOf } from '../result.ts';
import { unreportedTimes } from './hop-times.ts';
import { timeLedgerOf } from './time-ledger.ts';
import { timelineOf } from './timeline.ts';

const ids = Array.from({ length: SECONDS }, (_, at) => `a${at}-0`);
/** A good answer a second, which HAProxy had for 19 ms: 2 ms waiting in its queue, 1 ms to connect, 16 ms behind it. */
const edge = ids.map((id, at) => edgeLine(id, at + 0.5, { status: 200, state: '----', timers: '0/2/1/16/19' })).join('');
/** The program's own record of them: each was there for 10 ms. */
const lines = ids.flatMap((id, at) => [`+${id} ${at * 1000 + 485}`, `-${id} ${at * 1000 + 495} 200`]);

function timeIn(change: (raw: Raw) => void) {
	const raw = recordOf({ balanced: true });
	change(raw);
	// As the manifest of a user's own system has it.
	raw.manifest.system = { title: 'shop', is_followed: true };
	const facts = factsOf(raw);
	const stages = [{ target: 3, from_s: 0, to_s: SECONDS }] as any[];
	const found = timeLedgerOf(facts, timelineOf(facts), stages);
	const labels = found?.parts.map(({ id, label, waits }) => `${label}${waits ? ' (waits)' : ''}: ${found.stages[0].parts[id]}`);
	return { labels, check: found?.check, unreported: unreportedTimes(facts) };
}

test('of a system of one’s own the proxy’s record tells its own time, connecting, and what is behind it together', () => {
	const { labels, check, unreported } = timeIn(system({ edge }));
	assert.deepEqual(labels, [
		'user connects (waits): 0',
		'between client and first tier (waits): 1',
		'in edge: 2',
		'edge connects (waits): 1',
		'in web, pool, store, not told apart: 16',
	]);
	assert.deepEqual(check, { sum_ms: 19, measured_ms: 20, gap_fraction: 0.05 });
	assert.deepEqual(unreported, ['web: how long it had a request is not on record, for Doubletake knows no product in it']);
});

test('a program whose record tells too is told apart from the wait before it', () => {
	const { labels, unreported } = timeIn(preloaded({ edge }, { lines }));
	assert.deepEqual(labels?.slice(2), [
		'in edge: 2',
		'edge connects (waits): 1',
		'between edge and web (waits): 6',
		'in web, pool, store behind it included: 10',
	]);
	assert.deepEqual(unreported, []);
});

test('a program that users ask themselves is the first that tells', () => {
	const { labels } = timeIn((raw) => {
		preloaded({}, { lines })(raw);
		raw.manifest.services = raw.manifest.services.filter(({ name }: any) => name !== 'edge');
		raw.adapted = raw.adapted.filter(({ service }) => service !== 'edge');
		raw.manifest.edges = [
			['k6', 'web'],
			['web', 'pool'],
			['pool', 'store'],
		].map(([from, to]) => ({ from, to }));
	});
	assert.deepEqual(labels, [
		'user connects (waits): 0',
		'between client and first tier (waits): 10.82',
		'in web, pool, store behind it included: 9.18',
	]);
});

test('a program between two that tell is reported with the wait for the next one', () => {
	const { labels } = timeIn((raw) => {
		preloaded({ edge }, { lines })(raw);
		raw.manifest.services.splice(1, 0, { ...raw.manifest.services[1], service: 'gate', name: 'gate', address: '10.0.1.7' });
		raw.manifest.edges = [
			['k6', 'edge'],
			['edge', 'gate'],
			['gate', 'web'],
			['web', 'pool'],
			['pool', 'store'],
		].map(([from, to]) => ({ from, to }));
	});
	assert.deepEqual(labels?.slice(4), ['in gate or before web, not told apart: 6', 'in web, pool, store behind it included: 10']);
});

test('where the service that users talk to tells nothing there is no time, and it is said which level would tell it', () => {
	const { labels, unreported } = timeIn(system({ isWatched: false }));
	assert.equal(labels, undefined);
	assert.deepEqual(unreported, [
		'edge: how long it had each request it tells at watch: 2 (in doubletake.yaml); it was watched at 0',
		'web: how long it had a request is not on record, for Doubletake knows no product in it',
	]);
});

test('a failed answer is in no time of good ones', () => {
	const failed = edgeLine('a9-9', 4.5, { status: 500, state: '----', timers: '0/0/1/8998/9000' });
	assert.deepEqual(timeIn(system({ edge: edge + failed })).labels, timeIn(system({ edge })).labels);
});

test('where a service does not tell, the wire has each apart, and its parts sum to what users waited', () => {
	const { source, labels, check, unreported } = timeOnWire(projectWire());
	assert.equal(source, 'wire');
	assert.deepEqual(labels, [
		'user connects: 0',
		'between client and first tier: 1',
		'in edge: 3',
		'in web: 10',
		'in pool: 2',
		'in store: 4',
	]);
	assert.deepEqual(check, { sum_ms: 19, measured_ms: 20, gap_fraction: 0.05 });
	assert.deepEqual(unreported, []);
});

test('what was asked in a way that the wire does not read is in the time of who asked, and is said to be', () => {
	const wire = projectWire();
	const toStore = new Set(wire.connections.filter(({ server }) => server === 'store').map(({ id }) => id));
	for (const connection of wire.connections) if (toStore.has(connection.id)) Object.assign(connection, { hidden_bytes: 99 });
	wire.calls = wire.calls.filter(({ connection }) => !toStore.has(connection));
	assert.equal(timeOnWire(wire).labels?.at(-1), 'in pool, store behind it included: 6');
});

test('a service has the name that its figures have, whatever Compose calls it, and its containers are one', () => {
	const wire = projectWire();
	for (const tenure of wire.services) if (tenure.name !== 'web') tenure.service = `2a-${tenure.name}`;
	wire.services.push({ ...wire.services[3], address: 'other', name: 'web-2', container: 'web-2' });
	assert.deepEqual(
		timeOnWire(wire)
			.labels?.slice(2)
			.map((label) => label.split(':')[0]),
		['in edge', 'in web', 'in pool', 'in store'],
	);
});

function timeOnWire(wire: WireRecord) {
	const raw = { ...recordOf({ balanced: true, okPerS: REQUESTS / SECONDS }), wire };
	system({ edge })(raw);
	raw.manifest.system = { title: 'shop', is_followed: true };
	const { time_ledger: found, time_untold: unreported } = resultOf(raw);
	const labels = found?.parts.map(({ id, label }) => `${label}: ${found.stages[0].parts[id]}`);
	return { source: found?.source, labels, check: found?.check, unreported };
}
