import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskedSecond, Standstill } from './standstill.ts';
import { onsetInterval, onsetOf, standstillOf, stoodIn, stoodText } from './standstill.ts';

/**
 * A closed load: users who wait for an answer and ask again.
 * @param length seconds
 */
const load = (length: number, tell: (t_s: number) => Partial<AskedSecond>): AskedSecond[] =>
	Array.from({ length }, (_, index) => {
		const second = { t_s: index + 1, good: 0, failed: 0, begun: 0, waiting: 0, users: 50, ...tell(index + 1) };
		return { demand: second.users, ...second };
	});

/** @param end_s of the load */
const standstillIn = (seconds: AskedSecond[], end_s: number) => {
	const raw = { manifest: { shape: { stages: [{ duration_s: end_s, target: 50 }] } } } as any;
	return standstillOf({ raw, window: { warmupFrom: 990, from: 1000, to: 1000 + end_s } }, seconds);
};

const WELL = { good: 200, waiting: 50 };

test('a system that answers nobody from a second on has stopped, however few requests fail', () => {
	const found = standstillIn(
		load(90, (t_s) => (t_s <= 11 ? WELL : t_s <= 60 ? { waiting: 50 } : { users: 0, failed: t_s === 90 ? 50 : 0 })),
		60,
	);
	assert.deepEqual(found, { kind: 'stopped', intervals: [{ from_s: 11, to_s: 60 }], end_s: 60 });
});

test('one that refuses everybody at once has stopped as well', () => {
	const found = standstillIn(
		load(60, (t_s) => (t_s <= 11 ? WELL : { failed: 4000 })),
		60,
	);
	assert.deepEqual(found?.intervals, [{ from_s: 11, to_s: 60 }]);
});

test('a system that never answered well says so, and one that nobody asked says nothing', () => {
	const never = standstillIn(
		load(10, () => ({ failed: 3 })),
		10,
	);
	assert.deepEqual(never, { kind: 'never', intervals: [{ from_s: 0, to_s: 10 }], end_s: 10 });
	assert.equal(
		standstillIn(
			load(10, () => ({})),
			10,
		),
		null,
	);
});

test('one that came back has, with when it stood each time', () => {
	const silent = (t_s: number) => (t_s > 20 && t_s <= 31) || (t_s > 40 && t_s <= 45);
	const found = standstillIn(
		load(60, (t_s) => (silent(t_s) ? { waiting: 50 } : WELL)),
		60,
	);
	assert.deepEqual(found, {
		kind: 'came-back',
		intervals: [
			{ from_s: 20, to_s: 31 },
			{ from_s: 40, to_s: 45 },
		],
		end_s: 60,
	});
	assert.deepEqual(found && onsetInterval(found), { from_s: 20, to_s: 31 });
	assert.deepEqual(found && onsetInterval({ ...found, kind: 'stopped' }), { from_s: 40, to_s: 45 });
	assert.deepEqual(
		[stoodIn(found, { from_s: 31, to_s: 40 }), stoodIn(found, { from_s: 30, to_s: 32 }), stoodIn(null, { from_s: 0, to_s: 9 })],
		[false, true, false],
	);
});

test('who is answered after the load has ended was answered: it came back', () => {
	const found = standstillIn(
		load(65, (t_s) => (t_s <= 50 ? WELL : t_s === 64 ? { good: 50 } : { waiting: 50, users: t_s <= 60 ? 50 : 0 })),
		60,
	);
	assert.deepEqual(found, { kind: 'came-back', intervals: [{ from_s: 50, to_s: 63 }], end_s: 60 });
});

test('a few that are still open when the load ends are no stop: nobody asks any more', () => {
	const found = standstillIn(
		load(90, (t_s) => (t_s <= 60 ? WELL : { users: 0, demand: 0, waiting: t_s < 90 ? 5 : 0, failed: t_s === 90 ? 5 : 0 })),
		60,
	);
	assert.equal(found, null);
});

test('a load of one request in five seconds does not stand still in between, and does when ten of them are missing', () => {
	const slow = (until: number) =>
		standstillIn(
			load(120, (t_s) => ({ users: 1, demand: 0.2, ...(t_s % 5 === 0 && t_s <= until ? { good: 1 } : { waiting: 1 }) })),
			120,
		);
	assert.equal(slow(120), null);
	assert.equal(slow(90), null);
	assert.deepEqual(slow(60)?.intervals, [{ from_s: 60, to_s: 120 }]);
});

test('a user who waits five seconds for each answer sees no standstill', () => {
	const found = standstillIn(
		load(60, (t_s) => ({ users: 10, ...(t_s % 5 === 0 ? { good: 10 } : { waiting: 10 }) })),
		60,
	);
	assert.equal(found, null);
});

test('users who all think at once are no silence of the system, though one of them may fail meanwhile', () => {
	const found = standstillIn(
		load(60, (t_s) => (t_s > 20 && t_s <= 50 ? { failed: t_s === 30 ? 1 : 0 } : WELL)),
		60,
	);
	assert.equal(found, null);
});

test('two seconds are noise', () => {
	const silence = (seconds: number) =>
		standstillIn(
			load(60, (t_s) => (t_s > 20 && t_s <= 20 + seconds ? { waiting: 50 } : WELL)),
			60,
		);
	assert.equal(silence(2), null);
	assert.deepEqual(silence(3)?.intervals, [{ from_s: 20, to_s: 23 }]);
});

