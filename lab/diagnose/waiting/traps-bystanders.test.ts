/**
 * A trouble that fails requests beside one that harms nobody, as small records: the second has the symptom, at the same time, and is ruled out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

test('a bug beside duplicate keys that the program handles is the program', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBug = index % 20 === 0;
		stack.call('k6 web', at, at + (isBug ? 0.004 : 0.008), { status: isBug ? 500 : 200 });
		stack.call('web store', at + 0.001, at + 0.003, { ...SQL, verb: 'INSERT', code: '23505', on: 'a' });
		if (!isBug) stack.call('web store', at + 0.0035, at + 0.007, { ...SQL, on: 'a' });
	});
	const { findings, failed } = stack.follow();
	assert.deepEqual(findings.map(said), ['web: own-error']);
	assert.equal(findings[0].count, failed);
	assert.match(findings[0].evidence.join(' '), /^\d+ times web answered 500, at the median 4\.0 ms after it was asked\. /);
});

test('an exporter that is turned away is another client, and no cause', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBug = index % 20 === 0;
		stack.call('k6 web', at, at + (isBug ? 0.002 : 0.008), { status: isBug ? 500 : 200 });
		if (!isBug) stack.call('web store', at + 0.001, at + 0.007, { ...SQL, on: 'a' });
		stack.call('exporter store', at, at + 0.003, { protocol: 'postgresql', role: 'connect', bad: true, code: '53300' });
	});
	assert.deepEqual(reported(stack), ['web: own-error']);
});

test('a dead cache that nobody needs is ruled out, though every failed request was refused by it', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBug = index % 20 === 0;
		const isDead = at >= 5;
		stack.call('k6 web', at, at + (isBug ? 0.003 : 0.008), { status: isBug ? 500 : 200 });
		if (isDead) stack.refused('web cache', at + 0.001);
		else stack.call('web cache', at + 0.001, at + 0.002, { protocol: 'redis', verb: 'GET', template: '' });
		if (!isBug) stack.call('web store', at + 0.0025, at + 0.007, { ...SQL, on: 'a' });
	});
	stack.event('cache', 'die', 5, 137);
	assert.deepEqual(reported(stack), ['web: own-error']);
});

test('a program that sleeps beside a slow report stands by itself', () => {
	const stack = new MadeStack(40);
	each(-5, 40, 0.05, (at, index) => {
		const isAsleep = at >= 0 && at % 10 < 2.5;
		if (!isAsleep) {
			stack.call('k6 lb', at, at + 0.009);
			stack.call('lb web', at + 0.001, at + 0.008);
			stack.call('web store', at + 0.002, at + 0.007, { ...SQL, on: `web ${index % 4}` });
			return;
		}
		if (index % 5 !== 0) return;
		stack.call('k6 lb', at, at + 1.0005, { status: 504 });
		stack.call('lb web', at + 0.0002, at + 1.0002, { end: 'given-up', by: 'client' });
	});
	each(0, 40, 10, (at) => stack.call('report store', at, at + 2.2, { ...SQL, template: 'SELECT report' }));
	assert.deepEqual(reported(stack), ['web: stands']);
});

test('retransmitted packets are no evidence beside a program that sleeps', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isSleep = index % 25 === 0;
		const lost = index % 10 === 3;
		const id = stack.connect('k6 web', at, { protocol: 'http', asked_at: ZERO + at, ...(lost ? { syns: 2, again: 1 } : {}) });
		assert.ok(id >= 0);
		stack.call('k6 web', at, isSleep ? at + 2 : at + 0.01, isSleep ? { end: 'given-up', by: 'client' } : {});
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['web: stands']);
	assert.ok(findings[0].evidence.some((text) => text.includes('k6 gave up after 2.00 s')));
});

test('a neighbour that takes the CPU is named', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isSlow = at >= 15;
		stack.call('k6 lb', at, at + (isSlow ? 1.001 : 0.02), { status: isSlow && index % 2 ? 504 : 200 });
		if (isSlow && index % 2) stack.call('lb web', at + 0.0001, at + 1, { end: 'given-up', by: 'client' });
		else stack.call('lb web', at + 0.0001, at + (isSlow ? 0.9 : 0.019));
	});
	stack.reads('web', () => ({ cores: 0.4 }));
	stack.reads('lb', () => ({ cores: 0.1 }));
	stack.reads('batch', (second) => ({ cores: second >= 15 ? 1.4 : 0 }));
	stack.machine((second) => (second >= 15 ? 0.99 : 0.5));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['batch: cpu-taken', 'timed']);
	stack.host.length = 0;
	stack.machine(() => 0.99);
	const [doubted] = stack.follow().findings;
	assert.deepEqual([said(doubted), doubted.why_basis], ['batch: cpu-taken', 'inferred']);
	stack.containers.length = 0;
	stack.reads('web', () => ({ cores: 0.4 }));
	stack.reads('batch', (second) => ({ cores: second >= 15 ? 0.3 : 0 }));
	assert.deepEqual(reported(stack), ['web: stands']);
});

test('a machine that is as full in calm seconds names no neighbour', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at) => {
		const isSlow = at >= 15;
		stack.call('k6 web', at, at + (isSlow ? 1 : 0.02), isSlow ? { end: 'given-up', by: 'client' } : {});
	});
	stack.reads('web', () => ({ cores: 0.4 }));
	stack.reads('other', () => ({ cores: 1.5 }));
	stack.machine(() => 0.99);
	assert.deepEqual(reported(stack), ['web: stands']);
});

test('the end of a service that the failed requests do not ask explains none of them', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		const isBad = at >= 10;
		stack.call('k6 api', at, at + (isBad ? 3 : 0.02), { status: isBad ? 502 : 200 });
	});
	each(-5, 10, 0.1, (at) => stack.call('worker db', at, at + 0.01, { ...SQL, on: 'a' }));
	stack.event('db', 'die', 10, 137);
	assert.deepEqual(reported(stack), ['api: stands']);
});

test('an error that comes as late as good answers, after the same calls, is the program’s and not the database’s', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		stack.call('k6 api', at, at + 0.2, { status: at >= 5 && index % 5 === 0 ? 500 : 200 });
		stack.call('api db', at + 0.002, at + 0.19, { ...SQL, on: `${index % 8}` });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['api: own-error']);
	assert.deepEqual(
		findings[0].evidence,
		['100 times api answered 500, at the median 200 ms after it was asked.'],
		'what is alike is not said',
	);
});

test('a cache that dies a second before a bug appears is ruled out by the requests that survive it', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const [isBug, isDead] = [at >= 26 && index % 4 === 0, at >= 25];
		stack.call('k6 web', at, at + 0.3, { status: isBug ? 500 : 200 });
		if (!isDead) stack.call('web cache', at + 0.001, at + 0.002, { protocol: 'redis', verb: 'GET', template: '' });
		stack.call('web store', at + 0.0025, at + 0.29, { ...SQL, on: `${index % 9}` });
	});
	stack.event('cache', 'die', 25, 137);
	assert.deepEqual(reported(stack), ['web: own-error']);
});

test('rare errors of others that lie in long failed requests by chance are no cause', () => {
	const stack = new MadeStack();
	each(-5, 27, 0.1, (at, index) => {
		const isBad = at >= 5 && index % 10 === 0;
		stack.call('k6 api', at, at + (isBad ? 2 : 0.02), isBad ? { end: 'given-up', by: 'client' } : {});
		if (index % 10 === 5)
			stack.call('api cache', at + 0.001, at + 0.002, { protocol: 'redis', verb: 'SET', template: '', code: 'OOM', bad: true, on: 'a' });
	});
	assert.deepEqual(reported(stack), ['api: stands']);
});

test('at 400 requests a second a bad call shortly before each failure accuses nobody', () => {
	const stack = new MadeStack(10);
	each(-2, 10, 0.0025, (at, index) => {
		const isBug = at >= 0 && index % 40 === 0;
		stack.call('k6 web', at, at + (isBug ? 0.003 : 0.012), { status: isBug ? 500 : 200 });
		if (isBug) return;
		// One in ten is refused an advertisement, which nobody minds.
		stack.call('web ads', at + 0.001, at + 0.004, { status: index % 10 === 7 ? 500 : 200, on: `${index % 8}` });
		stack.call('web store', at + 0.005, at + 0.011, { ...SQL, on: `${index % 8}` });
	});
	const { findings, failed } = stack.follow();
	assert.deepEqual(findings.map(said), ['web: own-error']);
	assert.equal(findings[0].count, failed);
});

test('checks that fail beside a bug, while requests go on to who is checked, are not its cause', () => {
	const stack = new MadeStack();
	each(-8, 30, 2, (at) => {
		const isLate = at >= 8;
		stack.call('lb web', at, at + (isLate ? 1.9 : 0.002), {
			template: '/healthz',
			...(isLate ? { end: 'given-up' as const, by: 'client' as const } : {}),
		});
	});
	each(-1, 30, 0.05, (at, index) => {
		const status = at >= 8 && index % 5 === 0 ? 500 : 200;
		stack.call('k6 lb', at, at + 0.02, { status });
		stack.call('lb web', at + 0.001, at + 0.019, { status });
	});
	assert.deepEqual(reported(stack), ['web: own-error']);
});

for (const [role, pollers] of [
	['wait', 8],
	['call', 8],
	['wait', 3],
	['call', 3],
] as const)
	test(`${pollers} long polls are not what requests wait for, whether they are known as such or not (${role})`, () => {
		const stack = new MadeStack();
		for (let poller = 0; poller < pollers; poller += 1)
			each(-9, 30, 5, (at) =>
				stack.call('api queue', at + poller / 10, at + poller / 10 + 4.99, {
					protocol: 'redis',
					verb: 'BLPOP',
					template: '',
					role,
					on: `${poller}`,
				}),
			);
		each(-5, 28, 0.1, (at, index) => {
			const isSlow = at >= 5 && index % 5 === 0;
			stack.call('k6 api', at, at + (isSlow ? 2 : 0.02), isSlow ? { end: 'given-up', by: 'client' } : {});
			if (!isSlow) stack.call('api db', at + 0.001, at + 0.019, { ...SQL, on: `${index % 3}` });
		});
		assert.deepEqual(reported(stack), ['api: stands']);
	});

test('a transaction that a report keeps open explains nothing where the failed requests do not wait for its holder', () => {
	const stack = new MadeStack();
	stack.call('report store', 0, 0.01, { ...SQL, on: 'report', state: 'transaction' });
	stack.call('report store', 29, 29.01, { ...SQL, verb: 'COMMIT', template: '', on: 'report', state: 'idle' });
	each(-5, 28, 0.05, (at, index) => {
		const isAsleep = at >= 5 && index % 10 === 0;
		stack.call('k6 web', at, at + (isAsleep ? 1.5 : 0.02), isAsleep ? { end: 'given-up', by: 'client' } : {});
		if (!isAsleep) stack.call('web store', at + 0.001, at + 0.019, { ...SQL, on: `${index % 4}` });
	});
	assert.deepEqual(reported(stack), ['web: stands']);
});

test('a transaction through which good requests go as well is no lock of those that the store was slow for', () => {
	const stack = new MadeStack();
	stack.call('report store', 0, 0.01, { ...SQL, on: 'report', state: 'transaction' });
	stack.call('report store', 29, 29.01, { ...SQL, verb: 'COMMIT', template: '', on: 'report', state: 'idle' });
	each(-5, 26, 0.05, (at, index) => {
		const isSlow = at >= 10 && at < 20 && index % 2 === 0;
		stack.call('k6 web', at, at + (isSlow ? 1.5 : 0.02), isSlow ? { end: 'given-up', by: 'client' } : {});
		stack.call('web store', at + 0.001, at + (isSlow ? 1.8 : 0.019), { ...SQL, on: isSlow ? `slow ${index % 80}` : `${index % 4}` });
	});
	assert.deepEqual(reported(stack), ['store: stands']);
});

test('a neighbour that takes the CPU in the same seconds in which a bug answers at once is no cause of it', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBug = at >= 15 && index % 5 === 0;
		stack.call('k6 web', at, at + (isBug ? 0.002 : at >= 15 ? 0.03 : 0.01), { status: isBug ? 500 : 200 });
		if (!isBug) stack.call('web store', at + 0.001, at + 0.008, { ...SQL, on: `${index % 4}` });
	});
	stack.reads('web', () => ({ cores: 0.4 }));
	stack.reads('batch', (second) => ({ cores: second >= 15 ? 1.4 : 0 }));
	stack.machine((second) => (second >= 15 ? 0.99 : 0.5));
	assert.deepEqual(reported(stack), ['web: own-error']);
});

test('a sibling that restarts explains nothing that another one answers', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isAway = at >= 10 && at < 14;
		const web = index % 2 === 0 || isAway ? 'web-1' : 'web-2';
		const status = web === 'web-1' && at >= 8 && index % 8 === 0 ? 500 : 200;
		stack.call('k6 lb', at, at + 0.02, { status });
		stack.call(`lb ${web}`, at + 0.001, at + 0.019, { status });
	});
	stack.event('web-2', 'die', 10, 1);
	stack.event('web-2', 'start', 13.5);
	assert.deepEqual(reported(stack), ['web-1: own-error']);
});

for (const [what, reads] of [
	['is throttled in some periods', (isLate) => ({ cores: 0.4, throttled: isLate ? 0.4 : 0 })],
	['is busier', (isLate) => ({ cores: isLate ? 0.95 : 0.3 })],
] as [string, (isLate: boolean) => { cores: number; throttled?: number }][])
	test(`a service that ${what} while one in twenty of its requests sleeps did not make these wait: the others are quick`, () => {
		const stack = new MadeStack();
		each(-5, 24, 0.05, (at, index) => {
			const isAsleep = at >= 10 && index % 20 === 0;
			stack.call('k6 web', at, at + (isAsleep ? 2 : at >= 10 ? 0.04 : 0.02), isAsleep ? { end: 'given-up', by: 'client' } : {});
			stack.call('web store', at + 0.001, at + 0.008, { ...SQL, on: `${index % 4}` });
		});
		stack.reads('web', (second) => reads(second >= 10));
		assert.deepEqual(reported(stack), ['web: stands']);
	});

for (const [cache, isRead, isNeeded] of [
	['acquitted by the pages that do without it', true, false],
	['acquitted as well where what it is asked cannot be read', false, false],
	['its cause where no page does without it', true, true],
] as const)
	test(`a cache that dies when a slow page is asked for first is ${cache}`, () => {
		const stack = new MadeStack();
		each(-5, 29, 0.05, (at, index) => {
			const isLate = at >= 10;
			const isSlow = isLate && index % 10 === 0;
			const template = isSlow ? '/slow' : '/';
			const isLost = isSlow || (isLate && isNeeded);
			stack.call('k6 web', at, at + (isLost ? 1 : 0.02), isLost ? { template, end: 'given-up', by: 'client' } : { template });
			if (!isLate && isRead) stack.call('web cache', at + 0.0015, at + 0.002, { protocol: 'redis', verb: 'GET', template: '' });
			if (!isLate && !isRead) stack.connect('web cache', at + 0.0015, { ended_at: ZERO + at + 0.002, outcome: 'closed', unknown_bytes: 9 });
			if (isSlow) stack.call('web store', at + 0.003, at + 1.5, { ...SQL, template: 'SELECT slow', on: `slow ${index % 40}` });
			else if (!isLost) stack.call('web store', at + 0.003, at + 0.018, { ...SQL, on: `${index % 4}` });
		});
		stack.event('cache', 'die', 10, 137);
		assert.deepEqual([...new Set(reported(stack))], isNeeded ? ['cache: gone'] : ['store: slow-kind']);
	});

/**
 * @param also what another client does at a store that is throttled from second 10 on
 * @param calm before it
 */
