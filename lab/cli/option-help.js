/**
 * The options as the help shows them: a line each, in the Makefile and of a command.
 */

import { OPTION_NAMES } from '../options/accepted-options.js';
import { OPTIONS } from '../options/options.js';
import { flagOf } from './command-line.js';

/** Two columns. @param {[string, string][]} rows @param {string} indent */
function columns(rows, indent) {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)} ${right}\n`).join('');
}

/** In a line, without marks of code. @param {import("../options/options.js").Option} option */
function aboutIn({ help, otherwise }) {
  const unless = otherwise === undefined ? '' : ` (${otherwise} unless given)`;
  return `${help}${unless}`.replaceAll('`', '');
}

/** Those that a command takes, of the lab's systems or of a user's own; what architectures have of their own `list` tells. @param {string} command */
const namesOf = (command) =>
  OPTION_NAMES.filter((name) => {
    const { commands, own = [], systems } = OPTIONS[name].scope;
    return systems === undefined && [...commands, ...own].some((one) => one.split(' ')[0] === command);
  });

/** What `--help` of a command ends with; empty where it takes none. @param {string} command */
export function optionsHelp(command) {
  const rows = namesOf(command).map((name) => /** @type {[string, string]} */ ([flagOf(name), aboutIn(OPTIONS[name])]));
  if (rows.length === 0) return '';
  const [[flag]] = rows;
  const name = namesOf(command)[0];
  return `\nMore options, as ${flag} <value>, or as ${name}=<value> before the command or behind it:\n${columns(rows, '  ')}`;
}

const START = /^#: Options, with their standard values:\n/m;
const END = /^#: {3}Others are an architecture's own: make list/m;

/**
 * @param {string} makefile
 * @returns {string} with the options of the table in its help
 * @throws {Error} when the lines are missing between which they stand
 */
export function withOptions(makefile) {
  const [start, end] = [START.exec(makefile), END.exec(makefile)];
  if (!start || !end) throw new Error(`expected the lines ${START.source} and ${END.source} in the Makefile`);
  const names = OPTION_NAMES.filter((name) => OPTIONS[name].scope.systems === undefined);
  const rows = names.map((name) => /** @type {[string, string]} */ ([`${name}=${OPTIONS[name].standard ?? ''}`, aboutIn(OPTIONS[name])]));
  return `${makefile.slice(0, start.index)}${start[0]}${columns(rows, '#:   ')}${makefile.slice(end.index)}`;
}
