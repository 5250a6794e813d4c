/**
 * What became of the writes: what users were told, against what the database holds.
 */

/**
 * A document is acknowledged when k6 had a good answer for it. By id with INTEGRITY=1, else by count.
 * @param {import('./facts.js').Facts} facts
 * @returns {import('../../define/result.js').Writes}
 */
export function writesOf({ generator, database, raw }) {
  if (raw.manifest.integrity) return writesById(raw.acknowledgedIds, raw.documentIds);
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

/**
 * @param {string[]} acknowledgedIds
 * @param {string[]} documentIds
 * @returns {import('../../define/result.js').Writes}
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
