import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '../../k6/lib/shapes.js';
import type { FaultEffect, TimelineRow } from '../record/types.js';
import { faultEffects } from './fault-effects.ts';
import { loopSentence, sustainingLoop } from './sustaining-loop.ts';

const FROM = 1000;

/** @param changed good and failed of those seconds; 100 and 0 in all others */
const timelineOf = (changed: Record<number, [number, number]>, seconds = 40) =>
	Array.from({ length: seconds }, (_, index) => {
		const t_s = index + 1;
		const [good, failed] = changed[t_s] ?? [100, 0];
		return { t_s, warmup: false, goodput_rps: good, failures_per_s: failed, throughput_rps: good + failed } as unknown as TimelineRow;
	});

const fault: (began: number | null, ended: number | null, more?: object) => any = (began, ended, more = {}) => ({
	text: 'pause mongo@20s+5s',
	at_s: began ?? 0,
	began_s: began === null ? null : FROM + began,
	ended_s: ended === null ? null : FROM + ended,
	failed: null,
	...more,
});

const effectsOf: (
	faults: any[],
	timeline: ReturnType<typeof timelineOf>,
	given?: { shape?: object; disturbed?: { good: number; failed: number }[] | null; backlog?: number[] },
) => FaultEffect[] = (faults, timeline, { shape, disturbed = null, backlog } = {}) =>
	faultEffects({ manifest: { faults, shape, load_began_s: FROM }, disturbed, nodes: {} }, timeline, backlog);

/** Seconds of a load with these good answers, the others with 100. */
const span: (from: number, to: number, good: number) => Record<number, [number, number]> = (from, to, good) =>
	Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [from + index, [good, 0]]));

test('a run without faults has no effects of any', () => assert.deepEqual(effectsOf([], timelineOf({})), []));

test('before and after are read from the seconds around it, during from the requests that ended while it was there', () => {
	const [effect] = effectsOf([fault(20.1, 25.1)], timelineOf({ 21: [0, 0], 26: [40, 10], 27: [80, 0] }), {
		disturbed: [{ good: 10, failed: 15 }],
	});
	assert.deepEqual(effect, {
		text: 'pause mongo@20s+5s',
		began_s: 20.1,
		ended_s: 25.1,
		failed: null,
		before: { seconds: 10, goodput_rps: 100, failure_rate: 0 },
		during: { goodput_rps: 2, failure_rate: 0.6 },
		recovered_after_s: 1.9,
		watched_after_s: 14.9,
		metastable: false,
		loop: null,
		later_rps: null,
		backlog: null,
	});
});

test('a rate during it is over the time in which it was in force, and there is none where that was a moment', () => {
	const during = ([from, to]: [number, number]) =>
		effectsOf([fault(20, 25, { in_force_s: [FROM + from, FROM + to] })], timelineOf({}), { disturbed: [{ good: 10, failed: 0 }] })[0]
			.during;
	assert.equal(during([20.5, 24.5])?.goodput_rps, 2.5);
	assert.equal(during([24.9, 25]), null);
	assert.equal(during([25, 24.9]), null);
});

test('of a queue it is told when no more waited than before, though as many were done a second all along', () => {
	const backlog = Array.from({ length: 40 }, (_, index) => {
		const t = index + 1;
		if (t <= 20) return t % 2 === 0 ? 8 : 5;
		return t === 28 ? 7 : Math.max(4, 500 - 40 * (t - 20));
	});
	const [effect] = effectsOf([fault(20, 25)], timelineOf({}), { backlog });
	assert.equal(effect.recovered_after_s, 0);
	// Second 28 alone is no recovery; 33 is the first of those that last.
	assert.deepEqual(effect.backlog, { before: 8, most: 460, at_end: 4, recovered_after_s: 7 });
	const [never] = effectsOf([fault(20, 25)], timelineOf({}), { backlog: backlog.map((waiting, index) => (index < 20 ? waiting : 9)) });
	assert.deepEqual(never.backlog, { before: 8, most: 9, at_end: 9, recovered_after_s: null });
	// Of a second fault what the first had left waiting is not how it was before.
	const [, second] = effectsOf([fault(10, 15), fault(20, 25)], timelineOf({}), {
		backlog: backlog.map((n, index) => (index < 15 ? 900 : n)),
	});
	assert.equal(second.backlog?.before, 8);
});

test('a good second alone is no recovery, and one that does not come is none', () => {
	const [effect] = effectsOf([fault(20, 22)], timelineOf({ ...span(21, 40, 50), 30: [120, 0] }));
	assert.deepEqual([effect.recovered_after_s, effect.watched_after_s], [null, 18]);
});

test('what comes too early in the load, or too soon after another fault, has no before', () => {
	const timeline = timelineOf({});
	assert.equal(effectsOf([fault(2, 4)], timeline)[0].before, null);
	const [first, second] = effectsOf([fault(10, 12), fault(14, 15)], timeline);
	assert.deepEqual([first.before?.seconds, first.recovered_after_s, second.before], [10, 0, null]);
});

test('what begins while another one is there has no before', () => {
	const [, second] = effectsOf([fault(10, 30), fault(20, 22)], timelineOf({}));
	assert.equal(second.before, null);
});

