/**
 * Pools, workers and ports that are all taken, as small records: who holds them, and who only looks slow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

test('a throttled store behind three full hops is found', () => {
	const stack = new MadeStack();
	each(-10, 5, 0.05, (at) => {
		stack.call('k6 lb', at, at + 0.02);
		stack.call('lb web', at + 0.001, at + 0.019);
		stack.call('web pool', at + 0.002, at + 0.018, { ...SQL, on: `${Math.round(at * 20) % 2}` });
		stack.call('pool store', at + 0.003, at + 0.017, { ...SQL, on: `${Math.round(at * 20) % 2}` });
	});
	// From second 5 on the store answers two at a time, each after a second; the load balancer lets sixteen through and gives up after three.
	each(5, 38, 0.5, (at, index) => {
		stack.call('pool store', at, at + 1, { ...SQL, on: `${index % 2}` });
		stack.call('web pool', at - 0.999, at + 1.0003, { ...SQL, on: `${index % 4}` });
		stack.call('lb web', at - 4.99, at + 1.0005, { on: `${index % 12}` });
		stack.call('k6 lb', at - 5.001, at + 1.0007);
	});
	each(5, 25, 0.2, (at) => stack.call('k6 lb', at, at + 3, { status: 503 }));
	stack.reads('store', (second) => ({ cores: second >= 5 ? 0.02 : 0.2, throttled: second >= 5 ? 1 : 0 }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['store: cpu-throttled']);
	assert.deepEqual(
		findings[0].chain.map(({ service }) => service),
		['lb', 'web', 'pool', 'store'],
	);
});

test('a store that is throttled all along is found where requests stand, though some were answered meanwhile', () => {
	for (const share of [1, 0.7]) {
		const stack = new MadeStack();
		each(-5, 40, 0.1, (at, index) => {
			const isBad = at >= 20 && index % 2 === 0;
			stack.call('k6 web', at, at + (isBad ? 3.001 : 0.1), { status: isBad ? 504 : 200 });
			stack.call('web store', at + 0.0005, at + (isBad ? 3 : 0.099), isBad ? { end: 'given-up', by: 'client', status: null } : {});
		});
		stack.reads('store', () => ({ cores: 0.02, throttled: share }));
		const [finding] = stack.follow().findings;
		assert.equal(said(finding), share === 1 ? 'store: cpu-throttled' : 'store: stands');
		if (share === 1)
			assert.deepEqual([finding.why_basis, finding.doubts], ['inferred', ['it was throttled in 100 % of its periods in calm seconds too']]);
	}
});

test('a pool that nested use holds is the pool of its holder, not the database', () => {
	const stack = new MadeStack();
	each(-5, 2, 0.05, (at, index) => {
		stack.call('k6 api', at, at + 0.01);
		stack.call('api db', at + 0.001, at + 0.003, { ...SQL, on: `${index % 10}`, state: 'transaction' });
		stack.call('api db', at + 0.004, at + 0.009, { ...SQL, on: `${index % 10}`, state: 'idle' });
	});
	for (let index = 0; index < 10; index += 1)
		stack.call('api db', 2.1 + index / 1000, 2.105 + index / 1000, { ...SQL, on: `${index}`, state: 'transaction' });
	each(2.1, 22, 0.5, (at) => {
		for (let user = 0; user < 25; user += 1) stack.call('k6 api', at + user / 1000, at + 10 + user / 1000, { status: 500 });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['api: pool-held']);
	assert.deepEqual(findings[0].place.edge, { from: 'api', to: 'db' });
});

/** @param holder of the transactions that fill a pooler's two connections from second 2 on */
function pooledTransactions(holder: string) {
	const stack = new MadeStack();
	const [open, done] = [
		{ ...SQL, verb: 'BEGIN', template: 'BEGIN', state: 'transaction' as const },
		{ ...SQL, verb: 'COMMIT', template: 'COMMIT', state: 'idle' as const },
	];
	each(-5, 2, 0.1, (at, index) => {
		stack.call('k6 web', at, at + 0.012);
		stack.call('web pool', at + 0.001, at + 0.011, { ...SQL, on: `w${index % 8}`, state: 'idle' });
		stack.call('pool db', at + 0.002, at + 0.01, { ...SQL, on: `${index % 2}`, state: 'idle' });
	});
	each(2, 26, 1, (at) => {
		for (const one of [0, 1]) {
			const on = `${holder} ${one}`;
			if (holder === 'web') stack.call('k6 web', at + one / 100 - 0.001, at + 0.97);
			stack.call(`${holder} pool`, at + one / 100, at + one / 100 + 0.004, { ...open, on });
			stack.call('pool db', at + one / 100 + 0.001, at + one / 100 + 0.003, { ...open, on: `${one}` });
			stack.call(`${holder} mail`, at + 0.02, at + 0.95, { template: '/send', verb: 'POST' });
			stack.call(`${holder} pool`, at + 0.952, at + 0.958, { ...done, on });
			stack.call('pool db', at + 0.953, at + 0.957, { ...done, on: `${one}` });
		}
	});
	each(2, 24, 0.2, (at, index) => {
		stack.call('k6 web', at, at + 2.002, { status: 500 });
		stack.call('web pool', at + 0.001, at + 2.001, { ...SQL, on: `v${index}`, code: '08P01' });
	});
	return stack.follow().findings;
}

