/**
 * Volumes that are a folder in another volume. The engine looks for that folder when the first container with such a volume starts, and follows a
 * link: a service that can write to the other volume could by then have put one to anywhere in its place. So the lab has them mounted before the first
 * service starts, by a container that does nothing, and the engine keeps what it has mounted as long as somebody has it.
 */

import { docker } from './docker.ts';

/** With the name of the project. */
const LABEL = 'doubletake.holds';
/** No run takes a day. */
const SLEEP_S = '86400';
const MEMORY_BYTES = 16 * 1024 * 1024;

export async function holdVolumes({
	project,
	volumes,
	image,
}: {
	project: string;
	/** as the engine calls them; they are there */
	volumes: string[];
	/** that is there, with a `sleep` in it */
	image: string;
}) {
	const container = await docker.createContainer({
		Image: image,
		Entrypoint: ['sleep'],
		Cmd: [SLEEP_S],
		Labels: { [LABEL]: project },
		User: '65534:65534',
		HostConfig: {
			NetworkMode: 'none',
			CapDrop: ['ALL'],
			SecurityOpt: ['no-new-privileges:true'],
			ReadonlyRootfs: true,
			Memory: MEMORY_BYTES,
			Mounts: volumes.map((volume, index) => ({
				Type: 'volume',
				Source: volume,
				Target: `/held/${index}`,
				ReadOnly: true,
				VolumeOptions: { NoCopy: true } as any,
			})),
		},
	});
	await container.start();
}

/** Before its volumes go. */
export async function releaseVolumes(project: string) {
	const filters = JSON.stringify({ label: [`${LABEL}=${project}`] });
	const holders = await docker.listContainers({ all: true, filters }).catch(() => []);
	const own = holders.filter(({ Labels }) => Labels?.[LABEL] === project);
	// What stays keeps its volumes, and is told with these.
	await Promise.all(
		own.map(({ Id }) =>
			docker
				.getContainer(Id)
				.remove({ force: true })
				.catch(() => {}),
		),
	);
}
