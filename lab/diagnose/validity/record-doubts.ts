/** Whether the files of the record are as the run left them. */

import type { Doubt } from './grade.ts';
import type { ValidityInput } from './validity.ts';

/** @returns of the whole run: one for each file */
export const damagedFiles = ({ facts: { raw } }: Pick<ValidityInput, 'facts'>): Doubt[] =>
	(raw.damaged ?? []).map(({ path, problem, isRead }) => ({
		rule: `file: ${path}`,
		grade: 'SUSPECT',
		...(isRead ? {} : { touches: [] }),
		reason: `${path} ${problem}: ${isRead ? 'counts and places that rest on it may be otherwise' : 'nothing that is said here rests on it'}`,
	}));
