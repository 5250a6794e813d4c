/** What became of the writes: what users were told, against what the database holds. */

import { adapterFor } from '../../adapters/registry.ts';
import type { GoneWrites, Queue, Writes } from '../../record/types.js';
import { count } from '../../stats/figure-words.ts';
import { isWhole } from '../damage.ts';
import type { Facts } from './facts.ts';

/**
 * A document is acknowledged when k6 had a good answer for it. By id with INTEGRITY=1, else by count. What is not in a list of ids that may lack
 * some is not lost.
 */
export function writesOf(facts: Facts): Writes {
	const { generator, database, raw } = facts;
	// What is not in a damaged record may be there all the same.
	if (!isWhole(raw)) return raw.manifest.integrity ? unknownBy(raw.acknowledgedIds) : UNKNOWN;
	if (raw.manifest.integrity) {
		const { isStoredWhole, isAcknowledgedWhole } = idsOf(facts);
		const writes = writesById(raw.acknowledgedIds, raw.documentIds);
		return isStoredWhole ? knownById(writes, isAcknowledgedWhole) : unknownBy(raw.acknowledgedIds);
	}
	if (database.name === null) return UNKNOWN;
	const acknowledged = generator.created;
	const persisted = database.documents === null ? null : database.documents + (database.deletes ?? 0);
	if (persisted === null) return { acknowledged, persisted: null, unacknowledged: null, lost: null, duplicated: null };
	return {
		acknowledged,
		persisted,
		unacknowledged: Math.max(0, persisted - acknowledged),
		lost: Math.max(0, acknowledged - persisted),
		duplicated: null,
	};
}

/**
 * Whether the ids of what is stored are all, and those of good answers. A shipped database's observer counts the documents when it has written down
 * all of their ids, and each good answer leaves one. Of a user's own system the lab has read them, and some requests alone leave one: each good
 * answer to these is on record where k6's users wrote down as many requests as k6 counted.
 */
function idsOf({
	generator,
	database,
	system,
	raw: { manifest, documentIds, acknowledgedIds, written },
}: Pick<Facts, 'generator' | 'database' | 'system' | 'raw'>) {
	if (system.isFollowed)
		return {
			isStoredWhole: manifest.stored_ids?.is_whole ?? false,
			isAcknowledgedWhole: written !== null && written.written === written.counted,
		};
	const held = database.documentsAt.after;
	return {
		isStoredWhole: held !== null && (documentIds.length > 0 || held === 0),
		isAcknowledgedWhole: new Set(acknowledgedIds).size >= generator.created,
	};
}

const UNKNOWN: Writes = Object.freeze({ acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null });

const unknownBy = (acknowledgedIds: string[]): Writes => ({
	acknowledged: new Set(acknowledgedIds).size,
	...{ persisted: null, unacknowledged: null, lost: null, duplicated: null },
});

/**
 * Of good answers whose ids are not on record nobody knows: that none of the others is lost does not say that none is.
 * @param isWhole all of them are
 */
const knownById = (writes: Writes, isWhole: boolean) => (writes.lost === 0 && !isWhole ? { ...writes, lost: null } : writes);

export function writesById(acknowledgedIds: string[], documentIds: string[]): Writes {
	const acknowledged = new Set(acknowledgedIds);
	const persisted = new Set(documentIds);
	return {
		acknowledged: acknowledged.size,
		persisted: persisted.size,
		unacknowledged: [...persisted].filter((id) => !acknowledged.has(id)).length,
		lost: [...acknowledged].filter((id) => !persisted.has(id)).length,
		duplicated: documentIds.length - persisted.size,
	};
}

/*
 * Writes that users were told were done, or accepted, and that are gone: the gravest that a run can find, and what keeps it from being so.
 */

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
