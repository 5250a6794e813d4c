/**
 * Which page of a service its own health check asks, as a Compose file says it.
 */
const ASKED = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::(\d+))?(\/[^\s'"|&;)#]*)/i;

/**
 * @param {{ healthcheck?: { test?: string | string[], disable?: boolean } }} found  of a service, as Compose has resolved it
 * @param {number} port  of the entry
 * @returns {string} with its query; empty where it asks none at that port
 */
export function healthPathOf({ healthcheck: { test = [], disable = false } = {} }, port) {
  const [, asked = '80', path = ''] = ASKED.exec([test].flat().join(' ')) ?? [];
  return disable || Number(asked) !== port ? '' : path;
}
