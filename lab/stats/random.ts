/**
 * Chance that can be repeated: the same seed gives the same order of blocks and the same bootstrap, on every machine.
 *
 * The generator is MT19937 (Matsumoto and Nishimura 1998). Its seeding mixes the seed into the whole state, so neighbouring seeds,
 * which are what people type, begin unalike; a generator that merely copies the seed into its state would not do.
 */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

const LARGEST_SEED = 2 ** 32 - 1;

type Random = {
	/** whole number from 0 to n-1, each equally likely */
	below: (n: number) => number;
	/** a new array, each order equally likely (Fisher-Yates) */
	shuffle: <T>(items: readonly T[]) => T[];
};

/**
 * @param seed whole number from 0 to 2^32-1, all that the generator takes
 * @throws {RangeError} when the seed is none, because it would silently stand for another
 */
export function createRandom(seed: number): Random {
	if (!Number.isInteger(seed) || seed < 0 || seed > LARGEST_SEED) {
		throw new RangeError(`a seed is a whole number from 0 to ${LARGEST_SEED}, not ${seed}`);
	}
	const generator = mersenne(seed);

	const below = (n: number) => {
		if (!Number.isInteger(n) || n < 1) throw new RangeError(`there is no whole number from 0 to below ${n}`);
		return uniformInt(generator, 0, n - 1);
	};

	return {
		below,
		shuffle(items) {
			const shuffled = [...items];
			for (let last = shuffled.length - 1; last > 0; last -= 1) {
				const chosen = below(last + 1);
				[shuffled[last], shuffled[chosen]] = [shuffled[chosen], shuffled[last]];
			}
			return shuffled;
		},
	};
}
