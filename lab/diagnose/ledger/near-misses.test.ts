import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAID as SAID_BY_SYSTEM, system } from '../fixtures/project-cases.ts';
import { endService, factsOf, logError, recordOf } from '../fixtures/record.ts';
import { logAttempt } from '../fixtures/record-requests.ts';
import type { Raw, Story } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import { ejection, raise, SAID, tellOf, without } from '../fixtures/tell.ts';
import { placeAll } from '../rules.ts';
import { buildLedger } from './ledger.ts';
import type { NearMiss } from './near-misses.ts';
import { nearMissesOf } from './near-misses.ts';

function missesIn(change: (raw: Raw) => void, story: Story = { balanced: true }): NearMiss[] {
	const raw = recordOf(story);
	change(raw);
	const facts = factsOf(raw);
	return nearMissesOf(facts, placeAll(facts));
}

/** Lets the second node answer requests of which the first had failed an attempt. */
function retry(raw: Raw, count: number) {
	const lines = raw.accessLines.filter(({ t, upstream }) => t > FROM && upstream.startsWith('10.0.0.2')).slice(0, count);
	for (const [index, line] of lines.entries()) {
		Object.assign(line, { id: `r${index}`, connection: 300 + index, upstream: '10.0.0.1:3000, 10.0.0.2:3000' });
		Object.assign(line, { upstream_status: '502, 200', upstream_s: '0.500, 0.016' });
		tellOf(raw, line.connection, Math.floor(line.t - FROM), SAID.reset, 'app-1');
		logAttempt(raw, line.id, { node: 'app-2', outcome: 'answered', status: 200 });
	}
}

test('attempts that another node made good are told by the node that failed them, with what they cost', () => {
	const [miss, ...others] = missesIn((raw) => retry(raw, 4));
	assert.deepEqual(
		[miss.id, miss.service, miss.count, miss.text, others],
		['retried', 'app-1', 4, '4 attempts at app-1 failed and were answered by another node, after 2 s in all', []],
	);
	const [evidence] = miss.evidence;
	assert.ok(evidence.kind === 'log' && evidence.count === 4 && evidence.line.startsWith('[error] recv() failed (104'));
});

test('a request that two nodes worked on, or one node twice, may have been written twice', () => {
	const again = (...nodes: string[]) =>
		missesIn((raw) => {
			retry(raw, 2);
			for (const node of nodes) logAttempt(raw, 'r0', { node, outcome: 'broken', place: 'database' });
		})
			.filter(({ id }) => id === 'repeated')
			.map(({ count, text }) => [count, text]);
	assert.deepEqual(again('app-1'), [[1, '1 request was worked on by more than one node: what it writes may be written twice']]);
	assert.deepEqual(again('app-2'), [[1, '1 request was worked on more than once: what it writes may be written twice']]);
});

test('a node that was left out is named, with how long in all and why, though it was left out twice at once', () => {
	const [miss] = missesIn((raw) => {
		raw.balancerConf += 'server app-1:3000 fail_timeout=2s;';
		for (const second of [2, 3, 8]) ejection(raw, second, 'app-1', SAID.refused);
	});
	assert.deepEqual(
		[miss.id, miss.service, miss.count, miss.text],
		['left-out', 'app-1', 3, 'nginx left app-1 out 3 times, for 5 s in all: it refused connections'],
	);
});

test('a node that was left out for more than one reason is told with each, and one of which nothing says why with none', () => {
	const [miss] = missesIn((raw) => {
		ejection(raw, 2, 'app-1', SAID.refused);
		for (const second of [4, 6]) ejection(raw, second, 'app-1', SAID.connectTimeout);
	});
	assert.match(miss.text, /for 8 s in all: it refused connections \(1 time\), .+ \(2 times\)$/);
	const [silent] = missesIn((raw) => tellOf(raw, 106, 6, SAID.ejected, 'app-1'));
	assert.equal(silent.text, 'nginx left app-1 out 1 time, for 4 s in all');
});

test('a node that was left out to the end of the load was so for no longer', () => {
	const [miss] = missesIn((raw) => ejection(raw, 6, 'app-1', SAID.refused));
	assert.match(miss.text, /^nginx left app-1 out 1 time, for 4 s in all/);
});

test('a node that had less than half of an even share is named', () => {
	const serve = (received: number) =>
		missesIn((raw) => {
			for (const row of raw.nodes['app-2'].slice(-3)) row.received = 50 + received;
		});
	assert.deepEqual(serve(170), []);
	assert.deepEqual(
		serve(160).map(({ id, service, text }) => [id, service, text]),
		[['uneven', 'app-2', 'app-2 had 24 % of the requests, where an even share is 50 %']],
	);
});

test('a tier that ended and came back is named though nothing was lost there', () => {
	const [miss] = missesIn((raw) => endService(raw, 'mongo', 3, { back: 4.5 }));
	assert.deepEqual([miss.id, miss.tier, miss.service], ['ended', 'database', 'mongo']);
	assert.equal(miss.text, 'mongo ended in second 3 and was back 1.5 s later; no request was lost there');
});

