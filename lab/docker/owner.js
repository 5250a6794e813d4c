/**
 * Whose a run is, as it is written on the engine, and whether that process still lives.
 *
 * @typedef {object} Owner
 * @property {string} host     on which the lab runs; a container has a name of its own
 * @property {string} boot     id of its kernel since it started; empty where it is not known
 * @property {string} space    in which its process has its number: a container counts its own
 * @property {number} pid
 * @property {string} started  when the process began, as its system says it: a number is given again to another one
 * @property {string} user
 * @property {string} reports  folder
 * @property {string} since    UTC
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import { REPORTS } from '../base/paths.js';
import { shell } from './shell.js';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const ASK_LIMIT_MS = 2000;
/** Fields of /proc/<pid>/stat behind the program's name, which may have blanks and brackets (proc(5)). */
const STATE = 0;
const START_TIME = 19;
/** Dead, and its parent has not asked for it yet. */
const DEAD = /^[ZX]/;

/** @returns {Owner} this process */
export const thisOwner = () => ({
  host: os.hostname(),
  boot: firstOf([() => readFileSync(BOOT_ID, 'utf8'), () => ask('sysctl', ['-n', 'kern.bootsessionuuid'])]),
  space: firstOf([() => readlinkSync('/proc/self/ns/pid')]),
  pid: process.pid,
  started: processOf(process.pid)?.started ?? '',
  user: firstOf([() => os.userInfo().username, () => String(process.getuid?.() ?? '')]),
  reports: REPORTS,
  since: new Date().toISOString(),
});

/**
 * @param {Owner} owner
 * @param {Owner} here  a process of this machine
 * @returns {'alive' | 'gone' | 'unknown'} unknown: its number means nothing here, or another user's process may not be looked at
 */
export function stateOf({ host, boot, space, pid, started }, here) {
  if (boot === '' || boot !== here.boot || space !== here.space || host !== here.host) return 'unknown';
  if (!isThere(pid)) return 'gone';
  const found = processOf(pid);
  if (found === null || started === '') return 'unknown';
  return found.isDead || found.started !== started ? 'gone' : 'alive';
}

/** @param {number} pid */
function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

/** @param {number} pid @returns {{ started: string, isDead: boolean } | null} null where it cannot be read */
function processOf(pid) {
  const text = firstOf([() => readFileSync(`/proc/${pid}/stat`, 'utf8')]);
  if (text !== '') {
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { started: fields[START_TIME], isDead: DEAD.test(fields[STATE]) };
  }
  // macOS has no /proc.
  const [state, ...started] = firstOf([() => ask('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)])]).split(/\s+/);
  return started.length === 0 ? null : { started: started.join(' '), isDead: DEAD.test(state) };
}

/** @param {string} file @param {string[]} args */
const ask = (file, args) =>
  execFileSync(file, args, {
    encoding: 'utf8',
    timeout: ASK_LIMIT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...shell, LC_ALL: 'C', TZ: 'UTC' },
  });

/** What the first of them that can be asked says; empty where none can. @param {(() => string)[]} questions */
function firstOf(questions) {
  for (const question of questions) {
    try {
      return question().trim();
    } catch {
      // Not on this system.
    }
  }
  return '';
}

/** @param {Owner} owner */
export const spellOwner = ({ host, pid, user, reports, since }) =>
  `process ${pid} of ${user} on ${host}, since ${since.slice(0, 19).replace('T', ' ')} UTC, with its reports in ${reports}`;

/** @param {string | undefined} text  as it is written on the engine @returns {Owner | null} null where it says nothing that can be used */
export function readOwner(text) {
  try {
    const owner = JSON.parse(text ?? '');
    const texts = [owner.host, owner.boot, owner.space, owner.started, owner.user, owner.reports, owner.since];
    return texts.every((one) => typeof one === 'string') && Number.isInteger(owner.pid) && owner.pid > 0 ? owner : null;
  } catch {
    return null;
  }
}
