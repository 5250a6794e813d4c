/**
 * What the wire says of who asks whom, used in the record of a run: edges and tiers that doubletake.yaml has as `init` proposed them give
 * way to what was seen (lab/adapters/observed-system.js).
 */
import { decide } from '../adapters/observed-system.js';
import { GENERATOR_NAME } from '../base/paths.js';
import { observedOf } from '../wire/observed.js';

/** The manifest calls an observer what a user's file calls `other`. */
const [OBSERVER, OTHER, GENERATOR] = ['observer', 'other', 'generator'];

/**
 * @param {any} manifest
 * @param {import('../wire/record.js').WireRecord | null} wire
 * @returns {{ manifest: any, differing: string[] }} the manifest as it was seen, and a sentence for each thing that differs; as it is where
 *   nothing was recorded, or the record does not say what was proposed
 */
export function asObserved(manifest, wire) {
  const { system, services = [] } = manifest;
  const generator = generatorIn(services);
  if (!wire || !system?.proposal || !manifest.edges || !generator) return { manifest, differing: [] };
  const asked = new Set(manifest.edges.flatMap((/** @type {any} */ { from, to }) => (from === generator.name ? [to] : [])));
  const entries = /** @type {string[]} */ ([
    ...new Set(services.flatMap((/** @type {any} */ { name, service }) => (asked.has(name) ? [service] : []))),
  ]);
  if (entries.length === 0) return { manifest, differing: [] };
  const observed = observedOf(wire, { entries, generator: generator.service });
  const { edges, tiers, notes } = decide({ observed, written: { ...writtenIn(system), entries }, proposal: system.proposal });
  const namesOf = (/** @type {string} */ service) =>
    services.flatMap((/** @type {any} */ one) => (one.service === service && one.tier !== GENERATOR ? [one.name] : []));
  const between = edges.flatMap(([from, to]) =>
    namesOf(from).flatMap((/** @type {string} */ one) => namesOf(to).map((/** @type {string} */ other) => ({ from: one, to: other }))),
  );
  return {
    manifest: {
      ...manifest,
      services: services.map((/** @type {any} */ one) => withTier(one, tiers[one.service])),
      edges: [...manifest.edges.filter((/** @type {any} */ { from }) => from === generator.name), ...between],
    },
    differing: notes,
  };
}

/** As the wire has it: several are one (read-raw.js). @param {any[]} services @returns {{ name: string, service: string } | undefined} */
function generatorIn(services) {
  const [first, ...others] = services.filter(({ tier }) => tier === GENERATOR);
  return others.length > 0 ? { name: GENERATOR_NAME, service: GENERATOR_NAME } : first;
}

/** @param {any} system */
const writtenIn = ({ services, edges }) => ({
  services: Object.fromEntries(
    Object.entries(services).map(([name, one]) => [name, { ...one, tier: one.tier === OBSERVER ? OTHER : one.tier }]),
  ),
  edges,
});

/** @param {any} service @param {string | undefined} tier */
function withTier(service, tier) {
  if (tier === undefined || service.tier === GENERATOR) return service;
  return { ...service, tier: tier === OTHER ? OBSERVER : tier };
}
