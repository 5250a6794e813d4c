/**
 * What an adapter gives the lab beside its `Adapter`, where watching at level 2 means a changed copy of the service's own configuration.
 * The lab reads the configuration (from the mount's source or out of the image), writes `overlaid(text).text` into the service's folder
 * in the run's record under `name`, and the adapter's overlay mounts it from there.
 *
 * @typedef {object} Overlaid
 * @property {string} text
 * @property {string[]} changes  a sentence for each change that was made, for the user to consent to; empty: nothing was to be changed
 *
 * @typedef {object} Configuration
 * @property {string} name       of the changed copy in the service's folder of the record
 * @property {(service: import('./contract.js').ServiceModel) => string | null} pathOf  in the container; null when the lab cannot lay
 *   a copy over it (several files, or a configuration that is no file)
 * @property {(text: string) => Overlaid} overlaid  throws `NotReadyError` for a text that is no configuration
 */
import { AS_CONTAINER } from './contract.js';

/**
 * What a service gives whose own log is read as it is, or in the lab's format once a changed copy is laid over its configuration.
 * @param {Configuration} configuration
 * @param {import('./contract.js').ServiceModel} service
 * @param {{ log: Pick<import('./contract.js').Watch, 'gives' | 'needs'>, copy: string }} told  copy: what the changed copy gives
 * @returns {import('./contract.js').Watch[]}
 */
export function watchesOf({ pathOf }, service, { log, copy }) {
  const path = pathOf(service);
  /** @type {import('./contract.js').Watch[]} */
  const watches = [AS_CONTAINER, { level: 1, ...log }];
  if (path !== null) watches.push({ level: 2, gives: copy, needs: `consent to lay a changed copy over ${path}` });
  return watches;
}

/**
 * The overlay that mounts the changed copy over the original.
 * @param {Configuration} configuration
 * @param {import('./contract.js').ServiceModel} service
 * @param {import('./contract.js').Level} level
 * @returns {import('./contract.js').OverlayPart}
 */
export function overlayOf({ name, pathOf }, service, level) {
  const target = level >= 2 ? pathOf(service) : null;
  return target === null ? {} : { mounts: [{ source: `raw:${name}`, target, readOnly: true }] };
}
