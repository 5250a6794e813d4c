/**
 * Whether all runs of an arm had the same images. Those of a user's own system that are built are built once for each arm, and
 * again only where one is gone: what it is built from may be another by then.
 */

import type { Plan } from '../plan.ts';

/** @returns a sentence for each image that was another in some runs */
export const rebuiltNotes = ({ arms, attempts }: Pick<Plan, 'arms' | 'attempts'>): string[] =>
	arms.flatMap(({ id }) => {
		const images = attempts.flatMap((attempt) => (attempt.arm === id && attempt.images ? [attempt.images] : []));
		return [...new Set(images.flatMap(Object.keys))]
			.filter((service) => new Set(images.map((own) => own[service])).size > 1)
			.map((service) => `the image of ${service} was built anew between the runs of ${id}: they may not have measured the same`);
	});
