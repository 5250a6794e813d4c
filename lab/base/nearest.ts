/** The known word that a mistyped one was likely meant to be. */

/** Of a word that is a part of a longer one, such as p95. */
const PART_LEAST = 3;
/** Slips in a short word; in a longer one, one for each of its thirds. */
const SLIPS_LEAST = 2;
const LETTERS_A_SLIP = 3;

/** @returns null when none is near */
export function nearest(word: string, known: readonly string[]): string | null {
	const [best] = known
		.map((candidate) => ({ candidate, slips: slipsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
		.toSorted((one, other) => one.slips - other.slips);
	const most = Math.max(SLIPS_LEAST, Math.floor(word.length / LETTERS_A_SLIP));
	// A word of which every letter is changed is another word.
	if (best !== undefined && best.slips <= most && best.slips < best.candidate.length) return best.candidate;
	const part = word.toLowerCase();
	return (part.length >= PART_LEAST && known.find((candidate) => candidate.toLowerCase().split(/[-_.]/).includes(part))) || null;
}

/**
 * What to do about a word that is not known.
 * @param otherwise where none of them is near
 */
export function instead(word: string, known: readonly string[], otherwise: string) {
	const meant = nearest(word, known);
	return meant === null ? otherwise : `write "${meant}" instead of "${word}".`;
}

/** Letters that have to be added, left out, changed or swapped with their neighbour: the optimal string alignment distance. */
function slipsBetween(one: string, other: string): number {
	const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
	for (let at = 1; at <= one.length; at += 1) {
		const row = [at];
		for (let to = 1; to <= other.length; to += 1) {
			const changed = one[at - 1] === other[to - 1] ? 0 : 1;
			const slips = [rows[at - 1][to] + 1, row[to - 1] + 1, rows[at - 1][to - 1] + changed];
			if (at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]) slips.push(rows[at - 2][to - 2] + 1);
			row.push(Math.min(...slips));
		}
		rows.push(row);
	}
	return rows[one.length][other.length];
}
