/**
 * Limits of connections: who keeps as many as it takes and closes further ones, and who closes them for another reason.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionRecord } from '../../wire/connection.ts';
import { each, MadeStack, reported, said, ZERO } from './fixtures/made-stack.ts';

const FROM = 5;
const KEPT = 12;

/**
 * A cache keeps twelve connections of two services; each ends after four seconds and another takes its place. From second 5 on as many requests
 * again come, for whom a further connection is opened, which is not kept.
 * @param given isLet: whether one of the further ones is served all the same; kept: how many, when the further ones come; took: each request for which one is opened
 */
function filled({
	isLet = () => false,
	isGivenBack = true,
	further = closedAtOnce,
	kept = KEPT,
	took = 0.004,
}: {
	isLet?: (index: number) => boolean;
	isGivenBack?: boolean;
	further?: (stack: MadeStack, at: number) => void;
	kept?: number;
	took?: number;
} = {}) {
	const stack = new MadeStack();
	for (let slot = 0; slot < KEPT; slot += 1)
		each(-5, 30, 0.5, (at, index) => {
			if (slot >= kept && at >= FROM) return;
			const on = `${slot} ${isGivenBack ? Math.floor((index + slot) / 8) : 0}`;
			const from = slot % 2 ? 'api' : 'feed';
			if (slot % 2 === 0) stack.call('k6 feed', at + slot / 100, at + slot / 100 + 0.003);
			stack.call(`${from} cache`, at + slot / 100 + 0.001, at + slot / 100 + 0.002, { protocol: 'memcached', on });
		});
	for (const own of stack.wire.connections) if (own.server === 'cache') closeAfterLast(stack, own);
	each(FROM, 30, 0.5, (at, index) => {
		const isServed = isLet(index);
		stack.call('k6 feed', at + 0.4, at + 0.4 + took, { status: isServed ? 200 : 500 });
		if (isServed) stack.call('feed cache', at + 0.401, at + 0.403, { protocol: 'memcached' });
		else further(stack, at + 0.401);
	});
	return stack;
}

function closedAtOnce(stack: MadeStack, at: number) {
	stack.connect('feed cache', at, { outcome: 'closed', by: 'server', ended_at: ZERO + at + 0.001 });
}

function closeAfterLast({ wire }: MadeStack, own: ConnectionRecord) {
	const last = wire.calls.findLast(({ connection }) => connection === own.id);
	Object.assign(own, { ended_at: (last?.ended_at ?? 0) + 0.49, outcome: 'closed', by: 'client' });
}

test('who keeps as many connections as ever, of all its callers, and closes further ones has no more to give', () => {
	const [finding] = filled().follow().findings;
	assert.equal(said(finding), 'cache: slots-taken');
	assert.equal(finding.title, 'kept 12 connections open, as many as it takes, and closed further ones');
	assert.equal(finding.why_basis, 'counted');
	assert.ok(
		finding.evidence.includes(
			'cache kept 12 connections and never more: 100 % of the connections that failed came when so many were open, and 0 % of those that it accepted.',
		),
	);
});

for (const [how, end] of [
	['reset', 'reset'],
	['closed', 'closed'],
] as const)
	test(`so has who has what came first on a further one ${how}`, () => {
		const stack = filled({
			took: 0.302,
			further: (own, at) => own.call('feed cache', at, at + 0.001, { protocol: 'memcached', end, by: 'server' }),
		});
		assert.deepEqual(reported(stack), ['cache: slots-taken']);
	});

test('and who had closed a further one before the question came', () => {
	const further = (stack: MadeStack, at: number) => {
		stack.call('feed cache', at + 0.001, at + 0.001, { protocol: 'memcached', end: 'closed', by: 'server', raced: true });
		Object.assign(stack.wire.connections.at(-1) ?? {}, { opened_at: ZERO + at, accepted_at: ZERO + at, ended_at: ZERO + at + 0.0005 });
	};
	assert.deepEqual(reported(filled({ further })), ['cache: slots-taken']);
});

