import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { each, Seen } from './fixtures/seen.ts';
import type { Observed } from './tenancy.ts';
import { observedOf } from './tenancy.ts';

const ABOUT = { entries: ['front'], generator: 'load' };
const PAGES = ['/', '/items/:n'];
/** Of the probe: each page by itself. */
const PROBE = { '/': [1050, 1052, 1054], '/items/:n': [1056, 1058, 1060] };

/** A service that users ask, and another that it asks. */
function stack({
	pages = PAGES,
	behind = (page) => page,
	bytes = [400, 300],
}: {
	pages?: string[];
	behind?: (page: string) => string;
	bytes?: [front: number, back: number];
} = {}) {
	const seen = new Seen({ front: ['front'], back: ['back'], store: ['store'], load: ['k6'] });
	for (const page of pages as (keyof typeof PROBE)[]) {
		seen
			.asks('host', 'front', { at: PROBE[page], lastS: 0.05, template: page, bytes: bytes[0] })
			.asks('front', 'back', { at: PROBE[page].map((at) => at + 0.01), lastS: 0.03, template: behind(page), bytes: bytes[1] });
	}
	return seen;
}

const passersIn = ({ record }: Seen) =>
	observedOf(record, ABOUT).services.flatMap(({ service, passes_on: passes }) => (passes ? [service] : []));

test('a service that asks what it is asked passes requests on', () => {
	assert.deepEqual(passersIn(stack()), ['front']);
});

test('a service that asks something else, or asks it more than once, does not', () => {
	assert.deepEqual(passersIn(stack({ behind: (page) => `/api${page}` })), []);
	const twice = stack().asks('front', 'back', { at: PROBE['/'].map((at) => at + 0.041), lastS: 0.005, template: '/' });
	assert.deepEqual(passersIn(twice), []);
});

test('a service that asks a store as well does not', () => {
	const asking = stack().asks('front', 'store', { protocol: 'kv', at: PROBE['/'].map((at) => at + 0.005), lastS: 0.001, template: 'get' });
	assert.deepEqual(passersIn(asking), []);
});

test('checks of its servers beside the requests change nothing', () => {
	const checking = stack().asks('front', 'back', { at: [1051, 1053, 1055, 1057, 1059], lastS: 0.001, template: '/health' });
	assert.deepEqual(passersIn(checking), ['front']);
});

test('by one page alone it is known by a long answer that is as long as the other', () => {
	const pages = ['/'];
	assert.deepEqual(passersIn(stack({ pages, bytes: [9150, 9000] })), ['front']);
	assert.deepEqual(passersIn(stack({ pages, bytes: [9000, 7000] })), []);
	assert.deepEqual(passersIn(stack({ pages, bytes: [400, 300] })), []);
});

test('what nobody knows a proxy may answer by itself, and where it passes that on it is known by it', () => {
	const unknown = { at: [1062, 1063, 1064], template: '/nowhere', status: 404 };
	const own = stack().asks('host', 'front', { ...unknown, lastS: 0.01 });
	assert.deepEqual(passersIn(own), ['front']);
	const passed = stack({ pages: ['/'] })
		.asks('host', 'front', { ...unknown, lastS: 0.05 })
		.asks('front', 'back', { ...unknown, at: unknown.at.map((at) => at + 0.01), lastS: 0.03 });
	assert.deepEqual(passersIn(passed), ['front']);
	const app = stack({ pages: ['/'] }).asks('host', 'front', { ...unknown, lastS: 0.01 });
	assert.deepEqual(passersIn(app), []);
});

test('of two requests nothing is said', () => {
	const seen = new Seen({ front: ['front'], back: ['back'], load: ['k6'] });
	for (const [at, template] of [
		[1050, '/'],
		[1052, '/items/:n'],
	] as const)
		seen.asks('host', 'front', { at: [at], lastS: 0.05, template }).asks('front', 'back', { at: [at + 0.01], lastS: 0.03, template });
	assert.deepEqual(passersIn(seen), []);
});

