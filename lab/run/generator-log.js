/**
 * What of the generator's log the record keeps: the lab's own lines, and the generator's without what was asked. What a user's script prints is
 * the user's.
 */
import { join } from 'node:path';
import { withoutContent } from '../adapters/log-content.js';
import { RAW } from '../base/paths.js';
import { readPrivate } from '../base/private-file.js';
import { writeWhole } from '../base/whole-file.js';
import { pathTemplate } from '../wire/templates.js';

/** With which lines of the lab begin (k6/lib). */
const OWN = /^\{"(?:event|t|acknowledged|check_failed|requests|warm)":/;
const ASKED = /^(\{"event":"first-failed","method":"[A-Z]*","url":")((?:[^"\\]|\\.)*)"/;

/**
 * @param {string} rawFolder
 * @param {string[]} generators  each of several has a folder there
 */
export async function redactGeneratorLog(rawFolder, generators) {
  for (const path of ['', ...generators].map((name) => join(rawFolder, name, RAW.k6Log))) {
    const text = readPrivate(path);
    if (text !== null) await writeWhole(path, String(text).split('\n').flatMap(keptLine).join('\n'));
  }
}

/** @param {string} line @returns {string[]} none, or one */
export function keptLine(line) {
  if (line === '') return [line];
  try {
    const said = JSON.parse(line);
    const { msg, source, ...rest } = said;
    if (OWN.test(msg)) return [ASKED.test(msg) ? JSON.stringify({ ...said, msg: msg.replace(ASKED, withTemplate) }) : line];
    return source === 'console' ? [] : [JSON.stringify({ level: rest.level, msg: withoutContent(String(msg)), time: rest.time })];
  } catch {
    // It was killed within a line.
    return [];
  }
}

/** @param {string} _whole @param {string} before @param {string} url */
function withTemplate(_whole, before, url) {
  const origin = /^[a-z]+:\/\/[^/]*/i.exec(url)?.[0] ?? '';
  return `${before}${origin}${pathTemplate(url)}"`;
}
