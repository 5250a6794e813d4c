/** The correction for having asked more than one question: of twenty metrics without any difference, one would pass at 5 %. */

/**
 * Holm's step-down procedure (1979): the least p times the number of questions, the next times one less, and so on, none below
 * one before it. It keeps the chance of any false alarm at the level, assumes nothing about how the metrics hang together, and
 * always finds at least what Bonferroni's correction finds.
 * @param pValues null: a question that could not be asked, and that does not count
 * @returns in the same order
 */
export function adjustHolm(pValues: (number | null)[]): (number | null)[] {
	const asked = pValues.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((one, other) => one.p - other.p);
	const adjusted: (number | null)[] = pValues.map(() => null);
	let least = 0;
	asked.forEach(({ p, index }, before) => {
		least = Math.max(least, Math.min(1, p * (asked.length - before)));
		adjusted[index] = least;
	});
	return adjusted;
}
