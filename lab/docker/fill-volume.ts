/**
 * A volume of a run that is filled from a folder of this machine. The engine itself reads the folder, mounted read-only, and writes the
 * volume: by containers that are made and never started. So no program runs, owners and modes stay whoever the lab is run by, and of the
 * folder nothing is changed but the time at which it was last read.
 */

import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Container as ContainerOfDockerode, MountSettings } from 'dockerode';
import { ownLabels } from './ask-container.ts';
import { SERVICE_LABEL, type System, VOLUME_LABEL } from './containers.ts';
import { docker, ignoreGone } from './docker.ts';
import { folderArchive } from './tar.ts';
import { TooLargeError, tarFilter } from './tar-filter.ts';

/** In each of the two containers: by one name, so that the entry of the folder itself is one too, which has its owner and mode. */
const PLACE = '/copy/data';
const NAME = basename(PLACE);
const PERMISSIONS = 0o7777;
/** For one folder. */
const COPY_LIMIT_MS = 300_000;

type Filling = {
	/** whose volume it is, so that it goes with it */
	system: System;
	/** as its Compose file calls it */
	volume: string;
	/** that is there; of it nothing is run */
	image: string;
	/** of this machine */
	folder: string;
	/** folders in it, as seen from it, that are left out */
	without?: string[];
	/** it may hold */
	mostBytes: number;
	signal: AbortSignal;
};

/** @returns whether it fitted; else the volume is as of makeEmpty */
export async function fillVolume({ mostBytes, signal, without = [], ...given }: Filling): Promise<boolean> {
	const { folder } = given;
	const left = without.map((inside) => `${NAME}/${inside}/`);
	const isWanted = (name: string) => !left.some((begin) => name.startsWith(begin));
	try {
		await withWriter(given, (writer) =>
			withContainer({ ...given, mount: readOnly(folder) }, async (reader) => {
				const archive = (await reader.getArchive({ path: PLACE })) as Readable;
				const filter = tarFilter({ isWanted, mostBytes });
				const read = pipeline(archive, filter, { signal: AbortSignal.any([signal, AbortSignal.timeout(COPY_LIMIT_MS)]) });
				const written = writer.putArchive(filter, { path: dirname(PLACE) });
				// Whichever fails first, the other ends with it; what failed in reading says more.
				written.catch((error) => filter.destroy(error));
				await read;
				await written;
			}),
		);
		return true;
	} catch (error) {
		signal.throwIfAborted();
		if (!(error instanceof TooLargeError)) throw error;
		// Half of a folder is worse than none.
		await docker.getVolume(nameOf(given)).remove();
		await makeEmpty(given);
		return false;
	}
}

/**
 * A volume with nothing in it but what the folder itself has: owner and mode.
 * @param given folder: it may be missing
 */
export async function makeEmpty(given: Pick<Filling, 'system' | 'volume' | 'image' | 'folder'>) {
	const found = await stat(given.folder).catch(() => null);
	await withWriter(given, async (writer) => {
		if (found === null) return;
		const { mode, uid, gid } = found;
		await writer.putArchive(folderArchive({ name: NAME, mode: mode & PERMISSIONS, uid, gid }), { path: dirname(PLACE) });
	});
}

const nameOf = ({ system, volume }: Pick<Filling, 'system' | 'volume'>) => `${system.project}_${volume}`;

/** Makes the volume, and gives a container that has it. */
async function withWriter(given: Pick<Filling, 'system' | 'volume' | 'image'>, use: (container: ContainerOfDockerode) => Promise<void>) {
	const name = nameOf(given);
	await docker.createVolume({ Name: name, Labels: labelsOf(given.system, given.volume) });
	await withContainer({ ...given, mount: writable(name) }, use);
}

/** Reader and writer are two, because an engine answers nothing else about one whose files it is sending. */
async function withContainer(options: Parameters<typeof copierOptions>[0], use: (container: ContainerOfDockerode) => Promise<void>) {
	const container = await docker.createContainer(copierOptions(options));
	try {
		await use(container);
	} finally {
		await container.remove({ force: true, v: true }).catch(ignoreGone);
	}
}

/** As Compose would label it: it takes it for its own, and removes it with the rest. */
const labelsOf: (system: System, volume: string) => Record<string, string> = (system, volume) => ({
	...ownLabels(system),
	[VOLUME_LABEL]: volume,
});

type Mount = MountSettings;

const readOnly = (folder: string): Mount => ({ Type: 'bind', Source: folder, Target: PLACE, ReadOnly: true });

/** What an image has at that place is not wanted. */
const writable = (volume: string): Mount => ({ Type: 'volume', Source: volume, Target: PLACE, VolumeOptions: { NoCopy: true } as any });

/** With the labels of a service's, Compose removes it with the run where the lab was ended by force. */
const copierOptions = ({ system, image, mount }: { system: System; image: string; mount: Mount }) => ({
	Image: image,
	// An image without a command could not be made a container of otherwise.
	Cmd: ['true'],
	Labels: {
		...ownLabels(system),
		[SERVICE_LABEL]: 'doubletake-copier',
		'com.docker.compose.config-hash': 'none',
		'com.docker.compose.oneoff': 'False',
	},
	HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'], Mounts: [mount] },
});
