/**
 * Who was not there, not at that address, or took nothing that was sent to it, as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, tenure, ZERO } from './fixtures/made-stack.ts';

test('connections that were accepted and closed unasked are the failures of who closed them', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		if (at >= 5 && index % 2) stack.connect('k6 nginx', at, { outcome: 'closed', by: 'server', ended_at: ZERO + at + 0.001 });
		else stack.call('k6 nginx', at, at + 0.02);
	});
	const { findings, failed } = stack.follow();
	assert.deepEqual(findings.map(said), ['nginx: closed-unasked']);
	assert.equal(findings[0].count, failed);
});

test('a request on a connection that its server closes after a fixed idle time lost a race', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isLost = at >= 0 && index % 10 === 0;
		stack.call('lb app', at - 5, at - 4.98, { on: `${index}` });
		stack.call('k6 lb', at - 5.001, at - 4.979);
		if (!isLost) return;
		stack.call('lb app', at + 0.02, at + 0.0203, { on: `${index}`, end: 'reset', by: 'server', raced: true });
		stack.call('k6 lb', at + 0.0195, at + 0.021, { status: 502 });
	});
	assert.deepEqual(reported(stack), ['app: keep-alive-race']);
});

/**
 * A proxy keeps connections to a service and asks on each again after a while; some are broken off within 30 ms, by a program that is late.
 * @param after seconds
 */
function brokenLate(at: (index: number) => { idle: number; isLost: boolean }, after: number = 0.03) {
	const stack = new MadeStack();
	each(-5, 29, 0.1, (began, index) => {
		const { idle, isLost } = at(index);
		stack.call('lb app', began - idle - 0.02, began - idle, { on: `${index}` });
		stack.call('app db', began - idle - 0.015, began - idle - 0.005, { ...SQL, on: 'a' });
		stack.call('k6 lb', began - idle - 0.021, began - idle + 0.001);
		const rest = isLost ? { end: 'reset' as const, by: 'server' as const } : {};
		stack.call('lb app', began, began + (isLost ? after : 0.03), { on: `${index}`, ...rest });
		if (!isLost) stack.call('app db', began + 0.005, began + 0.025, { ...SQL, on: 'a' });
		stack.call('k6 lb', began - 0.001, began + 0.031, isLost ? { status: 502 } : {});
	});
	return reported(stack);
}

test('a server that is late to close has lost the race too, where none that idled as long went well', () => {
	const lost = (index: number) => index > 50 && index % 10 === 0;
	assert.deepEqual(
		brokenLate((index) => ({ idle: lost(index) ? 5 + (index % 3) / 100 : 1 + (index % 30) / 10, isLost: lost(index) })),
		['app: keep-alive-race'],
	);
});

test('but not where others that idled as long went well, nor where they had idled for different times', () => {
	const lost = (index: number) => index > 50 && index % 10 === 0;
	assert.deepEqual(
		brokenLate((index) => ({ idle: 5, isLost: lost(index) })),
		['app: broken-off'],
	);
	assert.deepEqual(
		brokenLate((index) => ({ idle: 0.5 + (index % 37) / 8, isLost: lost(index) })),
		['app: broken-off'],
	);
});

test('where some that idled as long went well, it is one if none that came sooner on a used connection was broken off', () => {
	const lost = (index: number) => index > 50 && index % 10 === 0;
	const asLong = (index: number) => lost(index) || index % 5 === 1;
	assert.deepEqual(
		brokenLate((index) => ({ idle: asLong(index) ? 5 + (index % 3) / 100 : 1 + (index % 30) / 10, isLost: lost(index) })),
		['app: keep-alive-race'],
	);
	// One in ten is broken off, however long it had idled.
	assert.deepEqual(
		brokenLate((index) => ({ idle: index % 20 < 12 ? 5 : 1 + (index % 30) / 10, isLost: index > 50 && index % 7 === 0 })),
		['app: broken-off'],
	);
});