test('who takes others while it keeps as many closes them for another reason', () => {
	assert.deepEqual(reported(filled({ isLet: (index) => index % 2 === 0 })), ['cache: closed-unasked']);
});

test('so does who keeps fewer than it did', () => {
	assert.deepEqual(reported(filled({ kept: 7 })), ['cache: closed-unasked']);
});

test('where none was given back, whether one had been taken then is not known', () => {
	const [finding] = filled({ isGivenBack: false }).follow().findings;
	assert.equal(said(finding), 'cache: slots-taken');
	assert.equal(finding.why_basis, 'inferred');
	assert.match(finding.doubts.join(), /took no further connection after that/);
});

test('a proxy that needs two of them for each request counts those that it makes', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		// Four at a time, of a tenth of a second more than four to five begin.
		const isFull = at >= FROM && index % 2 === 1;
		if (isFull) stack.connect('k6 proxy', at + 0.05, { outcome: 'closed', by: 'server', ended_at: ZERO + at + 0.051 });
		stack.call('k6 proxy', at, at + (at >= FROM ? 0.39 : 0.05));
		stack.call('proxy web', at + 0.001, at + (at >= FROM ? 0.389 : 0.049));
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'proxy: slots-taken');
});

/** @param open files at failing seconds, of 24 */
const withFiles = (stack: MadeStack, open: number) => {
	stack.reads('cache', (second) => ({ stands: { fds: { open_files: second >= FROM ? open : 12, limit: 24 } } }));
	return stack;
};

test('where its files are used up it is these', () => {
	assert.deepEqual(reported(withFiles(filled(), 24)), ['cache: out-of-descriptors']);
	assert.deepEqual(reported(withFiles(filled(), 18)), ['cache: slots-taken']);
});

test('and where its log says so', () => {
	const stack = filled();
	each(FROM, 30, 0.5, (at) => stack.says('cache', at + 0.402, 'accept4() failed: Too many open files'));
	assert.deepEqual(reported(stack), ['cache: out-of-descriptors']);
});

/** It says that it takes no more: before the question, after one that wants no answer, or in place of the answer. */
const WORDS: [string, (stack: MadeStack, at: number) => void][] = [
	['before the question', (stack, at) => stack.call('feed cache', at, at + 0.001, { ...MORE, verb: 'CONNECT', role: 'connect' })],
	['in place of the answer', (stack, at) => stack.call('feed cache', at, at + 0.001, MORE)],
	[
		'after what wants none',
		(stack, at) => {
			stack.call('feed cache', at, at + 0.001, { ...MORE, verb: '', template: '', role: 'push' });
			const { connection } = stack.wire.calls.at(-1) ?? { connection: 0 };
			const lost = { ...stack.wire.calls.at(-1), verb: 'get', template: 'get', role: undefined, code: null, bad: false, end: 'reset' };
			stack.wire.calls.push({ ...lost, connection, began_at: ZERO + at + 0.001, ended_at: ZERO + at + 0.0015, first_at: null } as any);
			Object.assign(stack.wire.connections[connection], { by: 'server', outcome: 'reset', ended_at: ZERO + at + 0.0015, server_bytes: 33 });
		},
	],
];
const MORE = { protocol: 'memcached', status: null, code: 'MAXCONNS', bad: true } as const;

for (const [when, further] of WORDS)
	test(`who says ${when} that it takes no more connections is believed, however many files it has open`, () => {
		const [finding] = withFiles(filled({ further }), 24).follow().findings;
		assert.equal(said(finding), 'cache: turned-away');
		assert.equal(
			finding.title,
			'turned connections away with error MAXCONNS (too many open connections), since it had 12 open and takes no more',
		);
	});

test('where further ones wait to be accepted it is said how many it had answered on', () => {
	const stack = filled({
		took: 0.302,
		further: (own, at) => own.call('feed cache', at, at + 0.3, { protocol: 'memcached', end: 'given-up', by: 'client' }),
	});
	stack.reads('cache', (second) => ({ queued: second >= FROM ? 3 : 0 }));
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'cache: workers-idle-connections');
	assert.ok(finding.evidence.some((text) => text.startsWith('cache kept 12 connections and never more:')));
});

