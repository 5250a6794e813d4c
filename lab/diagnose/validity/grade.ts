/** What a doubt about a run is, and how a figure becomes one. */

import type { StatementKind } from '../../record/touches.ts';

export type Doubt = {
	/** one name for each rule, so that a stage's doubt is not told again where the whole run has it */
	rule: string;
	grade: 'SUSPECT' | 'INVALID';
	/** one sentence with the figure and its limit */
	reason: string;
	/** of the figure, where it is one that can be compared */
	value?: number;
	/** what it can move, where its rule does not say it */
	touches?: StatementKind[];
};

type Limits = { suspect: number; invalid: number };

/** For a figure that alone does not make a run INVALID. */
export const NEVER = Number.POSITIVE_INFINITY;

/** @param limits the figure may be as large as these */
export function graded(
	rule: string,
	value: number,
	{ suspect, invalid }: Limits,
	reason: string,
	format: (value: number) => string = percent,
): Doubt[] {
	if (value > invalid) return [{ rule, grade: 'INVALID', value, reason: `${reason}; the limit is ${format(invalid)}` }];
	return value > suspect ? [{ rule, grade: 'SUSPECT', value, reason: `${reason}; the limit is ${format(suspect)}` }] : [];
}

/**
 * A reading that a rule needs and that is not there is a doubt, never a pass.
 * @param reading what is missing, in words
 * @param unknown what cannot be told without it
 */
export const notRecorded = (rule: string, reading: string, unknown: string): Doubt[] => [
	{ rule, grade: 'SUSPECT', reason: `${reading} was not recorded, so ${unknown} is not known` },
];

/** @param share 0 to 1 */
export const percent = (share: number) => `${Number((share * 100).toFixed(share < 0.1 ? 1 : 0))} %`;

export const seconds = (value: number) => `${Number(value.toFixed(1))} s`;

export const count = (value: number) => value.toLocaleString('en-US');

/** seconds of the load */
export type Span = {
	from_s: number;
	to_s: number;
	/** its place among the stages; null for the whole load */
	stage: number | null;
};