test('soon or late: where users think for as long, all connections had idled for as long', () => {
	const lost = (index: number) => index > 50 && index % 10 === 0;
	assert.deepEqual(
		brokenLate((index) => ({ idle: 5, isLost: lost(index) }), 0.01),
		['app: broken-off'],
	);
});

test('who closes after a service behind it had broken the same requests off lost no race', () => {
	const stack = new MadeStack();
	each(-5, 29, 0.1, (at, index) => {
		const isLost = at >= 5 && index % 20 === 0;
		const rest = isLost ? { end: 'reset' as const, by: 'server' as const } : {};
		// Of the lost alone it is known how long they had idled.
		if (isLost) stack.call('k6 lb', at - 0.22, at - 0.2, { on: `${index}` });
		stack.call('k6 lb', at, at + 0.011, { on: `${index}`, ...(isLost ? { ...rest, end: 'closed' } : {}) });
		stack.call('lb app', at + 0.001, at + 0.01, rest);
		if (!isLost) stack.call('app db', at + 0.002, at + 0.008, { ...SQL, on: 'a' });
	});
	assert.deepEqual(reported(stack), ['app: broken-off']);
});

test('who closes what waited for its turn to connect to a callee that is gone has not broken it off by itself', () => {
	const stack = new MadeStack();
	const never = { accepted_at: null, accepts: 0, outcome: 'unanswered' } as const;
	each(-5, 30, 0.05, (at, index) => {
		const isDead = at >= 10 && at < 14 && index % 2 === 1;
		const isBehind = isDead && index % 8 === 7;
		stack.call('k6 lb', at, at + (isDead ? 8 : 0.02), isBehind ? { end: 'closed', by: 'server' } : isDead ? { status: 503 } : {});
		if (!isDead) stack.call(index % 2 === 1 && at < 14 ? 'lb app-1' : 'lb app-2', at + 0.001, at + 0.019);
		else if (!isBehind) stack.connect('lb app-1', at + 0.001, { ...never, ended_at: ZERO + at + 7.9 });
	});
	assert.deepEqual(reported(stack), ['app-1: unanswered']);
});

test('a callee that died and is asked by ARP alone is the place', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		const isDead = at >= 10;
		stack.call('k6 api', at, at + (isDead ? 3 : 0.02), { status: isDead ? 502 : 200 });
		if (!isDead) stack.call('api db', at + 0.001, at + 0.019, { ...SQL, on: 'a' });
	});
	stack.event('db', 'die', 10, 137);
	assert.deepEqual(reported(stack), ['db: gone']);
});

test('an address that is another container’s by now is the fault of who goes on asking it', () => {
	const stack = new MadeStack();
	stack.wire.services.push(tenure('9', 'k6'), tenure('1', 'nginx'), tenure('2', 'api'), tenure('2', 'worker', 10), tenure('3', 'api', 12));
	each(-5, 30, 0.1, (at) => {
		const isStale = at >= 11;
		stack.call('9 1', at, at + 0.01, { status: isStale ? 502 : 200 });
		if (isStale) stack.refused('1 2', at + 0.001);
		else stack.call('1 2', at + 0.001, at + 0.009);
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['nginx: stale-address']);
	assert.deepEqual(findings[0].place.edge, { from: 'nginx', to: 'worker' });
});

test('checks that failed before a balancer answers by itself explain it', () => {
	const stack = new MadeStack();
	each(-8, 30, 2, (at) => {
		const isLate = at >= 8;
		stack.call('lb web', at, at + (isLate ? 2 : 0.002), {
			verb: 'GET',
			template: '/healthz',
			...(isLate ? { end: 'given-up', by: 'client' } : {}),
		});
	});
	each(-1, 30, 0.05, (at) => {
		const isOut = at >= 14;
		stack.call('k6 lb', at, at + (isOut ? 0.0005 : 0.03), { status: isOut ? 503 : 200 });
		if (!isOut) stack.call('lb web', at + 0.001, at + 0.029);
	});
	assert.deepEqual(reported(stack), ['lb: checks-failed']);
});

test('a refusal before the question is the callee’s, through two services', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at >= 5 && index % 2 === 0;
		stack.call('k6 lb', at, at + 0.02, { status: isBad ? 500 : 200 });
		stack.call('lb api', at + 0.001, at + 0.019, { status: isBad ? 500 : 200 });
		if (isBad)
			stack.call('api db', at + 0.002, at + 0.003, { protocol: 'mysql', role: 'connect', verb: '', template: '', bad: true, code: '1040' });
		else stack.call('api db', at + 0.002, at + 0.018, { ...SQL, protocol: 'mysql', on: 'a' });
	});
	assert.deepEqual(reported(stack), ['db: turned-away']);
});

