/**
 * Where the time of good answers went by the wire alone, in the form in which services tell it (time/hop-times.js): a part for each service that
 * requests pass. What a service asked that cannot be read is in the service's own part, and its label says so.
 *
 * @typedef {import('../record/types.js').Wire} Wire
 * @typedef {import('../record/types.js').TimeLedger['parts'][number]} Part
 */

import { partOf, timesOf } from './wire-requests/times.js';

/**
 * @param {import('./wire-requests/trees.js').Trees | null} trees
 * @param {Wire | null} wire
 * @param {Pick<import('./ledger/facts.js').Facts, 'raw' | 'window' | 'tiers'>} facts
 * @returns {{ reported: import('../record/types.js').WireTime, parts: Part[], bySecond: Map<number, import('./wire-requests/times.js').Sums> } | null} null where
 *   no good request was recorded
 */
export function wireTimesOf(trees, wire, { raw, window, tiers }) {
  if (trees === null || wire === null || !raw.wire) return null;
  const services = servicesOf(raw.wire.services);
  const hosts = new Map((wire.outside ?? []).flatMap(({ addresses, name }) => addresses.map((address) => [address, name || address])));
  const serviceOf = (/** @type {string} */ name) => services.get(name) ?? hosts.get(name) ?? name;
  const tierOf = (/** @type {string} */ service) => {
    const tier = /** @type {string | undefined} */ (tiers.get(service));
    // Whom requests pass watches nothing, whatever the file says.
    return tier === 'observer' ? 'app' : /** @type {Part['tier']} */ (tier ?? 'outside');
  };
  const times = timesOf(trees, window, { serviceOf, tierOf });
  if (times === null) return null;
  const parts = times.reported.services.map(({ service, tier }) => ({
    id: partOf(service),
    label: `${partOf(service)}${behindText(unreadBehind(wire, service, serviceOf))}`,
    tier,
    waits: false,
  }));
  return { ...times, parts };
}

/** Containers of one service are one; any other has the name that its figures have. @param {import('../wire/record.js').Tenure[]} tenures @returns {Map<string, string>} by their names */
function servicesOf(tenures) {
  const all = new Map(tenures.map(({ name, service }) => [name, service]));
  const isShared = (/** @type {string} */ service) => [...all.values()].filter((other) => other === service).length > 1;
  return new Map([...all].filter(([, service]) => isShared(service)));
}

/** Whom it asked in a way that is not read. @param {Wire} wire @param {string} service @param {(name: string) => string} serviceOf */
function unreadBehind({ edges }, service, serviceOf) {
  const unread = edges.filter(
    ({ from, calls, unknown_bytes: unknown, hidden_bytes: hidden }) => serviceOf(from) === service && calls === 0 && unknown + hidden > 0,
  );
  return [...new Set(unread.map(({ to }) => serviceOf(to)))];
}

/** @param {string[]} names */
const behindText = (names) => (names.length > 0 ? `, ${names.join(', ')} behind it included` : '');
