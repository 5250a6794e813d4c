/**
 * A file of variables that a Compose file hands to one that it includes, and that is not there. Compose refuses the whole for that, so that it is
 * given a copy in which an example stands in its place, or nothing. Pure.
 */

import { resolve } from 'node:path';
import { isMap, isSeq, parseDocument } from 'yaml';

/**
 * @param text of the file that includes
 * @returns null where it is not named there
 */
export function withoutEnvFile(
	text: string,
	{
		missing,
		instead,
		folder,
		replaced,
	}: {
		/** whole path of the file of variables */
		missing: string;
		/** what is read in its place; null: nothing */
		instead: string | null;
		/** at which paths in the file begin */
		folder: string;
		/** with variables replaced */
		replaced: (path: string) => string;
	},
): string | null {
	const document = parseDocument(text, { logLevel: 'silent' });
	const all = document.get('include');
	if (document.errors.length > 0 || !isSeq(all)) return null;
	let isFound = false;
	for (const one of all.items) {
		if (!isMap(one) || !one.has('env_file')) continue;
		const named = one.get('env_file');
		const files = isSeq(named) ? named.toJSON().map(String) : [String(named)];
		const isMissing = (file: string) => resolve(folder, replaced(file)) === missing;
		if (!files.some(isMissing)) continue;
		isFound = true;
		const kept = files.flatMap((file: string) => (isMissing(file) ? (instead ?? []) : [file]));
		if (kept.length === 0) one.delete('env_file');
		else one.set('env_file', document.createNode(kept));
	}
	return isFound ? document.toString({ lineWidth: 0 }) : null;
}
