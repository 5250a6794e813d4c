/**
 * A system and what is said of it, in the folder that describes it: that of an architecture is found by its name, that of a user's is the one in
 * which a command is called.
 *
 * @typedef {import('../catalog/project-schema.js').Project} Project
 *
 * @typedef {object} Described
 * @property {string} name      which its runs lie under
 * @property {string} folder    from which its Compose files are named, absolute
 * @property {Project} project
 */

import { relative } from 'node:path';
import { wayOfTiers } from '../adapters/observed-system.js';
import { adapterFor } from '../adapters/registry.js';
import { ROOT } from '../base/paths.js';
import { architectures, nameOfFolder, scenarioOf } from '../catalog/architectures.js';
import { readProject } from '../catalog/project-file.js';
import { composeFileOf, servicesIn } from '../catalog/shipped-services.js';

/**
 * @param {string} folder
 * @param {Parameters<typeof readProject>[1]} [asked]
 * @returns {Promise<Described>}
 * @throws {import('../base/errors.js').NotReadyError} when it describes none, or the description is at fault
 */
export async function describedIn(folder, asked) {
  const name = nameOfFolder(folder);
  return Object.hasOwn(architectures, name) ? describedAs(name) : { name, folder, project: await readProject(folder, asked) };
}

/** @param {string} id  of an architecture @returns {Described} */
export const describedAs = (id) => ({ name: id, folder: ROOT, project: projectOf(id) });

/**
 * Its services are what their labels say, and who asks whom follows from their tiers where its own file does not say it.
 * @param {string} id
 * @returns {Project}
 */
function projectOf(id) {
  const { title, question, remedies, entry = '', edges } = architectures[id];
  const labelled = Object.entries(servicesIn(composeFileOf(id))).map(([service, { labels }]) => {
    const [name, tier, product] = ['name', 'tier', 'product'].map((label) => labels[`doubletake.${label}`]);
    return {
      service,
      name,
      tier,
      product: product ?? adapterFor({ name, tier })?.product ?? '',
      watch: Number(labels['doubletake.watch'] ?? 0),
    };
  });
  return {
    ...{ title, question, remedies, entry },
    compose: [relative(ROOT, composeFileOf(id))],
    services: Object.fromEntries(
      labelled.map(({ service, tier, product, watch }) => [service, /** @type {any} */ ({ tier, product, watch })]),
    ),
    edges: edges ?? wayOfTiers(labelled.map(({ service, tier }) => ({ name: service, tier }))).edges,
    hosts: Object.fromEntries(labelled.map(({ service, name }) => [name, `http://${service}:80/`])),
    load: { scenario: scenarioOf(id) },
  };
}
