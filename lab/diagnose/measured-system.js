/**
 * What the analysis has to know of the system that a run measured, whichever that is. Its manifest says it, and of a system that the lab brings
 * along, of whose title and remedies the record keeps nothing, the catalogue as it is today.
 *
 * @typedef {object} MeasuredSystem
 * @property {string} title
 * @property {import('../catalog/project-schema.js').Remedy[]} [remedies]
 * @property {string} [published]   key of the published figures of such a run
 * @property {boolean} isFollowed   its services are told by their own names, and a failed request is followed to what it waited for; else tiers
 *   are reported, and the rules for the lab's own programs place it
 */
import { architectures } from '../catalog/architectures.js';

/**
 * @param {{ architecture: string, system?: { title?: string, files: string[], remedies?: MeasuredSystem['remedies'], arm?: { title?: string } } }} manifest
 * @returns {MeasuredSystem}
 */
export function measuredSystem({ architecture, system }) {
  // It may have any name, that of an architecture too.
  if (system) return { title: system.arm?.title ?? system.title ?? system.files.join(', '), remedies: system.remedies, isFollowed: true };
  // A stored run may be of one that is not there any more.
  const { title = architecture, remedies, published } = architectures[architecture] ?? {};
  return { title, remedies, published, isFollowed: false };
}
