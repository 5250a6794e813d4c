/**
 * Volumes that each run makes anew. That is what keeps the user's data from harm; it also means that a run has none of it.
 */

/**
 * @param {any} config  as Compose has resolved it under the run's own project name
 * @param {string[]} [filled]  volumes that are not empty
 * @returns {string[]} each once, with its services, as "data of store"
 */
export function newVolumes({ name: project, services = {}, volumes = {} }, filled = []) {
  const all = /** @type {[string, any][]} */ (Object.entries(services));
  const mounted = all.flatMap(([service, { volumes: mounts = [] }]) =>
    mounts
      .filter(
        (/** @type {any} */ { type, source }) => type === 'volume' && source && !filled.includes(source) && isNew(volumes[source], project),
      )
      .map((/** @type {any} */ { source }) => ({ source, service })),
  );
  return [...new Set(mounted.map(({ source }) => source))].map((volume) => {
    const services = mounted.flatMap(({ source, service }) => (source === volume ? [service] : []));
    return `${volume} of ${[...new Set(services)].join(' and ')}`;
  });
}

/** No other project has a name that holds the run's; a driver or a device may hold something all the same. @type {(volume: any, project: string) => boolean} */
const isNew = (volume, project) =>
  volume?.external !== true && volume?.name?.includes(project) && (volume.driver || 'local') === 'local' && !volume.driver_opts?.device;
