/**
 * Narrows an experiment to some of its arms: whoever has an hour for one that takes five can still have the claims judged that
 * are about those arms.
 */

import { NotReadyError } from '../../base/errors.ts';
import { instead } from '../../base/nearest.ts';
import type { Claim } from '../../catalog/claims.ts';
import { armsIn, armsOfClaim } from '../../catalog/claims.ts';
import type { Experiment } from '../../catalog/experiments.ts';
import type { Arm } from '../../options/arms.ts';

/**
 * Multiplies the arms of an experiment that has several loads: each arm once under each of them, and compared under the same one.
 *
 */

/**
 * @param env LOAD: the one that is asked for; all of the experiment's when not given. What else is
 * given stands in place of what the experiment sets
 * @returns whose arms have loads of their own where there are several
 */
export function underLoads(experiment: Experiment, env: Record<string, string | undefined>): Experiment {
	const { load, further_loads: further = [], arms, pairs } = experiment;
	const wanted = [{ load, variables: {} }, ...further]
		.filter((one) => !env.LOAD || one.load === env.LOAD)
		.map((one) => ({ ...one, variables: Object.fromEntries(Object.entries(one.variables).filter(([name]) => !env[name])) }));
	if (wanted.length <= 1) return { ...experiment, arms: arms.map((arm) => withVariables(arm, wanted[0]?.variables)) };
	return {
		...experiment,
		arms: wanted.flatMap((one) =>
			arms.map((arm) => ({ ...withVariables(arm, one.variables), id: namedUnder(arm.id, one.load), load: one.load })),
		),
		pairs: wanted.flatMap((one) =>
			pairs.map(([base, other]) => [namedUnder(base, one.load), namedUnder(other, one.load)] as [string, string]),
		),
	};
}

/** What an arm is called where there are several loads. */
export const namedUnder = (arm: string, load: string) => `${arm} (${load})`;

/** Whether a name is an arm's, alone or under a load. */
const isNamedAfter = (name: string, arm: string) => name === arm || name.startsWith(namedUnder(arm, '').slice(0, -1));

/** What an arm has of its own stands. */
const withVariables: (arm: Arm, variables?: Record<string, string>) => Arm = (arm, variables = {}) =>
	Object.keys(variables).length === 0 ? arm : { ...arm, variables: { ...variables, ...arm.variables } };

/** A curve through two points says nothing that the comparison of the two does not. */
const LEAST_POINTS = 3;

/**
 * @param claims of the experiment
 * @param given ids of arms with commas between; all of them when not given
 * @returns what those arms can answer, and what they cannot, in words
 * @throws {NotReadyError} when an arm is not the experiment's, or no two of them are compared
 */
export function chooseArms(
	experiment: Experiment,
	claims: Claim[],
	given: string | undefined,
): { experiment: Experiment; claims: Claim[]; notes: string[] } {
	if (!given) return { experiment, claims, notes: [] };
	const all = experiment.arms.map(({ id }) => id);
	const wanted = readArmIds(given, all);
	// A claim may speak of an arm under one of several loads.
	const isMade = (arm: string) => wanted.some((id) => isNamedAfter(arm, id));
	const pairs = experiment.pairs.filter((pair) => pair.every(isMade));
	if (pairs.length === 0)
		throw new NotReadyError(
			`ARMS: expected at least two that the experiment compares (${experiment.pairs.map((pair) => pair.join(' and ')).join('; ')}); found ${given}.`,
			'add the other one.',
		);
	const judged = claims.filter((claim) => armsOfClaim(claim).every(isMade));
	const left = claims.filter((claim) => !judged.includes(claim)).map(({ id }) => id);
	const arms = experiment.arms.filter(({ id }) => isMade(id));
	return {
		experiment: { ...experiment, arms, pairs, curve: curveOf(experiment.curve, isMade) },
		claims: judged.map((claim) => ({ ...claim, shown: claim.shown.filter((shown) => armsIn(shown).every(isMade)) })),
		notes: [
			`made with ${arms.length} of the experiment's ${all.length} arms`,
			...(left.length > 0 ? [`not judged, because they are about other arms too: ${left.join(', ')}`] : []),
		],
	};
}

/**
 * @param given ids with commas between
 * @param all ids of the experiment's arms
 * @returns those given, or all
 * @throws {NotReadyError} when one is not the experiment's
 */
export function readArmIds(given: string | undefined, all: string[]): string[] {
	if (!given) return all;
	const wanted = given.split(',').map((name) => name.trim());
	const unknown = wanted.find((name) => !all.includes(name));
	if (unknown !== undefined)
		throw new NotReadyError(
			`ARMS: expected some of ${all.join(',')}; found "${unknown}".`,
			instead(unknown, all, 'give arms of the experiment, with commas between.'),
		);
	return wanted;
}

function curveOf(curve: Experiment['curve'], isMade: (arm: string) => boolean): Experiment['curve'] {
	const x = Object.entries(curve?.x ?? {}).filter(([arm]) => isMade(arm));
	return curve && x.length >= LEAST_POINTS ? { ...curve, x: Object.fromEntries(x) } : undefined;
}
