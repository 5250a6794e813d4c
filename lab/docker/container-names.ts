/**
 * What the figures of a container are called: by its service, and where a service has several containers, by their numbers too.
 * Knows no Docker.
 */

type Numbered = {
	/** of the service */
	name: string;
	/** of the container in it, from 1 */
	number: number;
};

/** @returns in the same order; no two are alike, even where another service has the name that a number would give */
export function containerNames(containers: Numbered[]): string[] {
	const counts = new Map();
	for (const { name } of containers) counts.set(name, (counts.get(name) ?? 0) + 1);
	return containers.map(({ name, number }) => {
		if (counts.get(name) === 1) return name;
		let numbered = `${name}-${number}`;
		while (counts.has(numbered)) numbered = `${numbered}-${number}`;
		return numbered;
	});
}

/** As a reader counts: 2 comes before 10. */
export const compareNames: (one: string, other: string) => number = (one, other) => one.localeCompare(other, 'en', { numeric: true });