test('transactions that a pooler hands on are held by who opened them, in the way of requests or beside it', () => {
	for (const holder of ['web', 'batch']) {
		const [finding] = pooledTransactions(holder);
		assert.deepEqual([said(finding), finding.place.edge], [`${holder}: pool-held`, { from: holder, to: 'pool' }]);
		assert.equal(
			finding.title,
			'kept 2 transactions open at pool, which has 2 connections to db, and sent nothing in them while it waited for mail',
		);
	}
});

test('answers that are not read to their end are held by who asked, and are no slow database', () => {
	const stack = new MadeStack();
	each(-5, 2, 0.05, (at, index) => {
		stack.call('k6 api', at, at + 0.01);
		stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on: `${index % 5}` });
	});
	for (let index = 0; index < 5; index += 1) {
		stack.call('api db', 2.1, null, { ...SQL, on: `${index}`, first_at: ZERO + 2.12 });
		const [connection] = stack.wire.connections.filter(({ client }) => client === 'api').slice(index);
		connection.closed_window = { client: { times: 1, first_at: ZERO + 2.2, last_at: ZERO + 2.2 }, server: null };
	}
	each(2.2, 20, 0.2, (at) => stack.call('k6 api', at, at + 8, { end: 'given-up', by: 'client' }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['api: pool-held']);
	assert.ok(findings[0].evidence[0].includes('did not read to its end'));
});

test('an answer that its asker cuts short is the asker’s where it had stopped to read it, and else the server’s', () => {
	const cut = (isLeftUnread: boolean) => {
		const stack = new MadeStack();
		each(-5, 30, 0.2, (at, index) => {
			const isBad = at >= 10 && index % 4 > 0;
			stack.call('k6 lb', at, at + (isBad ? 4 : 0.1), isBad ? { end: 'given-up', by: 'client' } : {});
			const about = { first_at: ZERO + at + 0.02, end: 'cut', by: 'client' } as const;
			stack.call('lb api', at + 0.01, at + (isBad ? 4.01 : 0.09), { template: '/list', ...(isBad ? about : {}) });
			const window = { client: { times: 3, first_at: ZERO + at + 0.1, last_at: ZERO + at + 2.5 }, server: null };
			if (isBad && isLeftUnread) Object.assign(stack.wire.connections.at(-1) ?? {}, { closed_window: window, last_at: ZERO + at + 0.1 });
		});
		stack.reads('lb', (second) => ({ cores: 0.06, throttled: second >= 10 ? 1 : 0.1 }));
		return reported(stack);
	};
	assert.deepEqual(cut(true), ['lb: cpu-throttled']);
	assert.deepEqual(cut(false), ['api: unended']);
});

test('local ports that are used up are the caller’s', () => {
	const stack = withoutPorts();
	assert.deepEqual(reported(stack), ['gateway: no-ports']);
});

