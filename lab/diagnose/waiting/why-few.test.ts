/**
 * Services that work on few at a time and wait for nobody, as small records.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, said, ZERO } from './fixtures/made-stack.ts';

export const ALONE_S = 0.25;
const GIVEN_UP = { end: 'given-up', by: 'client' } as const;

/**
 * Calm, then some that are answered late in a rhythm, and others that are given up.
 * @param given together: so many are answered at a time; isLate: when their callers had given up after three seconds
 */
function inRhythm({
	every = ALONE_S + 0.005,
	calmEvery = 0.5,
	together = 1,
	took = 2,
	isLate = false,
}: {
	every?: number;
	calmEvery?: number;
	together?: number;
	took?: number;
	isLate?: boolean;
}) {
	const stack = new MadeStack(40);
	each(-8, 8, calmEvery, (at) => stack.call('k6 web', at, at + ALONE_S));
	each(10, 38, every, (at, index) =>
		each(0, together * 0.001, 0.001, (by) => {
			// The line grows: the first of them find few before them.
			const began = at + by - Math.min(took, ALONE_S + (index * every) / 2);
			const isGivenUp = isLate && at + by - began > 3;
			stack.call('k6 web', began, isGivenUp ? began + 3 : at + by, isGivenUp ? { ...GIVEN_UP, late_at: ZERO + at + by } : {});
		}),
	);
	each(8, 36, 1, (at) => stack.call('k6 web', at, at + 3, GIVEN_UP));
	stack.reads('web', () => ({ cores: 0.05 }));
	return stack;
}

test('answers that follow each other no sooner than one takes alone tell of one at a time', () => {
	const { findings } = inRhythm({}).follow();
	assert.deepEqual(findings.map(said), ['web: workers-taken']);
	assert.match(
		findings[0].title ?? '',
		/^worked on one request at a time, idle and waiting for nobody, while \d+ stood in it: a lock of its own, or a single worker$/,
	);
});

test('so do answers that come when their callers have given up, as all do in the end', () => {
	const { findings } = inRhythm({ isLate: true, took: 6 }).follow();
	assert.deepEqual(findings.map(said), ['web: workers-taken']);
	assert.match(findings[0].title ?? '', /^worked on one request at a time/);
});

test('but late answers that come two at a time, where one was told alone, do not tell of one', () => {
	const { findings } = inRhythm({ isLate: true, took: 6, together: 2 }).follow();
	assert.match(findings[0].title ?? '', /^worked on 2 requests at a time/);
});

/**
 * One user's requests wait for each other, those of others do not.
 * @param every so often one of that user's is answered
 */
function ofOneUser(every: number) {
	const stack = inRhythm({ isLate: true, took: 6, every });
	each(-8, 38, 0.05, (at) => stack.call('k6 web', at, at + ALONE_S));
	return stack.follow().findings;
}

test('those of some that wait for each other, while others of their kind are quick, wait for a lock by user, row or file', () => {
	const [finding] = ofOneUser(ALONE_S + 0.005);
	assert.equal(said(finding), 'web: workers-taken');
	assert.match(finding.title ?? '', /^worked on one request at a time.* others of their kind did not wait: a lock by user, row or file$/);
});

test('but not where they are answered in no such rhythm', () => {
	assert.deepEqual(ofOneUser(0.7).map(said), ['web: stands']);
});

test('and three by three of three', () => {
	const { findings } = inRhythm({ together: 3 }).follow();
	assert.match(findings[0].title ?? '', /^worked on 3 requests at a time.*or so few workers$/);
});

test('but neither answers that come slower, nor as many as in calm seconds', () => {
	assert.deepEqual(reported(inRhythm({ every: 0.6 })), ['web: stands']);
	assert.deepEqual(reported(inRhythm({ calmEvery: ALONE_S + 0.005 })), ['web: stands']);
});

test('nor those that did not wait', () => {
	assert.deepEqual(reported(inRhythm({ took: ALONE_S })), ['web: stands']);
});

/**
 * Calls that are given up once it is asked so often, each tried again.
 * @param given late: what the last that are answered take
 */
function overrunBy({ late = 0.4, every = 0.05 }: { late?: number; every?: number }) {
	const stack = new MadeStack(40);
	each(-8, 10, 0.2, (at) => {
		stack.call('k6 shop', at, at + 0.16);
		stack.call('shop stock', at + 0.001, at + 0.15);
	});
	each(10, 12, 0.1, (at) => {
		stack.call('k6 shop', at, at + late + 0.01);
		stack.call('shop stock', at + 0.001, at + late);
	});
	each(12, 38, every, (at) => {
		stack.call('k6 shop', at, at + 0.602, { status: 503 });
		stack.call('shop stock', at + 0.001, at + 0.601, GIVEN_UP);
	});
	stack.reads('stock', () => ({ cores: 0.05 }));
	return stack;
}

test('who is asked more than it answers in time works on what was given up', () => {
	const { findings } = overrunBy({}).follow();
	assert.deepEqual(findings.map(said), ['stock: workers-taken']);
	assert.ok(findings[0].title?.startsWith('let requests stand until shop gave up after 600 ms, though it was idle and waited for nobody'));
});

test('but not where the last were answered as soon as ever, nor where it is asked no more often', () => {
	assert.deepEqual(reported(overrunBy({ late: 0.15 })), ['stock: hung']);
	assert.deepEqual(reported(overrunBy({ every: 0.2 })), ['stock: hung']);
});

test('nor on a machine that is full, where who uses little may get no more', () => {
	const stack = overrunBy({});
	stack.machine((second) => (second > 9 ? 0.95 : 0.2));
	assert.deepEqual(reported(stack), ['stock: hung']);
});
