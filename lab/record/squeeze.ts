/**
 * What `doubletake squeeze` left beside a run's record: `squeeze.json`. It is read with the record, and is not a part of what was observed.
 */

import { join } from 'node:path';
import { readPrivate } from '../base/private-file.ts';
import { jsonIn } from '../base/values.ts';
import type { Squeeze } from './types.js';
import { lifted } from './versions.ts';

/** Name inside a run's folder. */
export const SQUEEZE_FILE = 'squeeze.json';

/**
 * @param folder of a run
 * @param run its id: that of another run is none of this one
 * @returns null where there is none, or none that can be read
 */
export function readSqueeze(folder: string, run: string): Squeeze | null {
	const path = join(folder, SQUEEZE_FILE);
	const found = jsonIn(String(readPrivate(path) ?? '')) as any;
	const isOne = found?.run === run && Array.isArray(found.services) && Array.isArray(found.first) && typeof found.sentence === 'string';
	return isOne ? lifted('squeeze', found, path) : null;
}
