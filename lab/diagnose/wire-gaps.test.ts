import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causes } from '../record/causes.ts';
import { BASES } from '../report/format.ts';
import type { NetworkRecord, WireRecord } from '../wire/record.ts';
import { answerCases } from './fixtures/answer-cases.ts';
import { connectionCases } from './fixtures/connection-cases.ts';
import { preloadCases } from './fixtures/preload-cases.ts';
import { projectCases } from './fixtures/project-cases.ts';
import type { Raw } from './fixtures/record.ts';
import { factsOf, recordOf } from './fixtures/record.ts';
import { Made } from './joins/fixtures/made.ts';
import { linedOf } from './joins/joined.ts';
import { buildLedger } from './ledger/ledger.ts';
import type { Basis } from './ledger/place.ts';
import { placeAll } from './rules.ts';
import { wireApart } from './validity/wire-doubts.ts';
import { wireOf } from './wire.ts';
import { heldAgainstWire } from './wire-arrivals.ts';
import { besideRecords } from './wire-compare.ts';
import { gapsOf, gapText } from './wire-gaps.ts';

const COUNTERS = { packets: 9, unread: 0, stray: 0, datagrams: 0, first_at: 0, last_at: 9, is_cut: false, broken: '' };
const WHOLE = { unseen: '', ended_early: '', dropped: 0, cpu_s: 0, counters: COUNTERS, hosts: [] };
const NETWORKS = { front: ['k6', 'lb', 'web'], back: ['web', 'db', 'queue'] };
const EXPECTED = [
	{ from: 'k6', to: 'lb' },
	{ from: 'lb', to: 'web' },
	{ from: 'web', to: 'db' },
	{ from: 'web', to: 'queue' },
];

/** Two networks; the name of a service is its address on the first, and on the other with a mark. */
function recorded(back: Partial<NetworkRecord> = {}) {
	const made = new Made();
	made.call('k6 lb', 1, 2);
	made.call('lb web', 1, 2);
	made.call('web* db*', 1, 2);
	made.record.networks = [
		{ network: 'front', ...WHOLE },
		{ network: 'back', ...WHOLE, ...back },
	];
	made.record.services = Object.entries(NETWORKS).flatMap(([network, names]) =>
		names.map((name) => ({
			address: network === 'front' ? name : `${name}*`,
			network,
			...{ service: name, name, container: name, from: 0, to: null },
		})),
	);
	return made.record;
}

const reported = (record: WireRecord) => gapsOf(linedOf(record), EXPECTED).map((gap) => [gap.kind, gapText(gap)]);

test('a whole record has no gap', () => {
	assert.deepEqual(reported(recorded()), []);
});

test('what was lost of a network names the edges on it, seen or only known, and no other', () => {
	const missing = 'calls may be missing on web → db, web → queue';
	for (const [back, kind, text] of [
		[{ dropped: 3 }, 'dropped', '3 packets of back were dropped by the kernel'],
		[{ dropped: 1 }, 'dropped', '1 packet of back was dropped by the kernel'],
		[{ dropped: null }, 'dropped', 'whether packets of back were dropped is not known'],
		[{ ended_early: 'it had reached its limit' }, 'ended', 'the recording of back ended before the load: it had reached its limit'],
		[{ counters: { ...COUNTERS, is_cut: true } }, 'ended', 'the capture of back ends within a packet'],
		[{ unseen: 'no bridge' }, 'unseen', 'back was not recorded: no bridge'],
	] as const)
		assert.deepEqual(reported(recorded(back)), [[kind, `${text}; ${missing}`]]);
});

test('a record that does not say which network an address is of may miss calls on any edge', () => {
	const record = recorded({ dropped: 3 });
	for (const tenure of record.services) delete tenure.network;
	assert.match(reported(record)[0][1], /missing on k6 → lb, lb → web, web → db, web → queue$/);
});

