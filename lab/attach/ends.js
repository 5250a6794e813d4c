/**
 * What a user's files say of services that end before the load. While it goes on an end stays an end, so the overlay takes `restart`
 * away; until then a service may need it, to wait for one that is slower.
 */
import { projectService } from './describe.js';

/**
 * @param {import('./compose-model.js').AttachedService[]} models
 * @param {import('./project-schema.js').Project} project
 * @returns {import('../measure/unwell.js').Rules}
 */
export function rulesOf(models, project) {
  const restartsOf = new Map(models.map(({ service, restarts }) => [service, restarts]));
  return {
    // A job that fills a database or makes a bucket.
    mayEnd: (service) => projectService(project, service).tier === 'other',
    comesBack: (service, exitCode) => {
      const restarts = restartsOf.get(service) ?? 'never';
      return restarts === 'always' || (restarts === 'failure' && exitCode !== 0);
    },
  };
}
