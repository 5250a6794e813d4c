/**
 * Services that answer by themselves since what they ask had failed before, as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

test('checks of one that fail and come back are not why a balancer turns requests away while it goes on asking another', () => {
	const stack = new MadeStack();
	for (const web of ['web-1', 'web-2'])
		each(-8, 30, 1, (at, index) =>
			stack.call(`lb ${web}`, at + 0.013, at + 0.015, { template: '/health', status: web === 'web-1' && index % 6 > 3 ? 503 : 200 }),
		);
	each(-5, 29, 0.02, (at, index) => {
		const isFull = at >= 5 && index % 4 === 0;
		stack.call('k6 lb', at, at + (isFull ? 0.0005 : 0.011), { status: isFull ? 503 : 200 });
		if (!isFull) stack.call(`lb ${Math.floor(at + 8) % 6 > 3 || index % 2 ? 'web-2' : 'web-1'}`, at + 0.001, at + 0.0105);
	});
	assert.deepEqual(reported(stack), ['lb: turned-away']);
});

test('checks of those whom such requests go to explain it, while others go on to another service', () => {
	const stack = new MadeStack();
	each(-8, 30, 2, (at) => stack.call('lb web', at + 0.033, at + 0.034, { template: '/health', status: at >= 8 ? 503 : 200 }));
	each(-5, 30, 0.05, (at, index) => {
		const [template, to] = index % 2 ? ['/api', 'api'] : ['/', 'web'];
		const isOut = to === 'web' && at >= 10.1;
		stack.call('k6 lb', at, at + (isOut ? 0.0005 : 0.02), { template, status: isOut ? 503 : 200 });
		if (!isOut) stack.call(`lb ${to}`, at + 0.001, at + 0.019, { template });
	});
	assert.deepEqual(reported(stack), ['lb: checks-failed']);
});

/**
 * A pooler that is turned away by its store from second 5 to 20, tries again every five seconds, and answers everybody with an error meanwhile.
 * @param given bug: it answers so in half the cases, and asks the store in the others
 */
function pooler({ bug = false, triedAt = [4.99, 9.99, 14.99] }: { bug?: boolean; triedAt?: number[] } = {}) {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const isOut = at >= 5 && at < 20 && (!bug || index % 2 === 0);
		stack.call('k6 api', at, at + 0.01, { status: isOut ? 500 : 200 });
		stack.call('api pool', at + 0.001, at + 0.008, { ...SQL, code: isOut ? '08P01' : null, bad: isOut, on: `${index % 4}` });
		if (!isOut) stack.call('pool store', at + 0.002, at + 0.006, { ...SQL, on: `${at >= 5 ? 'new' : 'old'} ${index % 2}` });
	});
	for (const at of triedAt)
		stack.call('pool store', at, at + 0.003, { ...SQL, role: 'connect', bad: true, code: '53300', verb: 'CONNECT' });
	return stack;
}

test('who keeps in mind that its last try was turned away is followed to who did so', () => {
	const [finding] = pooler().follow().findings;
	assert.deepEqual([said(finding), finding.why_basis, finding.basis], ['store: turned-away', 'counted', 'inferred']);
	assert.ok(
		finding.evidence.includes(
			'100 % of the failed requests, and 0 % of the good ones, came after a try of store that was answered 53300 and before the next, up to 4.91 s later; pool made no calls for them.',
		),
		`${finding.evidence}`,
	);
});

test('but not where it asks for good ones meanwhile, or there was no try before', () => {
	assert.deepEqual(reported(pooler({ bug: true })), ['pool: own-error']);
	assert.deepEqual(reported(pooler({ triedAt: [14.99] })), ['pool: own-error']);
	assert.deepEqual(reported(pooler({ triedAt: [4.99] })), ['store: turned-away']);
});

/**
 * An api whose pool lost its connections through a proxy of a database at second 10 and tries to open others beside requests, which wait for one.
 * @param how isOpen: it kept one; isBlocked: the database turns
 * the proxy away, which hands that on; isNeeded: good requests ask the database
 */
