/**
 * Versions in numbers, as programs tell them.
 */

/**
 * @param {string} version  such as 2.24.6; what follows the numbers (`-desktop.1`) does not count
 * @param {string} least
 * @returns {boolean} false where there is no version
 */
export function isAtLeast(version, least) {
  const [found, wanted] = [version, least].map(numbersOf);
  if (found.length === 0) return false;
  const at = wanted.findIndex((number, index) => (found[index] ?? 0) !== number);
  return at < 0 || (found[at] ?? 0) > wanted[at];
}

/** @param {string} version */
const numbersOf = (version) => (/^\d+(\.\d+)*/.exec(version)?.[0].split('.') ?? []).map(Number);
