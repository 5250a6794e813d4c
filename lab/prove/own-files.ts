/**
 * Reads what a service mounts or is built from, as far as it lies in the system's own folder: a mount of the whole machine is none of its settings.
 */

import { readdirSync } from 'node:fs';
import { readIfThere } from '../base/bounded-file.ts';
import { follow, isWithin } from '../target/real-path.ts';
import type { About } from './knobs.ts';
import { variablesOf } from './read-variables.ts';

/** Files of a folder that are read; one with more is no folder of settings. The proof's own choice. */
const FILES_MOST = 50;

/** @param folder of doubletake.yaml */
export function ownFiles(folder: string): Pick<About, 'read' | 'list' | 'variables'> {
	const own = follow(folder).real;
	const isOwn = (path: string) => isWithin(follow(path, { from: own }).real, own);
	return {
		read: (path) => (isOwn(path) ? readIfThere(path) : null),
		list: (path) => (isOwn(path) ? filesIn(path) : []),
		variables: (places) => variablesOf(places.filter(isOwn)),
	};
}

/** @returns none where it is no folder, or too large a one */
function filesIn(path: string): string[] {
	try {
		const names = readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
		return names.length > FILES_MOST ? [] : names;
	} catch {
		return [];
	}
}
