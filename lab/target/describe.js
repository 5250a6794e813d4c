/**
 * What a run's manifest says of a user's system: names, addresses and limits. Nothing of its environment.
 *
 * @typedef {import('../catalog/project-schema.js').Project} Project
 */

import { entryUrls, hostOfEntry } from '../catalog/project-schema.js';
import { OPAQUE } from './detect.js';

/**
 * @param {Project} project
 * @param {string} service
 * @returns {import('../catalog/project-schema.js').ProjectService} as the file has it; one that it does not name is watched as any container
 */
export const projectService = ({ services }, service) =>
  Object.hasOwn(services, service) ? services[service] : { tier: 'other', product: OPAQUE, watch: 0 };

/** The service of one entry, as the file names it, or of one of its hosts. @param {Pick<Project, 'services' | 'hosts'>} project @param {string} entry */
export function serviceOfEntry({ services, hosts = {} }, entry) {
  const named = hostOfEntry(entry).toLowerCase();
  const host = Object.hasOwn(hosts, named) ? hostOfEntry(hosts[named]).toLowerCase() : named;
  return Object.keys(services).find((service) => service.toLowerCase() === host) ?? host;
}

/** Those at which users come in, each once. @param {Project} project */
export const entryServices = (project) => [...new Set(entryUrls(project).map((entry) => serviceOfEntry(project, entry)))];

/**
 * @param {Project} project
 * @param {import('../../k6/lib/request-list.js').ListedRequest[]} requests
 * @param {import('../adapters/observed-system.js').Proposal} proposal  what init would write today, so that what the user changed is known
 */
export const describeSystem = (project, requests, proposal) => ({
  files: project.compose,
  entry: project.entry,
  ...(project.title === undefined ? {} : { title: project.title }),
  ...(project.question === undefined ? {} : { question: project.question }),
  ...(project.remedies === undefined ? {} : { remedies: project.remedies }),
  ...describeTiers(project),
  proposal,
  requests: requests.map(describeRequest),
});

/** What its services are, and who asks whom. @param {Pick<Project, 'services' | 'edges'>} project */
export const describeTiers = ({ services, edges }) => ({
  services: Object.fromEntries(
    Object.entries(services).map(([service, { tier, product, watch }]) => [service, { tier: watchedAs(tier), product, watch }]),
  ),
  edges,
});

/**
 * The side of a comparison that a run is of. Its variables were typed to be compared.
 * @param {import('../options/arms.js').Arm} arm
 */
export const describeArm = ({ id, variables = {}, own }) => ({ id, title: own?.title, variables, commit: own?.commit ?? null });

/** @param {import('../../k6/lib/request-list.js').ListedRequest} request */
export const describeRequest = ({ method, path, weight = 1, expect, target, shown = target }) => ({
  method,
  path: withoutValues(path),
  weight,
  ...(expect && { expect }),
  ...(shown && { target: shown }),
});

/** Of a query the names alone. @param {string} path */
const withoutValues = (path) => path.replace(/=[^&#]*/g, '=…');

/** The manifest calls an observer what a user's file calls `other`. @param {string} tier */
const watchedAs = (tier) => (tier === 'other' ? 'observer' : tier);
