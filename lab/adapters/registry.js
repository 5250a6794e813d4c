/**
 * The products that the lab knows, and which of them a service runs. A product is a folder here with an adapter.js, and nothing else
 * has to know it.
 */
import { existsSync, readdirSync } from 'node:fs';

/** @typedef {import('./contract.js').Adapter} Adapter */

/** Takes what no other takes. */
const OPAQUE = 'opaque';

/**
 * @param {URL} folder  with a folder for each product
 * @returns {Promise<Adapter[]>} in the order of their folders, the one that takes what is left at the end
 */
export async function loadAdapters(folder) {
  const files = readdirSync(folder)
    .sort((one, other) => Number(one === OPAQUE) - Number(other === OPAQUE) || (one < other ? -1 : 1))
    .map((name) => new URL(`${name}/adapter.js`, folder))
    .filter((file) => existsSync(file));
  return (await Promise.all(files.map((file) => import(file.href)))).map(({ adapter }) => adapter);
}

export const everyAdapter = await loadAdapters(new URL('.', import.meta.url));

/** Those of a known product, in the order in which they are asked; the first that takes a service has it. */
export const adapters = everyAdapter.filter(({ product }) => product !== OPAQUE);

const opaque = /** @type {Adapter} */ (everyAdapter.at(-1));

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

/**
 * By its product; of a shipped system's service without a label, by what it is.
 * @param {{ name: string, tier: string, product?: string | null }} service
 * @returns {import('./contract.js').Adapter | null}
 */
export const adapterFor = ({ name, tier, product }) =>
  product ? adapterOf(product) : (everyAdapter.find(({ unlabelled }) => unlabelled?.({ name, tier })) ?? null);

/** By its product, as a file of the user or a record names it. @param {string} product @returns {import('./contract.js').Adapter | null} */
export const adapterOf = (product) => everyAdapter.find((adapter) => adapter.product === product) ?? null;
