import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoder as http } from '../adapters/http/wire.ts';
import { DROPPED_LINES } from '../adapters/log-lines.ts';
import type { Wire } from '../record/types.js';
import { formatRunMarkdown } from '../report/run-markdown.ts';
import { wireSection } from '../report/sections/wire.ts';
import { Connections } from '../wire/connections.ts';
import { Talk } from '../wire/fixtures/talk.ts';
import type { TcpPacket } from '../wire/packets.ts';
import type { WireRecord } from '../wire/record.ts';
import { factsOf, recordOf } from './fixtures/record.ts';
import { FROM } from './fixtures/story.ts';
import { linedOf } from './joins/joined.ts';
import type { Facts } from './ledger/facts.ts';
import { buildLedger } from './ledger/ledger.ts';
import { resultOf } from './result.ts';
import { placeAll } from './rules.ts';
import { wireApart } from './validity/wire-doubts.ts';
import { wireOf } from './wire.ts';
import { besideRecords } from './wire-compare.ts';

const ADDRESSES = { nginx: '10.0.0.9', 'app-1': '10.0.0.1', 'app-2': '10.0.0.2', k6: '10.0.0.7' };
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const get = (id: string) => `GET /documents HTTP/1.1\r\nX-Request-Id: ${id}\r\n\r\n`;

/**
 * The load of a made record on the wire: 1,000 good requests, each at one of the two nodes.
 * @param given lost: so many that nginx passed on are not on record
 */
function wireWith({
	good = 1000,
	lost = 0,
	change = () => {},
	dropped = 0,
}: {
	good?: number;
	lost?: number;
	change?: (give: (...packets: TcpPacket[]) => void) => void;
	dropped?: number;
}): WireRecord {
	const record: WireRecord = {
		services: Object.entries(ADDRESSES).map(([name, address]) => ({
			address,
			service: name,
			name,
			container: name,
			from: FROM - 60,
			to: null,
		})),
		networks: [
			{
				...{ network: 'run', unseen: '', ended_early: '', dropped, cpu_s: 0.1, hosts: [] },
				counters: { packets: 90, unread: 0, stray: 0, datagrams: 0, first_at: FROM - 60, last_at: FROM + 10, is_cut: false, broken: '' },
			},
		],
		connections: [],
		calls: [],
	};
	const connections = new Connections([http], {
		call: (call, { id }) => record.calls.push({ ...call, connection: id }),
		connection: (connection) => record.connections.push(connection),
	});
	const give = (...packets: TcpPacket[]) => {
		for (const packet of packets) connections.take(packet);
	};
	const user = new Talk({ at: FROM + 0.001, client: ADDRESSES.k6, clientPort: 9, server: ADDRESSES.nginx });
	const nodes = ['app-1', 'app-2'].map(
		(name, index) =>
			new Talk({
				at: FROM + 0.002,
				client: ADDRESSES.nginx,
				clientPort: 10 + index,
				server: ADDRESSES[name as 'app-1'],
				serverPort: 3000,
			}),
	);
	give(...user.open(), ...nodes.flatMap((node) => node.open()));
	for (let index = 0; index < good; index += 1) {
		const node = nodes[index % 2];
		give(user.wait(0.0001).say('client', 'A', get(`good-${index}`)));
		if (index >= lost) give(node.say('client', 'A', get(`good-${index}`)), node.say('server', 'A', OK));
		give(user.say('server', 'A', OK));
	}
	change(give);
	connections.end();
	return record;
}

/** At the moments at which k6 says that they ended: one closed unread, one closed unasked, one refused. */
function threeFailures(give: Parameters<NonNullable<Parameters<typeof wireWith>[0]['change']>>[0]) {
	const talk = (at: number, clientPort: number) => new Talk({ at: FROM + at, client: ADDRESSES.k6, clientPort, server: ADDRESSES.nginx });
	const [unread, unasked, refused] = [talk(2.45, 100), talk(2.46, 101), talk(3.49, 102)];
	give(...unread.open(), unread.say('client', 'A', get('eof-3-0')), unread.say('server', 'AF'));
	give(...unasked.open(), unasked.say('server', 'AF'), unasked.say('client', 'AF'));
	give(refused.say('client', 'S'), refused.say('server', 'RA'));
}

function besideOf(wire: WireRecord, kinds: Record<string, Record<number, number>> = {}, change: (facts: Facts) => void = () => {}) {
	const raw = { ...recordOf({ balanced: true, kinds }), wire };
	const facts = factsOf(raw);
	change(facts);
	const all = placeAll(facts);
	const reported = besideRecords(wireOf(linedOf(wire), facts.window, facts.gaps), {
		facts,
		all,
		ledger: buildLedger(facts, all),
	});
	assert.ok(reported);
	return { raw, reported, placed: all };
}

const countsOf = ({ compared = [] }: Wire) =>
	compared
		.filter(({ unit }) => unit === 'requests')
		.map(({ from, to, what, wire, other, left, holds }) => [from, to, what, wire, other, left, holds]);

