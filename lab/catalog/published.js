/**
 * The figures that the sources of experiments publish, as data with their source, by the experiment. rps = requests a second, ms =
 * milliseconds; rates are shares of all requests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../base/paths.js';
import { experimentsWith, pathOf } from './experiment-folders.js';

const PART = 'published.json';

/** @type {Record<string, any>} */
export const published = Object.fromEntries(
  experimentsWith(PART).map((id) => [id, JSON.parse(readFileSync(join(ROOT, pathOf(id, PART)), 'utf8'))]),
);