/** A gateway whose local ports are used up from second 15 on. */
function withoutPorts() {
	const stack = new MadeStack(40);
	each(-5, 30, 0.01, (at, index) => {
		const isOut = at >= 15;
		stack.call('k6 gateway', at, at + 0.01, { status: isOut && index % 2 ? 502 : 200 });
		if (isOut && index % 2) return;
		const id = stack.connect('gateway catalog', at + 0.001, {
			protocol: 'http',
			asked_at: ZERO + at,
			outcome: 'closed',
			by: 'client',
			ended_at: ZERO + at + 0.009,
		});
		stack.wire.calls.push({
			...{
				connection: id,
				began_at: ZERO + at + 0.001,
				sent_at: null,
				first_at: null,
				ended_at: ZERO + at + 0.009,
				verb: 'GET',
				template: '/',
			},
			...{ status: 200, code: null, bad: false, end: 'answered', by: 'server', sent_bytes: 1, answered_bytes: 1 },
		});
	});
	stack.reads('gateway', () => ({}));
	for (const row of stack.kernel) if (row.t > ZERO + 14) row.ports = { range: [1, 2500], by_destination: { 'catalog:80': 2450 } };
	return stack;
}

/**
 * A program whose five connections to a database are all in use from second 15 to 35, in which the database is throttled to a part of its CPU.
 */
function poolBeforeThrottled(stack: MadeStack) {
	const isBad = (at: number) => at >= 15 && at < 35;
	each(-5, 40, 0.1, (at, index) => {
		if (isBad(at)) return;
		stack.call('k6 app', at, at + 0.012);
		stack.call('app db', at + 0.001, at + 0.011, { ...SQL, on: `${index % 5}` });
	});
	for (let connection = 0; connection < 5; connection += 1)
		each(15 + connection / 10, 34, 0.9, (at) => {
			stack.call('app db', at, at + 0.89, { ...SQL, on: `${connection}` });
			stack.call('k6 app', at - 0.05, at + 0.895);
		});
	stack.reads('app', () => ({ cores: 0.1 }));
	stack.reads('db', (second) => ({ cores: isBad(second) ? 0.2 : 0.25, throttled: isBad(second) ? 1 : 0 }));
}

test('a full pool before a throttled database is ruled out where users give up', () => {
	const stack = new MadeStack(45);
	poolBeforeThrottled(stack);
	each(15, 33, 0.05, (at) => stack.call('k6 app', at, at + 3, { end: 'given-up', by: 'client' }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: cpu-throttled']);
	assert.ok(findings[0].evidence.some((text) => text.startsWith('All 5 connections of app to db were in use')));
});

test('and where the program gives up after a deadline of its own, and users try again', () => {
	const stack = new MadeStack(45);
	poolBeforeThrottled(stack);
	each(15, 33, 0.2, (at) => {
		for (let attempt = 0; attempt < 4; attempt += 1) stack.call('k6 app', at + attempt * 1.01, at + 1 + attempt * 1.01, { status: 503 });
	});
	assert.deepEqual(reported(stack), ['db: cpu-throttled']);
});

test('a balancer that sends on few at a time keeps the others in a queue of its own, and says for how long', () => {
	const stack = new MadeStack();
	each(-10, 0, 0.5, (at, index) => {
		stack.call('k6 lb', at, at + 0.07);
		stack.call(`lb web-${1 + (index % 2)}`, at + 0.001, at + 0.069);
	});
	for (const web of ['web-1', 'web-2'])
		each(0.01, 29, 0.064, (at) => {
			stack.call('k6 lb', Math.max(0, at - 0.2), at + 0.064);
			stack.call(`lb ${web}`, at, at + 0.063);
		});
	each(0.5, 28, 0.05, (at) => stack.call('k6 lb', at, at + 0.302, { status: 503 }));
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more.length], ['lb: workers-taken', 0]);
	assert.equal(
		finding.title,
		'sent 2 requests at a time on to web-1 or web-2 and no more, and answered 503 to what had waited 302 ms in its queue',
	);
});

test('a fault of some seconds is read at the moments of the failed, and not over the minute', () => {
	const stack = new MadeStack(60);
	each(-5, 58, 0.05, (at, index) => {
		const isBad = at >= 0 && at % 20 < 2 && index % 2 === 0;
		stack.call('k6 web', at, at + (isBad ? 1.5 : 0.02), isBad ? { end: 'given-up', by: 'client' } : {});
		stack.call('web store', at + 0.001, at + (isBad ? 1.7 : 0.019), { ...SQL, on: isBad ? `bad ${index % 80}` : `${index % 4}` });
	});
	stack.reads('store', (second) => ({ cores: 0.2, throttled: second >= 0 && second % 20 < 4 ? 0.9 : 0 }));
	// Busy all the time, and nothing to do with it.
	stack.reads('batch', () => ({ cores: 0.9 }));
	stack.machine(() => 0.6);
	assert.deepEqual(reported(stack), ['store: cpu-throttled']);
});

