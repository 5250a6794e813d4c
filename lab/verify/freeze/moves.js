/**
 * Where a result places failed requests, in short, and what of it another analysis of the same record moved. Pure.
 *
 * @typedef {object} PlacedRow
 * @property {'ledger' | 'waiting'} from  the rows of the ledger, or what following the waiting found
 * @property {string} place  service, and of a finding the edge on which it shows
 * @property {string} why    cause or mechanism; empty where it is not on record
 * @property {number} count
 * @property {string} basis  of where and of why
 *
 * @typedef {Pick<PlacedRow, 'from' | 'place' | 'why'> & { before: PlacedRow | null, now: PlacedRow | null }} Move
 */

/** @param {import('../../record/result.js').Result} result  of an earlier version too, which may lack what is optional */
export const placedRows = ({ ledger, waiting }) => [...ledgerRows(ledger), ...(waiting?.findings ?? []).map(ofFinding)];

/** @param {import('../../record/result.js').Ledger} ledger @returns {PlacedRow[]} */
const ledgerRows = ({ failures, unattributed }) => [
  ...failures.map(({ tier, service, cause, amplifier, count, basis }) => ({
    ...{ from: /** @type {const} */ ('ledger'), place: `${tier} ${service}`, count },
    why: amplifier ? `${cause}, made many by ${amplifier.service} ${amplifier.cause}` : cause,
    basis: `where ${countsText(basis.where)}; why ${countsText(basis.why)}`,
  })),
  ...(unattributed > 0 ? [{ from: /** @type {const} */ ('ledger'), place: 'unattributed', why: '', count: unattributed, basis: '' }] : []),
];

/** @param {import('../../record/result.js').WaitingFinding} finding @returns {PlacedRow} */
const ofFinding = ({ place: { service, edge }, mechanism, count, basis, why_basis: whyBasis }) => ({
  ...{ from: 'waiting', place: edge === null ? service : `${service} (${edge.from} → ${edge.to})`, why: mechanism ?? '', count },
  basis: `where ${basis}${whyBasis === null ? '' : `; why ${whyBasis}`}`,
});

/** One alone needs no number: it is that of the row. @param {import('../../record/result.js').BasisCounts} counts */
function countsText(counts) {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([name, count]) => (some.length === 1 ? name : `${name} ${count}`)).join(', ');
}

/**
 * @param {PlacedRow[]} before
 * @param {PlacedRow[]} now
 * @returns {Move[]} what differs, in the order of the earlier one; none where nothing does
 */
export function movesOf(before, now) {
  const [earlier, later] = [before, now].map((rows) => new Map(rows.map((row) => [keyOf(row), row])));
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((key) => {
    const pair = { before: earlier.get(key) ?? null, now: later.get(key) ?? null };
    const { from, place, why } = /** @type {PlacedRow} */ (pair.before ?? pair.now);
    const isSame = pair.before?.count === pair.now?.count && pair.before?.basis === pair.now?.basis;
    return isSame ? [] : [{ from, place, why, ...pair }];
  });
}

/** @param {PlacedRow} row */
const keyOf = ({ from, place, why }) => JSON.stringify([from, place, why]);

/** Fields one in another, beyond which a difference is told of what they are in. */
const DEPTH_MOST = 3;

/**
 * @param {any} before  JSON
 * @param {any} now
 * @returns {string[]} which fields differ, such as `timeline[].ok_rps`, once each; none where both say the same
 */
export const fieldsThatDiffer = (before, now) => [...new Set(differing(before, now, '', DEPTH_MOST))];

/** @param {any} before @param {any} now @param {string} path @param {number} depth @returns {string[]} */
function differing(before, now, path, depth) {
  if (Object.is(before, now)) return [];
  const areRecords = [before, now].every((value) => typeof value === 'object' && value !== null);
  const areLists = Array.isArray(before) && Array.isArray(now);
  if (!areRecords || Array.isArray(before) !== Array.isArray(now)) return [path];
  if (areLists && before.length !== now.length) return [path];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const own = (/** @type {string} */ name) => (areLists ? `${path}[]` : path === '' ? name : `${path}.${name}`);
  return names.flatMap((name) => {
    const found = differing(before[name], now[name], own(name), areLists ? depth : depth - 1);
    return found.length > 0 && depth === 0 ? [path] : found;
  });
}