const OBSERVED_ABOUT = { entries: ['web'], generator: 'load' };
/** Of the probe. */
const OBSERVED_PROBE = [1050, 1052, 1054];

/** web asks api, and api the store; api looks at its store twice a second, and check at api. */
const observedStack = () =>
	new Seen({ web: ['web'], api: ['api-1', 'api-2'], store: ['store'], mill: ['mill'], check: ['check'], idle: ['idle'], load: ['k6'] })
		.asks('host', 'web', { at: OBSERVED_PROBE, lastS: 0.05 })
		.asks('web', 'api-1', { at: OBSERVED_PROBE.map((at) => at + 0.01), lastS: 0.03 })
		.asks('api-1', 'store', { protocol: 'kv', at: OBSERVED_PROBE.map((at) => at + 0.02), lastS: 0.001 })
		.asks('api-1', 'store', { protocol: 'kv', at: each(1001, 1100, 0.5), lastS: 0.001, role: 'beat' })
		.asks('mill', 'store', { protocol: 'kv', at: each(1001, 1100, 1), role: 'wait', lastS: 0.9 })
		.asks('check', 'api-1', { at: each(1001, 1100, 0.5), lastS: 0.001 })
		.asks('check', 'api-2', { at: each(1001, 1100, 0.5), lastS: 0.001 });

const rowsOf = ({ edges }: Observed) => edges.map(({ from, to, protocol, needed }) => `${from} ${to} ${protocol} ${needed}`).sort();

test('edges that a request needs are told from those of workers and checks', () => {
	const observed = observedOf(observedStack().record, OBSERVED_ABOUT);
	assert.deepEqual(rowsOf(observed), ['api store kv true', 'check api http false', 'mill store kv false', 'web api http true']);
	assert.deepEqual(
		observed.services.map(({ service, replicas, protocol, place }) => [service, replicas, protocol, place]),
		[
			['web', 1, 'http', 'way'],
			['api', 2, 'http', 'way'],
			['store', 1, 'kv', 'way'],
			['mill', 1, '', 'worker'],
			['check', 1, '', 'worker'],
			['idle', 1, '', 'alone'],
		],
		'the generator and the machine are none',
	);
	assert.deepEqual([observed.asked, observed.isComplete], [3, true]);
	assert.equal(observed.edges.find(({ from }) => from === 'api')?.beside, 198);
});

test('a stack whose file names nobody is read from the record of a run', () => {
	// Programs with names in their code, before its load and for its first seconds.
	const record = JSON.parse(gunzipSync(readFileSync(new URL('fixtures/names.json.gz', import.meta.url))).toString());
	const observed = observedOf(record, { entries: ['web'], generator: 'doubletake-k6' });
	assert.deepEqual(rowsOf(observed), ['api kv redis true', 'mill kv redis false', 'web api http true']);
	assert.deepEqual(
		observed.services.map(({ service, place }) => `${service} ${place}`),
		['api way', 'web way', 'kv way', 'mill worker'],
	);
	const began = Math.min(...record.services.flatMap(({ service, from }: any) => (service === 'doubletake-k6' ? [from] : [])));
	const probed = observedOf(record, { entries: ['web'], generator: 'doubletake-k6', until: began });
	assert.deepEqual(rowsOf(probed), rowsOf(observed), 'the probe alone says the same');
	assert.ok(probed.asked > 0 && probed.asked < observed.asked, `${probed.asked} of ${observed.asked}`);
});

test('what a service asks at its own pace is not needed, though some of it falls within requests', () => {
	const seen = observedStack()
		// A scrape of its own ten times a second, one of which is within a request.
		.asks('api-1', 'idle', { at: each(1001, 1100, 0.1), lastS: 0.001 })
		// Under load a request is in api all the time, and its own pace is the same.
		.asks('host', 'web', { at: each(1060, 1090, 0.04), lastS: 0.05 })
		.asks('web', 'api-1', { at: each(1060, 1090, 0.04).map((at) => at + 0.001), lastS: 0.045 });
	const edge = observedOf(seen.record, OBSERVED_ABOUT).edges.find(({ to }) => to === 'idle');
	assert.ok(edge && edge.within > 200 && !edge.needed, JSON.stringify(edge));
});

