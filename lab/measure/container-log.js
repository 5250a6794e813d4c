/**
 * Keeps the whole log of a container, as the engine has it, in a file of the record.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { docker } from './docker.js';
import { keptLog } from './log-stream.js';

/** A line for each of a million requests. More would fill a small disk in a few runs. */
const LOG_MOST_BYTES = 200_000_000;
/** The engine reads 10 MB a second at least. */
const LOG_LIMIT_MS = 60_000;

/**
 * @param {object} options
 * @param {string} options.id       of a container that has ended
 * @param {string} options.path     of the file
 * @param {(line: string) => string} [options.redact]
 * @returns {Promise<string | null>} what of it is not on record, as the end of a sentence that begins with "its log"; null: it is whole
 */
export async function keepLog({ id, path, redact }) {
  let missing = /** @type {string | null} */ (null);
  const onCut = () => {
    missing = `is longer than ${LOG_MOST_BYTES / 1e6} MB; the rest of it is not on record`;
  };
  try {
    const container = docker.getContainer(id);
    const { Config: config } = await container.inspect();
    // The engine gives a log as a stream only to those who follow it; of a container that has ended it then comes to its end.
    const sent = await container.logs({ stdout: true, stderr: true, timestamps: true, follow: true });
    const limit = setTimeout(
      () => /** @type {Readable} */ (sent).destroy(new Error(`took more than ${LOG_LIMIT_MS / 1000} s`)),
      LOG_LIMIT_MS,
    );
    try {
      const kept = keptLog(/** @type {any} */ (sent), { isFramed: !config.Tty, redact, mostBytes: LOG_MOST_BYTES, onCut });
      await pipeline(Readable.from(kept), createWriteStream(path));
    } finally {
      clearTimeout(limit);
    }
  } catch (error) {
    missing = `could not be read to its end (${error instanceof Error ? error.message : error})`;
  }
  return missing;
}
