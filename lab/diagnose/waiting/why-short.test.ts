/** What a service may be short of, as small records; beside each what looks the same and is not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said, ZERO } from './fixtures/made-stack.ts';
import { ALONE_S } from './why-few.test.ts';

const FROM = 10;
const isBadIn = (second: number) => second >= FROM;

/** From second 10 on requests of users stand in the store, which waits for nobody. */
function standing() {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isBad = isBadIn(at);
		stack.call('k6 web', at, at + (isBad ? 3.001 : 0.02), isBad ? { status: 504 } : {});
		stack.call('web store', at + 0.001, at + (isBad ? 3 : 0.019), {
			protocol: 'postgresql',
			template: '',
			verb: 'SELECT',
			on: `${isBad ? index : index % 4}`,
		});
	});
	return stack;
}

const whyShortReported = (stack: MadeStack): string[] => stack.follow().findings.map(said);

test('tasks that wait for the disk, far more than in calm seconds, explain what stands', () => {
	const stack = standing();
	stack.reads('store', (second) => ({ waits: { io_s: isBadIn(second) ? 0.9 : 0.05 }, grows: { disk_bytes: 2e6 } }));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['store: disk-wait', 'timed']);
	assert.ok(
		finding.evidence.includes('Tasks of store waited for the disk in 90 % of the time while requests failed, and 5 % in calm seconds.'),
	);
});

test('a disk that is waited for as much in calm seconds explains nothing', () => {
	const stack = standing();
	stack.reads('store', () => ({ waits: { io_s: 0.7 }, grows: { disk_bytes: 2e6 } }));
	assert.deepEqual(whyShortReported(stack), ['store: stands']);
});

test('where the machine’s waiting alone is known, it is inferred of a service that uses the disk, with the neighbour that keeps it busy', () => {
	const stack = standing();
	stack.reads('store', () => ({ grows: { disk_bytes: 300_000 } }));
	stack.reads('backup', (second) => ({ grows: { disk_bytes: isBadIn(second) ? 80 * 2 ** 20 : 0 } }));
	stack.machine(
		() => 0.2,
		(second) => (isBadIn(second) ? 0.95 : 0.1),
	);
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['store: disk-wait', 'inferred']);
	assert.ok(
		finding.evidence.includes('backup read and wrote 80.0 MiB a second there, and 0.0 MiB in calm seconds.'),
		finding.evidence.join('\n'),
	);
});

test('a backup that keeps the disk busy is no evidence against a service that does not use it', () => {
	const stack = standing();
	stack.reads('store', () => ({ grows: { disk_bytes: 1000 } }));
	stack.reads('backup', (second) => ({ grows: { disk_bytes: isBadIn(second) ? 80 * 2 ** 20 : 0 } }));
	stack.machine(
		() => 0.2,
		(second) => (isBadIn(second) ? 0.95 : 0.1),
	);
	assert.deepEqual(whyShortReported(stack), ['store: stands']);
});

test('pages that were thrown out and come back from the disk are memory that is short', () => {
	const stack = standing();
	stack.reads('store', (second) => ({
		grows: { refaults: isBadIn(second) ? 2000 : 0 },
		stands: { memory_limit_bytes: 64 * 2 ** 20 },
		waits: { io_s: isBadIn(second) ? 0.9 : 0.05 },
	}));
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'store: memory-short');
	assert.deepEqual(finding.evidence.slice(0, 2), [
		'store may use 64.0 MiB of memory.',
		'2,000 pages a second that had been thrown out came back from the disk for it, and 0 in calm seconds.',
	]);
});

test('a memory that is full, and as many pages that come back in calm seconds, explain nothing', () => {
	const stack = standing();
	stack.reads('store', () => ({ grows: { refaults: 500 }, stands: { memory_bytes: 99, memory_limit_bytes: 100 } }));
	assert.deepEqual(whyShortReported(stack), ['store: stands']);
});

test('tasks that wait for memory are short of it, whatever the limit', () => {
	const stack = standing();
	stack.reads('store', (second) => ({ waits: { memory_s: isBadIn(second) ? 0.5 : 0 } }));
	assert.deepEqual(whyShortReported(stack), ['store: memory-short']);
});

