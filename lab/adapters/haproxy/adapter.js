/**
 * HAProxy, 2.4 and above.
 */
import { askSocket, overlayOf, watchesOf } from '../configuration.js';
import { detectProxy } from '../found-servers.js';
import { faults } from './faults.js';
import { configuration, STATS_PORT } from './http-line.js';
import { read, redact } from './read.js';
import { readStats } from './stats.js';

const TRAITS = { images: /^(?:haproxy|haproxytech\/.+)$/, program: 'haproxy', options: ['-f'] };

const REPORTED = {
  log: {
    gives:
      'Each request with its server, its times in the queue and at the server, and why it ended as it did; by id where a header is captured.',
    needs: '"log stdout format raw local0", "option httplog" and "capture request header X-Request-Id len 64"',
  },
  copy: 'Each request by id, with the address of its server, and how full connections and queues are, second by second.',
};

/** @type {import('../contract.js').Adapter} */
export const adapter = {
  product: 'haproxy',
  title: 'HAProxy',
  detect: (service) => detectProxy(service, TRAITS),
  watches: (service) => watchesOf(configuration, service, REPORTED),
  overlay: (service, level) => overlayOf(configuration, service, level),
  version: { command: ['haproxy', '-v'], pattern: /HA-?Proxy version (\S+)/ },
  sample,
  sampledFrom: 2,
  configuration,
  redact,
  read,
  faults,
};

/** @param {import('../contract.js').Container} container @returns {Promise<import('./stats.js').Stats | null>} */
async function sample({ address }) {
  const answer = await askSocket(address, STATS_PORT, 'show info;show stat\n');
  return answer === null ? null : readStats(answer);
}
