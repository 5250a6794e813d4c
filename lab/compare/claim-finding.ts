/**
 * A claim as the findings show it: its verdict as it is read today, beside the one that was registered, with what it depends on and what a
 * reader has to know.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Claim } from '../catalog/claims.ts';
import { armsOfTest } from '../catalog/claims.ts';
import { experiments } from '../catalog/experiments.ts';
import { isLabQuestion } from '../catalog/published.ts';
import type { ClaimFinding, ClaimTest, ConditionReading, ExperimentResult } from '../record/types.js';
import { LEAST_BLOCKS } from '../stats/ranks.ts';
import type { KeptRun } from './findings.ts';
import type { Reading } from './reread.ts';
import { claimDoubtOf, decideStored, figuresOf, notCarriedOverBy } from './reread.ts';

/**
 * A claim under other loads and budgets than its experiment's own, read from whatever record has its arms: where it comes out otherwise
 * there, the verdict is DEPENDS, and on what.
 *
 * It depends where it HOLDS under one condition and is REFUTED under another; or where it is decided under one and not under another, and
 * the intervals of one of its tests have nothing in common, so that it is not for a lack of runs.
 *
 */

/**
 * @param claim as it stands now
 * @param own the record that speaks for its experiment
 * @returns one for each of the conditions that a record has, in the claim's order
 */
function readElsewhere(claim: Claim, own: ExperimentResult, others: ExperimentResult[]): ConditionReading[] {
	return (claim.elsewhere ?? []).flatMap(({ load, budget, tests = claim.tests, instead }) => {
		const fit = others.filter(
			(other) =>
				other.load === load &&
				other.budget === budget &&
				other.machine.text === own.machine.text &&
				hasArms(tests, claim.experiment, other),
		);
		// Of several the one with the most blocks.
		const [record] = fit.toSorted((one, another) => another.blocks.complete - one.blocks.complete);
		const found = record && decideStored({ id: claim.id, tests }, record);
		if (!found) return [];
		const text = figuresOf(found.tests.filter(isNews));
		return [{ load, budget, record: record.id, verdict: found.verdict, text, instead: instead ?? null, tests: found.tests }];
	});
}

/** One test on both sides of a figure says it once; where nothing failed no share is reported. */
const isNews: (test: ClaimTest, index: number, all: ClaimTest[]) => boolean = (test, index, all) =>
	test.estimate !== null && !all.slice(0, index).some((other) => other.estimate === test.estimate && other.low === test.low);

/** An arm of the same name is the same where both experiments wire it alike. */
function hasArms(tests: Claim['tests'], experiment: string, other: ExperimentResult): boolean {
	const armIn = (id: string, arm: string) => experiments[id]?.arms.find((own) => own.id === arm);
	return tests.flatMap(armsOfTest).every((arm) => {
		const [here, there] = [armIn(experiment, arm), armIn(other.experiment, arm)];
		// What stands in for arms that were not measured there is that experiment's own.
		return there !== undefined && (here === undefined || isDeepStrictEqual(here, there));
	});
}

/** @returns on what it depends, in words; null where it does not */
export function dependsOn(
	own: { load: string; budget: string; verdict: ConditionReading['verdict']; tests: ClaimTest[] },
	elsewhere: ConditionReading[],
): string | null {
	const all = [own, ...elsewhere];
	const pairs = all.flatMap((one, index) => all.slice(index + 1).flatMap((other) => (isOtherwise(one, other) ? [[one, other]] : [])));
	const differing = pairs.map(([one, other]) => [
		...(one.load === other.load ? [] : ['the load']),
		...(one.budget === other.budget ? [] : ['the CPU quotas']),
	]);
	// Two conditions that differ in one thing say on what; two that differ in more do not.
	const [fewest] = differing.toSorted((one, other) => one.length - other.length);
	if (fewest === undefined) return null;
	const alone = differing.filter((things) => things.length === 1).flat();
	return alone.length > 0 ? [...new Set(alone)].join(' and on ') : fewest.join(' or ');
}

function isOtherwise(one: Pick<ConditionReading, 'verdict' | 'tests'>, other: Pick<ConditionReading, 'verdict' | 'tests'>): boolean {
	const verdicts = [one.verdict, other.verdict];
	if (one.verdict === other.verdict) return false;
	if (!verdicts.includes('INCONCLUSIVE')) return true;
	return one.tests.some((test, index) => isApart(test, other.tests[index]));
}

function isApart(one: ClaimTest, other: ClaimTest | undefined): boolean {
	if (other === undefined || one.scale !== other.scale || Math.min(one.blocks, other.blocks) < LEAST_BLOCKS) return false;
	if (one.low === null || one.high === null || other.low === null || other.high === null) return false;
	return one.high < other.low || other.high < one.low;
}

export function claimFinding({
	reading,
	judged,
	claim,
	fixed,
	result,
	others,
	kept,
	href,
}: {
	reading: Reading;
	/** as it was registered */
	judged: ExperimentResult['claims'][number];
	/** as it stands now; undefined where it is in no table any more */
	claim: Claim | undefined;
	/** claims of its record as they stood before the runs */
	fixed: Claim[];
	result: ExperimentResult;
	others: ExperimentResult[];
	kept: KeptRun[];
	href: string;
}): ClaimFinding {
	const elsewhere = claim ? readElsewhere(claim, result, others) : [];
	const own = { load: result.load, budget: result.budget, verdict: reading.verdict, tests: reading.tests };
	// Under a load that it is not about it was not judged, whatever its figures are.
	const depends = reading.is_about_it ? dependsOn(own, elsewhere) : null;
	const unlike = claim ? notCarriedOverBy(claim, reading.verdict, kept) : null;
	return {
		id: reading.id,
		own: isLabQuestion({ own: claim?.own, source: claim?.source ?? judged.source }),
		statement: reading.statement,
		published: claim?.published ?? judged.published,
		...verdictOf(reading, result, depends, unlike),
		registered: { verdict: judged.verdict, statement: judged.statement, sentence: judged.sentence },
		deviation: reading.changed,
		elsewhere,
		remarks: [...(unlike === null ? [] : [unlike]), ...reading.remarks],
		doubt: claimDoubtOf({ id: judged.id, doubts: reading.doubts }, result, fixed),
		href,
	};
}

function verdictOf(
	{ verdict, sentence }: Reading,
	{ load, budget }: ExperimentResult,
	depends: string | null,
	unlike: string | null,
): Pick<ClaimFinding, 'verdict' | 'sentence'> {
	if (unlike !== null)
		return { verdict: 'DOES NOT CARRY OVER', sentence: `The publication and this experiment measured different bottlenecks. ${sentence}` };
	if (depends === null) return { verdict, sentence };
	return { verdict: 'DEPENDS', sentence: `It depends on ${depends}. Under load ${load}, budget ${budget}: ${verdict}. ${sentence}` };
}

export const notMeasured: (claim: Claim) => ClaimFinding = ({ id, own, source, statement, published }) => ({
	id,
	own: isLabQuestion({ own, source }),
	statement,
	published,
	verdict: 'not measured',
	sentence: null,
	registered: null,
	deviation: null,
	elsewhere: [],
	remarks: [],
	doubt: null,
	href: null,
});
