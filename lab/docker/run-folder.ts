/** The folder that a run leaves its record in. */

import { chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivate, PRIVATE_FOLDER } from '../base/files.ts';
import { newFolderName, RECORD, REPORTS, WRITTEN } from '../base/paths.ts';
import type { RunFolder } from './scratch.ts';

/** Containers run as this user when the lab runs as root, as the lab's own user otherwise: both can write into their folder. */
const UNPRIVILEGED_ID = 10_001;

/**
 * Names it; nothing is made yet.
 * @param group folder below reports/ that it is made in
 */
export function nameRunFolder(group: string): RunFolder {
	const id = `${group}/${newFolderName()}`;
	const folder = join(REPORTS, id);
	return { id, folder, ...placesIn(folder), user: writingUser() };
}

/** @param folder of a run */
export const placesIn = (folder: string) => ({
	rawFolder: join(folder, RECORD.raw),
	writtenFolder: join(folder, WRITTEN.own),
	servicesFolder: join(folder, WRITTEN.services),
});

/** @returns uid:gid of containers that write what the lab is to read */
export function writingUser(): string {
	const own = process.getuid?.() ?? UNPRIVILEGED_ID;
	const user = own === 0 ? UNPRIVILEGED_ID : own;
	return `${user}:${user}`;
}

export async function makeRunFolder({ folder, rawFolder, writtenFolder, servicesFolder }: RunFolder) {
	await makePrivate(dirname(folder));
	for (const own of [folder, rawFolder, writtenFolder, servicesFolder]) await mkdir(own, { mode: PRIVATE_FOLDER });
	await giveToContainers(writtenFolder);
}

/** @param folder that containers are to write into */
export async function giveToContainers(folder: string) {
	if (process.getuid?.() === 0) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
}
