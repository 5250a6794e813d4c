/**
 * By which host names users know a system, as far as its services' environments and the files that they mount say it. They are values of the
 * user's: asked by, and never shown.
 *
 * @typedef {Pick<import('./compose-model.js').AttachedService, 'environment' | 'names' | 'mounts' | 'published'>} Naming
 */
import { isIP } from 'node:net';
import { urlHosts } from './host-names.js';

const NAMES_ITSELF =
  /allowed|trusted|virtual|vhost|domain|server_?name|fqdn|public|external|site|(^|_)(app|base|root|server)_?url|^host(name)?$/i;
/** Whatever it may be called, a browser on the machine of who develops it calls it so. */
const LOCALLY = 'localhost';
const NAME = /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*\.[a-z]{2,}$/i;
const WORD = /[a-z\d][a-z\d.-]*\.[a-z]{2,}/gi;
/** Endings of files, which look like names of hosts. */
const FILE =
  /\.(conf|cfg|ini|pem|crt|cer|key|csr|log|sock|pid|json|ya?ml|toml|xml|html?|php|m?js|css|txt|md|so|sh|py|rb|sql|lua|tmpl?|gz|zip|png|jpe?g|gif|svg|ico|woff2?|types)$/i;
const COMMENT = /^\s*(#|\/\/).*$/gm;
/** Each costs a request. */
const NAMES_MOST = 12;

/**
 * @param {Naming[]} models
 * @param {(path: string) => string | null} read  a configuration on this machine; null where there is none
 * @returns {string[]} in lower case, each once
 */
export function publicNames(models, read) {
  const own = new Set(models.flatMap(({ names }) => names.map((name) => name.toLowerCase())));
  const told = models.flatMap(({ environment }) =>
    Object.entries(environment).flatMap(([name, value]) =>
      NAMES_ITSELF.test(name) ? [...urlHosts(value), ...value.toLowerCase().split(/[\s,;]+/)] : [],
    ),
  );
  const mounted = models
    .filter(({ published }) => published.length > 0)
    .flatMap(({ mounts }) => mounts.filter(({ type }) => type === 'bind'))
    .flatMap(({ source }) => (read(source) ?? '').replace(COMMENT, '').match(WORD) ?? []);
  const all = [...told, ...mounted].map((word) => word.toLowerCase()).filter((word) => NAME.test(word) && !FILE.test(word));
  return [...new Set([LOCALLY, ...all])].filter((name) => isIP(name) === 0 && !own.has(name)).slice(0, NAMES_MOST);
}