const opens = (stack: MadeStack, open: (second: number) => number) =>
	stack.reads('web', (second) => ({ queued: isBadIn(second) ? 40 : 0, stands: { fds: { open_files: open(second), limit: 256 } } }));

/** Nobody takes connections from second 10 on. */
function unaccepted() {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		if (isBadIn(at))
			stack.connect('k6 web', at, { accepted_at: null, accepts: 0, syns: 3, outcome: 'unanswered', ended_at: ZERO + at + 3 });
		else stack.call('k6 web', at, at + 0.02);
	});
	return stack;
}

test('a process that has as many files open as it may takes no connection', () => {
	const stack = unaccepted();
	opens(stack, (second) => (isBadIn(second) ? 255 : 60));
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'web: out-of-descriptors');
	assert.equal(finding.title, 'had 255 files open at a limit of 256');
});

test('whose connections most of its files are is said, where nothing is asked on them', () => {
	const stack = unaccepted();
	for (let index = 0; index < 200; index += 1) stack.call('reviews web', -5 + index / 15, -4.99 + index / 15, { on: `${index}` });
	opens(stack, (second) => (isBadIn(second) ? 255 : 60));
	const finding = stack.follow().findings.find(({ place }) => place.service === 'web');
	assert.match(
		finding?.title ?? '',
		/^had 255 files open at a limit of 256, \d+ of them connections that reviews kept open and did not use$/,
	);
	assert.match(finding?.evidence.join(' ') ?? '', /reviews had opened 200 connections to it by the last of these and closed none/);
});

test('one that has as many open in calm seconds, or fewer, was not short of them', () => {
	for (const open of [() => 250, (second: number) => (isBadIn(second) ? 200 : 60)]) {
		const stack = unaccepted();
		opens(stack, open);
		assert.deepEqual(whyShortReported(stack), ['web: unanswered']);
	}
});

test('a proxy whose files are used up by requests that wait for a callee is not the place', () => {
	const stack = standing();
	opens(stack, (second) => (isBadIn(second) ? 256 : 60));
	assert.deepEqual(whyShortReported(stack), ['store: stands']);
});

test('connections that it breaks off at once, without files, are for lack of them too', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => stack.call('k6 web', at, at + 0.002, isBadIn(at) ? { end: 'closed', by: 'server' } : {}));
	opens(stack, (second) => (isBadIn(second) ? 255 : 4));
	assert.deepEqual(whyShortReported(stack), ['web: out-of-descriptors']);
});

test('errors that a service without files answers at once are for lack of them', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		stack.call('k6 web', at, at + (isBadIn(at) ? 0.002 : 0.02), { status: isBadIn(at) ? 500 : 200 });
		if (!isBadIn(at)) stack.call('web store', at + 0.001, at + 0.019);
	});
	opens(stack, (second) => (isBadIn(second) ? 256 : 60));
	assert.deepEqual(whyShortReported(stack), ['web: out-of-descriptors']);
});

/**
 * Errors of its own at once from second 10 on, beside what the kernel refused it in all seconds until then.
 * @param refused threads, so far
 */
function threadless(refused: (second: number) => number) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		stack.call('k6 web', at, at + (isBadIn(at) ? 0.002 : 0.02), { status: isBadIn(at) ? 500 : 200 });
		if (!isBadIn(at)) stack.call('web store', at + 0.001, at + 0.019);
	});
	stack.reads('web', (second) => ({ stands: { tasks: { count: isBadIn(second) ? 70 : 12, limit: 70, refused: refused(second) } } }));
	return stack;
}

test('errors that a service answers while the kernel refuses it threads are for lack of them', () => {
	const [finding] = threadless((second) => 9 * Math.max(0, second - FROM)).follow().findings;
	assert.equal(said(finding), 'web: out-of-threads');
	assert.equal(finding.title, 'could not start another thread: it may have 70 processes and threads');
	assert.ok(finding.evidence.some((text) => /^The kernel refused web .* and never in calm seconds\.$/.test(text)));
});

test('threads that are refused in calm seconds too, or to few, explain nothing', () => {
	for (const refused of [(second: number) => 9 * (second + 5), (second: number) => Math.max(0, second - FROM)])
		assert.deepEqual(whyShortReported(threadless(refused)), ['web: own-error']);
});

