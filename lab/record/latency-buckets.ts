/** Latencies in buckets of 1-2-5 steps: how a second's requests are counted by how long they took. */

/** Milliseconds, from below what a user's clock tells apart to more than anybody waits. */
const DECADES = [0.1, 1, 10, 100, 1_000, 10_000, 100_000];
export const EDGES_MS = [0, ...DECADES.flatMap((decade) => [1, 2, 5].map((step) => Number((step * decade).toPrecision(1))))];

const UPPER_MS = EDGES_MS.slice(1);

/** requests by bucket: the first holds those up to the first edge above 0 */
export type BucketCounts = number[];

/** @returns a latency on an edge is in the bucket below it; what is above all edges is in the last one */
function bucketOf(ms: number): number {
	const above = UPPER_MS.findIndex((edge) => ms <= edge);
	return above < 0 ? UPPER_MS.length - 1 : above;
}

/** @param latencies milliseconds */
export function bucketsOf(latencies: number[]): BucketCounts {
	const counts: BucketCounts = new Array(UPPER_MS.length).fill(0);
	for (const ms of latencies) counts[bucketOf(ms)] += 1;
	return counts;
}