test('each way has the requests that the wire and the other records count', () => {
	const { reported } = besideOf(wireWith({}));
	assert.deepEqual(countsOf(reported), [
		['k6', 'nginx', 'sent by k6', 1000, 1000, 0, true],
		['k6', 'nginx', 'received by nginx', 1000, 1000, 0, true],
		['nginx', 'app-1', 'sent by nginx', 500, 500, 0, true],
		['nginx', 'app-1', 'received by app-1', 500, 500, 0, true],
		['nginx', 'app-2', 'sent by nginx', 500, 500, 0, true],
		['nginx', 'app-2', 'received by app-2', 500, 500, 0, true],
	]);
	assert.equal(reported.failures, null);
});

const doubtsAbout = (wire: Wire, failed: number) =>
	wireApart({ wire, facts: { generator: { name: 'k6', failed } } }).map(({ grade, reason }) => `${grade} ${reason}`);

test('a difference that nothing explains is a doubt of its edge, and of the run where failed requests are placed by it', () => {
	const { reported } = besideOf(wireWith({ lost: 20 }));
	const reasons = doubtsAbout(reported, 100);
	assert.equal(reasons.length, 2);
	assert.match(
		reasons[0],
		/^SUSPECT .*: the network capture has 490 requests sent by nginx \(nginx → app-1\), but the access log of nginx has 500; nothing explains the difference$/,
	);
	assert.ok(
		reported.doubts.some((doubt) => doubt.includes('nginx → app-2')),
		reported.doubts.join(),
	);
	// Ten of a hundred thousand move no placement; where nothing failed, a log that leaves lines out moves no figure.
	for (const failed of [100_000, 0]) assert.deepEqual(doubtsAbout(reported, failed), [], `${failed}`);
	const gap = besideOf(wireWith({ lost: 20, dropped: 7 })).reported;
	assert.deepEqual(doubtsAbout(gap, 100), []);
	assert.ok(gap.doubts.some((doubt) => doubt.includes('nginx → app-1')));
});

test('what a service could not write into its log, by its own count, explains what the log lacks', () => {
	const { reported } = besideOf(wireWith({ good: 1010 }), {}, ({ hops }) => {
		for (const hop of hops)
			hop.counters = {
				[DROPPED_LINES]: [
					{ t: FROM, value: 4 },
					{ t: FROM + 5, value: 14 },
				],
			};
	});
	const about = reported.compared?.find(({ what }) => what === 'received by nginx');
	assert.deepEqual([about?.wire, about?.other, about?.left, about?.holds], [1010, 1000, 0, true]);
	assert.deepEqual(about?.explained, [{ kind: 'lines that it could not write, by its own count', count: 10, of: 10 }]);
});

test('what the generator sent and the wire does not have is a doubt of the run, whether requests failed or not', () => {
	const { reported } = besideOf(wireWith({}));
	const compared = reported.compared?.map((one) => (one.what === 'sent by k6' ? { ...one, other: 1100, left: 100, holds: false } : one));
	assert.match(
		doubtsAbout({ ...reported, compared }, 0).join(),
		/^SUSPECT .*: the network capture has 1,000 requests sent by k6 \(k6 → nginx\), /,
	);
});

test('times beyond a millisecond are told of the edge, and are no doubt about the run', () => {
	const { reported } = besideOf(wireWith({}));
	const times = reported.compared?.filter(({ unit }) => unit === 'ms') ?? [];
	// The made record says 19 and 50 ms, and on the wire an answer comes at once.
	assert.deepEqual(
		times.map(({ from, to, what, other, holds }) => [from, to, what, other, holds]),
		[
			['k6', 'nginx', 'p50 of good answers', 19, false],
			['k6', 'nginx', 'p99 of good answers', 50, false],
		],
	);
	assert.ok(reported.doubts.some((doubt) => doubt.includes('p50 of good answers differ (k6 → nginx)')));
	assert.deepEqual(doubtsAbout(reported, 100), []);
});

test('each failed request has its end on the wire, by its id or by the connection that carried nothing', () => {
	const kinds = { eof: { 3: 2 }, reset: { 4: 1 } };
	const { reported, placed } = besideOf(wireWith({ change: threeFailures }), kinds);
	assert.deepEqual(
		reported.failures?.rows.map(({ end, by, count, by_id: byId }) => [end, by, count, byId]),
		[
			['closed', 'nginx', 1, 1],
			['unasked-closed', 'nginx', 1, 0],
			['refused', 'nginx', 1, 0],
		],
	);
	assert.deepEqual([reported.failures?.failed, reported.failures?.explained], [3, 3]);
	assert.equal(
		reported.failures?.rows.flatMap((row) => row.placed).reduce((sum, { count }) => sum + count, 0),
		placed.length,
	);
	const [sent] = reported.compared ?? [];
	assert.deepEqual(
		[sent.wire, sent.other, sent.left, sent.explained],
		[
			1001,
			1003,
			0,
			[
				{ kind: 'connections refused', count: 1, of: 1 },
				{ kind: 'connections closed before a request was sent', count: 1, of: 1 },
			],
		],
	);
});

