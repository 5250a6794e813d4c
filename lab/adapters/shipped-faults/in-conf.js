import { PROXY } from '../shipped.js';

/**
 * A change of the balancer's configuration, in each of its files that has what is changed.
 * @param {RegExp} pattern
 * @param {string} replacement
 * @returns {import('../faults.js').Change}
 */
export const inConf = (pattern, replacement) => ({
  service: PROXY.service,
  path: '/etc/doubletake',
  name: PROXY.folder,
  changed: (text) => {
    const changed = text.replace(pattern, replacement);
    return changed === text ? null : changed;
  },
  lacking: `its configuration has nothing like ${pattern}`,
});
