/**
 * Names of variables whose value is nobody else's business, and texts without such values.
 */

/** As people name them. */
export const SECRET_NAME = /pass(word|wd|phrase)?|secret|token|salt|credential|(^|_)(api_?)?key(_base)?$/i;

const TAKEN = '?';
/** A shorter value stands in many a word by chance. */
const VALUE_LEAST = 4;
const OF_USER = /([a-z][a-z\d+.-]*:\/\/[^\s:/?#@]*):([^\s/?#@]+)@/gi;
const ASSIGNED =
  /\b((?:[\w-]*(?:password|passwd|secret|token)|api[-_]?key|(?:proxy-)?authorization)["']?\s*[:=]\s*["']?)(?!\s)[^\s"',;}]+/gi;

/**
 * @param {string} text  such as lines of a log
 * @param {string[]} environment  of who wrote it, each as NAME=value
 * @returns {string}
 */
export function withoutSecrets(text, environment) {
  const values = environment.flatMap(secretsIn).filter((value) => value.length >= VALUE_LEAST);
  const plain = values.toSorted((one, other) => other.length - one.length).reduce((rest, value) => rest.replaceAll(value, TAKEN), text);
  return plain.replace(OF_USER, `$1:${TAKEN}@`).replace(ASSIGNED, `$1${TAKEN}`);
}

/** @param {string} variable @returns {string[]} */
function secretsIn(variable) {
  const at = variable.indexOf('=');
  const [name, value] = [variable.slice(0, at), variable.slice(at + 1)];
  return [...(SECRET_NAME.test(name) ? [value] : []), ...[...value.matchAll(OF_USER)].map(([, , password]) => password)];
}