function unconnected({
	isOpen = false,
	isBlocked = true,
	isNeeded = true,
	triesAt = 10.2,
	triesTo = 29,
}: {
	isOpen?: boolean;
	isBlocked?: boolean;
	isNeeded?: boolean;
	triesAt?: number;
	triesTo?: number;
} = {}) {
	const stack = new MadeStack();
	each(-8, 29, 0.1, (at, index) => {
		const isLost = at >= 10;
		stack.call('k6 api', at, at + (isLost ? 1.5 : 0.03), { status: isLost ? 500 : 200 });
		if (!isLost && (isNeeded || index % 20 === 0)) stack.call('api sql', at + 0.001, at + 0.02, { ...SQL, on: `${index % 4}` });
		if (isLost) stack.says('api', at + 1.5, 'HikariPool-1 - Connection is not available, request timed out after 1500ms');
	});
	if (!isOpen)
		for (const line of stack.wire.connections.filter(({ client }) => client === 'api'))
			Object.assign(line, { ended_at: ZERO + 10, outcome: 'closed' });
	each(triesAt, triesTo, 0.9, (at, index) => {
		const turned = { ...SQL, role: 'connect' as const, verb: 'CONNECT', template: '', bad: true, code: '1129' };
		stack.call('api sql', at, at + 0.004, { ...turned, on: `try ${index}` });
		if (isBlocked) stack.call('sql db', at + 0.001, at + 0.003, { ...turned, on: `try ${index}` });
	});
	return stack.follow().findings[0];
}

test('who has no connection to ask on is followed to who turns it away, through who only hands that on', () => {
	const finding = unconnected();
	assert.deepEqual([said(finding), finding.title], ['db: turned-away', 'turned connections away with error 1129']);
	assert.equal(said(unconnected({ isBlocked: false })), 'sql: turned-away');
});

test('but not who has one left, whom good requests do not need, or who has tried but once', () => {
	for (const how of [{ isOpen: true }, { isNeeded: false }, { triesAt: 28.5 }, { triesAt: -20, triesTo: -10 }])
		assert.equal(said(unconnected(how)), 'api: pool-full', JSON.stringify(how));
});

test('an answer that says what is wrong with the request is no try that failed, after which nobody asks', () => {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const isOut = at >= 5;
		const isMissing = index % 25 === 0 && !isOut;
		stack.call('k6 gate', at, at + 0.01, { status: isOut ? 503 : 200 });
		if (!isOut) stack.call('gate render', at + 0.001, at + 0.009, { status: isMissing ? 404 : 200, bad: isMissing });
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'gate: turned-away');
});

test('where no request went well it is doubted that they are asked for at all', () => {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		stack.call('k6 api', at, at + 0.01, { status: 500 });
		stack.call('api pool', at + 0.001, at + 0.008, { ...SQL, code: '08P01', bad: true, on: `${index % 4}` });
	});
	each(-9, 30, 5, (at) => stack.call('pool store', at, at + 0.003, { ...SQL, role: 'connect', bad: true, code: '53300', verb: 'CONNECT' }));
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'store: turned-away');
	assert.ok(finding.doubts.includes('no such request went well in pool: whether it asks store for them is not known'), `${finding.doubts}`);
});

/**
 * A proxy that gave up searches at both of its callees, took them out for eight seconds, and turned pages away meanwhile.
 * @param given kinds: of the tries, and of what is turned away; isHung: the callees
 * answered no page either while the tries went on
 */
function takenOut({ searched = '/search', page = '/page', isHung = false }: { searched?: string; page?: string; isHung?: boolean } = {}) {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const isOut = at >= 7 && at < 15;
		stack.call('k6 lb', at, at + (isOut ? 0.001 : 0.01), { status: isOut ? 502 : 200, template: page });
		const to = at >= 5.9 ? 'n2' : `n${(index % 2) + 1}`;
		if (!isOut && !(isHung && at > 4.9 && at < 15)) stack.call(`lb ${to}`, at + 0.001, at + 0.008, { template: page });
	});
	stack.call('k6 lb', 4.95, 6.96, { status: 504, template: searched });
	for (const [to, at] of [
		['n1', 4.951],
		['n2', 5.953],
	] as const)
		stack.call(`lb ${to}`, at, at + 1, { template: searched, end: 'given-up', by: 'client' });
	return stack;
}

test('who took its callees out after tries of other requests turned these away itself', () => {
	const [finding] = takenOut().follow().findings;
	assert.deepEqual(
		[said(finding), finding.title, finding.basis],
		['lb: checks-failed', 'took n1, n2 out after requests of another kind (GET /search) had failed there', 'counted'],
	);
});

test('where the tries were of the same kind, they took both out for one of many', () => {
	const [finding] = takenOut({ searched: '/page' }).follow().findings;
	assert.equal(said(finding), 'lb: checks-failed');
	assert.match(finding.title ?? '', /^asked n[12] no more for up to .* after one call had failed there, though others were answered$/);
});

test('but not where nothing else was answered there', () => {
	assert.notEqual(reported(takenOut({ searched: '/page', isHung: true }))[0], 'lb: checks-failed');
});

test('nor where they answered nothing else meanwhile', () => {
	assert.notEqual(takenOut({ isHung: true }).follow().findings[0].mechanism, 'checks-failed');
});

/**
 * A proxy that leaves its only living callee out for some seconds after one reset, and has but one beside it that refuses everybody.
 * @param how of the living one
 */
