/**
 * What an image sets in the environment of its containers. A variable that the overlay gives takes the place of the image's own, so that an
 * adapter which adds to one has to know what is there; and an image is only known when it is built or pulled.
 *
 * @typedef {import('../../target/compose-model.js').AttachedService} AttachedService
 * @typedef {import('../../adapters/contract.js').OverlayPart} OverlayPart
 */
import { partOf } from '../../target/project-part.js';

/**
 * @param {{ models: AttachedService[], project: import('../../catalog/project-schema.js').Project, parts: Record<string, OverlayPart> }} checked
 * @param {(model: AttachedService) => Promise<Record<string, string>>} environmentOf  its image's
 * @returns {Promise<Record<string, OverlayPart>>} the parts, those that give variables with what the images have of them
 */
export async function withImageEnvironment({ models, project, parts }, environmentOf) {
  const told = await Promise.all(
    models
      .filter(({ service }) => parts[service]?.environment)
      .map(async (model) => {
        const environment = { ...(await environmentOf(model)), ...model.environment };
        return [model.service, { ...parts[model.service], environment: partOf({ ...model, environment }, project).environment }];
      }),
  );
  return { ...parts, ...Object.fromEntries(told) };
}
