/** Records that were analysed again, for the terminal: of each that moved, what it was and what it is. */

import { count } from './format.ts';
import type { PlacedRow, Replayed } from './replay-rows.ts';

/** Of whatever a system of the user's own is called, nothing may mean something to the terminal. */
const CONTROL = /\p{Cc}+/gu;

/** That are named. */
const FIELDS_MOST = 20;

const plain = (text: string) => text.replaceAll(CONTROL, ' ');

/** @returns empty where nothing moved */
export function formatReplayed({ record, outcome, reason = '', moves = [], requests = [], fields = [], headline }: Replayed): string {
	if (outcome === 'same') return '';
	if (outcome === 'unread') return `${plain(record)}: cannot be read: ${plain(reason)}\n`;
	// Its lines say where.
	if (outcome === 'failed') return `${plain(record)}: the analysis failed: ${reason.split('\n').map(plain).join('\n')}\n`;
	return [
		plain(record),
		...moves.map(
			({ from, place, why, before, now }) =>
				`  ${from}  ${plain(why === '' ? place : `${place}: ${why}`)}  ${placementText(before)} → ${placementText(now)}`,
		),
		...requests.map(({ text }) => `  ${plain(text)}`),
		...(fields.length > 0
			? [`  fields  ${plain(fields.slice(0, FIELDS_MOST).join(', '))}${fields.length > FIELDS_MOST ? ' and others' : ''}`]
			: []),
		...(headline ? [`  headline  ${plain(headline.before)}`, `         →  ${plain(headline.now)}`] : []),
		'',
	].join('\n');
}

const placementText = (placement: PlacedRow | null) =>
	placement === null ? 'none' : `${count(placement.count)}${placement.basis === '' ? '' : ` (${placement.basis})`}`;

/**
 * @param without raw records that have no result to compare with
 * @returns the last line
 */
export function formatTotal(all: Replayed[], without: number): string {
	const number = (isSuch: (replayed: Replayed) => boolean) => all.filter(isSuch).length;
	const moved = number(({ outcome, moves = [] }) => outcome === 'moved' && moves.length > 0);
	const beside = Object.entries({
		'with other figures alone': number(({ outcome, moves = [] }) => outcome === 'moved' && moves.length === 0),
		'could not be read': number(({ outcome }) => outcome === 'unread'),
		'could not be analysed': number(({ outcome }) => outcome === 'failed'),
		'without a result to compare with': without,
	}).filter(([, some]) => some > 0);
	return `${[`${count(all.length)} ${all.length === 1 ? 'record' : 'records'}, ${count(moved)} moved`, ...beside.map(([what, some]) => `${count(some)} ${what}`)].join('; ')}\n`;
}
