/**
 * Ports that only an image tells: where nothing in the file listens, what the images expose is taken as if the file said so.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 */

/**
 * @param {AttachedService[]} models
 * @param {(image: string) => Promise<number[]>} portsOf  none where the image is not there
 * @returns {Promise<AttachedService[]>}
 */
export const withImagePorts = (models, portsOf) =>
  Promise.all(
    models.map(async (model) => {
      const isTold = model.ports.length > 0 || model.image === '';
      return isTold ? model : { ...model, ports: await portsOf(model.image) };
    }),
  );