test('a program that is busy computing and asks nobody may be a loop or a collector', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		stack.call('k6 web', at, at + (isBadIn(at) ? 5 : 0.02), isBadIn(at) ? { end: 'given-up', by: 'client' } : {});
		if (!isBadIn(at)) stack.call('web store', at + 0.001, at + 0.019);
	});
	stack.reads('web', (second) => ({ cores: isBadIn(second) ? 1 : 0.1, queued: isBadIn(second) ? 100 : 0 }));
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'web: busy');
	assert.ok(finding.evidence.some((text) => text.includes('a garbage collector')));
});

test('one that answers nobody any more is busy, whatever was asked first, and so it is where it takes no connections', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		if (isBadIn(at) && index % 2) {
			stack.connect('k6 web', at, { accepted_at: null, accepts: 0, syns: 3, outcome: 'unanswered', ended_at: ZERO + at + 3 });
			return;
		}
		stack.call('k6 web', at, at + (isBadIn(at) ? 5 : 0.02), {
			template: `/${index % 10}`,
			...(isBadIn(at) ? { end: 'given-up', by: 'client' } : {}),
		});
		if (!isBadIn(at)) stack.call('web store', at + 0.001, at + 0.019);
	});
	stack.reads('web', (second) => ({ cores: isBadIn(second) ? 1 : 0.1, queued: isBadIn(second) ? 100 : 0 }));
	assert.deepEqual(whyShortReported(stack), ['web: busy']);
});

test('where the kernel counts connections that it has no room for, the program does not accept those that wait', () => {
	const stack = unaccepted();
	stack.reads('web', (second) => ({ cores: 0.1, queued: isBadIn(second) ? 100 : 0, overflows: isBadIn(second) ? 9 : 0 }));
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'web: accept-backlog-overflow');
	assert.ok(finding.evidence.includes('Up to 100 connections waited to be accepted.'));
});

test('a queue that is full beside a CPU that idles is not said to be busy', () => {
	const stack = unaccepted();
	stack.reads('web', () => ({ cores: 0.1, queued: 100 }));
	assert.deepEqual(whyShortReported(stack), ['web: unanswered']);
});

for (const [connections, isNew] of [
	['new connections', true],
	['connections that they had', false],
] as const)
	test(`a full table of files ${isNew ? 'made nobody wait' : 'may have made new ones wait'} while others were quick on ${connections}`, () => {
		const stack = new MadeStack();
		each(-5, 28, 0.1, (at, index) => {
			const isLong = at >= FROM && index % 10 === 0;
			const on = isNew || isLong ? `${index}` : `kept ${index % 4}`;
			stack.call('k6 web', at, at + (isLong ? 1.5 : 0.02), isLong ? { on, end: 'given-up', by: 'client' } : { on });
		});
		stack.reads('web', (second) => ({ stands: { fds: { open_files: isBadIn(second) ? 100 : 50, limit: 100 } } }));
		assert.deepEqual(whyShortReported(stack), [isNew ? 'web: stands' : 'web: out-of-descriptors']);
	});

test('nor do answers that take as long however few stood before them: their caller has so many under way and no more', () => {
	const stack = new MadeStack(40);
	each(-8, 8, 0.5, (at) => {
		stack.call('k6 api', at, at + ALONE_S + 0.002);
		stack.call('api partner', at + 0.001, at + ALONE_S + 0.001);
	});
	// Three seconds each, twenty at a time at most: one is over each 0.15 s, as if a line moved on.
	each(8, 34, 0.15, (at, index) => {
		stack.call('api partner', at, at + 3);
		stack.call('k6 api', at - Math.min(4, index / 50), at + 3.001, at - Math.min(4, index / 50) < at - 1 ? { status: 504 } : {});
	});
	stack.reads('partner', () => ({ cores: 0.05 }));
	stack.reads('api', () => ({ cores: 0.05 }));
	const [finding] = stack.follow().findings;
	assert.doesNotMatch(`${finding.title}`, /^worked on/);
	assert.equal(finding.place.service, 'partner');
});
