/**
 * What the adapters read of the services of a run.
 *
 * @typedef {import('../../adapters/contract.js').HopRecord} HopRecord
 */
import { countsOf } from '../../adapters/hop-counts.js';
import { adapterOf } from '../../adapters/registry.js';
import { NotReadyError } from '../../base/errors.js';
import { withReplicas } from './replicas.js';

/**
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../time/window.js').Window} window
 * @param {{ names: Map<string, string>, replicas: Map<string, string[]> }} about  names: address to service
 * @returns {HopRecord[]}
 * @throws {NotReadyError} when the record is of a product that no adapter reads
 */
export function hopsIn(raw, window, { names, replicas }) {
  const adapted = raw.adapted.map(({ service, tier, product, level, files }) => {
    const adapter = adapterOf(product);
    if (adapter === null)
      throw new NotReadyError(
        `manifest: expected a product that the lab knows for ${service}; found "${product}".`,
        'analyse it with the version that measured it.',
      );
    return ofLoad(adapter.read(files, { service, tier, level, names, window }));
  });
  return withReplicas(adapted, replicas);
}

/** Of a service's requests, that have to have the load's ids, or those that have none are not health checks alone. The lab's own choice. */
const NAMED_SHARE = 0.5;
/** By a proxy in the place of the load's: 32 hexadecimal digits, or a UUID. */
const MADE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Where requests are on record by their ids, those without one are not the load's: health checks, or other users. Where most have none, the
 * load's are among them, and the count of all is what is known.
 * @param {HopRecord} record
 * @returns {HopRecord}
 */
function ofLoad(record) {
  if (record.coverage.requests !== 'full' || record.only_load) return record;
  const { service, coverage, uncovered } = record;
  const sightings = record.sightings.filter(({ id }) => id !== '' && !MADE_ID.test(id));
  if (sightings.length >= record.sightings.length * NAMED_SHARE) return { ...record, ...countsOf(sightings), sightings };
  const without = `${record.sightings.length - sightings.length} of ${record.sightings.length} requests`;
  return {
    ...record,
    coverage: { ...coverage, requests: 'partial' },
    uncovered: [
      `${without} reached ${service} without the id that the load gave them (X-Request-Id): they cannot be told apart`,
      ...uncovered,
    ],
  };
}

/**
 * With what services say of themselves once a second: a user's own program may keep the same record as the lab's.
 * @param {import('../read-raw.js').Raw} raw
 * @param {HopRecord[]} hops
 * @returns {import('../read-raw.js').Raw}
 */
export function withPulses(raw, hops) {
  const told = hops.flatMap(({ service, pulse = [] }) => (pulse.length > 0 ? [/** @type {const} */ ([service, pulse])] : []));
  return told.length === 0 ? raw : { ...raw, nodes: { ...raw.nodes, ...Object.fromEntries(told) } };
}

/**
 * What services logged of single requests, as a node's log tells it. What the proxy logged that users talk to is told apart.
 * @param {HopRecord[]} hops
 * @param {string | null} front
 * @param {Set<string>} wanted  ids
 * @param {import('../read-raw.js').Raw['attempts']} known  of nodes
 * @returns {import('../read-raw.js').Raw['attempts']} both
 */
export function attemptsIn(hops, front, wanted, known) {
  const all = new Map(known);
  for (const { service, sightings } of hops.filter((hop) => hop.service !== front)) {
    for (const { id, received, ended, outcome, status, error, place } of sightings.filter((seen) => wanted.has(seen.id)))
      all.set(id, [...(all.get(id) ?? []), { node: service, received, ended, outcome, status, error, place }]);
  }
  return all;
}
