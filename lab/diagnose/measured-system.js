/**
 * What the analysis has to know of the system that a run measured. Its manifest says it, and of one that was measured before manifests did, the
 * catalogue as it is today.
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
 * @param {{ architecture: string, system: { title: string | null, remedies?: MeasuredSystem['remedies'], published?: string, is_followed: boolean } }} manifest
 * @returns {MeasuredSystem}
 */
export function measuredSystem({ architecture, system: { is_followed: isFollowed, ...described } }) {
  // A stored run may be of one that is not there any more.
  const {
    title = described.title ?? architecture,
    remedies,
    published,
  } = described.title === null ? (architectures[architecture] ?? {}) : /** @type {Partial<MeasuredSystem>} */ (described);
  return { title, remedies, published, isFollowed };
}