test('where no request ended there is no share of failures, and what is over at once has no rate', () => {
	const [stood, killed] = effectsOf([fault(20, 22), fault(30, 30.05)], timelineOf({}), {
		disturbed: [
			{ good: 0, failed: 0 },
			{ good: 3, failed: 0 },
		],
	});
	assert.deepEqual([stood.during, killed.during], [{ goodput_rps: 0, failure_rate: null }, null]);
});

test('a fault that was not put in has no effect, and says why', () => {
	const [effect] = effectsOf([fault(null, null, { failed: 'there is no container app-9 to kill' })], timelineOf({}));
	assert.deepEqual([effect.failed, effect.before, effect.during], ['there is no container app-9 to kill', null, null]);
	const ordered = effectsOf([fault(null, null, { text: 'later', at_s: 5 }), fault(3, 3, { text: 'earlier', at_s: 3 })], timelineOf({}));
	assert.deepEqual(
		ordered.map(({ text }) => text),
		['earlier', 'later'],
	);
});

test('a surge is over when the load is as before, and what does not come back then is metastable', () => {
	const shape = shapes.surge({ RATE: '200' });
	const [back] = effectsOf([], timelineOf(span(21, 35, 40), 70), { shape });
	assert.deepEqual(
		[back.text, back.began_s, back.ended_s, back.recovered_after_s, back.metastable],
		['surge to 200 requests a second', 20, 31, 4, false],
	);
	const [down] = effectsOf([], timelineOf(span(21, 70, 40), 70), { shape });
	assert.deepEqual([down.recovered_after_s, down.watched_after_s, down.metastable], [null, 39, true]);
	assert.deepEqual(down.loop, { arrivals_rps: 100, attempts_rps: 40, served_before_rps: 100, worked: null, in_vain: null });
});

test('users who wait for their answers, and a load that goes on changing, are not called metastable', () => {
	const stayedDown = timelineOf(span(21, 70, 40), 70);
	assert.equal(effectsOf([fault(20, 25)], stayedDown, { shape: shapes.steady({}) })[0].metastable, true);
	assert.equal(effectsOf([fault(20, 25)], stayedDown, { shape: shapes.open({}) })[0].metastable, false);
	assert.equal(effectsOf([fault(20, 25)], stayedDown, { shape: shapes.hold({}) })[0].metastable, false);
});

test('what came back for good is read long after its end, where the load goes on for so long', () => {
	const [back] = effectsOf([fault(20, 25)], timelineOf(span(21, 50, 10), 90));
	assert.deepEqual([back.recovered_after_s, back.later_rps], [25, 100]);
	const [down] = effectsOf([fault(20, 25)], timelineOf(span(21, 90, 10), 90));
	assert.equal(down.later_rps, 10);
	assert.equal(effectsOf([fault(20, 25)], timelineOf({}, 57))[0].later_rps, null);
});

const BEGAN = 1000;

const row: (second: number, answered: number, aborted: number, event?: string) => object = (second, answered, aborted, event = 'tick') => ({
	t: BEGAN + second,
	event,
	answered: { '2xx': answered },
	aborted,
});

const timeline = Array.from({ length: 60 }, (_, index) => ({ t_s: index + 1, throughput_rps: index < 20 ? 100 : 400 }) as any);
const stayedDown = { from: 20, to: 60, arrivals: 100, before_rps: 98 };

const loopOf = (nodes: Record<string, object[]>) => sustainingLoop({ nodes, load_began_s: BEGAN }, timeline, stayedDown);

test('attempts are those of the seconds in which it stayed down, against what arrives', () => {
	const loop = loopOf({ 'app-1': [row(19, 1900, 0), row(60, 2100, 3800)] });
	assert.deepEqual(loop, { arrivals_rps: 100, attempts_rps: 400, served_before_rps: 98, worked: 4000, in_vain: 3800 });
});

test('all nodes count', () => {
	const loop = loopOf({ 'app-1': [row(20, 0, 0), row(60, 100, 300)], 'app-2': [row(20, 5, 5), row(60, 105, 105)] });
	assert.deepEqual([loop.worked, loop.in_vain], [600, 400]);
});

test('a node whose record does not cover the time leaves the work untold', () => {
	assert.equal(loopOf({ 'app-1': [row(30, 0, 0), row(60, 100, 300)] }).worked, null);
	assert.equal(loopOf({ 'app-1': [row(20, 9, 0), row(40, 0, 0, 'start'), row(60, 100, 300)] }).in_vain, null);
	assert.equal(loopOf({}).worked, null);
});

test('the sentence names what is on record, and nothing else', () => {
	const loop = { arrivals_rps: 800, attempts_rps: 3100, served_before_rps: 790, worked: 1000, in_vain: 862 };
	assert.equal(
		loopSentence(loop),
		'What keeps it down: users send 3,100 attempts a second for 800 requests (3.88 for each), more than the 790 that were served before; 86.2 % of what the nodes worked on was for users who had given up.',
	);
	assert.match(loopSentence({ ...loop, attempts_rps: 810 }), /^What keeps it down: 86\.2 % of what the nodes/);
	assert.doesNotMatch(loopSentence({ ...loop, served_before_rps: 4000 }), /more than/);
	for (const unreported of [{ worked: null, in_vain: null }, { in_vain: 50 }, { worked: 0, in_vain: 0 }])
		assert.equal(loopSentence({ ...loop, attempts_rps: 800, ...unreported }), 'What keeps it down is not on record.');
});
