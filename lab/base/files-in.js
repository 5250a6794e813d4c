import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** @param {string} folder @returns {string[]} paths of the files below it, in their order */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
