/**
 * PgBouncer: its log says which clients waited too long or were turned away, its console how full its pools are.
 */
import { AS_CONTAINER } from '../contract.js';
import { recognise } from '../found-servers.js';
import { faults } from './faults.js';
import { read } from './read.js';
import { sampleState } from './state.js';

const MARKS = {
  images: /^(crunchy-)?pgbouncer$/,
  programs: /^pgbouncer$/,
  clients: /^psql$/,
  ports: [6432],
};

/** @type {import('../contract.js').Adapter} */
export const adapter = {
  product: 'pgbouncer',
  title: 'PgBouncer',
  detect: (service) => {
    const reason = recognise(service, MARKS);
    return reason === null ? null : { tier: 'pool', reason };
  },
  watches: () => [
    AS_CONTAINER,
    {
      level: 1,
      gives:
        'why it turned clients away and lost servers, from its log; how full its pools are and how long clients wait, from its console',
      needs: 'psql in the container, and a Unix socket (unix_socket_dir, on by default)',
    },
  ],
  overlay: () => ({}),
  version: { command: ['pgbouncer', '--version'], pattern: /PgBouncer (\d+(?:\.\d+)*)/ },
  sample: sampleState,
  read,
  faults,
};
