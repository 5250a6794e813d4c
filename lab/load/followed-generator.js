/**
 * One k6 while it runs: what it writes, when it began, how it ended.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { RAW } from '../base/paths.js';
import { readPrivate } from '../base/private-file.js';
import { containerById, readLog } from '../docker/docker.js';
import { FileTail } from '../docker/tail.js';

const STOP_LIMIT_S = 10;
const LAST_LINES = 15;
/** When the engine cannot say how k6 ended, its container is gone. */
const LOST_EXIT_CODE = -1;

/**
 * @typedef {object} Generated  of one of several generators; seconds since 1970
 * @property {string} name
 * @property {number | null} began_s  its warm-up; null when it ended before that
 * @property {number} ended_s
 * @property {number} exit_code
 */

export class FollowedGenerator {
  /** Seconds since 1970. @type {number | null} */
  beganS = null;
  /** @type {{ atS: number, exitCode: number } | null} */
  ended = null;
  #folder;
  #tail;
  #container;

  /**
   * @param {import('../docker/containers.js').Service} service  its container runs
   * @param {string} folder  that it writes into
   */
  constructor({ id, name }, folder) {
    this.name = name;
    this.id = id;
    this.#folder = folder;
    this.#tail = new FileTail(join(folder, RAW.k6Log));
    this.#container = containerById(id);
    const end = (/** @type {number} */ exitCode) => {
      this.ended = { atS: Date.now() / 1000, exitCode };
    };
    // One request that the engine answers at the end; asking it twice a second would cost the load.
    this.#container.wait().then(
      ({ StatusCode }) => end(StatusCode),
      () => end(LOST_EXIT_CODE),
    );
  }

  /** @returns {Promise<string>} what it wrote since the last call */
  async read() {
    this.beganS ??= parseStart(this.#log());
    return this.#tail.read();
  }

  /** With its summary written it has nothing more to do. */
  async isDone() {
    if (this.ended !== null) return true;
    return lstat(join(this.#folder, RAW.k6Summary)).then(
      () => true,
      () => false,
    );
  }

  /** k6 writes its summary when it is asked to stop, so what was measured is kept. */
  async stop() {
    await this.#container.stop({ t: STOP_LIMIT_S });
  }

  /** What it said last: to its container where it could not read its settings, else to its own log. */
  async lastWords() {
    const said = await readLog(this.id, LAST_LINES);
    if (said.trim() !== '') return said;
    // The line of the start is filled up with blanks.
    return this.#log().trim().replace(/ {2,}/g, ' ').split('\n').slice(-LAST_LINES).join('\n');
  }

  /** @returns {Generated} of one that has ended, or was stopped just now */
  told() {
    const { atS, exitCode } = this.ended ?? { atS: Date.now() / 1000, exitCode: 0 };
    return { name: this.name, began_s: this.beganS, ended_s: atS, exit_code: exitCode };
  }

  #log() {
    return String(readPrivate(join(this.#folder, RAW.k6Log)) ?? '');
  }
}

/**
 * The moment at which k6 had its users ready and began the warm-up, from the line that the scenario's setup writes.
 * @param {string} log of k6, one JSON object a line, whose `msg` is what a scenario wrote
 * @returns {number | null} seconds since 1970
 */
export function parseStart(log) {
  const found = /\{\\"event\\":\\"start\\",\\"t\\":([\d.]+)\}/.exec(log);
  return found ? Number(found[1]) : null;
}