function throttledStore(also: (stack: MadeStack) => void, calm: number = 0) {
	const stack = new MadeStack();
	each(-5, 29, 0.2, (at, index) => {
		const isLate = at >= 10;
		const over = at + (isLate ? 2 : 0.05);
		stack.call('k6 web', at, over, isLate ? { end: 'given-up', by: 'client' } : {});
		stack.call('web store', at + 0.01, isLate ? at + 1.9 : over - 0.01, { ...SQL, on: `${index % 20}` });
	});
	also(stack);
	stack.reads('store', (second) => ({ cores: 0.2, throttled: second >= 10 ? 1 : calm }));
	return stack.follow().findings[0];
}

test('whom no service asks and who has much going on where CPU is short is named', () => {
	const sums = { ...SQL, template: 'SELECT sums' };
	const many = (stack: MadeStack) => each(0, 8, 1, (_, one) => stack.call('batch store', 9, null, { ...sums, on: `b ${one}` }));
	const finding = throttledStore(many);
	assert.equal(said(finding), 'store: cpu-throttled');
	assert.match(finding.title ?? '', /, while 8 calls SELECT sums of batch went on there$/);
	assert.ok(finding.evidence.some((text) => /^batch, which no service asks, had 8 of the \d+ calls that went on at store/.test(text)));
});

