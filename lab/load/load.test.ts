import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Shape } from '../../k6/lib/shapes.js';
import { loadStart, shapes } from '../../k6/lib/shapes.js';
import { LiveRequests } from './live-requests.ts';
import { liveStatus } from './live-status.ts';

/** What is shown is of so many seconds, which ended so long ago. */
const [OF_S, AGO_S] = [5, 7];

const ORIGIN_S = 1_800_000_000;
const NONE = { rps: null, p95Ms: null, failureRate: null };

const logged = (line: Record<string, unknown>) => `${JSON.stringify({ level: 'error', msg: JSON.stringify(line), source: 'console' })}\n`;
/** Of requests that ended at a second and took so many milliseconds; below zero those that failed. */
const endedAt = (second: number, ...took: number[]) => [
	(ORIGIN_S + second) * 1000,
	0,
	0,
	...took.flatMap((ms) => [-Math.abs(ms) * 10, Math.abs(ms) * 10, ms < 0 ? -1 : 0, 0]),
];
/** Of the load's seconds up to this one. */
const shownUntil = (live: LiveRequests, second: number, of: number = OF_S) =>
	live.figures({ from: ORIGIN_S + Math.max(0, second - of), to: ORIGIN_S + second, isOfLoad: true });

test('each of several generators has a log of its own, in pieces of its own', () => {
	const live = new LiveRequests(2);
	const [one, other] = [logged({ requests: endedAt(1, 10, 20) }), logged({ requests: endedAt(1, 30, -40) })];
	live.feed(one.slice(0, 40), 0);
	live.feed(other.slice(0, 60), 1);
	live.feed(one.slice(40), 0);
	live.feed(other.slice(60), 1);
	assert.deepEqual(shownUntil(live, 1), { rps: 4, p95Ms: 38.5, failureRate: 0.25 });
});

test('before anything is written there is nothing to say', () => {
	const live = new LiveRequests();
	live.feed('{"level":"error","msg":"{\\"event\\":\\"start\\",\\"t\\":1}"}\nno JSON at all\n');
	assert.deepEqual(shownUntil(live, 1), NONE);
});

test('the figures are of the seconds in which requests ended, whenever they were written', () => {
	const live = new LiveRequests();
	// A hundred a second, of which k6 writes those of four seconds at once.
	const hundred = Array.from({ length: 100 }, () => 20);
	for (const second of [7, 8, 9, 10]) live.feed(logged({ requests: endedAt(second, ...hundred) }));
	for (const second of [6, 5]) live.feed(logged({ requests: endedAt(second, ...hundred) }));
	assert.equal(shownUntil(live, 9.99).rps, 100);
	assert.equal(shownUntil(live, 10).rps, 100);
});

test('where nothing ends any more nothing is shown', () => {
	const live = new LiveRequests();
	live.feed(logged({ requests: endedAt(1, 10, 20) }));
	assert.deepEqual(shownUntil(live, 1 + OF_S), NONE);
});

test('a rate is over the seconds that are asked for, however few there are', () => {
	const live = new LiveRequests();
	live.feed(logged({ requests: endedAt(1, 1000) }));
	live.feed(logged({ requests: endedAt(2, 10, 20, 30) }));
	assert.equal(shownUntil(live, 2).rps, 2);
});

test('of the load nothing of the warm-up is reported, and of the warm-up no failures', () => {
	const live = new LiveRequests();
	live.feed(logged({ warm: endedAt(1, 10, -30) }));
	live.feed(logged({ requests: endedAt(1, 50) }));
	const span = { from: ORIGIN_S, to: ORIGIN_S + 1 };
	assert.deepEqual(live.figures({ ...span, isOfLoad: false }), { rps: 2, p95Ms: 29, failureRate: null });
	assert.deepEqual(live.figures({ ...span, isOfLoad: true }), { rps: 1, p95Ms: 50, failureRate: 0 });
});

