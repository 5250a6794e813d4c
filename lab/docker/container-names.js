/**
 * What the figures of a container are called: by its service, and where a service has several containers, by their numbers too.
 * Knows no Docker.
 */

/**
 * @typedef {object} Numbered
 * @property {string} name    of the service
 * @property {number} number  of the container in it, from 1
 */

/**
 * @param {Numbered[]} containers
 * @returns {string[]} in the same order; no two are alike, even where another service has the name that a number would give
 */
export function containerNames(containers) {
  const counts = new Map();
  for (const { name } of containers) counts.set(name, (counts.get(name) ?? 0) + 1);
  return containers.map(({ name, number }) => {
    if (counts.get(name) === 1) return name;
    let numbered = `${name}-${number}`;
    while (counts.has(numbered)) numbered = `${numbered}-${number}`;
    return numbered;
  });
}

/** As a reader counts: 2 comes before 10. @type {(one: string, other: string) => number} */
export const compareNames = (one, other) => one.localeCompare(other, 'en', { numeric: true });