/*
 * Requests that are turned away by their number, or by what had failed before.
 */

/** A proxy that takes four at a time, or turns away at random, while bursts of six come. */
function bursts(isLimited: boolean) {
	const stack = new MadeStack();
	each(-8, 29, 0.5, (at, index) => {
		const size = at >= 5 && index % 3 === 0 ? 6 : 3;
		for (let one = 0; one < size; one += 1) {
			const from = at + one * 0.002;
			const isOver = at >= 5 && (isLimited ? one >= 4 : size === 6 && (index + one) % 3 === 0);
			stack.call('k6 gate', from, from + (isOver ? 0.0005 : 0.1), { status: isOver ? 503 : 200 });
			if (!isOver) stack.call('gate stock', from + 0.001, from + 0.098, { on: `${(index * 6 + one) % 12}` });
		}
	});
	return stack.follow().findings;
}

test('who turns away whatever is more than it takes at a time has its number counted', () => {
	const [finding] = bursts(true);
	assert.deepEqual([said(finding), finding.basis], ['gate: turned-away', 'counted']);
	assert.equal(finding.title, 'answered 503 when 4 or more of GET / were in it');
});

test('where one less is too many at times, as where several threads count, the number is that from which on hardly any goes well', () => {
	const stack = new MadeStack();
	each(-8, 29, 0.5, (at, index) => {
		const size = at >= 5 && index % 3 === 0 ? 12 : 3;
		const most = index % 12 === 0 ? 5 : 6;
		for (let one = 0; one < size; one += 1) {
			const from = at + one * 0.002;
			stack.call('k6 gate', from, from + (one >= most ? 0.0005 : 0.1), { status: one >= most ? 503 : 200 });
			if (one < most) stack.call('gate stock', from + 0.001, from + 0.098, { on: `${one}` });
		}
	});
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more], ['gate: turned-away', []]);
	assert.equal(finding.title, 'answered 503 when 6 or more of GET / were in it, with 6 connections to stock');
	assert.match(finding.evidence.join(' '), /When 5 or more were in it it was 100 % and \d+ %\./);
});

test('nor where those that fail come when others stand in it, and good ones are of other seconds alone', () => {
	const stack = new MadeStack();
	each(-8, 29, 0.05, (at, index) => {
		const isDown = at >= 10;
		if (at < 10) stack.call('k6 gate', at, at + 0.01);
		// What came as it went down stands in it until the end.
		else if (at < 10.5) stack.call('k6 gate', at, at + 20);
		else stack.call('k6 gate', at, at + 0.0005, { status: 503 });
		if (!isDown) stack.call('gate stock', at + 0.001, at + 0.009, { on: `${index % 12}` });
	});
	assert.ok(stack.follow().findings.every(({ title }) => !/or more of/.test(title ?? '')));
});

test('no number is said where good requests come when as many are in it', () => {
	const [finding] = bursts(false);
	assert.equal(said(finding), 'gate: turned-away');
	assert.equal(finding.title, 'turned requests away with 503');
});

/**
 * A proxy that turns everything away for eight seconds.
 * @param how isFailing: one kind fails before; isFailingAlways: in calm seconds as much;
 * isSome: each third request is let through meanwhile
 */
function shut({
	isFailing = true,
	isFailingAlways = false,
	isSome = false,
}: {
	isFailing?: boolean;
	isFailingAlways?: boolean;
	isSome?: boolean;
}) {
	const stack = new MadeStack();
	each(-8, 29, 0.05, (at, index) => {
		const isExport = index % 7 === 0;
		const isOut = at >= 12 && at < 20 && !(isSome && index % 3 === 0);
		const isBad = isExport && (isFailingAlways || (isFailing && at >= 6 && at < 12));
		const template = isExport ? '/export' : '/item';
		stack.call('k6 gate', at, at + (isOut ? 0.0006 : 0.02), { template, status: isOut ? 503 : isBad ? 500 : 200 });
		if (!isOut) stack.call('gate app', at + 0.001, at + 0.018, { template, status: isBad ? 500 : 200 });
	});
	return stack.follow().findings.filter(({ place }) => place.service === 'gate');
}

