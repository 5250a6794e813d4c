import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Copy } from './decide.ts';
import { isShown, nextCopy, RULE, verdictOf } from './decide.ts';

const PROBES = [{ id: 'pool' }, { id: 'workers' }];
/** of 100 requests */
const copy: (probe: string | null, failed: number, more?: Partial<Copy>) => Copy = (probe, failed, more = {}) => ({
	probe,
	failed,
	requests: 100,
	good_rps: 10,
	place: failed > 0 ? 'api/pool-wait' : '',
	...more,
});
const [ill, well] = [copy(null, 50), copy('pool', 0)];

test('The first copy is as it was, and one that does not show the trouble ends it', () => {
	assert.deepEqual(nextCopy([], PROBES, 0.5), { next: null });
	assert.deepEqual(nextCopy([copy(null, 16)], PROBES, 0.5), { end: 'not-shown' });
	assert.deepEqual(nextCopy([copy(null, 17)], PROBES, 0.5), { next: 'pool' });
	assert.deepEqual(nextCopy([ill], PROBES, 0.5), { next: 'pool' });
});

test('A change that was tried alone is proved by two copies with it among three as they were, in turns', () => {
	const made = [ill];
	const order = [];
	for (let state = nextCopy(made, PROBES, 0.5); 'next' in state; state = nextCopy(made, PROBES, 0.5)) {
		order.push(state.next);
		made.push(state.next === null ? ill : well);
	}
	assert.deepEqual(order, ['pool', null, 'pool', null]);
	assert.deepEqual(nextCopy(made, PROBES, 0.5), { end: 'proved', probe: 'pool' });
	assert.equal(verdictOf('pool', made, nextCopy(made, PROBES, 0.5)), 'proved');
});

test('After a change that did nothing, the next one needs two further copies', () => {
	const made = [ill, copy('pool', 48)];
	while ('next' in nextCopy(made, PROBES, 0.5)) {
		const { next } = nextCopy(made, PROBES, 0.5) as { next: string | null };
		made.push(next === null ? ill : copy(next, 1));
	}
	assert.deepEqual(nextCopy(made, PROBES, 0.5), { end: 'proved', probe: 'workers' });
	assert.deepEqual(
		made.map(({ probe }) => probe),
		[null, 'pool', 'workers', null, 'workers', null, 'workers', 'workers'],
	);
	assert.equal(verdictOf('pool', made, nextCopy(made, PROBES, 0.5)), 'acquitted');
});

test('A copy as it was that does not fail leaves nothing to hold a change against', () => {
	assert.deepEqual(nextCopy([ill, well, copy(null, 1)], PROBES, 0.5), { end: 'unsteady' });
	// By the share of the run, which was there before the first copy: that one may have more by chance.
	assert.deepEqual(nextCopy([copy(null, 80), well, copy(null, 30)], PROBES, 0.5), { next: 'pool' });
});

test('A change that ends it once and not again proves nothing, and neither could the next', () => {
	const made = [ill, well, ill, copy('pool', 40)];
	assert.deepEqual(nextCopy(made, PROBES, 0.5), { end: 'unsteady' });
	assert.equal(verdictOf('pool', made, { end: 'unsteady' }), 'undecided');
	assert.deepEqual(nextCopy([ill, copy('pool', 45), copy('workers', 45)], PROBES, 0.5), { end: 'undecided' });
});

test('Fewer failures of fewer answers are no cure: who gets no answer fails no more', () => {
	const starved = copy('pool', 0, { good_rps: 10 * RULE.served - 1 });
	assert.deepEqual(nextCopy([ill, starved], PROBES, 0.5), { next: 'workers' });
	assert.deepEqual(nextCopy([ill, copy('pool', 0, { requests: 0 })], PROBES, 0.5), { next: 'workers' });
});

test('What a change did in part, or moved elsewhere, is said', () => {
	assert.equal(verdictOf('pool', [ill, copy('pool', 20)], { next: 'workers' }), 'partly');
	assert.equal(verdictOf('pool', [ill, copy('pool', 45, { place: 'db/refused' })], { next: 'workers' }), 'moved');
	assert.equal(verdictOf('pool', [ill, copy('pool', 45, { place: 'api/pool-wait-timeout' })], { next: 'workers' }), 'acquitted');
});

test('A rival is tried even where another change is proved', () => {
	const made = [ill, well, ill, well, ill];
	const rivals = [
		{ id: 'pool', isRival: true },
		{ id: 'workers', isRival: true },
	];
	assert.deepEqual(nextCopy(made, rivals, 0.5), { next: 'workers' });
	const acquitted = [...made, copy('workers', 52)];
	assert.deepEqual(nextCopy(acquitted, rivals, 0.5), { end: 'proved', probe: 'pool' });
});

test('A change that ended it in each pair of turns is proved by one copy of each kind', () => {
	assert.deepEqual(nextCopy([ill], PROBES, 0.5, ['pool']), { next: 'pool' });
	assert.deepEqual(nextCopy([ill, well], PROBES, 0.5, ['pool']), { end: 'proved', probe: 'pool' });
	assert.deepEqual(nextCopy([ill, copy('pool', 45)], PROBES, 0.5, ['pool']), { next: 'workers' });
});

test('Turns show something where each has fewer failures with the change, as much is served, and it comes back without', () => {
	const turn = (failed: number, more = {}) => ({ failed, requests: 100, good_rps: 10, ...more });
	const pair = { off: turn(40), on: turn(2) };
	const all = Array.from({ length: RULE.pairs }, () => pair);
	assert.equal(isShown(all, 0.5), true);
	for (const other of [
		{ off: turn(40), on: turn(20) },
		{ off: turn(5), on: turn(0) },
		{ off: turn(40), on: turn(0, { good_rps: 7 }) },
		{ off: turn(40), on: turn(0, { requests: 0 }) },
	])
		assert.equal(isShown([...all.slice(1), other], 0.5), false, JSON.stringify(other));
	assert.equal(isShown(all.slice(1), 0.5), false, 'too few pairs');
});

/** A generator of chance that can be repeated. */
const chance = (seed: number) => () => {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return seed / 2 ** 32;
};

test('Where no change has any effect, at most 5 of 100 proofs prove one, however unsteady the trouble is', () => {
	const RUNS = 4000;
	for (const probes of [PROBES.slice(0, 1), PROBES, Array.from({ length: 8 }, (_, index) => ({ id: `p${index}` }))])
		for (const q of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97]) {
			const random = chance(Math.round(q * 1000) + probes.length);
			let proved = 0;
			for (let run = 0; run < RUNS; run += 1) {
				const made: Copy[] = [];
				// All pairs agree by chance.
				const shown = random() < 2 ** -RULE.pairs ? [probes[0].id] : [];
				let state = nextCopy(made, probes, 0.5, shown);
				while ('next' in state) {
					made.push(copy(state.next, random() < q ? 40 + Math.floor(20 * random()) : Math.floor(3 * random())));
					state = nextCopy(made, probes, 0.5, shown);
				}
				if (state.end === 'proved') proved += 1;
			}
			assert.ok(proved / RUNS <= 0.05, `${probes.length} changes, a chance of ${q}: ${proved} of ${RUNS}`);
		}
});