test("edges of a service on the machine's own network, and those of a network that others have too, are named", () => {
	const record = recorded();
	record.services = record.services.filter(({ name }) => name !== 'queue');
	const unseen = { ...WHOLE, dropped: null, counters: null };
	record.networks.push(
		{ ...unseen, network: 'host', unseen: "queue is on the machine's own network", members: ['queue'] },
		{ ...unseen, network: 'edge', unseen: "the network edge is not of the run's making", members: ['web', 'lb'] },
	);
	assert.deepEqual(reported(record), [
		['unseen', "queue is on the machine's own network; calls may be missing on web → queue"],
		['unseen', "the network edge is not of the run's making; calls may be missing on lb → web"],
	]);
});

test('connections that were there before the recording, and those that a decoder gave up, are named by their edges', () => {
	const record = recorded();
	Object.assign(record.connections[1], { midway: true });
	Object.assign(record.connections[2], { fault: 'TypeError' });
	assert.deepEqual(reported(record), [
		['late', 'the beginning of 1 connection was not recorded; calls may be missing on lb → web'],
		['unread', 'the decoder of http failed in 1 connection; calls may be missing on web → db'],
	]);
});

test('an edge of many is named with the first of them', () => {
	const edges = Array.from({ length: 9 }, (_, index) => ({ from: 'lb', to: `web-${index}` }));
	assert.match(gapText({ kind: 'dropped', text: 'lost', edges }), /web-5 and 3 more$/);
});

test('a difference between records is a doubt of the run only on an edge of which the wire has all', () => {
	const compared = EXPECTED.map(({ from, to }) => ({
		...{ from, to, what: `sent by ${from}`, unit: 'requests' as const, wire: 90, other: 100 },
		...{ source: 'log', explained: [], left: 10, holds: false },
	}));
	const doubted = (back: Parameters<typeof recorded>[0] = {}) => {
		const record = recorded(back);
		const wire = {
			edges: [],
			no_host: [],
			networks: record.networks.map(({ network: name }) => ({ name, packets: 9, dropped: 0, cpu_s: 0 })),
		};
		return wireApart({
			wire: { ...wire, doubts: [], gaps: gapsOf(linedOf(record), EXPECTED), compared },
			facts: { generator: { name: 'k6', failed: 100 } },
		}).map(({ rule }) => rule);
	};
	assert.deepEqual(doubted(), ['wire: k6 lb', 'wire: lb web', 'wire: web db', 'wire: web queue']);
	assert.deepEqual(doubted({ dropped: 2 }), ['wire: k6 lb', 'wire: lb web']);
});

const cases = [...answerCases, ...connectionCases, ...projectCases, ...preloadCases];

/** A wire on which each service has its name for an address. */
function withWire(raw: Raw, dropped: number | null, { record }: Made = new Made()) {
	record.networks = [{ network: 'run', unseen: '', ended_early: '', dropped, cpu_s: 0, counters: COUNTERS, hosts: [] }];
	record.services = raw.manifest.services.map(({ name }: { name: string }) => ({
		...{ address: name, network: 'run', service: name, name, container: name, from: 0, to: null },
	}));
	raw.wire = record;
	return raw;
}

/** Packets that a wire lost; null: that is not known; undefined: nothing was recorded. */
const DROPPED = [undefined, 0, 1, 7, 1e6, null];

/** To gather the facts of a record takes most of the time, and what the wire lacks changes two of them. */
function placementsIn(one: (typeof cases)[number]) {
	const rawOf = () => {
		const raw = recordOf(one.story);
		one.change?.(raw);
		return raw;
	};
	const [unrecorded, lossy] = [factsOf(rawOf()), factsOf(withWire(rawOf(), 1))];
	const factsWith = (dropped: number | null) => {
		const { wire } = withWire({ manifest: lossy.raw.manifest } as any, dropped);
		const lined = linedOf(wire as NonNullable<typeof wire>);
		return { ...lossy, lined, gaps: gapsOf(lined, lossy.edges) };
	};
	return new Map(
		DROPPED.map((dropped) => {
			const facts = dropped === undefined ? unrecorded : factsWith(dropped);
			return [dropped, heldAgainstWire(placeAll(facts), facts).map(({ placement }) => placement)];
		}),
	);
}

