/**
 * Caddy, 2.5 and above, as a reverse proxy.
 */

import { overlayOf } from '../configuration.js';
import { AS_CONTAINER } from '../contract.js';
import { detectProxy } from '../proxy-detection.js';
import { askHttp } from '../proxy-questions.js';
import { configuration, METRICS_PORT } from './config.js';
import { readMetrics } from './metrics.js';
import { read } from './read.js';

const TRAITS = { images: /^caddy$/, program: 'caddy', options: ['run', 'reverse-proxy'] };

/** @type {import('../contract.js').Adapter} */
export const adapter = {
  product: 'caddy',
  title: 'Caddy',
  detect: (service) => detectProxy(service, TRAITS),
  watches,
  overlay: (service, level) => overlayOf(configuration, service, level),
  version: { command: ['caddy', 'version'], pattern: /v?(\d+\.\d+\.\d+\S*)/ },
  sample,
  read,
};

/** @param {import('../contract.js').ServiceModel} service @returns {import('../contract.js').Watch[]} */
function watches(service) {
  const path = configuration.pathOf(service);
  return [
    AS_CONTAINER,
    {
      level: 1,
      gives: 'Each request that Caddy answered with an error of its own, by id and with Go’s error; with an access log each request.',
      needs: '"log" in each site, in JSON',
    },
    ...(path === null
      ? []
      : [
          {
            level: /** @type {const} */ (2),
            gives:
              'Each request by id, with each attempt to ask a service behind and why it failed, and the file descriptors in use; it writes three lines and more for a request.',
            needs: `consent to lay a changed copy over ${path}`,
          },
        ]),
  ];
}

/** @param {import('../contract.js').Container} container @returns {Promise<import('./metrics.js').Metrics | null>} */
async function sample({ address }) {
  const answer = await askHttp(`http://${address}:${METRICS_PORT}/metrics`);
  return answer === null ? null : readMetrics(answer);
}