test('who turns everything away after one kind had failed shuts by that', () => {
	const [finding, ...more] = shut({});
	assert.deepEqual([said(finding), finding.why_basis, more], ['gate: checks-failed', 'timed', []]);
	assert.match(
		finding.title ?? '',
		/^turned everything away with 503 for up to 7\.9\d s, after 9 % of its calls to app had failed \(GET \/export\)$/,
	);
});

test('but not where nothing had failed, where as much fails always, or where some are let through', () => {
	for (const how of [{ isFailing: false }, { isFailing: false, isFailingAlways: true }, { isSome: true }])
		assert.deepEqual(shut(how).map(said), ['gate: turned-away'], JSON.stringify(how));
});

/**
 * A web service opens a connection for each request; from second 5 on it gives some of them back no more, until the cache takes no more.
 * @param isLeft of the first twenty after that
 */
function leaking(isLeft: (index: number) => boolean) {
	const stack = new MadeStack();
	const cache = { protocol: 'redis', verb: 'PUBLISH', template: '' };
	let open = 0;
	each(-5, 29, 0.2, (at, index) => {
		const isFull = open >= 20;
		stack.call('k6 web', at, at + 0.01, { status: isFull ? 500 : 200 });
		if (isFull)
			return stack.call('web cache', at + 0.001, at + 0.002, { ...cache, verb: 'CONNECT', code: 'MAXCLIENTS', bad: true, role: 'connect' });
		const isKept = at >= 5;
		stack.call('web cache', at + 0.001, at + 0.002, isKept ? { ...cache, on: `${index}` } : cache);
		if (!isKept) return;
		open += 1;
		// Those that are not left are asked on to the end.
		if (!isLeft(open)) each(at + 0.5, 29.5, 0.5, (later) => stack.call('web cache', later, later + 0.001, { ...cache, on: `${index}` }));
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'cache: turned-away');
	return finding;
}

test('who has a callee full of connections that it uses no more is named with their number', () => {
	const left = leaking(() => true);
	assert.match(
		left.title ?? '',
		/^turned connections away with error MAXCLIENTS \(max number of clients reached: maxclients\), since it had 20 open and takes no more; web uses (19|20) of its own no more$/,
	);
	assert.ok(left.evidence.some((text) => /^Connections open at cache then: 20 of web, which asks nothing more on (19|20)\.$/.test(text)));
	const used = leaking((open) => open % 5 === 0);
	assert.match(used.title ?? '', /takes no more$/);
	assert.ok(used.evidence.includes('Connections open at cache then: 20 of web.'));
});

test('but not who closes each a while after its last use', () => {
	const stack = new MadeStack();
	const cache = { protocol: 'redis', verb: 'PUBLISH', template: '' };
	each(-5, 29, 0.1, (at, index) => {
		stack.call('k6 web', at, at + 0.01);
		stack.call('web cache', at + 0.001, at + 0.002, { ...cache, on: `${index}` });
		if (at < 5) return;
		stack.call('k6 web', at + 0.05, at + 0.06, { status: 500 });
		const refused = { verb: 'CONNECT', code: 'MAXCLIENTS', bad: true, role: 'connect' } as const;
		stack.call('web cache', at + 0.051, at + 0.052, { ...cache, ...refused });
	});
	for (const own of stack.wire.connections)
		if (own.server === 'cache' && own.outcome === 'open')
			Object.assign(own, { ended_at: own.opened_at + 2, outcome: 'closed', by: 'client' });
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'cache: turned-away');
	assert.doesNotMatch(finding.title ?? '', /no more$/);
	assert.ok(
		finding.evidence.some((text) => /^Connections open at cache then: \d+ of web\.$/.test(text)),
		`${finding.evidence}`,
	);
});
