/**
 * What `doubletake squeeze` left beside a run's record: `squeeze.json`. It is read with the record, and is not a part of what was observed.
 *
 * @import { Squeeze } from './types.js'
 */

import { join } from 'node:path';
import { readPrivate } from '../base/files.ts';
import { jsonIn } from '../base/values.ts';
import { lifted } from './versions.ts';

/** Name inside a run's folder. */
export const SQUEEZE_FILE = 'squeeze.json';

/**
 * @param {string} folder  of a run
 * @param {string} run     its id: that of another run is none of this one
 * @returns {Squeeze | null} null where there is none, or none that can be read
 */
export function readSqueeze(folder, run) {
	const path = join(folder, SQUEEZE_FILE);
	const found = /** @type {any} */ (jsonIn(String(readPrivate(path) ?? '')));
	const isOne = found?.run === run && Array.isArray(found.services) && Array.isArray(found.first) && typeof found.sentence === 'string';
	return isOne ? lifted('squeeze', found, path) : null;
}
