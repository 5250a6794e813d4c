/**
 * What a damaged record says: no more than a whole one would. What is lacking in it may be what would have told otherwise, so that whatever was
 * proved, counted or timed by the rest is inferred, and what rests on counts of all is not known.
 */

import { LabError, NotReadyError } from '../base/errors.ts';
import { RAW } from '../base/paths.ts';
import type { Sealed } from '../record/inventory.ts';
import { unpackedName } from '../record/inventory.ts';
import type { PlacedTrace } from './ledger/ledger.ts';
import type { Damaged } from './record-files.ts';

/** Files that are named in one sentence; the doubts have all. */
const NAMED_MOST = 3;

/** @returns files on which the analysis rests */
const damagedIn = ({ damaged = [] }: { damaged?: Damaged[] }): Damaged[] => damaged.filter(({ isRead }) => isRead);

export const isWhole = (raw: { damaged?: Damaged[] }) => damagedIn(raw).length === 0;

/** What k6's users wrote down: which requests there were, and how each ended. */
export const damagedLoad = (raw: { damaged?: Damaged[] }): Damaged | undefined =>
	damagedIn(raw).find(({ path }) => unpackedName(path).endsWith(`/${RAW.k6Log}`));

export const damagedWire = (raw: { damaged?: Damaged[] }): Damaged | undefined =>
	damagedIn(raw).find(({ path }) => unpackedName(path).endsWith(`/${RAW.wire}`));

/** @returns whether something that it left is not whole */
export const lacksOf = (raw: { damaged?: Damaged[] }, service: string): boolean => damagedIn(raw).some((one) => one.service === service);

/** @returns a sentence; empty of a record that is whole */
export function damageSentence(raw: { damaged?: Damaged[] }): string {
	const all = damagedIn(raw);
	if (all.length === 0) return '';
	const named = all.slice(0, NAMED_MOST).map(({ path, problem }) => `${path} ${problem}`);
	const more = all.length - named.length;
	return `The record is not whole, so that all of this may be otherwise: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/**
 * What an analysis failed on, in words where it is the record: a damaged one may hold anything.
 * @param path of the record
 * @returns the same where the record is known to be whole: a fault of the lab's, which has a trace
 */
export function toRecordError(error: unknown, path: string, { manifest, damaged }: { manifest: Sealed; damaged: Damaged[] }): unknown {
	if (error instanceof LabError || !(error instanceof Error) || (damaged.length === 0 && manifest.files !== undefined)) return error;
	const [first, ...others] = damaged;
	const what = first
		? `that ${first.path} ${first.problem}${others.length > 0 ? `, and ${others.length} more files that are not as the run left them` : ''}`
		: 'one of an earlier version, which does not say how its files were left';
	const refused = new NotReadyError(
		`${path}: expected a record that can be analysed; found ${what}, and the analysis fails on it (${error.message}).`,
		'put the files back as the run left them, or measure again.',
	);
	refused.cause = error;
	return refused;
}

/** @returns the same, none of them known better than inferred where the record is damaged */
export const asFarAsWhole = (all: PlacedTrace[], raw: { damaged?: Damaged[] }): PlacedTrace[] =>
	isWhole(raw)
		? all
		: all.map(({ trace, placement }) => ({ trace, placement: placement && { ...placement, where: 'inferred', why: 'inferred' } }));
