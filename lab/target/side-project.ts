/**
 * doubletake.yaml as it is for one arm of a comparison: with that arm's Compose files, and without the services that only the other
 * arm has.
 */

import type { Project } from '../catalog/project-schema.ts';
import type { Resolved } from '../options/arms.ts';
import { entryServices } from './describe.ts';

/**
 * Services that an arm leaves out. What neither arm has is a mistake in doubletake.yaml, and so is an arm without the entry: both are reported when the arm is checked.
 * @param own services of the arm's files
 * @param other of the other arm's
 */
export const absentServices = (project: Project, own: string[], other: string[]) =>
	Object.keys(project.services).filter(
		(service) => !own.includes(service) && other.includes(service) && !entryServices(project).includes(service),
	);

export function projectOfSide(project: Project, { compose, absent }: Pick<Resolved, 'compose' | 'absent'>): Project {
	const isThere = (service: string) => !absent.includes(service);
	return {
		...project,
		compose,
		services: Object.fromEntries(Object.entries(project.services).filter(([service]) => isThere(service))),
		edges: project.edges.filter((pair) => pair.every(isThere)),
	};
}
