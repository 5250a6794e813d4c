/**
 * What cumulative counters gained: of a node, of a container's kernel, of anything that is read once in a while. A record's line from before the
 * load is subtracted, so the warm-up is in no count.
 *
 * @typedef {import('./window.ts').Window} Window
 */

import { gained } from '../../stats/numbers.ts';

/**
 * @template {{ t: number }} Row
 * @param {Row[]} rows in the order of time
 * @param {number} moment
 * @returns {Row | undefined} the last one at or before the moment
 */
export const lastBefore = (rows, moment) => rows.filter(({ t }) => t <= moment).at(-1);

/**
 * What a node's counters gained from a moment to the end of its record. A node that was started again counts from zero
 * again, so each life is added up.
 * @param {any[]} rows of one node
 * @param {number} from
 */
function nodeIncrements(rows, from) {
	const lives = splitLives(rows);
	const none = () => /** @type {Record<string, number>} */ ({});
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

/** @typedef {ReturnType<typeof nodeIncrements>} NodeIncrements */

/** @param {any[]} rows of a node, in all its lives */
export const receivedBy = (rows) => nodeIncrements(rows, Number.NEGATIVE_INFINITY).received;

/** @param {any[]} rows */
function splitLives(rows) {
	/** @type {any[][]} */
	const lives = [];
	for (const row of rows) {
		if (row.event === 'start' || lives.length === 0) lives.push([]);
		lives[lives.length - 1].push(row);
	}
	return lives;
}

/** @type {(one: Record<string, number>, other: Record<string, number>) => Record<string, number>} */
function added(one, other) {
	const total = new Map(Object.entries(one));
	for (const [key, value] of Object.entries(other)) total.set(key, (total.get(key) ?? 0) + value);
	return Object.fromEntries(total);
}

/**
 * What a container's kernel counters gained in the load.
 * @param {any[]} rows of all containers
 * @param {string} name
 * @param {Window} window
 * @returns {{ before: Record<string, number>, after: Record<string, number>, gained: Record<string, number> }}
 */
function kernelIncrements(rows, name, window) {
	const own = rows.filter((row) => row.name === name);
	const before = (lastBefore(own, window.from) ?? own[0])?.counters ?? {};
	const after = own.at(-1)?.counters ?? {};
	return { before, after, gained: gained(after, before) };
}

/**
 * What nodes counted in the load, and the kernel for each service. Workers are nodes that a queue hands its messages to; no request waits for
 * them.
 * @param {Pick<import('../read-raw.ts').Raw, 'manifest' | 'nodes' | 'kernel' | 'queued'>} raw
 * @param {Window} window
 * @returns {{ nodes: Record<string, NodeIncrements>, workers: Record<string, NodeIncrements>, kernel: Record<string, ReturnType<typeof kernelIncrements>> }}
 */
export function gainedInLoad({ manifest, nodes, kernel, queued }, window) {
	const isWorker = (/** @type {string} */ name) => queued?.workers.includes(name) === true;
	const gainedBy = (/** @type {(name: string) => boolean} */ isWanted) =>
		Object.fromEntries(
			Object.entries(nodes).flatMap(([name, rows]) => (isWanted(name) ? [[name, nodeIncrements(rows, window.from)]] : [])),
		);
	const services = /** @type {{ name: string }[]} */ (manifest.services ?? []);
	return {
		nodes: gainedBy((name) => !isWorker(name)),
		workers: gainedBy(isWorker),
		kernel: Object.fromEntries(services.map(({ name }) => [name, kernelIncrements(kernel, name, window)])),
	};
}