test('what goes on at its own pace is not needed, though each request of the probe happens to meet it', () => {
	// web asks for a list of servers each second, and so at the very moments of the probe.
	const seen = observedStack().asks('web', 'idle', { at: each(1001, 1100, 1).map((at) => at + 0.02 + 0.01 * Math.sin(at)), lastS: 0.001 });
	const edge = observedOf(seen.record, OBSERVED_ABOUT).edges.find(({ to }) => to === 'idle');
	assert.ok(edge && edge.within === 3 && !edge.needed, JSON.stringify(edge));
	// Where requests ask there too, they ask between.
	seen.asks('web', 'idle', { at: OBSERVED_PROBE.map((at) => at + 0.04), lastS: 0.001 });
	assert.equal(observedOf(seen.record, OBSERVED_ABOUT).edges.find(({ to }) => to === 'idle')?.needed, true);
});

test('what is not read, such as TLS, is an edge by its connections', () => {
	const seen = new Seen({ web: ['web'], api: ['api'] }).asks('host', 'web', { protocol: 'tls', lastS: 0.1 });
	for (const connection of seen.record.connections) Object.assign(connection, { asked_at: 1010, last_at: 1010.1 });
	seen.asks('web', 'api', { protocol: 'tls' });
	Object.assign(seen.record.connections[1], { asked_at: 1010.02, last_at: 1010.05 });
	assert.deepEqual(rowsOf(observedOf(seen.record, OBSERVED_ABOUT)), ['web api tls true']);
});

test('who is asked outside of the stack has the name that was looked up for it', () => {
	const seen = observedStack()
		.asks('api-1', '10.0.0.1', { protocol: 'dns', at: [1049], port: 53, template: 'rates.example' })
		.asks('api-1', '203.0.113.9', { at: [1049.5, 1051], port: 443 })
		.asks('mill', '203.0.113.10', { at: [1070], port: 80 });
	assert.deepEqual(
		observedOf(seen.record, OBSERVED_ABOUT).outside.map(({ from, name, address, port, calls }) => [from, name, address, port, calls]),
		[
			['api', 'rates.example', '203.0.113.9', 443, 2],
			['mill', '', '203.0.113.10', 80, 1],
		],
	);
});

test('until a moment, what began later does not count, and a gap in the record is known', () => {
	const seen = observedStack();
	assert.equal(observedOf(seen.record, { ...OBSERVED_ABOUT, until: 1053 }).asked, 2);
	assert.deepEqual(
		rowsOf(observedOf(seen.record, { ...OBSERVED_ABOUT, until: 1040 })).filter((row) => row.endsWith('true')),
		[],
	);
	for (const dropped of [1, null]) {
		const [network] = seen.record.networks;
		assert.equal(observedOf({ ...seen.record, networks: [{ ...network, dropped }] }, OBSERVED_ABOUT).isComplete, false);
	}
	assert.equal(observedOf({ ...seen.record, networks: [] }, OBSERVED_ABOUT).isComplete, false);
});

test('of several entries what each needs is needed', () => {
	const { record } = new Seen({ vote: ['vote'], result: ['result'], votes: ['votes'], rows: ['rows'], load: ['k6'] })
		.asks('k6', 'vote', { at: OBSERVED_PROBE, lastS: 0.05 })
		.asks('vote', 'votes', { protocol: 'kv', at: OBSERVED_PROBE.map((at) => at + 0.01) })
		.asks('k6', 'result', { at: OBSERVED_PROBE.map((at) => at + 0.5), lastS: 0.05 })
		.asks('result', 'rows', { protocol: 'sql', at: OBSERVED_PROBE.map((at) => at + 0.51) });
	const observed = observedOf(record, { entries: ['vote', 'result'], generator: 'load' });
	assert.deepEqual(rowsOf(observed), ['result rows sql true', 'vote votes kv true']);
	assert.ok(observed.services.every(({ place }) => place === 'way'));
	assert.equal(observed.asked, 6);
});
