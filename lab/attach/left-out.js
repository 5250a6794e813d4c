/**
 * Services that a run leaves out: they could do harm, and no request needs them, as a page that manages containers or one that updates
 * them.
 */
import { override } from './compose-changes.js';

/** That nobody names. */
const PROFILE = 'doubletake-left-out';

/**
 * @param {import('./dangers.js').Danger[]} dangers
 * @param {{ services?: Record<string, any> }} config  as Compose has resolved it
 * @param {Iterable<string>} onTheWay  services that requests pass: the entry, and who asks whom
 * @returns {string[]} services
 */
export function leftOut(dangers, { services = {} }, onTheWay) {
  const grave = new Set(dangers.filter(({ severity }) => severity === 'refuse').map(({ service }) => service));
  const needed = new Set(onTheWay);
  const staying = Object.keys(services).filter((service) => !grave.has(service) || needed.has(service));
  // A set gives what is added while it is walked: who stays needs others, and these need others again.
  const stays = new Set(staying);
  for (const service of stays) for (const other of neededBy(services[service])) stays.add(other);
  return Object.keys(services).filter((service) => !stays.has(service));
}

/** @param {any} found of a service @returns {string[]} */
function neededBy({
  depends_on: depends = {},
  network_mode: network = '',
  pid = '',
  ipc = '',
  volumes_from: volumes = [],
  links = [],
} = {}) {
  const lending = [network, pid, ipc].flatMap((mode) => (mode.startsWith('service:') ? [mode.slice('service:'.length)] : []));
  const named = [...volumes, ...links].map((text) => String(text).split(':')[0]);
  return [...Object.keys(depends), ...lending, ...named];
}

/** @param {string[]} services @returns {import('./compose-changes.js').Changes} */
export const withoutServices = (services) =>
  services.length === 0 ? {} : { services: Object.fromEntries(services.map((service) => [service, { profiles: override([PROFILE]) }])) };

/** @param {string[]} services @param {import('./dangers.js').Danger[]} dangers @returns {string[]} a sentence for each */
export const aboutLeftOut = (services, dangers) =>
  services.map((name) => {
    const what = dangers.filter(({ service, severity }) => service === name && severity === 'refuse').map((danger) => danger.what);
    return `${name}: left out of the run, because it ${what.join(' and ')}, and no request needs it.`;
  });
