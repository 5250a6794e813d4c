/** Sums over many of few kinds. */

/** @returns evenly spaced */
export function some<T>(all: T[], most: number): T[] {
	if (all.length <= most) return all;
	return Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)]);
}
