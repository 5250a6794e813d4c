import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seen } from '../wire/fixtures/seen.ts';
import { observedOf } from '../wire/tenancy.ts';
import type { Proposal } from './observed-system.ts';
import { decide } from './observed-system.ts';

const AT = [1050, 1052, 1054];
const later = (s: number) => AT.map((at) => at + s);

/** proxy asks app, app asks rows and kv; mill asks kv; cron asks nobody. */
const seen = (network?: { dropped?: number }) =>
	observedOf(
		new Seen({ proxy: ['proxy'], app: ['app'], rows: ['rows'], kv: ['kv'], mill: ['mill'], cron: ['cron'] }, network)
			.asks('host', 'proxy', { at: AT, lastS: 0.1 })
			.asks('proxy', 'app', { at: later(0.01), lastS: 0.08 })
			.asks('app', 'rows', { protocol: 'postgres', at: later(0.02) })
			.asks('app', 'kv', { protocol: 'redis', at: later(0.04) })
			.asks('mill', 'kv', { protocol: 'redis', at: [1001, 1020, 1070], role: 'wait' }).record,
		{ entries: ['proxy'], generator: 'load' },
	);

/** What init makes of a file that names nobody: it takes a guess at whom the proxy asks. */
const PROPOSAL: Proposal = {
	services: {
		proxy: { tier: 'load-balancer', likely: 'load-balancer' },
		app: { tier: null, likely: 'app' },
		rows: { tier: null, likely: 'app' },
		kv: { tier: null, likely: 'app' },
		mill: { tier: null, likely: 'app' },
		cron: { tier: 'app', likely: 'app' },
	},
	edges: [{ from: 'proxy', to: 'cron', reason: 'assumed' }],
};

/** As init wrote it, and changed by hand. */
const written = (tiers: Record<string, string> = {}, edges: [string, string][] = [['proxy', 'cron']]) => ({
	entries: ['proxy'],
	services: Object.fromEntries(
		Object.entries(PROPOSAL.services).map(([service, { tier }]) => [
			service,
			{ tier: tiers[service] ?? tier ?? 'other', product: 'opaque' },
		]),
	),
	edges,
});

test('what init only assumed gives way to what was seen', () => {
	const { edges, tiers, notes } = decide({ observed: seen(), written: written(), proposal: PROPOSAL });
	assert.deepEqual(
		edges.map((pair) => pair.join(' ')),
		['proxy app', 'app rows', 'app kv'],
		'as a request comes to them',
	);
	assert.deepEqual(tiers, { proxy: 'load-balancer', app: 'app', rows: 'database', kv: 'cache', mill: 'other', cron: 'other' });
	for (const wanted of [
		'seen on the wire, not in doubletake.yaml: app asks kv (redis), 3 calls',
		'in doubletake.yaml, not seen on the wire: proxy asks cron (assumed); left out',
		'in doubletake.yaml, rows is on the way of no request: on the wire it is asked in postgres; taken for a database',
		'no service asks mill: mill asks kv (redis), 3 calls',
	])
		assert.ok(notes.includes(wanted), `${wanted} in ${notes.join('\n')}`);
});

test('what was written by hand wins, and is doubted', () => {
	const byHand = written({ app: 'app', rows: 'app', kv: 'database' }, [
		['proxy', 'app'],
		['app', 'cron'],
	]);
	const { edges, tiers, notes } = decide({ observed: seen(), written: byHand, proposal: PROPOSAL });
	assert.ok(edges.some(([from, to]) => from === 'app' && to === 'cron'));
	assert.deepEqual([tiers.rows, tiers.kv], ['app', 'database']);
	assert.ok(notes.includes('in doubletake.yaml, not seen on the wire: app asks cron; kept'), notes.join('\n'));
	assert.ok(
		notes.includes('in doubletake.yaml, rows is an app: on the wire it is asked in postgres; kept, as it was written by hand'),
		notes.join('\n'),
	);
});

test('a service that the user took off the way stays off it', () => {
	const proposal = { ...PROPOSAL, services: { ...PROPOSAL.services, kv: { tier: 'cache' as const, likely: null } } };
	const { edges, notes } = decide({ observed: seen(), written: written({ kv: 'other' }), proposal });
	assert.ok(!edges.some(([, to]) => to === 'kv'));
	assert.ok(
		notes.some((note) => /app asks kv .*left out, because doubletake\.yaml says that no request passes kv/.test(note)),
		notes.join('\n'),
	);
});

test('where something may be missing from the record, no guess is taken back', () => {
	const { edges, tiers } = decide({ observed: seen({ dropped: 4 }), written: written(), proposal: PROPOSAL });
	assert.ok(edges.some(([from, to]) => from === 'proxy' && to === 'cron'));
	assert.equal(tiers.cron, 'app');
});