/** What several tests ask for. */
const placed: Map<(typeof cases)[number], ReturnType<typeof placementsIn>> = new Map();

function placedIn(one: (typeof cases)[number], dropped: (typeof DROPPED)[number]) {
	const known = placed.get(one) ?? placementsIn(one);
	placed.set(one, known);
	return known.get(dropped) ?? assert.fail('of as many dropped packets nothing is placed');
}

const rank = (basis: Basis) => BASES.indexOf(basis);

test('with more packets dropped no basis becomes stronger, and what never arrived is proved on no edge that lost one', () => {
	let capped = 0;
	for (const one of cases) {
		const [whole, ...lossy] = [0, 1, 7, 1e6].map((dropped) => placedIn(one, dropped));
		let before = whole;
		for (const now of lossy) {
			for (const [index, placement] of now.entries()) {
				const earlier = before[index];
				if (!placement || !earlier) continue;
				assert.deepEqual([placement.service, placement.cause], [earlier.service, earlier.cause]);
				for (const side of ['where', 'why'] as const) {
					assert.ok(rank(placement[side]) >= rank(earlier[side]), one.sentence);
					if (causes[placement.cause].unarrived) assert.notEqual(placement[side], 'proved', one.sentence);
					if (placement[side] !== earlier[side]) capped += 1;
				}
			}
			before = now;
		}
	}
	assert.ok(capped > 20, `${capped}`);
});

test('without a loss, and without a record of the wire, each basis is as the records of services have it', () => {
	for (const one of cases) assert.deepEqual(placedIn(one, 0), placedIn(one, undefined), one.sentence);
});

test('whether packets were dropped is not known: then some may have been', () => {
	for (const one of cases) assert.deepEqual(placedIn(one, null), placedIn(one, 1), one.sentence);
});

/** k6 gave up; the balancer has a line of it and says that it had asked a node, which has none. */
function neverRead(pass: (made: Made, id: string, t: number) => void) {
	const raw = recordOf({ balanced: true, kinds: { timeout: { 5: 1 } } });
	const [{ id, t }] = raw.failures;
	const made = new Made();
	pass(made, id, t);
	withWire(raw, 0, made);
	const facts = factsOf(raw);
	const spot = { tier: 'app' as const, service: 'app-1', cause: 'never-read', amplifier: null };
	const all = facts.traces.map((trace) => ({
		trace,
		placement: { ...spot, where: 'proved' as const, why: 'proved' as const },
	}));
	const held = heldAgainstWire(all, facts);
	const lined = linedOf(made.record);
	const wire = besideRecords(wireOf(lined, facts.window), { facts, all: held, ledger: buildLedger(facts, held) });
	return { why: held[0].placement?.why, failures: wire?.failures ?? assert.fail() };
}

test('what the wire saw a service answer or pass on was read by it: the ledger does not prove otherwise, and both are told', () => {
	const asked = (made: Made, id: string, t: number) => {
		made.call('k6 nginx', t - 3, t, { id, end: 'given-up', by: 'client', status: null });
		made.call('nginx app-1', t - 2.9, null, { id, end: 'open', by: null, status: null, first_at: null });
	};
	assert.equal(neverRead(asked).why, 'proved');
	const passedOn = neverRead((made, id, t) => {
		asked(made, id, t);
		made.call('app-1 mongo', t - 2.8, t - 2, { id });
	});
	assert.equal(passedOn.why, 'inferred');
	assert.deepEqual(
		passedOn.failures.apart.map(({ wire, ledger, count, arrived }) => [wire, ledger, count, arrived]),
		[['app-1', 'app-1', 1, true]],
	);
	assert.equal(passedOn.failures.agreed, 0);
	const answered = neverRead((made, id, t) => made.call('nginx app-1', t - 2.9, t - 1, { id }));
	assert.equal(answered.why, 'inferred');
	const tooLate = neverRead((made, id, t) => made.call('nginx app-1', t - 2.9, t + 4, { id }));
	assert.equal(tooLate.why, 'proved');
});
