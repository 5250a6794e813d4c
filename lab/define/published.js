/**
 * The figures that the sources publish, as data with their source.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.js';

/** @type {any} */
export const published = JSON.parse(readFileSync(join(ROOT, 'lab', 'define', 'published.json'), 'utf8'));