/**
 * A service whose log-ins a database refuses from second 10 on.
 * @param given before: some went well until then; others: and after
 */
function loggedOut({ before = true, others = false }: { before?: boolean; others?: boolean }) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isLate = at >= 10;
		const isBad = isLate && (!others || index % 2 === 0);
		stack.call('k6 api', at, at + 0.02, { status: isBad ? 500 : 200 });
		const login = {
			...SQL,
			protocol: 'postgres',
			role: 'connect' as const,
			verb: 'CONNECT',
			template: '',
			bad: true,
			code: '28P01',
			on: `new ${index}`,
		};
		if (isBad) return stack.call('api db', at + 0.002, at + 0.003, login);
		if (before || isLate) stack.call('api db', at + 0.002, at + 0.018, { ...SQL, on: isLate ? `late ${index % 3}` : `${index % 3}` });
	});
	const [finding] = stack.follow().findings;
	return [said(finding), finding.title];
}

test('who was let in before and is no more was shut out; who never was, or whose others still are, asks with a wrong password', () => {
	const codeCause = 'asked db as a user, or with a password, that it does not let in';
	assert.deepEqual(loggedOut({}), ['db: login-refused', 'no longer let api in as before']);
	assert.deepEqual(loggedOut({ before: false }), ['api: login-refused', codeCause]);
	assert.deepEqual(loggedOut({ others: true }), ['api: login-refused', codeCause]);
});

test('a worker that was killed for lack of memory explains what it broke off', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at) => {
		const isLost = at >= 10 && at < 10.5;
		stack.call('k6 web', at, at + 0.3, isLost ? { end: 'reset', by: 'server' } : {});
	});
	stack.event('web', 'oom', 10.6);
	assert.deepEqual(reported(stack), ['web: out-of-memory']);
});

test('workers that are killed again and again for lack of memory explain what each of them broke off', () => {
	const stack = new MadeStack();
	const isKill = (at: number) => at >= 10 && (at - 10) % 3 < 0.15;
	each(-5, 29, 0.05, (at) => {
		stack.call('k6 lb', at, at + 0.3, { status: isKill(at) ? 502 : 200 });
		stack.call('lb web', at + 0.001, at + 0.299, isKill(at) ? { end: 'closed', by: 'server' } : {});
	});
	for (let at = 10.35; at < 29; at += 3) stack.event('web', 'oom', at);
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more.length], ['web: out-of-memory', 0]);
});

test('a helper that is killed all the time is not why users gave up, nor why connections were closed at any time', () => {
	for (const end of ['given-up', 'closed'] as const) {
		const stack = new MadeStack();
		each(-5, 27, 0.05, (at, index) => {
			const isBad = at >= 5 && index % 10 === 0;
			stack.call('k6 web', at, at + (isBad ? 1.5 : 0.3), isBad ? { end, by: end === 'closed' ? 'server' : 'client' } : {});
			if (!isBad || end === 'given-up') stack.call('web store', at + 0.001, at + 0.002, { ...SQL, on: 'a' });
		});
		for (let at = 0; at < 30; at += 1) stack.event('web', 'oom', at);
		assert.ok(!reported(stack).includes('web: out-of-memory'), end);
	}
});