function leftWithDead(how: (at: number) => { isOut: boolean; isReset: boolean }) {
	const stack = new MadeStack();
	each(-8, 30, 0.02, (at, index) => {
		const { isOut, isReset } = how(at);
		stack.call('k6 lb', at, at + (isOut ? 0.002 : 0.01), { status: isOut || isReset ? 502 : 200 });
		if (isOut || index % 2 === 0) stack.refused('lb old', at + 0.0005);
		if (!isOut) stack.call('lb live', at + 0.001, at + 0.008, isReset ? { end: 'reset', by: 'server' } : {});
	});
	return stack;
}
const near = (at: number, moment: number) => Math.abs(at - moment) < 0.005;

test('who leaves a callee out that answers all others, and asks one in vain that refuses good requests too, is the place itself', () => {
	const ends = [6, 18];
	const stack = leftWithDead((at) => ({
		isOut: ends.some((end) => at > end + 0.01 && at < end + 8),
		isReset: ends.some((end) => near(at, end)),
	}));
	const [finding, ...more] = stack.follow().findings.filter(({ count }) => count > 5);
	assert.deepEqual([said(finding), more.map(said)], ['lb: checks-failed', []]);
	assert.deepEqual([finding.place.edge, finding.basis], [{ from: 'lb', to: 'live' }, 'counted']);
	assert.match(
		finding.title ?? '',
		/^asked live no more for up to 7\.9\d s after single calls had failed there, though others were answered$/,
	);
});

test('each worker of a proxy leaves it out by itself, while the other asks on', () => {
	const stack = new MadeStack();
	each(-8, 30, 0.02, (at, index) => {
		const isOfFirst = index % 4 < 2;
		const isReset = near(at, 6) || (isOfFirst && near(at, 18));
		const isOut = (at > 6.01 && at < 14) || (isOfFirst && at > 18.03 && at < 22);
		stack.call('k6 lb', at, at + (isOut ? 0.002 : 0.01), { status: isOut || isReset ? 502 : 200 });
		if (isOut || index % 2 === 0) stack.refused('lb old', at + 0.0005);
		if (!isOut) stack.call('lb live', at + 0.001, at + 0.008, isReset ? { end: 'reset', by: 'server' } : {});
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'lb: checks-failed');
	assert.ok(
		finding.doubts.some((text) => text.endsWith('that each of its workers keeps its own tries in mind is inferred')),
		`${finding.doubts}`,
	);
});

test('a callee that fails each time it is asked again is the place, and not who leaves it out', () => {
	const stack = leftWithDead((at) => {
		const isReset = at > 5.99 && near(at % 4, 2);
		return { isOut: at > 6.01 && !isReset, isReset };
	});
	const [finding] = stack.follow().findings;
	assert.match(said(finding), /^live: /);
});

test('calls of one’s own that fail all the time, of whom nobody is asked for requests, are no checks by which anybody is taken out', () => {
	const stack = new MadeStack();
	each(-8, 30, 0.31, (at, index) => stack.call('app stats', at, at + 0.002, { template: '/hit', status: index % 3 ? 200 : 500 }));
	each(-5, 29, 0.05, (at, index) => {
		const isExport = at >= 5 && index % 8 === 0;
		stack.call('k6 app', at, at + 0.003, { template: isExport ? '/export' : '/item', status: isExport ? 500 : 200 });
	});
	assert.deepEqual(reported(stack), ['app: own-error']);
});

test('of names that were not found it is told which were to be looked up', () => {
	const stack = new MadeStack();
	const lookup = { protocol: 'dns', verb: 'A', template: 'stock.corp.example', status: null };
	each(-8, 30, 0.1, (at, index) => {
		const isOut = at >= 5 && at < 20;
		const answer = isOut ? { code: 'NXDOMAIN', bad: true } : {};
		stack.call('k6 api', at, at + 0.01, { status: isOut ? 502 : 200 });
		stack.call('api dns', at + 0.001, at + 0.002, { ...lookup, ...answer, on: `${index % 4}` });
		if (!isOut) stack.call('dns registry', at + 0.0012, at + 0.0018, { ...lookup, on: `${index % 4}` });
	});
	for (const at of [4.99, 9.99, 14.99]) stack.call('dns registry', at, at + 0.0003, { ...lookup, code: 'NXDOMAIN', bad: true });
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'registry: own-error');
	assert.equal(
		finding.evidence[0],
		'3 times registry answered NXDOMAIN, at the median 0.3 ms after it was asked for A stock.corp.example.',
	);
	assert.ok(
		finding.evidence.some((text) => text.includes('came after a try of registry for A stock.corp.example that was answered NXDOMAIN')),
	);
});
