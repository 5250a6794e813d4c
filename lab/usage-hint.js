/**
 * What to do about a command line that cannot be understood.
 */
import { OPTION_NAMES } from './define/accepted-options.js';
import { architectures } from './define/architectures.js';
import { nearest } from './define/nearest.js';
import { flagOf } from './given-options.js';

/**
 * @param {string} code     of Commander
 * @param {string} message  of its, which names what is wrong in single quotes
 * @param {string[]} words  of the command line
 * @param {import('commander').Command} program
 * @returns {string} an order
 */
export function hintFor(code, message, words, program) {
  const found = /'([^']*)'/.exec(message)?.[1] ?? '';
  const command = program.commands.find((one) => words.includes(one.name()));
  const help = `"doubletake ${command ? `${command.name()} --help` : '--help'}" says what it takes.`;
  if (code === 'commander.unknownCommand') return ofCommand(found, program) ?? '"doubletake --help" names the commands.';
  if (code === 'commander.unknownOption') return ofFlag(found, command ?? program, program) ?? help;
  return help;
}

/** @type {(found: string, program: import('commander').Command) => string | null} */
function ofCommand(found, program) {
  if (Object.hasOwn(architectures, found)) return `doubletake run ${found}`;
  const meant = nearest(
    found,
    program.commands.map((one) => one.name()),
  );
  return meant === null ? null : `write "${meant}" instead of "${found}".`;
}

/** @type {(found: string, command: import('commander').Command, program: import('commander').Command) => string | null} */
function ofFlag(found, command, program) {
  const [flag] = found.split('=');
  const own = [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
  const meant = nearest(flag.replaceAll('_', '-'), [...own, ...OPTION_NAMES.map(flagOf)]);
  return meant === null ? null : `write "${meant}" instead of "${flag}".`;
}
