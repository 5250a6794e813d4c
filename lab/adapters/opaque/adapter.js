/**
 * Any container: the floor under every service, for a product that no other adapter knows.
 */
import { AS_CONTAINER } from '../contract.js';
import { read } from './access-log.js';
import { faults } from './faults.js';

/** @type {import('../contract.js').Adapter} */
export const adapter = {
  product: 'opaque',
  title: 'Unknown product',
  // It takes what is left (../registry.js), and so knows no tier.
  detect: () => null,
  watches: () => [
    AS_CONTAINER,
    {
      level: 1,
      gives: 'also requests by status, and workers that died',
      needs: 'an access log in the common or combined form on its output (gunicorn: --access-logfile -)',
    },
  ],
  overlay: () => ({}),
  version: null,
  sample: null,
  read,
  faults,
};