for (const isAsked of [false, true])
	test(`a cache that is paused ${isAsked ? 'explains what waits for it' : 'convicts nobody who waits for another'}`, () => {
		const stack = new MadeStack();
		each(-5, 26, 0.1, (at, index) => {
			const isBad = at >= 10 && at < 16;
			const redis = { protocol: 'redis', verb: 'GET', template: '' };
			stack.call('k6 web', at, at + (isBad ? 2 : 0.02), isBad ? { end: 'given-up', by: 'client' } : {});
			if (!isBad && index % 3 === 0) stack.call('web cache', at + 0.0005, at + 0.0009, redis);
			if (isBad && isAsked) stack.call('web cache', at + 0.0005, at + 2, { ...redis, end: 'given-up', by: 'client' });
			else stack.call('web store', at + 0.001, at + (isBad ? 2.1 : 0.019), { ...SQL, on: isBad ? `slow ${index % 30}` : `${index % 4}` });
		});
		stack.event('cache', 'pause', 10);
		stack.event('cache', 'unpause', 16);
		assert.deepEqual(reported(stack), [isAsked ? 'cache: paused' : 'store: stands']);
	});

test('a service that was paused, with its callers’ requests in it, was paused', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		const isHeld = at >= 10 && at < 15;
		stack.call('k6 lb', at, at + (isHeld ? 3 : 0.02), { status: isHeld ? 504 : 200 });
		stack.call('lb api', at + 0.001, at + (isHeld ? 2.99 : 0.019), isHeld ? { end: 'given-up', by: 'client' } : {});
	});
	stack.event('api', 'pause', 10);
	stack.event('api', 'unpause', 18);
	assert.deepEqual(reported(stack), ['api: paused']);
});

test('requests that a proxy resets before it asks anybody are its own, while others wait behind it', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isReset = at >= 5 && index % 3 === 0;
		stack.call('k6 nginx', at, at + (isReset ? 0.2 : 0.6), isReset ? { end: 'reset', by: 'server' } : {});
		if (!isReset) stack.call('nginx app', at + 0.001, at + 0.599);
	});
	assert.deepEqual(reported(stack), ['nginx: broken-off']);
});

test('a balancer that answers at once was not slow, though its callee is for others', () => {
	const stack = new MadeStack();
	each(-8, 30, 2, (at) => {
		const isLate = at >= 8;
		stack.call('lb web', at, at + (isLate ? 2 : 0.002), {
			template: '/healthz',
			...(isLate ? { end: 'given-up' as const, by: 'client' as const } : {}),
		});
	});
	each(-1, 26, 0.05, (at, index) => {
		// Those that were in it when it was taken out.
		const isSlow = at >= 8 && at < 14 && index % 4 === 0;
		const isOut = at >= 14;
		stack.call('k6 lb', at, at + (isOut ? 0.0005 : isSlow ? 8 : 0.03), { status: isOut ? 503 : 200 });
		if (!isOut) stack.call('lb web', at + 0.001, at + (isSlow ? 7.999 : 0.029));
	});
	assert.deepEqual(reported(stack), ['lb: checks-failed']);
});

test('a callee that died is told by who looked for its address, and another death beside it by nobody', () => {
	const stack = new MadeStack();
	stack.wire.services.push(tenure('9', 'k6'), tenure('1', 'api'), tenure('2', 'db'), tenure('3', 'mail'));
	each(-5, 30, 0.1, (at, index) => {
		const isDead = at >= 10;
		stack.call('9 1', at, at + (isDead ? 3 : 0.02), { status: isDead ? 502 : 200 });
		if (!isDead) stack.call('1 2', at + 0.001, at + 0.018, { ...SQL, on: 'a' });
		if (!isDead && index % 20 === 0) stack.call('1 3', at + 0.0185, at + 0.019);
	});
	for (const name of ['db', 'mail']) stack.event(name, 'die', 10, 137);
	stack.wire.networks[0].hosts.push({ source: '1', target: '2', asked: 40, answered: 0, first_at: ZERO + 10.2, last_at: ZERO + 29 });
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: gone']);
	assert.ok(
		findings[0].evidence.some((text) => text.startsWith('api looked for the address of db on the network 40 times')),
		findings[0].evidence.join('\n'),
	);
});

