/**
 * What to do about a command line that cannot be understood.
 */
import { OPTION_NAMES } from './define/accepted-options.js';
import { architectures } from './define/architectures.js';
import { nearest } from './define/nearest.js';

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
  if (code === 'commander.unknownOption') return ofOption(found, words, command ?? program, program) ?? help;
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

/** Variables are no options: both words were likely. @type {(found: string, words: string[], command: import('commander').Command, program: import('commander').Command) => string | null} */
function ofOption(found, words, command, program) {
  const [flag] = found.split('=');
  const name = flag.replace(/^-+/, '').replaceAll('-', '_');
  const variable = OPTION_NAMES.find((one) => one === name.toUpperCase());
  const options = [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
  const option = variable === undefined ? nearest(flag, options) : null;
  if (option !== null) return `write "${option}" instead of "${flag}".`;
  const meant = variable ?? nearest(name, OPTION_NAMES);
  if (meant === null) return null;
  const next = words[words.findIndex((word) => word.startsWith(flag)) + 1];
  const value = found.includes('=') ? found.slice(flag.length + 1) : next === undefined || next.startsWith('-') ? '...' : next;
  return `write ${meant}=${value}, as a variable and not as an option.`;
}
