/** The private place of a run's capture files, and the recorders that an earlier run left: one that was killed could not end them. */

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeScratch as make } from '../../docker/scratch.ts';
import { LABEL } from './recorder.ts';

/** The recorder's user is another one, and may write into the file and nothing else. */
const FOR_ALL = 0o666;

/** @returns a folder that only this user can open; what a killed run leaves of it is cleared with its other ones */
export const makeScratch = (): Promise<string> => make('capture');

/** @returns an empty file in it that a recorder can write */
export async function makeFile(folder: string, number: number): Promise<string> {
	const file = join(folder, `${number}.pcap`);
	await writeFile(file, '');
	await chmod(file, FOR_ALL);
	return file;
}

/** Removes what recorders there are. Whoever asks has the engine to itself, and none of its own yet. */
export async function clearEarlier(engine: Pick<import('dockerode'), 'listContainers' | 'getContainer'>) {
	const recorders = await engine.listContainers({ all: true, filters: JSON.stringify({ label: [LABEL] }) });
	for (const { Id: id } of recorders)
		await engine
			.getContainer(id)
			.remove({ force: true })
			.catch(() => {});
}
