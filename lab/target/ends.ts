/**
 * What a user's files say of services that end before the load: until then a service may need to be started again, to wait for one that is
 * slower, and the lab does that itself, so that what ends each time is told and does not go on for ever.
 */

import type { Proposal } from '../adapters/observed-system.ts';
import type { Project, ProjectTier } from '../catalog/project-schema.ts';
import type { Service } from '../docker/containers.ts';
import type { Rules } from '../docker/unwell.ts';
import type { AttachedService } from './compose-model.ts';
import { entryServices, projectService } from './describe.ts';

/** What such services are asked for they have to be there for, whatever their file says of ports. */
const STAYING: ProjectTier[] = ['load-balancer', 'pool', 'queue', 'cache', 'database'];
/** Reasons of an edge that say little of who asks whom. */
const GUESSED = ['assumed', 'depends_on'];

/** @param proposal what init would write today */
export function rulesOf(models: AttachedService[], project: Project, proposal: Proposal = { services: {}, edges: [] }): Required<Rules> {
	const restartsOf = new Map(models.map(({ service, restarts }) => [service, restarts]));
	const isJob = (service: string) => models.some(({ endsFirst }) => endsFirst.includes(service));
	const isNamed = (service: string) =>
		project.edges.some(
			([from, to]) =>
				to === service && !proposal.edges.some((edge) => edge.from === from && edge.to === to && GUESSED.includes(edge.reason)),
		);
	// Nobody can ask it by anything that is known of it, so that nobody misses it: a migration that nothing says is one.
	const isUnasked = ({ service, ports, restarts }: AttachedService) =>
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
 * @param jobs services
 */
export const withoutJobs = (project: Project, jobs: string[]): Project => ({
	...project,
	services: Object.fromEntries(
		Object.entries(project.services).map(([service, found]) => [service, jobs.includes(service) ? { ...found, tier: 'other' } : found]),
	),
	edges: project.edges.filter((pair) => !pair.some((service) => jobs.includes(service))),
});

/**
 * Services that ended well before the load, and that doubletake.yaml takes for more than a job.
 * @param stack its containers
 */
export function doneJobs(stack: Pick<Service, 'service' | 'pid'>[], project: Project): string[] {
	const running = new Set(stack.filter(({ pid }) => pid > 0).map(({ service }) => service));
	const ended = [...new Set(stack.map(({ service }) => service))].filter((service) => !running.has(service));
	return ended.filter((service) => projectService(project, service).tier !== 'other');
}

export const aboutJobs = (jobs: string[]) =>
	jobs.length === 0 ? [] : [`${jobs.join(', ')} ended well before the load: taken for a job that is done, which no request passes.`];