test('without a request at the entry the file stands as it is', () => {
	const nothing = observedOf(new Seen({ proxy: ['proxy'] }).record, { entries: ['proxy'], generator: 'load' });
	const { edges, notes } = decide({ observed: nothing, written: written(), proposal: PROPOSAL });
	assert.deepEqual([edges, notes], [[['proxy', 'cron']], ['no request to the entry was seen on the wire']]);
});

test('who is asked like a store, and asks one in the same words, is a pool', () => {
	const observed = observedOf(
		new Seen({ web: ['web'], pool: ['pool'], rows: ['rows'] })
			.asks('host', 'web', { at: AT, lastS: 0.1 })
			.asks('web', 'pool', { protocol: 'postgres', at: later(0.01), lastS: 0.05 })
			.asks('pool', 'rows', { protocol: 'postgres', at: later(0.02) }).record,
		{ entries: ['web'], generator: 'load' },
	);
	const services = Object.fromEntries(['web', 'pool', 'rows'].map((name) => [name, { tier: 'app' as const, likely: null }]));
	const own = {
		entries: ['web'],
		edges: [] as [string, string][],
		services: Object.fromEntries(Object.keys(services).map((name) => [name, { tier: 'app', product: 'opaque' }])),
	};
	assert.deepEqual(decide({ observed, written: own, proposal: { services, edges: [] } }).tiers, {
		web: 'app',
		pool: 'pool',
		rows: 'database',
	});
});

test('whoever is asked outside of the stack is reported in one sentence, apart from what differs', () => {
	const observed = observedOf(
		new Seen({ web: ['web'], mill: ['mill'] })
			.asks('host', 'web', { at: AT, lastS: 0.1 })
			.asks('web', '203.0.113.9', { at: later(0.02), port: 443 })
			.asks('mill', '203.0.113.10', { at: [1070], port: 80 }).record,
		{ entries: ['web'], generator: 'load' },
	);
	const { outside, notes } = decide({
		observed,
		written: { entries: ['web'], services: {}, edges: [] },
		proposal: { services: {}, edges: [] },
	});
	assert.equal(
		outside,
		'outside of the stack web asks 203.0.113.9:443 (http), 1 connection; mill asks 203.0.113.10:80 (http), 1 connection',
	);
	assert.ok(!notes.some((note) => note.includes('203.0.113')), notes.join('\n'));
});

test('a run at an entry that needs nobody else names where users could enter as well', () => {
	const observed = observedOf(
		new Seen({ result: ['result'], vote: ['vote'], rows: ['rows'] })
			.asks('host', 'result', { at: AT, lastS: 0.1 })
			.asks('result', 'rows', { protocol: 'postgres', at: Array.from({ length: 100 }, (_, index) => 1000.5 + index) }).record,
		{ entries: ['result'], generator: 'load' },
	);
	const entries = [
		{ service: 'result', url: 'http://result:80/' },
		{ service: 'vote', url: 'http://vote:80/' },
	];
	const notesOf = (proposal: Proposal) => decide({ observed, written: { entries: ['result'], services: {}, edges: [] }, proposal }).notes;
	const note =
		'a request to result needs no other service, and users could also enter at vote (http://vote:80/): which of them is meant, no file says';
	assert.ok(notesOf({ services: {}, edges: [], entries }).includes(note));
	for (const proposal of [
		{ services: {}, edges: [] },
		{ services: {}, edges: [], entries: entries.toReversed() },
	])
		assert.ok(!notesOf(proposal).some((one) => one.includes('could also enter')));
});

test('a program that only passes requests on is a proxy, unless doubletake.yaml calls it an app', () => {
	const passing = seen();
	for (const service of passing.services) service.passes_on = service.service === 'app';
	const { tiers, notes } = decide({ observed: passing, written: written(), proposal: PROPOSAL });
	assert.equal(tiers.app, 'load-balancer');
	const why = 'on the wire it asks what it is asked, and passes the answers on';
	assert.ok(notes.includes(`in doubletake.yaml, app is on the way of no request: ${why}; taken for a load-balancer`), notes.join('\n'));
	assert.equal(decide({ observed: passing, written: written({ app: 'app' }), proposal: PROPOSAL }).tiers.app, 'app');
	// Also where init wrote it: its image, or its program, is that of an app.
	const proposed = {
		...PROPOSAL,
		services: { ...PROPOSAL.services, app: { tier: 'app' as const, likely: 'app' as const } },
	};
	const kept = decide({ observed: passing, written: written({ app: 'app' }), proposal: proposed });
	assert.equal(kept.tiers.app, 'app');
	assert.ok(kept.notes.includes(`in doubletake.yaml, app is an app: ${why}; kept, as an app may do so too`), kept.notes.join('\n'));
});
