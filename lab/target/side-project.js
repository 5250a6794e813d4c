/**
 * doubletake.yaml as it is for one side of a comparison: with that side's Compose files, and without the services that only the other
 * side has.
 *
 * @typedef {import('../catalog/project-schema.js').Project} Project
 */
import { entryServices } from './describe.js';

/**
 * Services that a side leaves out. What neither side has is a mistake in doubletake.yaml, and so is a side without the entry: both are
 * told when the side is checked.
 * @param {Project} project
 * @param {string[]} own    services of the side's files
 * @param {string[]} other  of the other side's
 */
export const absentServices = (project, own, other) =>
  Object.keys(project.services).filter(
    (service) => !own.includes(service) && other.includes(service) && !entryServices(project).includes(service),
  );

/**
 * @param {Project} project
 * @param {Pick<import('../options/arms.js').OwnArm, 'compose' | 'absent'>} own
 * @returns {Project}
 */
export function projectOfSide(project, { compose, absent }) {
  const isThere = (/** @type {string} */ service) => !absent.includes(service);
  return {
    ...project,
    compose,
    services: Object.fromEntries(Object.entries(project.services).filter(([service]) => isThere(service))),
    edges: project.edges.filter((pair) => pair.every(isThere)),
  };
}
