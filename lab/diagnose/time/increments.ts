/**
 * What cumulative counters gained: of a node, of a container's kernel, of anything that is read once in a while. A record's line from before the
 * load is subtracted, so the warm-up is in no count.
 */

import { gained } from '../../stats/numbers.ts';
import type { Raw } from '../read-raw.ts';
import type { Window } from './window.ts';

export type { Window };

/**
 * @param rows in the order of time
 * @returns the last one at or before the moment
 */
export const lastBefore = <Row extends { t: number }>(rows: Row[], moment: number): Row | undefined =>
	rows.filter(({ t }) => t <= moment).at(-1);

/**
 * What a node's counters gained from a moment to the end of its record. A node that was started again counts from zero
 * again, so each life is added up.
 * @param rows of one node
 */
function nodeIncrements(rows: any[], from: number) {
	const lives = splitLives(rows);
	const none = () => ({}) as Record<string, number>;
	const total = {
		received: 0,
		aborted: 0,
		answered: none(),
		errors: none(),
		checkoutsFailed: none(),
		checkouts: 0,
		waitMs: 0,
		cleared: 0,
		okMs: none(),
		inFlight: 0,
		own: none(),
	};
	for (const life of lives) {
		const after = life.at(-1);
		if (after.t <= from) continue;
		const before = lastBefore(life, from);
		total.received += after.received - (before?.received ?? 0);
		total.aborted += after.aborted - (before?.aborted ?? 0);
		total.checkouts += (after.pool?.checkouts ?? 0) - (before?.pool?.checkouts ?? 0);
		total.waitMs += (after.pool?.wait_ms ?? 0) - (before?.pool?.wait_ms ?? 0);
		total.cleared += (after.pool?.cleared ?? 0) - (before?.pool?.cleared ?? 0);
		total.inFlight += after.in_flight;
		total.answered = added(total.answered, gained(after.answered, before?.answered));
		total.errors = added(total.errors, gained(after.errors, before?.errors));
		total.checkoutsFailed = added(total.checkoutsFailed, gained(after.pool?.failed ?? {}, before?.pool?.failed));
		total.own = added(total.own, gained(after.own ?? {}, before?.own));
		total.okMs = added(total.okMs, gained(after.ok_ms, before?.ok_ms));
	}
	return { ...total, lives: lives.length };
}

type NodeIncrements = ReturnType<typeof nodeIncrements>;

/** @param rows of a node, in all its lives */
export const receivedBy = (rows: any[]) => nodeIncrements(rows, Number.NEGATIVE_INFINITY).received;

function splitLives(rows: any[]) {
	const lives: any[][] = [];
	for (const row of rows) {
		if (row.event === 'start' || lives.length === 0) lives.push([]);
		lives[lives.length - 1].push(row);
	}
	return lives;
}

function added(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
	const total = new Map(Object.entries(one));
	for (const [key, value] of Object.entries(other)) total.set(key, (total.get(key) ?? 0) + value);
	return Object.fromEntries(total);
}

/**
 * What a container's kernel counters gained in the load.
 * @param rows of all containers
 */
function kernelIncrements(
	rows: any[],
	name: string,
	window: Window,
): { before: Record<string, number>; after: Record<string, number>; gained: Record<string, number> } {
	const own = rows.filter((row) => row.name === name);
	const before = (lastBefore(own, window.from) ?? own[0])?.counters ?? {};
	const after = own.at(-1)?.counters ?? {};
	return { before, after, gained: gained(after, before) };
}

/**
 * What nodes counted in the load, and the kernel for each service. Workers are nodes that a queue hands its messages to; no request waits for
 * them.
 */
export function gainedInLoad(
	{ manifest, nodes, kernel, queued }: Pick<Raw, 'manifest' | 'nodes' | 'kernel' | 'queued'>,
	window: Window,
): {
	nodes: Record<string, NodeIncrements>;
	workers: Record<string, NodeIncrements>;
	kernel: Record<string, ReturnType<typeof kernelIncrements>>;
} {
	const isWorker = (name: string) => queued?.workers.includes(name) === true;
	const gainedBy = (isWanted: (name: string) => boolean) =>
		Object.fromEntries(
			Object.entries(nodes).flatMap(([name, rows]) => (isWanted(name) ? [[name, nodeIncrements(rows, window.from)]] : [])),
		);
	const services = (manifest.services ?? []) as { name: string }[];
	return {
		nodes: gainedBy((name) => !isWorker(name)),
		workers: gainedBy(isWorker),
		kernel: Object.fromEntries(services.map(({ name }) => [name, kernelIncrements(kernel, name, window)])),
	};
}
