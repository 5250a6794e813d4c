/** How many claims came out how, as data and in words. */

import { inWords } from '../base/values.ts';
import type { FindingVerdict, VerdictCounts } from './types.js';

/** How a sentence counts each verdict: one, and more than one. */
const COUNTED: Record<FindingVerdict, [string, string]> = {
	HOLDS: ['holds', 'hold'],
	REFUTED: ['is refuted', 'are refuted'],
	DEPENDS: ['depends on the conditions', 'depend on the conditions'],
	INCONCLUSIVE: ['is inconclusive', 'are inconclusive'],
	'DOES NOT CARRY OVER': ['cannot be judged here', 'cannot be judged here'],
	'not measured': ['is not measured', 'are not measured'],
};
const VERDICTS = Object.keys(COUNTED) as FindingVerdict[];

export const tallied = (verdicts: FindingVerdict[]): VerdictCounts =>
	Object.fromEntries(VERDICTS.map((verdict) => [verdict, verdicts.filter((other) => other === verdict).length])) as Record<
		FindingVerdict,
		number
	>;

/** @param counts of which one at least is not 0 */
export function listedCounts(counts: VerdictCounts): string {
	return inWords(
		VERDICTS.filter((verdict) => counts[verdict] > 0).map(
			(verdict) => `${counts[verdict].toLocaleString('en-US')} ${COUNTED[verdict][counts[verdict] === 1 ? 0 : 1]}`,
		),
	);
}
