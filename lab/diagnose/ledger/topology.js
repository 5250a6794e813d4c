/**
 * Which tier talks to which: every service is a hop, every pair that talks an edge. A manifest may name its edges; else they
 * follow from the tiers, in the order that requests pass.
 *
 * @typedef {{ from: string, to: string }} Edge  by the services' names
 */

/** From the client to the data. The generator talks to the first that is there, and each to the next. */
const ORDER = ['generator', 'load-balancer', 'app', 'queue', 'database'];

/**
 * @param {{ generator: { name: string }, raw: { manifest: any, program: any } }} facts
 * @returns {Edge[]}
 */
export function topologyOf({ generator, raw: { manifest } }) {
  if (manifest.edges) return manifest.edges;
  const services = /** @type {{ name: string, tier: string }[]} */ (manifest.services ?? []);
  const levels = ORDER.map((tier) =>
    tier === 'generator' ? [generator.name] : services.filter((service) => service.tier === tier).map(({ name }) => name),
  ).filter((names) => names.length > 0);
  return levels.slice(1).flatMap((level, index) => levels[index].flatMap((from) => level.map((to) => ({ from, to }))));
}