test('two that end together are both where requests fail that either could have answered', () => {
	for (const isLate of [false, true]) {
		const stack = new MadeStack();
		each(-5, 30, 0.1, (at, index) => {
			const isLost = at >= (isLate ? 20 : 10.1);
			stack.call('k6 lb', at, at + (isLost ? 1 : 0.02), { status: isLost ? 502 : 200 });
			const isAlone = isLate && at >= 10;
			if (!isLost) stack.call(`lb ${index % 2 && !isAlone ? 'web-1' : 'web-2'}`, at + 0.001, at + 0.018);
		});
		stack.event('web-1', 'die', 10, 1);
		stack.event('web-2', 'die', isLate ? 20 : 10.1, 1);
		assert.deepEqual(reported(stack), [isLate ? 'web-2: gone' : 'web-1, web-2: gone'], `${isLate}`);
	}
});

test('connections that a crash resets are no race, though they had served before', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isLost = at >= 0 && index % 10 === 0;
		stack.call('lb app', at - 0.1 - (index % 7) * 0.4, at - 0.09 - (index % 7) * 0.4, { on: `${index}` });
		stack.call('k6 lb', at - 0.101 - (index % 7) * 0.4, at - 0.089 - (index % 7) * 0.4);
		if (!isLost) return;
		stack.call('lb app', at + 0.02, at + 0.03, { on: `${index}`, end: 'reset', by: 'server' });
		stack.call('k6 lb', at + 0.0195, at + 0.031, { status: 502 });
		stack.event('app', 'die', at + 0.025, 139);
		stack.event('app', 'start', at + 0.09);
	});
	assert.deepEqual(reported(stack), ['app: gone']);
});

test('what is sent after a refusal before the question does not look like a slow callee', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at >= 5 && index % 2 === 0;
		stack.call('k6 api', at, at + 0.02, { status: isBad ? 500 : 200 });
		if (!isBad) stack.call('api db', at + 0.002, at + 0.018, { ...SQL, protocol: 'mysql', on: 'a' });
		else {
			const refused = { protocol: 'mysql', on: `${index}` };
			stack.call('api db', at + 0.002, at + 0.003, { ...refused, role: 'connect', verb: '', template: '', bad: true, code: '1040' });
			stack.call('api db', at + 0.004, null, { ...refused, verb: 'SELECT', template: 'SELECT items' });
		}
	});
	assert.deepEqual(reported(stack), ['db: turned-away']);
});

test('an error that a pooler hands on is the place’s that made it', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at >= 5 && index % 2 === 0;
		const code = isBad ? { code: '53300', bad: true } : {};
		stack.call('k6 web', at, at + 0.02, { status: isBad ? 500 : 200 });
		stack.call('web pool', at + 0.001, at + 0.019, { ...SQL, ...code, on: `${index % 4}` });
		if (isBad) stack.call('pool store', at + 0.002, at + 0.004, { ...SQL, ...code, role: 'connect', verb: '', template: '' });
		else stack.call('pool store', at + 0.002, at + 0.018, { ...SQL, on: 'a' });
		// Who watches it is turned away as well, before and while requests fail.
		if (index % 10 === 0) stack.call('exporter store', at, at + 0.003, { ...SQL, role: 'connect', bad: true, code: '53300' });
	});
	assert.deepEqual(reported(stack), ['store: turned-away']);
});

test('requests that the generator counts and the wire does not have are said', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => stack.call('k6 api', at, at + 0.01, { status: at >= 5 && index % 10 === 0 ? 500 : 200 }));
	const { failed, doubts } = stack.follow();
	assert.deepEqual(doubts, []);
	assert.deepEqual(stack.follow(failed * 3).doubts, [
		`the generator counts ${failed * 3} failed requests, and ${failed} were seen on the wire`,
	]);
});