test('the record is whole until some seconds ago, or before the newest request that the last of the generators told', () => {
	const live = new LiveRequests(2);
	const completeUntil = (second: number) => live.completeUntil(ORIGIN_S + second) - ORIGIN_S;
	assert.equal(completeUntil(30), Number.NEGATIVE_INFINITY);
	live.feed(logged({ requests: endedAt(30, 10) }), 0);
	assert.equal(completeUntil(30), Number.NEGATIVE_INFINITY);
	live.feed(logged({ requests: endedAt(20, 10) }), 1);
	assert.equal(completeUntil(30), 14);
	live.feed(logged({ requests: endedAt(29.5, 10) }), 1);
	assert.equal(completeUntil(30), 30 - AGO_S);
});

test('what arrivals are late by the generator’s own clock, no user waited', () => {
	const live = new LiveRequests();
	live.feed(logged({ event: 'first-arrival', late_ms: 40 }));
	live.feed(logged({ requests: endedAt(1, 60) }));
	assert.equal(shownUntil(live, 1).p95Ms, 20);
});

const BEGAN = 1_800_000_000;
const ramp = shapes.ramp({});
const START = loadStart(ramp);

/**
 * A line of a user for each whole second of k6: requests that ended evenly in it.
 * @param to seconds since k6 began
 * @param how failed: share of them
 */
function tell(
	requests: LiveRequests,
	from: number,
	to: number,
	{ rps, failed = () => 0, name = 'requests' }: { rps: number; failed?: (second: number) => number; name?: 'requests' | 'warm' },
) {
	for (let second = from; second < to; second += 1) {
		const bad = Math.round(rps * failed(second));
		const ends = Array.from({ length: rps }, (_, index) => Math.round(((index + 0.5) / rps) * 10_000));
		const numbers = ends.flatMap((end, index) => [end - 100, 100, index < bad ? -1 : 0, 0]);
		requests.feed(logged({ [name]: [(BEGAN + second) * 1000, 0, 0, ...numbers] }));
	}
}

const statusAt = (shape: Shape, requests: LiveRequests, elapsed: number) => liveStatus({ shape, beganS: BEGAN, requests }, BEGAN + elapsed);

test('users, stage, rate and failures are of the same seconds: where failures begin, so many users are shown', () => {
	const requests = new LiveRequests();
	// From 500 users on, at 40 s of the load, nine in ten fail.
	tell(requests, START, START + 70, { rps: 100, failed: (second) => (second >= START + 40 ? 0.9 : 0) });
	const shown = Array.from({ length: 60 }, (_, second) => statusAt(ramp, requests, START + second)).filter(({ rps }) => rps !== null);
	const first = shown.find(({ failureRate }) => Number(failureRate) > 0);
	assert.ok(first?.users && first.users >= 460 && first.users < 530, JSON.stringify(first));
	const wanted = (second: number) => (second < 20 ? 1 + (99 * second) / 20 : second < 40 ? 20 * second - 300 : 25 * second - 500);
	for (const { users, ofS } of shown) assert.equal(users, Math.round(wanted((Number(ofS?.[0]) + Number(ofS?.[1])) / 2)));
	const full = shown.find(({ failureRate }) => Number(failureRate) > 0.89);
	assert.match(String(full?.stage), /to 1,000 users/);
});

test('a rate is over the seconds of the load that it is of, and never the warm-up’s under a stage of the load', () => {
	const requests = new LiveRequests();
	tell(requests, 0, ramp.warmup_s, { rps: 1000, name: 'warm' });
	tell(requests, START, START + 30, { rps: 60 });
	for (let second = 0; second < START + 30; second += 0.5) {
		const { stage, rps, users, nowS } = statusAt(ramp, requests, second);
		assert.equal(nowS, second - START);
		if (rps === null) assert.equal(users, null, `no users without figures, at ${second}`);
		else if (stage.startsWith('to ')) assert.ok(Math.abs(rps - 60) < 1, `${stage}: ${rps} at ${second}`);
		else assert.deepEqual([stage, Math.abs(rps - 1000) < 10, users], ['warm-up (not counted)', true, 20]);
	}
});

