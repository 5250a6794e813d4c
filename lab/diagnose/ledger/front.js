/**
 * The proxy that users talk to first, where there is one: its record, and that of single requests by their ids.
 *
 * @typedef {import('../../adapters/contract.js').HopRecord} HopRecord
 * @typedef {import('../../adapters/contract.js').Sighting} Sighting
 * @typedef {import('../../adapters/contract.js').Signal} Signal
 * @typedef {import('../../adapters/contract.js').Bench} Bench
 *
 * @typedef {object} Said          what it said of one sort, whichever requests it was about
 * @property {number} count
 * @property {string} first
 * @property {number[]} times      seconds since 1970
 *
 * @typedef {Partial<Record<Signal, Said>>} Saying
 *
 * @typedef {Omit<HopRecord, 'benches' | 'benched_s'> & { said: Saying, benches: Bench[], benched_s: number | null }} Front
 */

/**
 * @param {HopRecord[]} hops
 * @param {import('../time/window.js').Window} window
 * @param {{ name: string, tier: string }} entry
 * @returns {Front | null} null where users talk to something else than a proxy
 */
export function frontOf(hops, window, entry) {
  const record = entry.tier === 'load-balancer' ? hops.find(({ service }) => service === entry.name) : undefined;
  if (!record) return null;
  return {
    ...record,
    said: saidIn(record.messages),
    benches: (record.benches ?? toldBenches(record.messages, window)).filter(({ to }) => to > window.from),
    benched_s: record.benched_s ?? null,
  };
}

/** Where its messages stand, as evidence names it. @param {Pick<HopRecord, 'service' | 'log_source'>} record */
export const logOf = ({ service, log_source: log = 'log' }) => `${service} ${log}`;

/** Its connection table, of all workers together. @param {Pick<HopRecord, 'limits'>} record @returns {import('../../adapters/contract.js').Limit | null} null where none is on record */
export const tableOf = ({ limits }) => limits.find(({ resource }) => resource === 'connection slots') ?? null;

/** @param {import('../../adapters/contract.js').Message[]} messages @returns {Saying} */
export function saidIn(messages) {
  /** @type {Saying} */
  const said = {};
  for (const { signal, t, text } of messages) {
    const known = said[signal] ?? { count: 0, first: text, times: [] };
    said[signal] = known;
    known.count += 1;
    known.times.push(t);
  }
  return said;
}

/**
 * From the word that a service was left out to the word that it was taken in again.
 * @type {(messages: import('../../adapters/contract.js').Message[], window: { to: number }) => Bench[]}
 */
function toldBenches(messages, window) {
  return messages.flatMap(({ signal, t, to: node, text }, index) => {
    if (signal !== 'benched' || node === undefined) return [];
    const back = messages.slice(index).find((other) => other.signal === 'restored' && other.to === node);
    return [{ node, from: t, to: back?.t ?? window.to, trigger: null, line: text, request: null }];
  });
}
