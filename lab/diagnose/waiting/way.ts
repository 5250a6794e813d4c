/** Services in the order of a request's way: from the entry on, each behind those that ask it. */

/**
 * @param entry names of the generators
 * @returns services: that were asked for anything, without the generators; edges: those that reach them
 */
export function wayOf<E extends { from: string; to: string; waiting: ArrayLike<number> }>(
	edges: E[],
	entry: Set<string>,
): { services: string[]; edges: E[] } {
	const used = edges.filter(({ to }) => !entry.has(to));
	const names = [...new Set(used.map(({ to }) => to))];
	const depth = depths(used, entry);
	const depthOf = (name: string) => depth.get(name) ?? Number.POSITIVE_INFINITY;
	const order: string[] = [];
	const left = new Set(names);
	while (left.size > 0) {
		// One whose askers all have their place; in a ring there is none: then the nearest to the entry.
		const ready = [...left].filter((name) => used.every(({ from, to }) => to !== name || from === name || !left.has(from)));
		const [next] = (ready.length > 0 ? ready : [...left]).sort(
			(one, other) => depthOf(one) - depthOf(other) || one.localeCompare(other, 'en'),
		);
		order.push(next);
		left.delete(next);
	}
	const place = new Map(order.map((name, index) => [name, index]));
	const placeOf = (name: string) => place.get(name) ?? (entry.has(name) ? -1 : order.length);
	return {
		services: order,
		edges: used.toSorted((one, other) => placeOf(one.from) - placeOf(other.from) || placeOf(one.to) - placeOf(other.to)),
	};
}

/** Steps from the entry. */
function depths(edges: { from: string; to: string }[], entry: Set<string>): Map<string, number> {
	const depth = new Map([...entry].map((name) => [name, 0]));
	let reached = [...entry];
	for (let steps = 1; reached.length > 0; steps += 1) {
		const next = new Set(edges.filter(({ from, to }) => reached.includes(from) && !depth.has(to)).map(({ to }) => to));
		for (const name of next) depth.set(name, steps);
		reached = [...next];
	}
	return depth;
}
