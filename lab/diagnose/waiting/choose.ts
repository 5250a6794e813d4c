/**
 * Which of several answers is the reason: the root in the graph of what explains what (graph.ts), and of several roots the most certain one. Nothing
 * hangs on the order in which they stand.
 */

import { DECIDED_BY, explains, familyOf, SYMPTOMS } from './graph.ts';
import type { Why } from './step.ts';
import { tell, titleOf } from './writing.ts';

type Candidate = { family: string; why: Why };

/** What is counted is as certain as what is proved: both say it of each request. */
const CERTAINTY = { proved: 2, counted: 2, timed: 1, inferred: 0 };

const certaintyOf = ({ why }: Candidate) => CERTAINTY[why.basis];

/** What is only inferred does not explain away what is counted, unless that only tells how failures show. */
const isRootOf = (one: Candidate, other: Candidate) =>
	explains(one.family, other.family) && (SYMPTOMS.includes(other.family) || certaintyOf(one) >= certaintyOf(other) - 1);

/** Of equals, whichever says more; their names decide where both say as much. */
const byWords = (one: Candidate, other: Candidate) =>
	other.why.evidence.length - one.why.evidence.length || (keyOf(one) < keyOf(other) ? -1 : 1);
const keyOf = ({ why }: Candidate) => JSON.stringify([why.mechanism, why.title, why.evidence]);

/** @returns rivals: of other families, which nothing that was found explains; null of none */
function rootsOf(candidates: Candidate[]): { chosen: Candidate; rivals: Candidate[] } | null {
	const roots = candidates
		.filter((one) => !candidates.some((other) => isRootOf(other, one)))
		.toSorted((one, other) => certaintyOf(other) - certaintyOf(one) || byWords(one, other));
	const [chosen] = roots;
	return chosen ? { chosen, rivals: roots.filter(({ family }) => family !== chosen.family) } : null;
}

/** @returns null of none; where two that have nothing to do with each other are left, it says both, and what would tell them apart */
export function choose(candidates: Candidate[]): Why | null {
	const found = rootsOf(candidates);
	if (found === null) return null;
	const { chosen, rivals } = found;
	const [equal] = rivals.filter((one) => certaintyOf(one) === certaintyOf(chosen));
	const { why } = chosen;
	const doubts = rivals.map((rival) => {
		const trials = [chosen, rival].flatMap(({ family }) => DECIDED_BY[family] ?? []);
		return tell('any', 'rival', { one: titleOf(why), rival: titleOf(rival.why), isEqual: rival === equal, trials });
	});
	if (doubts.length === 0) return why;
	return {
		...why,
		...(equal ? { title: tell('any', 'either', { one: titleOf(why), other: titleOf(equal.why) }), basis: 'inferred' as const } : {}),
		evidence: [...why.evidence, ...(equal ? equal.why.evidence : [])],
		doubts: [...(why.doubts ?? []), ...doubts],
	};
}

/** @returns the reason among them */
export const reasonOf = <W extends Why>(whys: (W | null)[]): W | null =>
	(rootsOf(whys.flatMap((why) => (why === null ? [] : [{ family: familyOf(why.mechanism), why }])))?.chosen.why ?? null) as W | null;
