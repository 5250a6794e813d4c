/**
 * What the statistics can find, and how often they cry wolf, on simulated experiments of known truth: the figures beside which the
 * number of blocks was chosen.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustHolm } from './holm.ts';
import { comparePaired } from './paired.ts';
import { createRandom } from './random.ts';
import { LEAST_BLOCKS } from './ranks.ts';

const EXPERIMENTS = 1000;
/** Standard deviation of the logarithm of a figure from run to run. */
const NOISE = 0.03;
const FAMILY = 6;

const random = createRandom(2026);
const RESOLUTION = 2 ** 32;

/** A standard normal number (Box and Muller 1958). */
function normal() {
	const [one, other] = [(random.below(RESOLUTION) + 1) / RESOLUTION, random.below(RESOLUTION) / RESOLUTION];
	return Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other);
}

/**
 * One metric of both arms, block by block; all of a block share a mood of the machine.
 * @param ratio the truth
 */
function simulated(ratio: number) {
	const moods = Array.from({ length: LEAST_BLOCKS }, () => 400 * Math.exp(0.05 * normal()));
	const run = (mood: number) => mood * Math.exp(NOISE * normal());
	return comparePaired(
		moods.map(run),
		moods.map((mood) => run(mood) * ratio),
		'ratio',
	);
}

const share = (happened: () => boolean) => Array.from({ length: EXPERIMENTS }, happened).filter(Boolean).length / EXPERIMENTS;

test('a slow-down of 10 % is found in nearly all experiments of 8 blocks, and the interval excludes 1', () => {
	const found = share(() => {
		const { high } = simulated(0.9);
		return high !== null && high < 1;
	});
	assert.ok(found >= 0.98, `${found}`);
});

test('the interval holds the truth in at least 95 % of the experiments', () => {
	const held = share(() => {
		const { low, high } = simulated(0.9);
		return low !== null && high !== null && low <= 0.9 && 0.9 <= high;
	});
	// 0.95 less three standard errors of 1000 tosses; the interval of 8 blocks is made for 0.961.
	assert.ok(held >= 0.93, `${held}`);
});

test('identical arms are called different on any of six metrics in at most 5 % of the experiments', () => {
	const alarmed = share(() => adjustHolm(Array.from({ length: FAMILY }, () => simulated(1).p)).some((p) => p !== null && p < 0.05));
	// 0.05 and three standard errors of 1000 tosses.
	assert.ok(alarmed <= 0.07, `${alarmed}`);
});

test('a family of six can still find something with 8 blocks, and with 7 it could not', () => {
	const all = (blocks: number) => {
		const [base, other] = [10, 11].map((value) => Array.from({ length: blocks }, (_, block) => value + block / 10));
		return adjustHolm(Array.from({ length: FAMILY }, () => comparePaired(base, other, 'ratio').p))[0];
	};
	assert.ok(Number(all(8)) < 0.05, `${all(8)}`);
	assert.ok(Number(all(7)) > 0.05, `${all(7)}`);
});
