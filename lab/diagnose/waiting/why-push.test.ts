/**
 * Requests that wait for what a broker pushes: an api sends each a message and waits for the reply on a connection that it keeps open; a worker
 * takes the messages and sends the replies.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, said } from './fixtures/made-stack.ts';

const PUSH = { protocol: 'amqp', role: 'push' as const, verb: 'basic.deliver', template: 'basic.deliver' };
const SEND = { protocol: 'amqp', role: 'send' as const, verb: 'basic.publish', template: 'basic.publish' };
const ACKED = { ...PUSH, by: 'client' as const };
const BROKEN_S = 15;
const GIVE_UP_S = 3;
const EVERY_S = 0.1;

function queued({
	works,
	worker = () => 0.02,
	isSent = true,
}: {
	/** what the worker does with a message; whether it sends a reply */
	works: (stack: MadeStack, at: number, index: number) => boolean;
	/** cores */
	worker?: (second: number) => number;
	/** false: from second 15 on the api sends nothing more */
	isSent?: boolean;
}) {
	const stack = new MadeStack(30);
	for (const name of ['lb', 'api', 'broker']) stack.reads(name, () => ({ cores: 0.02 }));
	stack.reads('worker', (second) => ({ cores: worker(second) }));
	// One that logs, for which nothing is published.
	stack.call('audit broker', -8, -7.99, { protocol: 'amqp', on: 'audit', verb: 'basic.consume', template: 'basic.consume' });
	each(-5, 30, EVERY_S, (at, index) => {
		const isGone = !isSent && at >= BROKEN_S;
		const isReplied = !isGone && works(stack, at + 0.005, index);
		const over = at + (isReplied ? 0.03 : GIVE_UP_S);
		const end = isReplied ? {} : ({ end: 'given-up', by: 'client' } as const);
		stack.call('k6 lb', at, over, isReplied ? {} : { status: 504 });
		stack.call('lb api', at + 0.001, over - 0.001, end);
		if (!isGone) stack.call('api broker', at + 0.004, at + 0.0041, { ...SEND, on: `${index}` });
		if (isReplied) stack.call('api broker', at + 0.02, at + 0.02, { ...PUSH, on: `${index}` });
	});
	return stack;
}

/** It takes a message, and acknowledges it in good time. */
function replies(stack: MadeStack, at: number) {
	stack.call('worker broker', at, at + 0.01, { ...ACKED, on: 'worker' });
	stack.call('worker broker', at + 0.01, at + 0.0101, { ...SEND, on: 'worker' });
	return true;
}

test('a consumer whose prefetch is used up by messages that it never acknowledges is the place', () => {
	let held = 0;
	const stack = queued({
		works(made, at, index) {
			if (held >= 4) return false;
			if (at < 5 || index % 10 !== 0) return replies(made, at);
			held += 1;
			made.call('worker broker', at, null, { ...PUSH, on: 'worker' });
			made.says('worker', at + 0.01, `cannot read parcel ${index}`);
			return false;
		},
	});
	stack.says('worker', 1, 'ready');
	const [finding, ...more] = stack.follow().findings;
	assert.ok(finding.evidence.includes('Its log says, 4 times for 4 messages that it kept: “cannot read parcel n”'));
	assert.equal(finding.place.service, 'worker');
	assert.equal(finding.mechanism, 'deliveries-held');
	assert.match(finding.title ?? '', /kept 4 messages of broker unacknowledged.*prefetch/);
	assert.deepEqual(more, []);
});

test('a consumer that never acknowledges some, and is given more all the same, is the place of these', () => {
	const stack = queued({
		works(made, at, index) {
			if (at < 5 || index % 10 !== 0) return replies(made, at);
			made.call('worker broker', at, null, { ...PUSH, on: 'worker' });
			return false;
		},
	});
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([finding.place.service, finding.mechanism], ['worker', 'deliveries-held']);
	assert.match(finding.title ?? '', /never acknowledged them and sent nothing back/);
	assert.deepEqual(more, []);
});

test('so it is where no request was answered well at all', () => {
	let held = 0;
	const stack = queued({
		works(made, at) {
			if (held >= 4) return false;
			held += 1;
			made.call('worker broker', at, null, { ...PUSH, on: 'worker' });
			return false;
		},
	});
	const [finding] = stack.follow().findings;
	assert.deepEqual([finding.place.service, finding.mechanism, finding.basis], ['worker', 'deliveries-held', 'inferred']);
});

test('a service that hangs of itself, before it sends anything, is not waiting for a push', () => {
	assert.deepEqual(reported(queued({ works: replies, isSent: false })), ['api: hung']);
});

