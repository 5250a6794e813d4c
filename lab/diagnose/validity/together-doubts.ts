/** Whether several generators made one load: all of them from the same moment, and none of them less than its part. */

import type { Generated } from '../../record/generated.ts';
import { type Doubt, graded, percent, seconds } from './grade.ts';
import type { ValidityInput } from './validity.ts';

/** Between the first start and the last. A tenth of the second by which everything is recorded, and half of one: the lab's own choice. */
const STARTS_APART_S = { suspect: 0.1, invalid: 0.5 };
/** Share of the load that was not made: the same thousandth and hundredth that arrivals may be dropped by. */
const NOT_MADE = { suspect: 0.001, invalid: 0.01 };
/** Of k6: it ended by itself; or a threshold of a script was not met. */
const ENDED_WELL = [0, 99];

/** @returns none where one made the load alone */
const generatorsOf = ({ facts }: ValidityInput): Generated[] => facts.raw.manifest.generators ?? [];

/** @returns of the whole run */
export function startsApart(input: ValidityInput): Doubt[] {
	const began = generatorsOf(input).flatMap(({ began_s: at }) => at ?? []);
	if (began.length < 2) return [];
	const apart = Math.max(...began) - Math.min(...began);
	const reason = `the generators began ${seconds(apart)} apart, so that the load was not one`;
	return graded('starts', apart, STARTS_APART_S, reason, seconds);
}

/**
 * Each made as large a part of the load as the others.
 * @returns of the whole run
 */
export function lostGenerators(input: ValidityInput): Doubt[] {
	const generators = generatorsOf(input);
	const { from, to } = input.facts.window;
	const until = input.facts.raw.manifest.load_ended_s ?? to;
	return generators
		.filter(({ exit_code: code }) => !ENDED_WELL.includes(code))
		.flatMap(({ name, ended_s: ended, exit_code: code }) => {
			const missed = Math.min(until, Math.max(from, ended));
			const share = (until - missed) / Math.max(1, until - from) / generators.length;
			const reason = `the generator ${name} ended ${seconds(until - missed)} before the load did (exit code ${code}): ${percent(share)} of the load was not made, and what it had not yet written is on no record`;
			return graded('lost-generator', share, NOT_MADE, reason);
		});
}
