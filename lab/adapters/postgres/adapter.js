/**
 * PostgreSQL: its log says why it refused, its own views say how many of its connections were taken.
 */
import { AS_CONTAINER } from '../contract.js';
import { recognise } from '../found-servers.js';
import { faults } from './faults.js';
import { read, redact } from './read.js';
import { commandWithSettings, SLOW_MS, sampleState } from './statements.js';

const MARKS = {
  images: /^((crunchy-)?postgres(ql)?(-?\d+)?(-alpine)?|postgis|timescaledb(-ha)?|pgvector|citus)$/,
  programs: /^(postgres|postmaster|pg_ctlcluster)$/,
  clients: /^(psql|pg_dump(all)?|pg_restore|pg_basebackup|pg_isready|pgbench|createdb|vacuumdb)$/,
  ports: [5432],
  data: /^\/(var\/lib|bitnami)\/postgresql(\/|$)/,
};

/** @type {import('../contract.js').Adapter} */
export const adapter = {
  product: 'postgres',
  title: 'PostgreSQL',
  detect: (service) => {
    const reason = recognise(service, MARKS);
    return reason === null ? null : { tier: 'database', reason };
  },
  watches: (service) => [
    AS_CONTAINER,
    {
      level: 1,
      gives:
        'why it refused connections and ended statements, from its log; connections, locks and transactions, from its own views once a second',
      needs: 'psql in the container, which lets its own user in without a password (as the official image does)',
    },
    ...(commandWithSettings(service) === null
      ? []
      : [
          {
            level: /** @type {const} */ (2),
            gives: `also statements of ${SLOW_MS} ms and above, waits for locks, and the code of each error`,
            needs: 'consent: settings are added to its command; the text of slow statements then stands in its log, never in the report',
          },
        ]),
  ],
  overlay: (service, level) => {
    const command = level >= 2 ? commandWithSettings(service) : null;
    return command === null ? {} : { command };
  },
  // Debian's package has the server outside the path.
  version: {
    command: ['sh', '-c', 'postgres --version || /usr/lib/postgresql/*/bin/postgres --version'],
    pattern: /\(PostgreSQL\) (\d+(?:\.\d+)*)/,
  },
  sample: sampleState,
  redact,
  read,
  faults,
};
