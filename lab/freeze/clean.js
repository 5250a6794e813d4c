/**
 * A record without what names the machine that it was made on. What users said is in none: no record keeps it.
 */
import os from 'node:os';
import { NotReadyError } from '../define/errors.js';
import { RECORD, ROOT } from '../define/paths.js';

/** What tells one start of a machine from another. */
const BOOT = 'boot_id';
/** Where engines of other hosts answer. */
const HOSTS = / HOSTS='[^']*'| HOSTS=\S+/;
const SHOWN_MOST = 120;
/** A shorter name is a word of its own anywhere. */
const NAME_LEAST = 5;

/** @param {import('./files.js').RecordFiles} files @returns {import('./files.js').RecordFiles} @throws {NotReadyError} where a name is left */
export function clean(files) {
  const { hosts, ...manifest } = JSON.parse(files[RECORD.manifest]);
  const cleaned = {
    ...manifest,
    command: manifest.command.replace(HOSTS, ''),
    ...(hosts ? { hosts: hosts.map((/** @type {any} */ { [BOOT]: _, ...host }) => host) } : {}),
  };
  const all = { ...files, [RECORD.manifest]: `${JSON.stringify(cleaned, null, 2)}\n` };
  for (const [name, text] of Object.entries(all)) refuseNames(name, text);
  return all;
}

/** @param {string} name @param {string} text */
function refuseNames(name, text) {
  for (const own of [ROOT, os.homedir(), os.hostname()]) {
    const at = own.length < NAME_LEAST ? -1 : text.indexOf(own);
    if (at < 0) continue;
    throw new NotReadyError(
      `${name}: expected nothing that names this machine; found "${text.slice(at, at + SHOWN_MOST).split('\n')[0]}".`,
      'freeze another run, whose record names no path and no host.',
    );
  }
}