/**
 * A cache whose slots another client took lets few in: requests come in fours, so that the joins mix their calls up, and of four one or none is
 * let in. What a refused one says is sent before anything was asked; some ask all the same, once or twice.
 */
function slotsTaken() {
	const stack = new MadeStack();
	const cache = { protocol: 'redis', template: '' };
	for (let index = 0; index < 20; index += 1) stack.connect('batch cache', -6 + index / 10, { protocol: 'redis' });
	each(-5, 5, 0.1, (at) => {
		stack.call('k6 web', at, at + 0.01);
		stack.call('web cache', at + 0.002, at + 0.003, { ...cache, verb: 'INCR' });
	});
	each(5, 25, 0.25, (at, round) => {
		for (let one = 0; one < 4; one += 1) {
			const from = at + one * 0.0007;
			const isIn = one === 0 && round % 3 === 0;
			stack.call('k6 web', from, from + 0.012 - one * 0.001, { status: isIn ? 200 : 500 });
			if (isIn) {
				stack.call('web cache', from + 0.002, from + 0.003, { ...cache, verb: 'INCR' });
				continue;
			}
			const times = 1 + ((one + round) % 2);
			for (let attempt = 0; attempt < times; attempt += 1) {
				const begun = from + 0.002 + attempt * 0.002;
				const isAsked = (one + round) % 3 === 0;
				stack.call('web cache', begun, begun + 0.0004, {
					...cache,
					verb: isAsked ? 'INCR' : 'CONNECT',
					code: 'MAXCLIENTS',
					bad: true,
					...(isAsked ? {} : { role: 'connect' }),
				});
			}
		}
	});
	return stack.follow().findings;
}

test('a server whose connections another client took turned away all, though the joins find some alone', () => {
	const findings = slotsTaken();
	assert.deepEqual(findings.map(said), ['cache: turned-away']);
	assert.match(
		findings[0].title ?? '',
		/^turned connections away with error MAXCLIENTS \(max number of clients reached: maxclients\), while batch kept 20 of \d+ open$/,
	);
	assert.ok(
		findings[0].evidence.some((text) => text.startsWith('Connections open at cache then: 20 of batch')),
		`${findings[0].evidence}`,
	);
});

test('an end that the run alone leaves as it is says so', () => {
	const ends = (manifest: object) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at) => {
			const isGone = at >= 10;
			stack.call('k6 web', at, at + 0.02, { status: isGone ? 502 : 200 });
			if (isGone) stack.refused('web api', at + 0.001);
			else stack.call('web api', at + 0.001, at + 0.019);
		});
		stack.event('api', 'die', 10, 1);
		stack.manifest = manifest;
		const [finding] = stack.follow().findings;
		assert.equal(said(finding), 'api: gone');
		return finding.evidence.join(' ');
	};
	const services = [{ name: 'api', service: 'api' }];
	assert.match(
		ends({ services, restarts: { api: 'always' } }),
		/it did not come back: its Compose file has it started again, and a run leaves an end as it is\./,
	);
	assert.match(ends({ services }), /it did not come back\./);
});

test('of a service that ended by itself it is said what its log says last, and at no other time', () => {
	for (const isUsual of [false, true]) {
		const stack = new MadeStack();
		each(-5, 30, 0.1, (at) => {
			const isLost = at >= 10;
			stack.call('k6 lb', at, at + (isLost ? 1 : 0.02), { status: isLost ? 502 : 200 });
			if (!isLost) stack.call('lb web', at + 0.001, at + 0.018);
			if (!isLost) stack.says('web', at + 0.019, 'GET / 200');
		});
		if (isUsual) stack.says('web', 3, 'liveness: not alive, ending');
		stack.says('web', 9.9, 'liveness: not alive, ending');
		stack.event('web', 'die', 10, 1);
		const [finding] = stack.follow().findings;
		assert.equal(said(finding), 'web: gone');
		const last = finding.evidence.filter((text) => text.startsWith('The last that its log says'));
		assert.deepEqual(last, isUsual ? [] : ['The last that its log says before it ended: “liveness: not alive, ending”.']);
	}
});
