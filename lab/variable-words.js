/**
 * Variables among the words of a command line, as make takes them: `doubletake run a LOAD=smoke`.
 */
import { MACHINE_VARIABLES, NAMES } from './define/effects.js';

/** Folders that commands read. */
const FOLDERS = ['RUN', 'INTO'];

/** Every one that the front door reads. */
export const FRONT_VARIABLES = [...NAMES, ...Object.keys(MACHINE_VARIABLES), ...FOLDERS];

/**
 * @param {string[]} words
 * @param {string[]} valued  options whose next word is their value, such as `--a`
 * @returns {{ words: string[], variables: Record<string, string> }} the words that are left, and what was given by the others
 */
export function takeVariables(words, valued) {
  const isVariable = (/** @type {string} */ word, /** @type {number} */ index) =>
    FRONT_VARIABLES.includes(/^(\w+)=/.exec(word)?.[1] ?? '') && !valued.includes(words[index - 1]);
  return {
    words: words.filter((word, index) => !isVariable(word, index)),
    variables: Object.fromEntries(words.filter(isVariable).map((word) => word.split(/=(.*)/s, 2))),
  };
}
