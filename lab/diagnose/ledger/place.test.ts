import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, factsOf, logError, recordOf } from '../fixtures/record.ts';
import { FROM } from '../fixtures/story.ts';
import { SAID } from '../fixtures/tell.ts';
import type { Trace } from './place.ts';
import { AROUND_S, crashDuring, hasLostWorker, overlapping, placed, whileWaiting } from './place.ts';

const span = (from: number, to = from) => ({ from: FROM + from, to: FROM + to });

test('a service was away from two seconds before its end to two after it was back, and no longer', () => {
	const raw = recordOf();
	endService(raw, 'app-1', 4, { back: 6 });
	const facts = factsOf(raw);
	const away = [1.9, 2.1, 5, 7.9, 8.1].map((second) => crashDuring(facts, 'app-1', span(second)));
	assert.deepEqual(away, [null, 'app-crashed', 'app-crashed', 'app-crashed', null]);
	assert.equal(crashDuring(facts, 'mongo', span(5)), null);
});

test('a user who waited through the end of a service was there when it ended', () => {
	const raw = recordOf();
	endService(raw, 'app-1', 4, { back: 4.5 });
	assert.equal(crashDuring(factsOf(raw), 'app-1', span(0, 9)), 'app-crashed');
});

test('the end of a service is called by its tier, and by the want of memory where it was killed for that', () => {
	const raw = recordOf({ balanced: true });
	for (const name of ['nginx', 'app-1', 'mongo']) endService(raw, name, 4);
	endService(raw, 'app-2', 4, { outOfMemory: true });
	const facts = factsOf(raw);
	assert.deepEqual(
		['nginx', 'app-1', 'mongo', 'app-2'].map((name) => crashDuring(facts, name, span(5))),
		['balancer-down', 'app-crashed', 'database-down', 'out-of-memory'],
	);
});

test('a worker was lost for those who were there up to two seconds before and after its end, and of that service alone', () => {
	const raw = recordOf({ balanced: true });
	logError(raw, [4], SAID.workerDied);
	const facts = factsOf(raw);
	const lost = [span(1.9), span(2.1), span(1, 3), span(5.9), span(6.1)].map((time) => hasLostWorker(facts, 'nginx', time));
	assert.deepEqual(lost, [false, true, true, true, false]);
	assert.equal(hasLostWorker(facts, 'app-1', span(4)), false);
});

test('times that only touch do not overlap, unless some room is given around them', () => {
	const times = [{ name: 'mongo', from: 4, to: 6 }];
	assert.equal(overlapping(times, 'mongo', { from: 6, to: 7 }), undefined);
	assert.equal(overlapping(times, 'mongo', { from: 6, to: 7 }, AROUND_S), times[0]);
	assert.equal(overlapping(times, 'mongo', { from: 5, to: 5 }), times[0]);
	assert.equal(overlapping(times, 'app-1', { from: 5, to: 5 }), undefined);
});

test('a user waited from sending to the end', () => {
	assert.deepEqual(whileWaiting({ t: 10, waited_s: 4 } as Trace), { from: 6, to: 10 });
});

test('a placement has no amplifier unless one is given', () => {
	const spot = { tier: 'app' as const, service: 'app-1', cause: 'broke-off' };
	assert.deepEqual(placed(spot, 'proved', 'timed'), { ...spot, where: 'proved', why: 'timed', amplifier: null });
	assert.equal(placed(spot, 'proved', 'timed', spot).amplifier, spot);
});