test('a store that is at its quota in calm seconds too is short of CPU for who came to it, and for nobody where nobody came', () => {
	const quick = (stack: MadeStack) =>
		each(0, 29, 0.5, (at) => stack.call('web store', at, at + 0.005, { ...SQL, template: 'SELECT one', on: 'q' }));
	const sums = { ...SQL, template: 'SELECT sums' };
	const came = throttledStore((stack) => {
		quick(stack);
		each(0, 8, 1, (_, one) => stack.call('batch store', 9, null, { ...sums, on: `b ${one}` }));
	}, 0.9);
	assert.equal(said(came), 'store: cpu-throttled');
	assert.match(came.title ?? '', /SELECT items \(30 ms in calm seconds\), while 8 calls SELECT sums of batch went on there$/);
	assert.deepEqual([came.why_basis, came.doubts], ['inferred', ['it was throttled in 90 % of its periods in calm seconds too']]);
	assert.equal(said(throttledStore(quick, 0.9)), 'store: slow-kind');
});

test('but not who has as much in calm seconds, hardly any, or is asked itself', () => {
	const isNamed = (also: (stack: MadeStack) => void) => throttledStore(also).title?.includes('batch') ?? false;
	const sums = { ...SQL, template: 'SELECT sums' };
	assert.equal(
		isNamed((stack) => each(0, 8, 1, (_, one) => stack.call('batch store', -9.9, null, { ...sums, on: `b ${one}` }))),
		false,
	);
	assert.equal(
		isNamed((stack) => stack.call('batch store', 9, null, sums)),
		false,
	);
	assert.equal(
		isNamed((stack) => each(0, 8, 1, (_, one) => stack.call('batch store', 9, null, { ...sums, role: 'wait', on: `b ${one}` }))),
		false,
	);
	assert.equal(
		isNamed((stack) => {
			each(0, 8, 1, (_, one) => stack.call('batch store', 9, null, { ...sums, on: `b ${one}` }));
			each(9, 29, 1, (at) => stack.call('web batch', at, at + 0.9));
		}),
		false,
	);
});
