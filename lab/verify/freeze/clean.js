/**
 * A record without what names the machine that it was made on. What users said is in none: no record keeps it.
 */
import { existsSync } from 'node:fs';
import os from 'node:os';
import { basename } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { RECORD, ROOT } from '../../base/paths.js';

/** What tells one start of a machine from another. */
const BOOT = 'boot_id';
/** Where engines of other hosts answer. */
const HOSTS = / HOSTS='[^']*'| HOSTS=\S+/;
/** Of a file in a folder. */
const PATH = /\/(?:[\w.@+-]+\/)+[\w.@+-]+/g;
/** Folders that containers have too. */
const ANYWHERE = /^\/(?:bin|dev|etc|lib|lib64|opt|proc|run|sbin|sys|usr|var)\//;
/** A shorter name is a word of its own anywhere. */
const NAME_LEAST = 5;
const SHOWN_MOST = 120;

/** @param {import('./files.js').RecordFiles} files @returns {import('./files.js').RecordFiles} @throws {NotReadyError} where a name is left */
export function clean(files) {
  const { hosts, ...manifest } = JSON.parse(files[RECORD.manifest]);
  const cleaned = {
    ...manifest,
    command: manifest.command.replace(HOSTS, ''),
    ...(hosts ? { hosts: hosts.map((/** @type {any} */ { [BOOT]: _, ...host }) => host) } : {}),
  };
  const all = { ...files, [RECORD.manifest]: `${JSON.stringify(cleaned, null, 2)}\n` };
  /** Whether they are of this machine. @type {Map<string, boolean>} */
  const known = new Map();
  const isHere = (/** @type {string} */ path) => {
    const is = known.get(path) ?? (!ANYWHERE.test(path) && existsSync(path));
    known.set(path, is);
    return is;
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, text]) => {
      const nameless = text.replace(PATH, (path) => (isHere(path) ? basename(path) : path));
      refuseNames(name, nameless);
      return [name, nameless];
    }),
  );
}

/** @param {string} name @param {string} text */
function refuseNames(name, text) {
  for (const own of [ROOT, os.hostname()]) {
    const at = own.length < NAME_LEAST ? -1 : text.indexOf(own);
    if (at < 0) continue;
    throw new NotReadyError(
      `${name}: expected nothing that names this machine; found "${text.slice(at, at + SHOWN_MOST).split('\n')[0]}".`,
      'freeze another run, whose record names no path and no host.',
    );
  }
}
