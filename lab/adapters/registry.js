/**
 * The products that the lab knows, and which of them a service runs. Adding a product is a folder with an adapter.js and a line
 * here.
 */
import { adapter as caddy } from './caddy/adapter.js';
import { adapter as envoy } from './envoy/adapter.js';
import { adapter as haproxy } from './haproxy/adapter.js';
import { adapter as nginx } from './nginx/adapter.js';
import { adapter as opaque } from './opaque/adapter.js';
import { adapter as pgbouncer } from './pgbouncer/adapter.js';
import { adapter as postgres } from './postgres/adapter.js';
import { adapter as redis } from './redis/adapter.js';

/**
 * In the order in which they are asked; the first that takes a service has it.
 * @type {import('./contract.js').Adapter[]}
 */
export const adapters = [nginx, haproxy, envoy, caddy, pgbouncer, postgres, redis];

/** With the one that takes what is left. */
export const everyAdapter = [...adapters, opaque];

/**
 * @param {import('./contract.js').ServiceModel} service
 * @returns {{ adapter: import('./contract.js').Adapter, detection: import('./contract.js').Detection | null }} detection: null
 *   where no product is known, so that the service is watched as any container is and its tier is to be told otherwise
 */
export function detect(service) {
  for (const adapter of adapters) {
    const detection = adapter.detect(service);
    if (detection) return { adapter, detection };
  }
  return { adapter: opaque, detection: null };
}

/** By its product, as a file of the user or a record names it. @param {string} product @returns {import('./contract.js').Adapter | null} */
export const adapterOf = (product) => everyAdapter.find((adapter) => adapter.product === product) ?? null;
