/** The balancer of the systems that these faults are put into: its service, and the folder of its configurations. */
const BALANCER = 'nginx';

/**
 * A change of the balancer's configuration, in each of its files that has what is changed.
 * @param {RegExp} pattern
 * @param {string} replacement
 * @returns {import('../faults.js').Change}
 */
export const inConf = (pattern, replacement) => ({
  service: BALANCER,
  path: '/etc/doubletake',
  name: BALANCER,
  changed: (text) => {
    const changed = text.replace(pattern, replacement);
    return changed === text ? null : changed;
  },
  lacking: `its configuration has nothing like ${pattern}`,
});
