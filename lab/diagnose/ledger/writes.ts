/** What became of the writes: what users were told, against what the database holds. */

import type { Writes } from '../../record/types.js';
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
