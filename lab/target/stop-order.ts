/**
 * In which order services are stopped so that the counts add up: who asks before who is asked, so that each finishes what it was
 * asked, and nothing asks what is gone.
 */

import { reachableFrom } from './entry.ts';

/** who asks whom */
type Edges = readonly (readonly [string, string])[];

/**
 * @returns groups of services that stop together, one after the other: those on the way of requests, what no request passes, which
 * may look into a store to its end, and then the stores
 */
export function stopOrder(
	{ entries, edges }: { entries: readonly string[]; edges: Edges },
	containers: { service: string; tier: string }[],
): string[][] {
	const pairs = edges.map(([from, to]) => ({ from, to, reason: '' }));
	const onWay = [...new Set(entries.flatMap((entry) => [...reachableFrom(entry, pairs)]))];
	const asking = askingIn(edges, containers);
	const ends = onWay.filter((service) => !entries.includes(service) && asking.every(([from]) => from !== service));
	const groups: string[][] = [];
	let waiting = onWay.filter((service) => !ends.includes(service));
	while (waiting.length > 0) {
		const isAsked = (service: string) => asking.some(([from, to]) => to === service && from !== to && waiting.includes(from));
		const free = waiting.filter((service) => !isAsked(service));
		// Those that ask each other in a circle: the one that requests come to first.
		const group = free.length > 0 ? free : waiting.slice(0, 1);
		groups.push(group);
		waiting = waiting.filter((service) => !group.includes(service));
	}
	const others = [...new Set(containers.map(({ service }) => service))].filter((service) => !onWay.includes(service));
	return [...groups, others, ends].filter((group) => group.length > 0);
}

/**
 * What a queue hands on its worker fetches, and goes on fetching when nobody puts anything in: it stops after those, and before the queue.
 */
function askingIn(edges: Edges, containers: { service: string; tier: string }[]): Edges {
	const isQueue = (name: string) => containers.some(({ service, tier }) => service === name && tier === 'queue');
	return edges.flatMap(([from, to]) => {
		if (!isQueue(from)) return [[from, to]];
		return [[to, from], ...edges.flatMap(([putting, queue]) => (queue === from ? [[putting, to] as const] : []))];
	});
}
