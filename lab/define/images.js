/**
 * The base images, pinned by exact tag. The registry's and the ones built from packages carry the same versions, so that
 * a run means the same on both. An image that is in no registry is built from packages on every machine.
 *
 * @typedef {object} BaseImage
 * @property {string} variable  the variable by which compose.yaml names it
 * @property {string} [hub]     name and tag in the registry; none when it is in no registry
 * @property {string[]} [architectures]  the only ones that need it; every other does without
 * @property {string} version   of the component; the manifest holds what the component reports of itself
 */

/** @type {Record<string, BaseImage>} */
export const baseImages = {
  node: { variable: 'NODE_IMAGE', hub: 'node:24.21.0-bookworm-slim', version: '24.21.0' },
  nginx: { variable: 'NGINX_IMAGE', hub: 'nginx:1.22.1', version: '1.22.1' },
  haproxy: { variable: 'HAPROXY_IMAGE', hub: 'haproxy:2.6.12', architectures: ['2a-haproxy'], version: '2.6.12' },
  envoy: { variable: 'ENVOY_IMAGE', hub: 'envoyproxy/envoy:v1.39.3', architectures: ['2a-envoy'], version: '1.39.3' },
  mongo: { variable: 'MONGO_IMAGE', hub: 'mongo:6.0.5', version: '6.0.5' },
  k6: { variable: 'K6_IMAGE', hub: 'grafana/k6:1.1.0', version: '1.1.0' },
  tokyo: { variable: 'TOKYO_IMAGE', architectures: ['tokyo'], version: '1.4.48' },
};

/** What an image that is in no registry is built on, on a machine that reaches one. */
export const DEBIAN_HUB = 'debian:bookworm-20251229-slim';

/**
 * @param {string[]} [architectures]  all of them unless given
 * @returns {string[]} keys of the images that one of them needs
 */
export const imagesFor = (architectures) =>
  Object.entries(baseImages)
    .filter(([, { architectures: only }]) => !architectures || !only || only.some((id) => architectures.includes(id)))
    .map(([name]) => name);