test('a consumer that hung up is gone', () => {
	const stack = queued({ works: (made, at) => at < BROKEN_S && replies(made, at) });
	for (const connection of stack.wire.connections)
		if (connection.client === 'worker') Object.assign(connection, { ended_at: 1_000_000 + BROKEN_S, outcome: 'closed', by: 'client' });
	assert.deepEqual(reported(stack), ['worker: gone']);
});

test('a consumer that was paused holds messages, and being paused is why', () => {
	let held = 0;
	const stack = queued({
		works(made, at) {
			if (at < BROKEN_S) return replies(made, at);
			if (held < 4) made.call('worker broker', at, null, { ...PUSH, on: 'worker' });
			held += 1;
			return false;
		},
	});
	stack.event('worker', 'pause', BROKEN_S);
	assert.deepEqual(reported(stack), ['worker: paused']);
});

test('a consumer that is slow because its CPU is busy keeps its prefetch full, and is busy', () => {
	let free = 0;
	const stack = queued({
		works(made, at) {
			if (at < BROKEN_S) return replies(made, at);
			if (at < free) return false;
			free = at + 0.4;
			made.call('worker broker', at, at + 1.6, { ...ACKED, on: 'worker' });
			return false;
		},
		worker: (second) => (second < BROKEN_S ? 0.1 : 1),
	});
	assert.deepEqual(reported(stack), ['worker: busy']);
});

test('a consumer that stands still for a while and then acknowledges has not used up its prefetch for good', () => {
	let held = 0;
	const stack = queued({
		works(made, at) {
			if (at < 10 || at > 20) return replies(made, at);
			if (held < 4) made.call('worker broker', at, 20, { ...ACKED, on: 'worker' });
			held += 1;
			return false;
		},
	});
	assert.deepEqual(reported(stack), ['worker: stands']);
});

test('a consumer that need not acknowledge is not said to hold anything', () => {
	const stack = queued({
		works(made, at) {
			made.call('worker broker', at, at, { ...PUSH, on: 'worker' });
			if (at >= BROKEN_S) return false;
			made.call('worker broker', at + 0.01, at + 0.0101, { ...SEND, on: 'worker' });
			return true;
		},
	});
	assert.deepEqual(reported(stack), ['worker: stands']);
});

test('another consumer, which is given a copy of each message and sends nothing, is not accused', () => {
	const stack = queued({
		works(made, at) {
			made.call('log broker', at, at < 20 ? at + 0.001 : null, { ...PUSH, by: 'client', on: 'log' });
			return at < BROKEN_S && replies(made, at);
		},
	});
	stack.event('log', 'die', 20, 1);
	assert.deepEqual(reported(stack), ['broker: stands']);
});

/**
 * Replies are read from a list, with a time-out.
 * @param isThere whether the worker keeps its connection
 */
function listed(isThere: boolean) {
	const redis = { protocol: 'redis', template: '' };
	const stack = new MadeStack(30);
	for (const name of ['api', 'list', 'worker']) stack.reads(name, () => ({ cores: 0.02 }));
	each(-5, 30, EVERY_S, (at, index) => {
		const isReplied = at < BROKEN_S;
		const over = at + (isReplied ? 0.03 : GIVE_UP_S);
		stack.call('k6 api', at, over, isReplied ? {} : { status: 504 });
		stack.call('api list', at + 0.001, at + 0.002, { ...redis, verb: 'LPUSH', on: `${index}` });
		stack.call('api list', at + 0.003, over - 0.001, { ...redis, verb: 'BLPOP', role: 'wait', on: `${index}` });
		if (isReplied) stack.call('worker list', at + 0.02, at + 0.021, { ...redis, verb: 'LPUSH', on: 'worker' });
	});
	for (const connection of stack.wire.connections)
		if (connection.client === 'worker' && !isThere)
			Object.assign(connection, { ended_at: 1_000_000 + BROKEN_S, outcome: 'closed', by: 'client' });
	return stack;
}

test('a blocking read that nobody serves is no slowness of its server: who used to serve it is the place', () => {
	assert.deepEqual(reported(listed(true)), ['worker: stands']);
	assert.deepEqual(reported(listed(false)), ['worker: gone']);
});

/**
 * The worker asks a signer, which leaves two calls of it unanswered from then on.
 * @param usual seconds that its calls took before
 */
function signed(usual: number) {
	const stack = listed(true);
	each(-5, BROKEN_S - usual, 0.2, (at) => stack.call('worker signer', at + 0.005, at + 0.005 + usual));
	for (const on of ['a', 'b']) stack.call('worker signer', BROKEN_S - 0.1, null, { on });
	const [finding] = stack.follow().findings;
	return finding;
}