test('of the first users of a ramp as much less is expected, and of the last', () => {
	const ramp = (t_s: number) => (t_s <= 5 ? { users: 1, waiting: 1 } : { users: 500, good: 250, waiting: 500 });
	assert.equal(standstillIn(load(60, ramp), 60), null);
	const back = (t_s: number) => (t_s > 55 ? { users: 1, waiting: 1 } : { users: 500, good: 250, waiting: 500 });
	assert.equal(standstillIn(load(60, back), 60), null);
});

test('what stands still again and again is found each time, for as long as it works in between', () => {
	const often = standstillIn(
		load(60, (t_s) => (t_s % 10 < 6 ? WELL : { waiting: 50 })),
		60,
	);
	assert.equal(often?.intervals.length, 6);
});

test('an interval lasts until the first good answer that is on record', () => {
	const found = standstillIn(
		load(60, (t_s) => (t_s > 20 && t_s <= 28 ? { waiting: 50 } : WELL)).filter(({ t_s }) => t_s < 27 || t_s > 28),
		60,
	);
	assert.deepEqual(found?.intervals, [{ from_s: 20, to_s: 28 }]);
});

test('seconds that are on no record are no silence', () => {
	const found = standstillIn(
		load(60, (t_s) => (t_s > 20 && t_s <= 24 ? { waiting: 50 } : WELL)).filter(({ t_s }) => t_s < 22 || t_s > 23),
		60,
	);
	assert.equal(found, null);
});

const stood: (kind: Standstill['kind'], ...intervals: [number, number][]) => Standstill = (kind, ...intervals) => ({
	kind,
	intervals: intervals.map(([from_s, to_s]) => ({ from_s, to_s })),
	end_s: 60,
});

const textOf: (standstill: Standstill | null, about?: object) => string | undefined = (standstill, about = {}) =>
	onsetOf(standstill, { failures: 9, ...about })?.text;

test('what stood at no time has no onset', () => {
	assert.equal(onsetOf(null, { failures: 9 }), null);
});

test('a stop is told from its last good answer on, with how long nobody came back', () => {
	assert.deepEqual(onsetOf(stood('stopped', [11, 60]), { failures: 9 }), {
		kind: 'stopped',
		from_s: 11,
		to_s: null,
		text: 'From second 11 on no request succeeded: requests did not succeed again in the 49 seconds until the load ended.',
	});
	assert.equal(
		textOf(stood('stopped', [3, 8], [20, 31], [57, 60])),
		'From second 57 on no request succeeded, nor from second 3 to 8 and 20 to 31: requests did not succeed again in the 3 seconds until the load ended.',
	);
});

test('what came back is told from when to when, the longest of several', () => {
	const one = onsetOf(stood('came-back', [20, 31]), { failures: 9 });
	assert.deepEqual(one, {
		kind: 'came-back',
		from_s: 20,
		to_s: 31,
		text: 'From second 20 to 31 no request succeeded; then requests succeeded again.',
	});
	const all = [
		[2, 5],
		[10, 16],
		[20, 31],
		[40, 44],
		[50, 53],
	] as const;
	assert.equal(
		textOf(stood('came-back', ...all.map(([from, to]) => [from, to] as [number, number]))),
		'From second 10 to 16, 20 to 31, 40 to 44 and 2 more times no request succeeded; after each of these, requests succeeded again.',
	);
	assert.equal(onsetOf(stood('came-back', [2, 5], [20, 31]), { failures: 9 })?.from_s, 20);
	assert.equal(textOf(stood('came-back', [0, 8])), 'Until second 8 no request succeeded.');
});

test('what never answered well is reported in the fewest words', () => {
	assert.deepEqual(onsetOf(stood('never', [0, 60]), { failures: 9 }), {
		kind: 'never',
		from_s: 0,
		to_s: null,
		text: 'No request succeeded.',
	});
});

test('where all were answered well in the end, nothing is said of bad answers', () => {
	assert.equal(
		textOf(stood('came-back', [20, 31]), { failures: 0 }),
		'From second 20 to 31 no response came; then requests succeeded again.',
	);
	assert.equal(stoodText(stood('came-back', [20, 31]), false), 'From second 20 to 31 no response came');
});

test('a fault that was there or had just been does not excuse the stop: both are said', () => {
	const fault = { text: 'kill db', began_s: 10.2, ended_s: 10.2 };
	const said = (changed: object) => textOf(stood('stopped', [11, 60]), { faults: [{ ...fault, ...changed }] });
	assert.match(said({}) ?? '', / until the load ended\. The fault "kill db" began at second 10\.$/);
	assert.match(said({ began_s: 2, ended_s: 30 }) ?? '', / The fault "kill db" began at second 2\.$/);
	assert.match(said({ began_s: 11.4, ended_s: null }) ?? '', / The fault "kill db" began at second 11\.$/);
	for (const other of [
		{ began_s: 0.5, ended_s: 0.9 },
		{ began_s: 12.1, ended_s: 20 },
		{ began_s: null, ended_s: null },
	])
		assert.doesNotMatch(said(other) ?? '', /kill/);
});