test('what waits in an accept queue stands in the callee, whose callers’ connections only look as if it had been asked', () => {
	const stack = new MadeStack();
	each(-5, 5, 0.05, (at, index) => {
		stack.call('k6 nginx', at, at + 0.02);
		stack.call('nginx api', at + 0.001, at + 0.019);
		stack.call('api db', at + 0.002, at + 0.018, { ...SQL, on: `${index % 4}` });
	});
	each(5, 24, 0.05, (at) => {
		stack.call('k6 nginx', at, at + 5.001, { status: 504 });
		stack.call('nginx api', at + 0.0002, at + 5.0002, { end: 'given-up', by: 'client' });
	});
	// Another client makes the database look slow in the same seconds.
	each(5, 24, 3, (at) => stack.call('report db', at, at + 2.9, { ...SQL, template: 'SELECT report', on: 'report' }));
	stack.reads('nginx', () => ({ cores: 0.1 }));
	stack.reads('db', () => ({ cores: 0.2 }));
	stack.reads('api', (second) => ({ cores: second >= 5 ? 0.99 : 0.2, queued: second >= 5 ? 101 : 0 }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['api: busy']);
	assert.ok(findings[0].evidence.some((text) => text.startsWith('101 connections waited to be accepted')));
});

/**
 * Four connections to a database; a report keeps one for two seconds, an item for a hundredth. From second 2 on reports keep all.
 * @param held what is asked for by those that keep them
 */
function keptBy(held: string) {
	const stack = new MadeStack();
	const lane = (number: number, from: number) =>
		each(from + number / 10, 25, 2.01, (at) => {
			stack.call('k6 shop', at, at + 2.005, { template: held });
			stack.call('shop db', at + 0.001, at + 2.004, { ...SQL, on: `${number}` });
		});
	for (const number of [0, 1]) lane(number, -10);
	for (const number of [2, 3]) lane(number, 2);
	each(-9.95, 1.5, 0.1, (at, index) => {
		stack.call('k6 shop', at, at + 0.013, { template: '/item' });
		stack.call('shop db', at + 0.001, at + 0.012, { ...SQL, on: `${2 + (index % 2)}` });
	});
	each(2.4, 20, 0.1, (at) => stack.call('k6 shop', at, at + 3, { template: '/item', status: 503 }));
	stack.reads('shop', () => ({ cores: 0.02 }));
	stack.wire.calls.sort((one, other) => one.began_at - other.began_at);
	return stack.follow().findings;
}

test('of several kinds of requests, the one that keeps what the others wait for is said; of one kind there is nothing to say', () => {
	const [finding, ...more] = keptBy('/report');
	assert.deepEqual([said(finding), more], ['shop: pool-full', []]);
	assert.equal(finding.title, 'had all 4 connections of its pool to db in use, most of them for GET /report');
	assert.match(finding.evidence.join(' '), /were made for GET \/report, which was \d+ % of what shop was asked/);
	assert.equal(keptBy('/item')[0].title, 'had all 4 connections of its pool to db in use');
});

test('what still works on calls that had been given up is not calm, though nobody fails any more', () => {
	const stack = new MadeStack();
	const good = (from: number, to: number) =>
		each(from, to, 0.1, (at, index) => {
			stack.call('k6 web', at, at + 0.01);
			stack.call('web db', at + 0.001, at + 0.009, { ...SQL, on: `g${index % 4}` });
		});
	good(-3, 5);
	each(5, 7, 0.05, (at, index) => {
		stack.call('k6 web', at, at + 3, { status: 504 });
		stack.call('web db', at + 0.001, at + 21, { ...SQL, on: `${index}` });
	});
	// From then on a cache answers, while the store goes on with what nobody waits for.
	each(10.2, 29, 0.1, (at) => stack.call('k6 web', at, at + 0.002));
	stack.reads('db', (at) => ({ cores: 0.5, throttled: at >= 5 ? 1 : 0 }));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.doubts], ['db: cpu-throttled', []]);
});
