/**
 * How a command of the lab is spelt for whoever is to type it: with make in the folder of a checkout, which has the Makefile; by the
 * lab's own name anywhere else.
 *
 * @typedef {'make' | 'doubletake'} Door  by which a command comes in
 */
import { IS_MAKEFILE_HERE } from './paths.js';

/** Of the command that runs now. @type {Door} */
const DOOR = IS_MAKEFILE_HERE ? 'make' : 'doubletake';

/** Commands whose argument is part of the target of make. */
const TARGETS = ['run', 'experiment', 'swarm'];
/** The variables that make hands on as arguments. @type {Record<string, string[]>} */
const ARGUMENTS = {
  report: ['RUN'],
  replay: ['RUN'],
  freeze: ['RUN', 'INTO'],
  open: ['RUN'],
  findings: ['RUN'],
  excerpt: ['RUN', 'INTO'],
  plan: ['RUN'],
};

/**
 * @param {string[]} words  the command and its arguments, such as `run` and `2a`
 * @param {string[]} [variables]  such as `LOAD=smoke`, as a shell takes them
 * @param {Door} [door]
 * @returns {string} to be typed as it is
 */
export const spell = (words, variables = [], door = DOOR) =>
  (door === 'make' ? ['make', ...targetOf(words), ...variables] : [...variables, 'doubletake', ...words]).join(' ');

/** The same for a user's own system, which no target of make is about. @type {(words: string[], variables?: string[]) => string} */
export const spellOwn = (words, variables) => spell(words, variables, 'doubletake');

/** By which door a command comes in that a record keeps. @param {string} command @returns {Door} */
export const doorOf = (command) => (command.startsWith('make ') ? 'make' : 'doubletake');

/** A command that a record keeps, with one more variable. @param {string} command @param {string} variable */
export const withVariable = (command, variable) => (doorOf(command) === 'make' ? `${command} ${variable}` : `${variable} ${command}`);

/** @param {string[]} words */
function targetOf([command, ...given]) {
  if (TARGETS.includes(command)) return [[command, ...given].join('-')];
  return [command, ...given.map((word, index) => `${ARGUMENTS[command][index]}=${word}`)];
}
