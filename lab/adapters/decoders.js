/**
 * The protocols that the lab reads from the wire. One is a folder here with a wire.js, and nothing else has to know it.
 */
import { existsSync, readdirSync } from 'node:fs';

/** @typedef {import('../wire/contract.js').Decoder} Decoder */

/**
 * @param {URL} folder  with a folder for each product or protocol
 * @returns {Promise<Decoder[]>} in the order of their folders
 */
async function loadDecoders(folder) {
  const files = readdirSync(folder)
    .sort()
    .map((name) => new URL(`${name}/wire.js`, folder))
    .filter((file) => existsSync(file));
  return (await Promise.all(files.map((file) => import(file.href)))).map(({ decoder }) => decoder);
}

export const decoders = await loadDecoders(new URL('.', import.meta.url));