test('what the generator sends again by itself, with the same id, is counted once', () => {
	const change = (give: Parameters<typeof threeFailures>[0]) => {
		const again = new Talk({ at: FROM + 5, client: ADDRESSES.k6, clientPort: 200, server: ADDRESSES.nginx });
		give(...again.open(), again.say('client', 'A', get('good-7')), again.say('server', 'RA'));
		threeFailures(give);
	};
	const { reported } = besideOf(wireWith({ change }), { eof: { 3: 2 }, reset: { 4: 1 } });
	const [sent] = reported.compared ?? [];
	assert.deepEqual([sent.wire, sent.other, sent.left, sent.holds], [1002, 1003, 0, true]);
	assert.deepEqual(sent.explained[0], { kind: 'sent again by itself', count: 1, of: 1 });
});

test('what the generator begins when it has ended its load is not sent: it explains a difference, and an earlier one does not', () => {
	const late = new Talk({ at: FROM + 9.5, client: ADDRESSES.k6, clientPort: 300, server: ADDRESSES.nginx });
	const wire = wireWith({ change: (give) => give(...late.open(), late.say('client', 'AF')) });
	const raw = { ...recordOf({ balanced: true, kinds: { unanswered: { 10: 4 } } }), wire };
	raw.failures = raw.failures.map((failed, index) => (index === 0 ? failed : { ...failed, waited_s: 0.001 }));
	const facts = factsOf(raw);
	const reported = besideRecords(wireOf(linedOf(wire), facts.window, facts.gaps), {
		facts,
		all: placeAll(facts),
		ledger: buildLedger(facts, placeAll(facts)),
	});
	const [sent] = reported?.compared ?? [];
	assert.deepEqual([sent.wire, sent.other, sent.left], [1000, 1004, 1]);
	// One of the three has a connection, which it did not use; it counts once.
	assert.deepEqual(sent.explained, [{ kind: 'begun when the load had ended, and not sent', count: 3, of: 3 }]);
});

test('what is answered after the load is on the wire, and need not be in a log of the load', () => {
	const late = new Talk({ at: FROM + 20, client: ADDRESSES.nginx, clientPort: 400, server: ADDRESSES['app-1'], serverPort: 3000 });
	const change = (give: Parameters<typeof threeFailures>[0]) => {
		give(...late.open());
		for (const id of ['late-1', 'late-2']) give(late.say('client', 'A', get(id)), late.say('server', 'A', OK));
	};
	const { reported } = besideOf(wireWith({ change }));
	const atNode = reported.compared?.filter(({ to }) => to === 'app-1') ?? [];
	assert.deepEqual(
		atNode.map(({ what, wire, other, left, explained }) => [what, wire, other, Math.abs(left), explained]),
		['sent by nginx', 'received by app-1'].map((what) => [what, 502, 500, 0, [{ kind: 'answered only after the load', count: 2, of: 2 }]]),
	);
});

test('a failed request of which nothing passed is reported as such, and one connection explains one request', () => {
	const { reported } = besideOf(wireWith({ change: threeFailures }), { eof: { 3: 4 }, reset: { 4: 1, 8: 1 } });
	assert.deepEqual([reported.failures?.failed, reported.failures?.explained], [6, 3]);
	assert.equal(reported.failures?.rows.find(({ end }) => end === 'unseen')?.count, 3);
});

test('the ledger agrees where it places a request where the wire saw it last, and else both places are told', () => {
	const raw = { ...recordOf({ balanced: true, kinds: { eof: { 3: 2 }, reset: { 4: 1 } } }), wire: wireWith({ change: threeFailures }) };
	const facts = factsOf(raw);
	const spot = { cause: 'connection-reset', where: 'proved' as const, why: 'proved' as const, amplifier: null };
	const at = (service: string) => ({ ...spot, tier: 'app' as const, service });
	const cause = placeAll(facts).find(({ placement }) => placement)?.placement?.cause ?? 'cut-at-end';
	const all = facts.traces.map((trace, index) => ({ trace, placement: { ...at(['nginx', 'app-1', 'k6'][index]), cause } }));
	const reported = besideRecords(wireOf(linedOf(raw.wire), facts.window, facts.gaps), {
		facts,
		all,
		ledger: buildLedger(facts, all),
	});
	// A node lies behind the balancer; the generator does not.
	assert.deepEqual(
		[reported?.failures?.agreed, reported?.failures?.apart.map(({ wire, ledger, count }) => [wire, ledger, count])],
		[2, [['nginx', 'k6', 1]]],
	);
});

test('the page and the summary show both tables', () => {
	const { raw } = besideOf(wireWith({ change: threeFailures }), { eof: { 3: 2 }, reset: { 4: 1 } });
	const result = resultOf(raw);
	for (const text of [wireSection(result)?.text ?? '', formatRunMarkdown({ result, judged: [] })])
		for (const wanted of [
			'connection accepted, and closed before a request was sent',
			'The network record shows how 3 of 3 failed requests ended',
			'1 connections refused',
			'received by app-2',
		])
			assert.ok(text.replaceAll('\u00a0', ' ').includes(wanted), `${wanted} in ${text.slice(0, 2000)}`);
});
