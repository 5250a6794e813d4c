/** How sure the places and causes of failed requests are, in words: each row of the ledger says by what they are known. */

import { inWords } from '../base/values.ts';
import type { Failure } from './types.js';

/** By the basis: how sure it makes a reader, and why. */
const GRADES: Record<string, { word: string; why: string }> = {
	proved: { word: 'certain', why: 'a record of each failed request shows it' },
	timed: { word: 'likely', why: 'an event at the same time explains it' },
	counted: { word: 'likely', why: 'recorded calls or counters show it' },
	inferred: { word: 'assumed', why: 'the evidence points to it, but no record shows it directly' },
};
const SEVERAL = 'recorded calls, counters or times show it';
const UNKNOWN = 'unknown';

/** A share that rounds to all, and one that rounds to none, are reported as such. */
const NEARLY_ALL = 0.9995;
/** Shares that add up to all may miss it by so much. */
const ROUNDING = 1e-9;

type Known = Pick<Failure, 'basis'>;

/**
 * @param failures rows of the ledger
 * @param failed requests, also those that have no row
 * @returns what follows `is`; null where nothing has a place
 */
export function surenessOf(failures: Known[], failed: number): { place: string; cause: string } | null {
	if (failures.length === 0 || failed === 0) return null;
	return { place: gradeText(failures, failed, 'where'), cause: gradeText(failures, failed, 'why') };
}

function gradeText(failures: Known[], failed: number, side: 'where' | 'why'): string {
	const shareOf = (basis: string) => failures.reduce((all, row) => all + (row.basis[side][basis] ?? 0), 0) / failed;
	const bases = Object.keys(GRADES).filter((basis) => shareOf(basis) > 1 - NEARLY_ALL);
	if (bases.length === 0) return UNKNOWN;
	const words = [...new Set(bases.map((basis) => GRADES[basis].word))];
	const shares = words.map((word) => ({
		word,
		share: bases.filter((basis) => GRADES[basis].word === word).reduce((all, basis) => all + shareOf(basis), 0),
	}));
	const rest = 1 - shares.reduce((all, { share }) => all + share, 0);
	if (rest > 1 - NEARLY_ALL) shares.push({ word: UNKNOWN, share: rest });
	const [only, ...others] = shares;
	if (others.length > 0)
		return inWords(
			shares.map(({ word, share }, index) => `${word} for ${(share * 100).toFixed(1)} %${index === 0 ? ' of the failed requests' : ''}`),
		);
	return `${only.word}${only.share < 1 - ROUNDING ? ' for nearly all' : ''}: ${bases.length > 1 ? SEVERAL : GRADES[bases[0]].why}`;
}

/** As a headline says it. */
export function surenessSentence(failures: Known[], failed: number): string {
	const known = surenessOf(failures, failed);
	if (known === null) return '';
	return known.place === known.cause ? `Place and cause are ${known.place}.` : `The place is ${known.place}. The cause is ${known.cause}.`;
}

/** Such a sentence, also as earlier versions wrote it. */
export const SURENESS = /^(?:The place is|The cause is|Place and cause are|(?:Place|Cause|Place and cause|Where|Why|Where and why):) /;