test('a rate is of one second of the load at least', () => {
	const requests = new LiveRequests();
	tell(requests, START, START + 30, { rps: 60 });
	assert.equal(statusAt(ramp, requests, START + AGO_S + 0.9).rps, null);
	assert.equal(Math.round(Number(statusAt(ramp, requests, START + AGO_S + 2).rps)), 60);
});

test('what k6 still holds back of its log is waited for, and what is shown is then of earlier seconds', () => {
	const requests = new LiveRequests();
	tell(requests, START, START + 10, { rps: 4 });
	const { ofS, rps } = statusAt(ramp, requests, START + 30);
	assert.ok(ofS && ofS[1] < 4, JSON.stringify(ofS));
	assert.ok(Number(rps) > 3.5 && Number(rps) < 4.5, `${rps}`);
});

test('before k6 has begun, and until something is reported, there is a stage and no figure', () => {
	const requests = new LiveRequests();
	const none = { users: null, rps: null, p95Ms: null, failureRate: null, ofS: null, isLongest: false };
	const all = loadStart(ramp) + 80;
	assert.deepEqual(liveStatus({ shape: ramp, beganS: null, requests }, BEGAN), {
		stage: 'preparing users',
		...none,
		leftS: all,
		nowS: null,
	});
	assert.deepEqual(statusAt(ramp, requests, 2), { stage: 'warm-up (not counted)', ...none, leftS: all - 2, nowS: 2 - START });
});

test('of a script the most users are told, and of a load at a rate none', () => {
	const script = { ...ramp, warmup_s: 0, settle_s: 0, stages: [{ duration_s: 30, target: 20 }] };
	assert.equal(statusAt(script, new LiveRequests(), 2).usersMost, 20);
	assert.equal(statusAt({ ...script, unit: 'rps', model: 'open' }, new LiveRequests(), 2).usersMost, null);
	assert.equal(statusAt(ramp, new LiveRequests(), 2).usersMost, undefined);
});

test('of a script that may end before its longest time the time left is the longest', () => {
	const ends = { iterations: { buy: 10 }, timed_s: 0, aborting: [] };
	const shape = { ...ramp, warmup_s: 0, settle_s: 0, ends };
	assert.equal(statusAt(shape, new LiveRequests(), 2).isLongest, true);
});

/**
 * Where figures are shown of seconds that have this one in their middle.
 * @param second of k6
 */
function usersOf(shape: Shape, second: number) {
	const requests = new LiveRequests();
	const start = loadStart(shape);
	const isPause = second >= shape.warmup_s && second < start;
	const begin = second < shape.warmup_s ? 0 : start;
	tell(requests, 0, shape.warmup_s, { rps: 10, name: 'warm' });
	tell(requests, start, start + 60, { rps: 10 });
	const until = isPause ? second : Math.min(second + OF_S / 2, 2 * second - begin);
	const { rps, users } = statusAt(shape, requests, until + AGO_S);
	assert.equal(rps === null, isPause);
	return users;
}

test('users are those that the shape wants, in the warm-up and between two stages too', () => {
	const crowd = shapes.crowd({});
	// After the warm-up a pause of 3 s, 2 s to 300 users, who are held for 8 s.
	const end = crowd.warmup_s;
	assert.deepEqual(
		[1, end - 2.5, end + 3.5, end + 4, end + 5.5, end + 12].map((second) => usersOf(crowd, second)),
		[20, 20, 76, 151, 300, 300],
	);
	assert.deepEqual([usersOf(crowd, end + 1), usersOf(crowd, end + 14)], [null, null]);
});

test('of arrivals, and of a script of one’s own, nobody knows the users', () => {
	assert.equal(usersOf(shapes.calm({}), 30), null);
	assert.equal(usersOf({ ...shapes.hold({}), warmup_s: 0, settle_s: 0 }, 10), null);
});
