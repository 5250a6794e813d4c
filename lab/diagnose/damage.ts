/**
 * What a damaged record says: no more than a whole one would. What is lacking in it may be what would have told otherwise, so that whatever was
 * proved, counted or timed by the rest is inferred, and what rests on counts of all is not known.
 *
 *
 * @import { Sealed } from '../record/inventory.ts'
 * @import { PlacedTrace } from './ledger/ledger.ts'
 * @import { Damaged } from './record-files.ts'
 */

import { LabError, NotReadyError } from '../base/errors.ts';
import { RAW } from '../base/paths.ts';
import { unpackedName } from '../record/inventory.ts';

/** Files that are named in one sentence; the doubts have all. */
const NAMED_MOST = 3;

/** @param {{ damaged?: Damaged[] }} raw @returns {Damaged[]} files on which the analysis rests */
const damagedIn = ({ damaged = [] }) => damaged.filter(({ isRead }) => isRead);

/** @param {{ damaged?: Damaged[] }} raw */
export const isWhole = (raw) => damagedIn(raw).length === 0;

/** What k6's users wrote down: which requests there were, and how each ended. @param {{ damaged?: Damaged[] }} raw @returns {Damaged | undefined} */
export const damagedLoad = (raw) => damagedIn(raw).find(({ path }) => unpackedName(path).endsWith(`/${RAW.k6Log}`));

/** @param {{ damaged?: Damaged[] }} raw @returns {Damaged | undefined} */
export const damagedWire = (raw) => damagedIn(raw).find(({ path }) => unpackedName(path).endsWith(`/${RAW.wire}`));

/** @param {{ damaged?: Damaged[] }} raw @param {string} service @returns {boolean} whether something that it left is not whole */
export const lacksOf = (raw, service) => damagedIn(raw).some((one) => one.service === service);

/** @param {{ damaged?: Damaged[] }} raw @returns {string} a sentence; empty of a record that is whole */
export function damageSentence(raw) {
	const all = damagedIn(raw);
	if (all.length === 0) return '';
	const named = all.slice(0, NAMED_MOST).map(({ path, problem }) => `${path} ${problem}`);
	const more = all.length - named.length;
	return `The record is not whole, so that all of this may be otherwise: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/**
 * What an analysis failed on, in words where it is the record: a damaged one may hold anything.
 * @param {unknown} error
 * @param {string} path of the record
 * @param {{ manifest: Sealed, damaged: Damaged[] }} read
 * @returns {unknown} the same where the record is known to be whole: a fault of the lab's, which has a trace
 */
export function toRecordError(error, path, { manifest, damaged }) {
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

/** @param {PlacedTrace[]} all @param {{ damaged?: Damaged[] }} raw @returns {PlacedTrace[]} the same, none of them known better than inferred where the record is damaged */
export const asFarAsWhole = (all, raw) =>
	isWhole(raw)
		? all
		: all.map(({ trace, placement }) => ({ trace, placement: placement && { ...placement, where: 'inferred', why: 'inferred' } }));
