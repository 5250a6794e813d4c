/** Reports are written into the user's own folder. Where a service is made of that folder, or watches it, that is not without effect. */

import { dirname } from 'node:path';
import type { AttachedService } from './compose-model.ts';

/** In a regular expression. */
const SPECIAL = /[.*+?^${}()|[\]\\]/g;
/** A line of .dockerignore that leaves the reports, or everything, out. */
const leavesOut = (name: string) => new RegExp(`^(/?(\\*\\*/)?${name.replace(SPECIAL, '\\$&')}(/.*)?|\\*)$`, 'm');

/**
 * @param reports folder, absolute
 * @param read null where there is no such file
 * @returns a sentence for each
 */
export function notesOfPlace(
	models: Pick<AttachedService, 'service' | 'context' | 'mounts'>[],
	reports: string,
	read: (file: string) => string | null,
): string[] {
	const holdsReports = (folder: string) => folder.startsWith('/') && reports.startsWith(`${folder.replace(/\/$/, '')}/`);
	const nameIn = (folder: string) => reports.slice(folder.replace(/\/$/, '').length + 1);
	const built = models.filter(({ context }) => holdsReports(context) && !isLeftOut(nameIn(context), read(`${context}/.dockerignore`)));
	const mounting = models.filter(({ mounts }) => mounts.some(({ type, source }) => type === 'bind' && holdsReports(source)));
	const named = (found: { service: string }[]) => found.map(({ service }) => service).join(', ');
	const ignore = (name: string) => `write ${name} into its .dockerignore, or each run builds anew.`;
	const elsewhere = 'where a program watches it for changes, set DOUBLETAKE_REPORTS to a folder elsewhere.';
	return [
		...(built.length > 0 ? [`${named(built)}: built from a folder in which the reports lie; ${ignore(nameIn(built[0].context))}`] : []),
		...(mounting.length > 0 ? [`${named(mounting)}: mounts a folder in which the reports lie; ${elsewhere}`] : []),
	];
}

/** name: of the reports' folder, as seen from that of .dockerignore */
const isLeftOut: (name: string, ignored: string | null) => boolean = (name, ignored) =>
	ignored !== null && (leavesOut(name).test(ignored) || (dirname(name) !== '.' && isLeftOut(dirname(name), ignored)));
