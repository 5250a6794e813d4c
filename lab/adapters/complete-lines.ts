/** The lines of a service's log that fall into the load. */

import type { Attempt } from './attempt.ts';
import type { About, Extent, Limit } from './contract.ts';
import { stampedLines } from './log-lines.ts';

export type Window = About['window'];

/** A last line without its end is left out: what it would have said is not known. */
export const completeLines = (log: string): { t: number; text: string }[] => stampedLines(log.slice(0, log.lastIndexOf('\n') + 1));

export const isDuring = (t: number, { from, to }: Window) => t > from && t <= to;

/**
 * What a service told of its state once a second: what was used of a limit, and how much of the load the samples cover.
 */

/** Samples are taken once a second; on a busy machine the longest gap of 30 healthy runs was 2.0 s. */
const GAP_MOST_S = 3;

/**
 * @param sizeOf the last one told counts; nothing above zero is no limit
 * @returns one, or none
 */
export function limitOf(
	resource: string,
	samples: any[],
	window: Window,
	sizeOf: (sample: any) => unknown,
	usedOf: (sample: any, size: number) => unknown,
): Limit[] {
	const size = samples.map(sizeOf).findLast((value) => typeof value === 'number' && Number.isFinite(value));
	if (typeof size !== 'number' || size <= 0) return [];
	const used = samples.flatMap((sample) => {
		const value = usedOf(sample, size);
		return isDuring(sample.t, window) && typeof value === 'number' && Number.isFinite(value) ? [{ t: sample.t, used: value }] : [];
	});
	return used.length > 0 ? [{ resource, size, used }] : [];
}

/** Seconds of the load, at the longest, without a sample. */
function longestGap(samples: { t: number }[], window: Window) {
	const times = [window.from, ...samples.map(({ t }) => t).filter((t) => isDuring(t, window)), window.to];
	return Math.max(...times.slice(1).map((t, index) => t - times[index]));
}

/** How much of the load the samples cover. */
export function sampledExtent(samples: { t: number }[], window: Window): Extent {
	if (!samples.some(({ t }) => isDuring(t, window))) return 'none';
	return longestGap(samples, window) > GAP_MOST_S ? 'partial' : 'full';
}

/**
 * Reads the log of requests that one of the lab's own programs writes (app/lib/request-log.js), and that the preload writes in the process of
 * a user's.
 *
 */

/** What the generator names its requests (k6/lib/requests.js). A proxy may give them names of its own, by which nothing is found again. */
const OF_GENERATOR = /^w?\d+-\d+$/;

/**
 * Reads a node's log of requests.
 * @param wanted ids whose attempts are kept
 * @returns repeated: when the node received a request of the
 * generator's once more; received: requests that it has by an id of the generator's, wanted or not
 */
export function parseRequestLog(
	text: string,
	node: string,
	wanted: { has: (id: string) => boolean },
): { attempts: Map<string, Attempt[]>; repeated: number[]; received: number } {
	const attempts: Map<string, Attempt[]> = new Map();
	const seen = new Set();
	const repeated: number[] = [];
	let received = 0;
	let began = 0;
	for (const line of text.split('\n')) {
		const [first, ms, status, error, opener] = line.split(' ');
		if (first[0] === '#') began = Number(first.slice(1));
		// A node that was killed may have left half a line.
		if (ms === undefined || ms === '') continue;
		const id = first.slice(1);
		const t = (began + Number(ms)) / 1000;
		if (first[0] === '+' && OF_GENERATOR.test(id)) {
			received += 1;
			if (seen.has(id)) repeated.push(t);
			seen.add(id);
		}
		if (wanted.has(id)) note(attempts, { node, sign: first[0], id, t, began: began / 1000, status, error, opener });
	}
	return { attempts, repeated, received };
}

/** began: of the node's life */
function note(
	attempts: Map<string, Attempt[]>,
	{
		node,
		sign,
		id,
		t,
		began,
		status,
		error = '',
		opener,
	}: {
		node: string;
		sign: string;
		id: string;
		t: number;
		began: number;
		status: string | undefined;
		error: string | undefined;
		opener: string | undefined;
	},
): void {
	const own = attempts.get(id) ?? [];
	attempts.set(id, own);
	if (sign === '+') {
		own.push({ node, received: t, ended: null, outcome: 'open', status: null, error: '', place: '' });
		return;
	}
	// What an earlier life left open was never ended.
	const open = own.find((attempt) => attempt.outcome === 'open' && attempt.received >= began);
	if (!open) return;
	open.ended = t;
	if (sign === '-') Object.assign(open, { outcome: 'answered', status: Number(status), error });
	else Object.assign(open, { outcome: 'broken', place: status ?? '' });
	if (opener !== undefined) open.opener = opener;
}
