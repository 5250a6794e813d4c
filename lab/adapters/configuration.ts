/**
 * What an adapter gives the lab beside its `Adapter`, where watching at level 2 means a changed copy of the service's own configuration.
 * The lab reads the configuration (from the mount's source or out of the image), writes `overlaid(text).text` into the service's folder
 * in the run's record under `name`, and the adapter's overlay mounts it from there.
 */

import type { Level } from '../base/tier.ts';
import { AS_CONTAINER, type OverlayPart, type ServiceModel, type Watch } from './contract.ts';

export type Overlaid = {
	text: string;
	/** a sentence for each change that was made, for the user to consent to; empty: nothing was to be changed */
	changes: string[];
};

export type Configuration = {
	/** of the changed copy in the service's folder of the record */
	name: string;
	/** in the container; null when the lab cannot lay a copy over it (several files, or a configuration that is no file) */
	pathOf: (service: ServiceModel) => string | null;
	/** throws `NotReadyError` for a text that is no configuration */
	overlaid: (text: string) => Overlaid;
};

/**
 * What a service gives whose own log is read as it is, or in the lab's format once a changed copy is laid over its configuration.
 * @param reported copy: what the changed copy gives
 */
export function watchesOf(
	{ pathOf }: Configuration,
	service: ServiceModel,
	{ log, copy }: { log: Pick<Watch, 'gives' | 'needs'>; copy: string },
): Watch[] {
	const path = pathOf(service);
	const watches: Watch[] = [AS_CONTAINER, { level: 1, ...log }];
	if (path !== null) watches.push({ level: 2, gives: copy, needs: `consent to lay a changed copy over ${path}` });
	return watches;
}

/** The overlay that mounts the changed copy over the original. */
export function overlayOf({ name, pathOf }: Configuration, service: ServiceModel, level: Level): OverlayPart {
	const target = level >= 2 ? pathOf(service) : null;
	return target === null ? {} : { mounts: [{ source: `raw:${name}`, target, readOnly: true }] };
}
