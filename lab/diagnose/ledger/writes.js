/**
 * What became of the writes: what users were told, against what the database holds.
 */

/**
 * A document is acknowledged when k6 had a good answer for it. By id with INTEGRITY=1, else by count. The database's observer counts the
 * documents when it has written down all of their ids: without that count the list may lack some, and what is not in it is not lost.
 * @param {import('./facts.js').Facts} facts
 * @returns {import('../../record/result.js').Writes}
 */
export function writesOf({ generator, database, raw }) {
  if (raw.manifest.integrity) {
    const held = database.documentsAt.after;
    const isWhole = held !== null && (raw.documentIds.length > 0 || held === 0);
    return isWhole ? knownById(writesById(raw.acknowledgedIds, raw.documentIds), generator.created) : unknownBy(raw.acknowledgedIds);
  }
  if (database.name === null) return { acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null };
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

/** @param {string[]} acknowledgedIds @returns {import('../../record/result.js').Writes} */
const unknownBy = (acknowledgedIds) => ({
  acknowledged: new Set(acknowledgedIds).size,
  ...{ persisted: null, unacknowledged: null, lost: null, duplicated: null },
});

/**
 * Of good answers whose ids are not on record nobody knows: that none of the others is lost does not say that none is.
 * @param {import('../../record/result.js').Writes} writes
 * @param {number} created  good answers
 */
const knownById = (writes, created) => (writes.lost === 0 && (writes.acknowledged ?? 0) < created ? { ...writes, lost: null } : writes);

/**
 * @param {string[]} acknowledgedIds
 * @param {string[]} documentIds
 * @returns {import('../../record/result.js').Writes}
 */
export function writesById(acknowledgedIds, documentIds) {
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
