/**
 * The command `completion`: a script by which a shell completes commands, architectures, experiments, loads and variables, made from the
 * tables and from the commands themselves.
 *
 * @typedef {object} Completion     all that can be completed
 * @property {CompletedCommand[]} commands
 * @property {string[]} options     of every command
 * @property {Variable[]} variables   the options of the table
 *
 * @typedef {object} Variable
 * @property {string} name
 * @property {string} flag
 * @property {string[]} values      none where it is no choice
 *
 * @typedef {object} CompletedCommand
 * @property {string} name
 * @property {string} about
 * @property {string[]} values      of its argument; none where that is a file or a folder
 * @property {string[]} options     of its own
 */

import { EXIT, NotReadyError } from '../../base/errors.js';
import { architectures } from '../../catalog/architectures.js';
import { experiments } from '../../catalog/experiments.js';
import { OPTIONS } from '../../options/options.js';
import { ALL } from '../../record/findings.js';
import { flagOf } from '../command-line.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
const SHELLS = /** @type {(keyof typeof SCRIPTS)[]} */ (Object.keys(SCRIPTS));
const IDS = Object.keys(architectures);

/** By the name that an argument has on the command line. @type {Record<string, string[]>} */
const ARGUMENTS = { architecture: IDS, architectures: IDS, id: [...Object.keys(experiments), ALL], shell: SHELLS };

/**
 * @param {string} shell
 * @param {import('commander').Command} program
 * @param {import('../reporter.js').Reporter} reporter
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} naming the shells that there are scripts for
 */
export async function completion(shell, program, reporter) {
  const known = SHELLS.find((name) => name === shell);
  if (!known) throw new NotReadyError(`shell: expected one of ${SHELLS.join(', ')}; found "${shell}".`, 'use one of them.');
  const script = SCRIPTS[known](completionOf(program));
  reporter.tell(script);
  reporter.give({ result: { shell, script } });
  return EXIT.done;
}

/** @param {import('commander').Command} program @returns {Completion} */
export function completionOf(program) {
  return {
    commands: program.commands.map((command) => ({
      name: command.name(),
      about: command.description(),
      values: command.registeredArguments.flatMap((argument) => ARGUMENTS[argument.name()] ?? []),
      options: optionsOf(command),
    })),
    options: [...optionsOf(program), '--help'],
    variables: Object.entries(OPTIONS).map(([name, { kind }]) => ({ name, flag: flagOf(name), values: [...(kind.values ?? [])] })),
  };
}

/** @param {import('commander').Command} command */
const optionsOf = ({ options }) => options.map(({ long }) => String(long));
