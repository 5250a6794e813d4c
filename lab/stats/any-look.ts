/**
 * Two arms compared by figures that hold at any look. The evidence is an e-value, whose chance ever to reach 1/p is p at most where nothing
 * differs (Ville 1939): the likelihood ratio of a mean that is normal in units of the noise to a mean of 0, whatever the noise (Lai 1976, Annals of
 * Statistics 4; Rouder et al. 2009, Psychonomic Bulletin & Review 16; Wang and Ramdas 2025, Sequential Analysis 44). Heavy tails make it stricter
 * (Efron 1969, JASA 64). Signs and ranks cannot decide in 5 blocks: 2/2^5 = 0.0625.
 */

import { sum } from './numbers.ts';
import { comparePaired } from './paired.ts';
import type { Compared } from './ranks.ts';
import { differencesOf, LEAST_BLOCKS } from './ranks.ts';
import { scaleOf } from './scale.ts';

export type AnyLook = { level: number; gates: number; spread: number };

/**
 * level: chance of a false alarm in a comparison; gates: their share of it; spread: variance of the prior in those of the noise. Of 1 to 25 tried,
 * 9 decides 40 % against 0 % soonest, and a loss of 10 % two blocks after the best.
 */
export const ANY_LOOK: AnyLook = { level: 0.05, gates: 0.8, spread: 9 };

/** The evidence of 3 blocks is below 28, and the first gate needs 50. */
export const leastBlocks = (rule: AnyLook | null | undefined) => (rule ? 4 : LEAST_BLOCKS);

/** By sums of squares. */
function evidenceOf(n: number, between: number, within: number, spread: number): number {
	const most = 1 + n * spread;
	return between > 0 ? ((within + between) / (within + between / most)) ** (n / 2) / Math.sqrt(most) : 1;
}

/** the estimate is that of ranks */
export function compareAtAnyLook(
	base: [...Parameters<typeof comparePaired>, AnyLook][0],
	other: [...Parameters<typeof comparePaired>, AnyLook][1],
	scale: [...Parameters<typeof comparePaired>, AnyLook][2],
	{ level, spread }: [...Parameters<typeof comparePaired>, AnyLook][3],
): Compared {
	const compared = comparePaired(base, other, scale);
	const { n } = compared;
	if (n === 0) return compared;
	const differences = differencesOf(base, other, scale);
	const mean = sum(differences) / n;
	const within = sum(differences.map((value) => (value - mean) ** 2));
	const most = 1 + n * spread;
	// So far around the mean the evidence is below 1/level.
	const needed = (Math.sqrt(most) / level) ** (2 / n);
	const reach = Math.sqrt((within * (needed - 1)) / (1 - needed / most) / n);
	const end = (value: number) => (needed < most ? scaleOf(scale).back(value) : null);
	return { ...compared, low: end(mean - reach), high: end(mean + reach), p: Math.min(1, 1 / evidenceOf(n, n * mean ** 2, within, spread)) };
}

/**
 * Whether a gate finds a loss in about 80 % of comparisons (78 to 99 % when they are played): where the estimate is a standard error too low.
 * noise: of the logarithm, within a block
 */
export function isFound(loss: number, n: number, noise: number, delta: number, { level, gates, spread }: AnyLook): boolean {
	const mean = -Math.log(1 - loss) - noise / Math.sqrt(n);
	return mean > Math.log(1 + delta) && evidenceOf(n, n * mean ** 2, (n - 1) * noise ** 2, spread) > 2 / (level * gates);
}
