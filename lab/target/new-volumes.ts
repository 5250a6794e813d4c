/** Volumes that each run makes anew. That is what keeps the user's data from harm; it also means that a run has none of it. */

/**
 * @param config as Compose has resolved it under the run's own project name
 * @param filled volumes that are not empty
 * @returns each once, with its services, as "data of store"
 */
export function newVolumes({ name: project, services = {}, volumes = {} }: any, filled: string[] = []): string[] {
	const all = Object.entries(services) as [string, any][];
	const mounted = all.flatMap(([service, { volumes: mounts = [] }]) =>
		mounts
			.filter(({ type, source }: any) => type === 'volume' && source && !filled.includes(source) && isNew(volumes[source], project))
			.map(({ source }: any) => ({ source, service })),
	);
	return [...new Set(mounted.map(({ source }) => source))].map((volume) => {
		const services = mounted.flatMap(({ source, service }) => (source === volume ? [service] : []));
		return `${volume} of ${[...new Set(services)].join(' and ')}`;
	});
}

/** No other project has a name that holds the run's; a driver or a device may hold something all the same. */
const isNew: (volume: any, project: string) => boolean = (volume, project) =>
	volume?.external !== true && volume?.name?.includes(project) && (volume.driver || 'local') === 'local' && !volume.driver_opts?.device;