test('a tier that did not come back is reported with its exit code and what was lost there', () => {
	const [miss] = missesIn((raw) => endService(raw, 'app-1', 5, { outOfMemory: true }), { kinds: { eof: { 6: 20 } } });
	assert.equal(miss.text, 'app-1 ended in second 5 (exit code 137, out of memory) and did not come back; 20 requests were lost there');
});

test('what was lost there before it ended was not lost by its end', () => {
	const [miss] = missesIn((raw) => endService(raw, 'app-1', 8, { back: 8.5 }), { kinds: { eof: { 3: 5 } } });
	assert.equal(miss.text, 'app-1 ended in second 8 and was back 0.5 s later; no request was lost there');
});

test('a worker of the balancer that ended by a signal is named', () => {
	const misses = missesIn((raw) => logError(raw, [4], SAID.workerDied), { balanced: true, kinds: { reset: { 4: 1 } } });
	assert.deepEqual(
		misses.map(({ id, service, text }) => [id, service, text]),
		[['worker-ended', 'nginx', 'a worker process of nginx ended by itself, or was killed, 1 time; 1 request was lost there']],
	);
});

test('a worker that ended is named by the service that says so, though no request was lost there', () => {
	const raw = recordOf({ balanced: true });
	system({ web: SAID_BY_SYSTEM.booted(4) })(raw);
	const facts = factsOf(raw);
	const [miss] = nearMissesOf(facts, placeAll(facts)).filter(({ id }) => id === 'worker-ended');
	assert.deepEqual(
		[miss.tier, miss.service, miss.count, miss.text],
		['app', 'web', 1, 'a worker process of web ended by itself, or was killed, 1 time; no request was lost there'],
	);
	assert.deepEqual(miss.evidence, [{ kind: 'log', source: 'web log', line: 'Booting worker with pid: 12', count: 1 }]);
});

test('what a service itself calls long is reported, with the longest of it', () => {
	const raw = recordOf({ balanced: true });
	system({ store: SAID_BY_SYSTEM.slow(4, 210) + SAID_BY_SYSTEM.slow(6, 1500) })(raw);
	const facts = factsOf(raw);
	const [miss] = nearMissesOf(facts, placeAll(facts)).filter(({ id }) => id === 'slow-work');
	assert.deepEqual(
		[miss.tier, miss.service, miss.count, miss.text],
		['database', 'store', 2, 'store told of 2 operations that took long, the longest 1.5 s'],
	);
	assert.deepEqual(miss.evidence, [{ kind: 'log', source: 'store log', line: 'LOG:  duration: 1500.000 ms', count: 2 }]);
});

test('what a service told of stands with the failures that its own slow work explains, and is no near miss then', () => {
	const raw = recordOf({ balanced: true });
	system({ store: SAID_BY_SYSTEM.slow(4, 210) + SAID_BY_SYSTEM.slow(6, 1500) })(raw);
	const facts = factsOf(raw);
	const finding = {
		...{ mechanism: 'slow-kind', title: 'took 1.5 s for each SELECT', chain: [], evidence: [], doubts: [] },
		place: { service: 'store', edge: null },
	} as any;
	const ledgerOf = (cause: string) => {
		const placement = { tier: 'database', service: 'store', cause, where: 'counted', why: 'counted', finding } as any;
		const trace = {
			id: '1',
			t: 0,
			waited_s: 1,
			status: 504,
			code: 0,
			kind: '504',
			seen: null,
			asked: [],
			own: [],
			attempts: [],
			late: [],
		} as any;
		const { failures, near_misses: misses } = buildLedger(facts, [{ trace, placement }]);
		return [
			failures[0].evidence.some((one) => 'text' in one && one.text === 'store told of 2 operations that took long, the longest 1.5 s.'),
			misses.some(({ id }) => id === 'slow-work'),
		];
	};
	assert.deepEqual(ledgerOf('slow-kind'), [true, false]);
	assert.deepEqual(ledgerOf('lock'), [false, true]);
});

test('a tier that stood still is named with when and for how long', () => {
	const [miss] = missesIn((raw) => {
		raw.nodes['app-2'] = without(raw.nodes['app-2'], 2, 6);
	});
	assert.deepEqual(
		[miss.id, miss.service, miss.text],
		['stood-still', 'app-2', 'app-2 stood still for 4.0 s from second 2; no request was lost there'],
	);
});

test('a queue that overflowed, and what was dialled again, is told by the kernel that counted it', () => {
	const misses = missesIn((raw) => {
		raise(raw, 'nginx', 4, { ListenOverflows: 12 });
		raise(raw, 'app-1', 4, { TCPSynRetrans: 1 });
	});
	assert.deepEqual(
		misses.map(({ id, tier, service, count }) => [id, tier, service, count]),
		[
			['slow-accept', 'load-balancer', 'nginx', 12],
			['dialled-again', 'app', 'app-1', 1],
		],
	);
	assert.match(misses[0].text, /^the accept queue of nginx overflowed 12 times/);
	assert.deepEqual(misses[0].evidence, [{ kind: 'counter', source: 'kernel, nginx', name: 'ListenOverflows', before: 3, after: 15 }]);
});

test('a packet sent again now and then is no news', () => {
	const again = (count: number) => missesIn((raw) => raise(raw, 'app-1', 4, { TCPTimeouts: count })).map(({ id }) => id);
	assert.deepEqual([again(9), again(10)], [[], ['sent-again']]);
});
