/**
 * Ports that the file does not list: where nothing in it listens, what a health check, a command or PORT says, else what the images expose, is
 * taken as if the file listed it.
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
      const isTold = model.ports.length > 0 || (model.image === '' && model.likelyPorts.length === 0);
      if (isTold) return model;
      return { ...model, ports: model.likelyPorts.length > 0 ? model.likelyPorts : await portsOf(model.image) };
    }),
  );
