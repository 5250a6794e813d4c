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
			'cache kept 12 connections and never more. 100 % of the connections that it refused came while that many were open, and 0 % of those that it accepted.',
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
	assert.ok(finding.evidence.some((text) => text.startsWith('cache kept 12 connections and never more.')));
});
