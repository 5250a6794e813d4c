/**
 * By which host names users know a system, as far as its services' environments say it. They are values of the user's: asked by, and never
 * shown.
 */
import { isIP } from 'node:net';
import { urlHosts } from './host-names.js';

const NAMES_ITSELF =
  /allowed|trusted|virtual|vhost|domain|server_?name|fqdn|public|external|site|(^|_)(app|base|root|server)_?url|^host(name)?$/i;
/** Whatever it may be called, a browser on the machine of who develops it calls it so. */
const LOCALLY = 'localhost';
const NAME = /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+$/i;
/** Each costs a request. */
const NAMES_MOST = 8;

/**
 * @param {Pick<import('./compose-model.js').AttachedService, 'environment' | 'names'>[]} models
 * @returns {string[]} in lower case, each once
 */
export function publicNames(models) {
  const own = new Set(models.flatMap(({ names }) => names.map((name) => name.toLowerCase())));
  const told = models.flatMap(({ environment }) =>
    Object.entries(environment).flatMap(([name, value]) =>
      NAMES_ITSELF.test(name) ? [...urlHosts(value), ...value.toLowerCase().split(/[\s,;]+/)].filter((word) => NAME.test(word)) : [],
    ),
  );
  return [...new Set([LOCALLY, ...told])].filter((name) => isIP(name) === 0 && !own.has(name)).slice(0, NAMES_MOST);
}