test('so is whom that waits for since, and answered it sooner before', () => {
	const finding = signed(0.02);
	assert.equal(said(finding), 'signer: stands');
	assert.equal(finding.title, 'left 2 calls of worker unanswered, which gave list less meanwhile');
	assert.ok(
		finding.evidence.some((text) =>
			/^Meanwhile worker waited for 2 answers of signer, .* for each so far, and 20 ms for such ones before\.$/.test(text),
		),
		`${finding.evidence}`,
	);
});

test('but not one that always took as long', () => {
	assert.equal(said(signed(14)), 'worker: stands');
});

/**
 * A worker that takes tasks off a list, one after the other, and waits there while it is empty; in second 15 another client puts many in.
 * @param given isWaiting: whether the worker still waits for tasks then
 */
function filled({ tasks = 200, isWaiting = false }: { tasks?: number; isWaiting?: boolean }) {
	const redis = { protocol: 'redis', template: '' };
	const stack = new MadeStack(30);
	for (const name of ['api', 'list', 'worker']) stack.reads(name, () => ({ cores: 0.02 }));
	each(-5, 30, EVERY_S, (at, index) => {
		const isReplied = at < BROKEN_S;
		const over = at + (isReplied ? 0.03 : GIVE_UP_S);
		stack.call('k6 api', at, over, isReplied ? {} : { status: 504 });
		stack.call('api list', at + 0.001, at + 0.002, { ...redis, verb: 'LPUSH', on: `${index}` });
		stack.call('api list', at + 0.003, over - 0.001, { ...redis, verb: 'SUBSCRIBE', role: 'wait', on: `${index}` });
		const found = at + 0.05;
		stack.call('worker list', found - (isReplied || isWaiting ? 0.095 : 0.001), found, {
			...redis,
			verb: 'BRPOP',
			role: 'wait',
			on: 'looks',
		});
		if (isReplied) stack.call('worker list', at + 0.02, at + 0.021, { ...redis, verb: 'PUBLISH', on: 'worker' });
	});
	each(0, tasks, 1, (place) =>
		stack.call('jobs list', BROKEN_S - 1 + place / 1000, BROKEN_S - 1 + place / 1000, { ...redis, verb: 'LPUSH', on: 'jobs' }),
	);
	return stack.follow().findings[0];
}

test('who finds work each time it looks is behind, for what another client put in and not for its having stopped', () => {
	const finding = filled({});
	assert.deepEqual([said(finding), finding.why_basis], ['worker: workers-taken', 'timed']);
	assert.equal(finding.title, 'found work at list each time it looked, more than it can do: jobs had put 200 in (the command LPUSH)');
	assert.doesNotMatch(filled({ tasks: 20 }).title ?? '', /jobs/);
	assert.equal(said(filled({ isWaiting: true })), 'worker: stands');
});

/**
 * Replies in the order of their requests, on one connection; whoever waited for too long has gone by then.
 * @param took of the worker, for a message
 * @param isSlow the api answers late by itself, though its reply came in time
 */
function inTurn(took: number, isSlow: boolean = false) {
	const stack = new MadeStack(30);
	for (const name of ['api', 'broker', 'worker']) stack.reads(name, () => ({ cores: 0.02 }));
	let free = -10;
	each(-5, 28, EVERY_S, (at) => {
		const from = Math.max(free, at + 0.002);
		free = from + (at < 2 ? 0.05 : took);
		const isLost = isSlow ? at >= 10 : free > at + GIVE_UP_S;
		const over = isLost ? at + GIVE_UP_S + 0.005 : free + 0.002;
		const invoice = { template: '/invoice' };
		stack.call('k6 api', at, over, isLost ? { ...invoice, status: 504 } : invoice);
		stack.call('api broker', at + 0.001, at + 0.0012, { ...SEND, on: 'own' });
		if (free > 30) return;
		stack.call('worker broker', from, free, { ...ACKED, on: 'worker' });
		stack.call('worker broker', free, free + 0.0001, { ...SEND, on: 'worker' });
		stack.call('api broker', free + 0.001, free + 0.001, { ...PUSH, on: 'own' });
	});
	return stack.follow().findings;
}

test('replies that come too late, in the lives of other requests, are those of a consumer that is slower than it is asked', () => {
	const [finding, ...others] = inTurn(0.16);
	assert.deepEqual([finding.place.service, finding.mechanism, finding.why_basis, others], ['worker', 'workers-taken', 'counted', []]);
	assert.equal(finding.title, 'worked on 1 message of broker at a time, 160 ms for each, while api sent more than that is enough for');
	assert.match(finding.evidence.join(' '), /100 % of the good requests had their message of broker while they went on, of the failed 0 %/);
});

test('whose reply came in time waited for something else', () => {
	assert.equal(inTurn(0.05, true)[0].place.service, 'api');
});
