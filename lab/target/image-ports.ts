/**
 * Ports that the file does not list: where nothing in it listens, what a health check, a command or PORT says, else what the images expose, is
 * taken as if the file listed it.
 */

import type { AttachedService } from './compose-model.ts';

/** @param portsOf none where the image is not there */
export const withImagePorts = (models: AttachedService[], portsOf: (image: string) => Promise<number[]>): Promise<AttachedService[]> =>
	Promise.all(
		models.map(async (model) => {
			const isKnown = model.ports.length > 0 || (model.image === '' && model.likelyPorts.length === 0);
			if (isKnown) return model;
			return { ...model, ports: model.likelyPorts.length > 0 ? model.likelyPorts : await portsOf(model.image) };
		}),
	);
