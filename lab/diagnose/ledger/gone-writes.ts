/**
 * Writes that users were told were done, or accepted, and that are gone: the gravest that a run can find, and what keeps it from being so.
 */

import { adapterFor } from '../../adapters/registry.ts';
import type { GoneWrites, Queue, Writes } from '../../record/types.js';
import { count } from '../../stats/figure-words.ts';
import type { Facts } from './facts.ts';

const PUT_BACK =
	'let the worker put back, or keep aside, what it could not do, before the queue forgets it; what it has in hand when it ends is to come back too';
/** Of a store whose adapter says nothing of that. */
const DURABLE = 'acknowledge a write when it is on its disk, or on that of another member too';
const UNKNOWN_CAUSE =
	'no database or queue ended in this run: see what acknowledges a write before it is stored, and what removes it afterwards';

/** @param writes as the ledger has them */
export function goneWrites(facts: Facts, writes: Writes, queue: Queue | null): GoneWrites {
	const isQueued = queue !== null && queue.accepted > 0;
	// Ids are known: duplicates are told by nothing else.
	const isById = writes.duplicated !== null;
	const known = isQueued ? goneOfQueue(queue, isById ? writes : null) : writes.lost;
	// Equal counts do not say that none is gone: one that was stored and not acknowledged stands for one that was lost.
	if (!known) return { count: known === 0 && isById ? 0 : null, at_least: false, text: '', to_do: [] };
	const atLeast = !isById || (isQueued && queue.lost === null);
	const number = `${atLeast ? 'At least ' : ''}${count(known)}`;
	const [noun, verb] = known === 1 ? ['write', 'is'] : ['writes', 'are'];
	const text = isQueued
		? `${number} accepted ${noun} ${verb} gone${howOf(queue, known)}.`
		: `${number} acknowledged ${noun} ${verb} gone: users were told that ${known === 1 ? 'it was' : 'they were'} done, and the database does not hold ${known === 1 ? 'it' : 'them'}.`;
	return { count: known, at_least: atLeast, text, to_do: toDo(facts, isQueued ? queue : null, known) };
}

/** @returns null where nobody knows, and none is known to be gone */
function goneOfQueue({ lost, failed, left }: Queue, byId: Writes | null): number | null {
	const reported = (lost ?? 0) + failed;
	const notStored = byId === null || byId.lost === null || left === null ? null : Math.max(0, byId.lost - left);
	if (reported === 0 && notStored === null && (lost === null || byId !== null)) return null;
	return Math.max(reported, notStored ?? 0);
}

function howOf({ lost, failed }: Queue, gone: number) {
	if (lost !== null && failed === gone)
		return `: ${gone === 1 ? 'it' : 'they'} failed when ${gone === 1 ? 'it was' : 'they were'} to be done`;
	const ways = [
		...(lost !== null && lost > 0 ? [`${count(lost)} ${lost === 1 ? 'was' : 'were'} lost`] : []),
		...(failed > 0 ? [`${count(failed)} failed when ${failed === 1 ? 'it was' : 'they were'} to be done`] : []),
		...(lost === null ? ['how many more were lost is not known'] : []),
	];
	return ways.length === 0 ? '' : `: ${ways.join(', ')}`;
}

/** Only what would have changed it, by what is on record: which services ended, and what the workers say that they could not do. */
function toDo({ raw, restarts }: Facts, queue: Queue | null, gone: number) {
	const ended = [...new Set(restarts.map(({ name }) => name))];
	const services = (raw.manifest.services ?? []) as { name: string; tier: string; product?: string }[];
	const durable = services
		.filter(({ name, tier }) => ended.includes(name) && (tier === 'database' || (tier === 'queue' && queue !== null)))
		.map((service) => `${service.name} ended: ${adapterFor(service)?.durable ?? DURABLE}.`);
	const worker = queue !== null && (queue.failed > 0 || ended.some((name) => raw.queued?.workers.includes(name))) ? [`${PUT_BACK}.`] : [];
	// What a database lost that had it is another matter than what a worker could not write while it was away.
	const isStored = queue === null || queue.lost === null || gone > queue.failed;
	const all = [...(isStored ? durable : []), ...worker];
	return all.length > 0 ? [...new Set(all)] : [`${UNKNOWN_CAUSE}.`];
}
