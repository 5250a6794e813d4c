/**
 * Keeps the log of a container, without what users and services said, in a file of the record, for the adapter of its product.
 */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { withoutContent } from '../../adapters/log-content.js';
import { adapterOf } from '../../adapters/registry.js';
import { NEW } from '../../base/files.js';
import { SERVICE_RECORD } from '../../base/paths.js';
import { containerById, keptLog } from '../../docker/docker.js';

/** A line for each of a million requests. More would fill a small disk in a few runs. */
const LOG_MOST_BYTES = 200_000_000;
/** The engine reads 10 MB a second at least. */
const LOG_LIMIT_MS = 60_000;

/**
 * Each into the folder of its service. Of what is watched as a container alone there is none.
 * @param {Pick<import('../../docker/containers.js').Service, 'id' | 'name' | 'product' | 'watch'>[]} containers  that have ended
 * @param {string} rawFolder
 * @returns {Promise<string[]>} a sentence for each log that is not whole
 */
export async function keepLogs(containers, rawFolder) {
  const missing = await Promise.all(
    containers.map(async ({ id, name, product, watch }) => {
      if (watch === 0) return [];
      const folder = join(rawFolder, name);
      await mkdir(folder, { recursive: true });
      const { redact = (/** @type {string} */ line) => withoutContent(line) } = (product === null ? null : adapterOf(product)) ?? {};
      const lost = await keepLog({ id, path: join(folder, SERVICE_RECORD.log), redact });
      return lost === null ? [] : [`${name}: its log ${lost}`];
    }),
  );
  return missing.flat();
}

/**
 * @param {object} options
 * @param {string} options.id       of a container that has ended
 * @param {string} options.path     of the file
 * @param {(line: string) => string} options.redact
 * @returns {Promise<string | null>} what of it is not on record, as the end of a sentence that begins with "its log"; null: it is whole
 */
async function keepLog({ id, path, redact }) {
  let missing = /** @type {string | null} */ (null);
  const onCut = () => {
    missing = `is longer than ${LOG_MOST_BYTES / 1e6} MB; the rest of it is not on record`;
  };
  try {
    const container = containerById(id);
    const { Config: config } = await container.inspect();
    // The engine gives a log as a stream only to those who follow it; of a container that has ended it then comes to its end.
    const sent = await container.logs({ stdout: true, stderr: true, timestamps: true, follow: true });
    const limit = setTimeout(
      () => /** @type {Readable} */ (sent).destroy(new Error(`took more than ${LOG_LIMIT_MS / 1000} s`)),
      LOG_LIMIT_MS,
    );
    try {
      const kept = keptLog(/** @type {any} */ (sent), { isFramed: !config.Tty, redact, mostBytes: LOG_MOST_BYTES, onCut });
      await pipeline(Readable.from(kept), createWriteStream(path, { flags: /** @type {any} */ (NEW) }));
    } finally {
      clearTimeout(limit);
    }
  } catch (error) {
    missing = `could not be read to its end (${error instanceof Error ? error.message : error})`;
  }
  return missing;
}
