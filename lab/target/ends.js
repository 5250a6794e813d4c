/**
 * What a user's files say of services that end before the load. While it goes on an end stays an end, so the overlay takes `restart`
 * away; until then a service may need it, to wait for one that is slower.
 */
import { entryServices, projectService } from './describe.js';

/** What such services are asked for they have to be there for, whatever their file says of ports. @type {import('../catalog/project-schema.js').ProjectTier[]} */
const STAYING = ['load-balancer', 'pool', 'queue', 'cache', 'database'];
/** Reasons of an edge that say little of who asks whom. */
const GUESSED = ['assumed', 'depends_on'];

/**
 * @param {import('./compose-model.js').AttachedService[]} models
 * @param {import('../catalog/project-schema.js').Project} project
 * @param {import('../adapters/observed-system.js').Proposal} [proposal]  what init would write today
 * @returns {Required<import('../docker/unwell.js').Rules>}
 */
export function rulesOf(models, project, proposal = { services: {}, edges: [] }) {
  const restartsOf = new Map(models.map(({ service, restarts }) => [service, restarts]));
  const isJob = (/** @type {string} */ service) => models.some(({ endsFirst }) => endsFirst.includes(service));
  const isNamed = (/** @type {string} */ service) =>
    project.edges.some(
      ([from, to]) =>
        to === service && !proposal.edges.some((edge) => edge.from === from && edge.to === to && GUESSED.includes(edge.reason)),
    );
  // Nobody can ask it by anything that is known of it, so that nobody misses it: a migration that nothing says is one.
  const isUnasked = (/** @type {import('./compose-model.js').AttachedService} */ { service, ports, restarts }) =>
    restarts !== 'always' &&
    ports.length === 0 &&
    !entryServices(project).includes(service) &&
    !STAYING.includes(projectService(project, service).tier) &&
    !isNamed(service);
  const unasked = new Set(models.filter(isUnasked).map(({ service }) => service));
  return {
    isJob,
    // A job that fills a database or makes a bucket.
    mayEnd: (service) => projectService(project, service).tier === 'other' || isJob(service) || unasked.has(service),
    comesBack: (service, exitCode) => {
      const restarts = restartsOf.get(service) ?? 'never';
      return restarts === 'always' || (restarts === 'failure' && exitCode !== 0);
    },
  };
}

/**
 * A system in which jobs that are done are no tier.
 * @param {import('../catalog/project-schema.js').Project} project
 * @param {string[]} jobs  services
 * @returns {import('../catalog/project-schema.js').Project}
 */
export const withoutJobs = (project, jobs) => ({
  ...project,
  services: Object.fromEntries(
    Object.entries(project.services).map(([service, found]) => [service, jobs.includes(service) ? { ...found, tier: 'other' } : found]),
  ),
  edges: project.edges.filter((pair) => !pair.some((service) => jobs.includes(service))),
});

/**
 * Services that ended well before the load, and that doubletake.yaml takes for more than a job.
 * @param {Pick<import('../docker/containers.js').Service, 'service' | 'pid'>[]} stack  its containers
 * @param {import('../catalog/project-schema.js').Project} project
 * @returns {string[]}
 */
export function doneJobs(stack, project) {
  const running = new Set(stack.filter(({ pid }) => pid > 0).map(({ service }) => service));
  const ended = [...new Set(stack.map(({ service }) => service))].filter((service) => !running.has(service));
  return ended.filter((service) => projectService(project, service).tier !== 'other');
}

/** @param {string[]} jobs */
export const aboutJobs = (jobs) =>
  jobs.length === 0 ? [] : [`${jobs.join(', ')} ended well before the load: taken for a job that is done, which no request passes.`];
