/**
 * Variables among the words of a command line, as make takes them: `doubletake run a LOAD=smoke`.
 */
import { OPTION_NAMES } from './define/accepted-options.js';
import { NotReadyError } from './define/errors.js';
import { nearest } from './define/nearest.js';
import { OPTIONS } from './define/options.js';
import { spell } from './define/spelling.js';

/** What is typed to make, by the Makefile: names and values, with a backslash before a blank. */
export const TYPED = 'DOUBLETAKE_TYPED';
/** Of those that the lab reads of the machine, and of other programs; theirs have an underscore otherwise. */
const OF_OTHERS = ['BOOTSTRAP', 'SHOTS', 'PATH', 'HOME', 'SHELL', 'TMPDIR', 'TZ', 'LANG', 'CI', 'DEBUG', 'BROWSER', 'MAKEFLAGS'];
/** Whose values are words of the lab's own. */
const WORDS = ['LOAD', 'BUDGET', 'BUSY', 'IMAGES'];
const ASSIGNMENT = /^([A-Za-z_]\w*)\s*[:?+]*=(.*)$/s;

/**
 * @param {string[]} words
 * @param {string[]} valued  options whose next word is their value, such as `--a`
 * @returns {{ words: string[], variables: Record<string, string> }} the words that are left, and what was given by the others
 */
export function takeVariables(words, valued) {
  const isVariable = (/** @type {string} */ word, /** @type {number} */ index) =>
    OPTION_NAMES.includes(/^(\w+)=/.exec(word)?.[1] ?? '') && !valued.includes(words[index - 1]);
  return {
    words: words.filter((word, index) => !isVariable(word, index)),
    variables: Object.fromEntries(words.filter(isVariable).map((word) => word.split(/=(.*)/s, 2))),
  };
}

/**
 * A variable of a name that the lab does not know would look as if it had an effect.
 * @param {object} given
 * @param {string[]} given.words   of the command line, without the variables that the lab knows
 * @param {string[]} given.valued  options whose next word is their value
 * @param {Record<string, string | undefined>} given.env
 * @throws {NotReadyError} naming the first such variable, and the one that was likely meant
 */
export function refuseMisspelt({ words, valued, env }) {
  const behind = words.filter((word, index) => ASSIGNMENT.test(word) && !valued.includes(words[index - 1]));
  const toMake = wordsTyped(env[TYPED] ?? '').filter((word) => {
    const name = nameIn(word);
    return !OPTION_NAMES.includes(name) && !OF_OTHERS.includes(name) && (!name.includes('_') || nearest(name, OPTION_NAMES) !== null);
  });
  const [unknown] = [...behind, ...toMake, ...nearOnes(env)];
  if (unknown === undefined) return;
  const [, name, value] = /** @type {RegExpExecArray} */ (ASSIGNMENT.exec(unknown));
  const meant = nearest(name, OPTION_NAMES);
  const otherwise = `leave it out; "${spell(['list'])}" and the reference name those that there are. A variable that your Compose file reads stands before the command: ${name}=... doubletake run.`;
  throw new NotReadyError(
    `${name}: expected a variable of the lab; found none of that name.`,
    meant === null ? otherwise : `write ${meant}=${/[\s'"$<>;&|()*?]/.test(value) ? '...' : value} instead of ${name}=.`,
  );
}

/** @param {string} text as make hands it on @returns {string[]} `NAME=value` */
const wordsTyped = (text) =>
  (text.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replaceAll(/\\(.)/gs, '$1')).filter((word) => ASSIGNMENT.test(word));

/** @param {string} word */
const nameIn = (word) => ASSIGNMENT.exec(word)?.[1] ?? '';

/**
 * An environment has names of many programs, and nobody can tell one that was typed before the command from one that a shell exports. So
 * only that is taken for the lab's which says so twice: by a name that is near one of the lab's, and by a value that is a word of it.
 * @param {Record<string, string | undefined>} env
 * @returns {string[]} `NAME=value`
 */
const nearOnes = (env) =>
  WORDS.flatMap((name) =>
    Object.keys(env)
      .filter((found) => OPTIONS[name].kind.values?.includes(env[found] ?? '') && !env[name] && !OPTION_NAMES.includes(found))
      .filter((found) => nearest(found, OPTION_NAMES) === name)
      .map((found) => `${found}=${env[found]}`),
  );
