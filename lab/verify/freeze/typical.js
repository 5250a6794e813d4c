/**
 * The command `typical`: measures one run of each arm of stored experiments with the lab as it was at a commit, for records that are too large to
 * be stored. What it leaves below reports/ `replay` analyses with the lab as it is.
 *
 * @typedef {(command: string, words: string[], options: { cwd: string, env?: Record<string, string> }) => Promise<unknown>} Execute
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { EXIT, NotReadyError } from '../../base/errors.js';
import { formatCommand } from '../../base/format-command.js';
import { EXAMPLES, REPORTS, ROOT } from '../../base/paths.js';
import { experiments } from '../../catalog/experiments.js';
import { refuseAllBut } from '../../options/accepted-options.js';

/** One run of each arm tells as much as eight of them where a rule changes. */
const REPEATS = '1';
/** Also what git takes for a branch or a tag; nothing that it takes for an option. */
const COMMIT = /^[\w][\w./-]*$/;

/** @type {Execute} */
const shown = (command, words, options) => execa(command, words, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });

/**
 * @param {string} commit
 * @param {string[]} ids  of experiments; all that are stored unless given
 * @param {Record<string, string | undefined>} env
 * @param {import('../../cli/reporter.js').Reporter} reporter
 * @param {Execute} [execute]
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} where there is no such experiment, or no commit is named
 */
export async function typical(commit, ids, env, reporter, execute = shown) {
  refuseAllBut('typical', [], env);
  if (!COMMIT.test(commit)) throw new NotReadyError(`typical: expected a commit; found "${commit}".`, '"git log --oneline" names them.');
  const stored = Object.keys(experiments).filter((id) => existsSync(join(EXAMPLES, id)));
  const unknown = ids.find((id) => !Object.hasOwn(experiments, id));
  if (unknown !== undefined)
    throw new NotReadyError(`typical: expected experiments; found "${unknown}".`, `stored are ${stored.join(', ')}.`);
  const into = join(REPORTS, `at-${commit.replaceAll('/', '-')}`);
  const tree = await mkdtemp(join(os.tmpdir(), 'doubletake-at-'));
  try {
    await execute('git', ['worktree', 'add', '--detach', tree, commit], { cwd: ROOT });
    for (const id of ids.length > 0 ? ids : stored)
      await execute('lab/doubletake', ['experiment', id], { cwd: tree, env: { REPEATS, DOUBLETAKE_REPORTS: into } });
  } finally {
    await execute('git', ['worktree', 'remove', '--force', tree], { cwd: ROOT }).catch(() => {});
    await rm(tree, { recursive: true, force: true });
  }
  const folder = relative(process.cwd(), into);
  reporter.tell(`${formatCommand(['replay', folder])} says what the lab of today says otherwise.\n`);
  reporter.give({ result: { folder } });
  return EXIT.done;
}
