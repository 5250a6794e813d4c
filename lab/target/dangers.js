/**
 * What a run could harm that is not its own: data that was there before, other containers, the machine. Nothing is changed here;
 * what is found is printed, and the gravest of it keeps a run from starting.
 *
 * Volumes, networks and folders that a service may write to are the copy's own (project-copy.js): what is looked at here is the copy, and
 * what it would still share with the machine.
 *
 * @typedef {object} Danger
 * @property {string} service
 * @property {string} what      found; a clause whose subject is the service
 * @property {string} why       it could do harm
 * @property {string} remedy    what to do, as an order
 * @property {'refuse' | 'warn'} severity  refuse: no run unless the user allows it
 * @typedef {Omit<Danger, 'service'>} Found
 */

import os from 'node:os';
import { NotReadyError } from '../base/errors.js';
import { ENGINE_SOCKET, isWholeMachine, SOCKET, SOCKET_FOLDERS } from './copied-folders.js';
import { hostsAskedBy } from './host-names.js';

/** In a command, an image or the name of a variable. */
const CERTIFICATES = /\.acme\.|acme\.sh|acme-companion|letsencrypt|certbot/i;
const LOOPBACK = /^(127\.|0\.0\.0\.0$)/;
/** With each of them a process can change what all containers share: mounts, the kernel's modules, its clock, its memory. */
const OF_THE_MACHINE = /^(CAP_)?(ALL|SYS_ADMIN|SYS_BOOT|SYS_MODULE|SYS_RAWIO|SYS_TIME)$/i;

/**
 * @param {any} config  as Compose has resolved it under the run's own project name
 * @param {Pick<import('./dockerfile.js').Look, 'sharesSockets'>} [look]
 * @returns {Danger[]} in the order of services; empty where nothing was found
 */
export function dangersOf(config, look = { sharesSockets: true }) {
  const services = Object.entries(config.services ?? {});
  const ownNames = new Set(services.flatMap(([service, found]) => namesOf(service, found)));
  return services.flatMap(([service, found]) => {
    /** @type {Found[]} */
    const dangers = [
      ...(found.volumes ?? []).flatMap((/** @type {any} */ mount) => ofMount(mount, look)),
      ...(found.volumes_from ?? []).flatMap(ofForeignVolumes),
      ...ofLinks(found),
      ...ofPrivileges(found),
      ...ofOutside(found, ownNames),
      ...ofCertificates(found),
      ...ofProvider(found),
    ];
    return dangers.map((danger) => ({ service, ...danger }));
  });
}

/**
 * @param {Danger[]} dangers
 * @param {{ allowData?: boolean }} [options] allowData: the user has said that all of it may be done
 * @throws {NotReadyError} with everything that is refused
 */
export function refuseDangers(dangers, { allowData = false } = {}) {
  const refused = dangers.filter(({ severity }) => severity === 'refuse');
  if (refused.length === 0 || allowData) return;
  const lines = refused.map(({ service, what, why, remedy }) => `\n    ${service} ${what}: ${why}.\n      To avoid it: ${remedy}.`);
  throw new NotReadyError(
    `The Compose file: expected nothing that a run could harm; found:${lines.join('')}`,
    'change it in a second Compose file, and name that under "compose" in doubletake.yaml; or allow all of it with --allow.',
  );
}

/** @type {(mount: any, look: Pick<import('./dockerfile.js').Look, 'sharesSockets'>) => Found[]} */
function ofMount({ type, source = '', target, read_only: readOnly }, { sharesSockets }) {
  if (type !== 'bind') return [];
  const socket =
    'with the engine’s socket it can command every container, not only those of the run; a proxy finds servers of your other copies there';
  const elsewhere = '; a run could give it one that can only read, if the engine listened at a socket of this machine, which it does not';
  if (ENGINE_SOCKET.test(source))
    return [
      refuse(`mounts ${source} of this machine`, `${socket}${sharesSockets ? '' : elsewhere}`, 'leave out the mount, or the service'),
    ];
  if (!readOnly && isWholeMachine(source, os.homedir()))
    return [
      refuse(
        `can write to ${source} of this machine (mounted at ${target})`,
        'all that is yours lies in it, and no copy is made of that',
        'mount the folder that it needs, or mount it read-only (":ro")',
      ),
    ];
  if (SOCKET_FOLDERS.includes(source))
    return [warn(`mounts ${source} of this machine, where the engine’s socket lies`, socket, 'leave out the mount, or the service')];
  return SOCKET.test(source)
    ? [warn(`mounts ${source}`, 'the program of this machine that listens there may get part of the load', 'leave out the mount')]
    : [];
}

/** @param {unknown} from a service, or a container that is not the run's @returns {Found[]} */
const ofForeignVolumes = (from) =>
  String(from).startsWith('container:')
    ? [refuse('uses the volumes of a container that is not the run’s', 'what the run writes stays in them', 'leave out volumes_from')]
    : [];

/** @param {any} found @returns {Found[]} */
const ofLinks = ({ external_links: links = [] }) =>
  links.length === 0
    ? []
    : [refuse(`reaches ${links.join(', ')}, which the run does not make`, 'part of the load may get there', 'leave out external_links')];

/** @param {any} found @returns {Found[]} */
function ofPrivileges({ privileged, use_api_socket: isGivenSocket, network_mode: network = '', pid = '', ipc = '', ...found }) {
  const { cap_add: added = [], devices = [], gpus = [], deploy, extra_hosts: hosts = [] } = found;
  const reserved = [gpus, deploy?.resources?.reservations?.devices ?? []].flat().map(() => 'a GPU or another device');
  const named = [...new Set([...devices.map(deviceOf), ...reserved])].join(', ');
  const capabilities = added.filter((/** @type {string} */ capability) => OF_THE_MACHINE.test(capability)).join(', ');
  const machines = otherMachines(hosts).join(', ');
  /** @type {[boolean, Found][]} */
  const rules = [
    [privileged === true, refuse('is privileged', 'it can change the machine itself', 'name under cap_add what it needs instead')],
    [
      network.startsWith('container:'),
      refuse('uses the network of a container that is not the run’s', 'it gets in the way of that one', 'leave out network_mode'),
    ],
    [
      isGivenSocket === true,
      refuse('is given the engine’s socket (use_api_socket)', 'it can command every container, not only those of the run', 'leave it out'),
    ],
    [
      pid.startsWith('container:'),
      refuse('sees the processes of a container that is not the run’s', 'it could end one of them', 'leave out pid'),
    ],
    [
      capabilities !== '',
      warn(`may do what only the machine itself may (${capabilities})`, 'it can change that for all that runs there', 'leave out cap_add'),
    ],
    [
      ipc === 'host' || ipc.startsWith('container:'),
      warn('shares memory with programs that are not the run’s', 'it could get in their way', 'leave out ipc'),
    ],
    [pid === 'host', warn('sees the machine’s processes', 'it could end one of them', 'leave out pid')],
    [named !== '', warn(`uses ${named} of this machine`, 'others may use it at the same time', 'leave out devices')],
    [
      JSON.stringify(hosts).includes('host-gateway'),
      warn('has a name for this machine', 'what listens here may get part of the load', 'leave out extra_hosts'),
    ],
    [
      machines !== '',
      warn(`has names for other machines (${machines})`, 'what it asks them for its users goes there', 'leave out extra_hosts'),
    ],
  ];
  return rules.filter(([applies]) => applies).map(([, danger]) => danger);
}

/**
 * Names for addresses outside of the run. Compose gives them as a mapping, or as texts with `=` or `:` between.
 * @param {string[] | Record<string, string | string[]>} hosts
 * @returns {string[]}
 */
function otherMachines(hosts) {
  const pairs = Array.isArray(hosts) ? hosts.map((text) => /^([^=:]+)[=:](.*)$/.exec(text)?.slice(1) ?? []) : Object.entries(hosts);
  return pairs.flatMap(([name, addresses]) =>
    [addresses].flat().some((address) => /^[\d[:]/.test(address ?? '') && !/^(127\.|0\.0\.0\.0$|\[?::1\]?$)/.test(address))
      ? [String(name)]
      : [],
  );
}

/** @param {any} device a text in older versions of Compose */
const deviceOf = (device) => (typeof device === 'string' ? device.split(':')[0] : device.source);

/**
 * Hosts that have a dot in their name are not of this file: a payment service, or the database in production. Variables are named,
 * and nothing of what they hold.
 * @type {(found: any, ownNames: Set<string>) => Found[]}
 */
function ofOutside({ environment }, ownNames) {
  const isOutside = (/** @type {string} */ host) => host.includes('.') && !LOOPBACK.test(host) && !ownNames.has(host);
  const variables = Object.entries(environment ?? {})
    .filter(([name, value]) => hostsAskedBy(name, String(value ?? '')).some(isOutside))
    .map(([name]) => name);
  if (variables.length === 0) return [];
  const what = `names a host outside of this file in ${variables.join(', ')}`;
  return [warn(what, 'if it asks that host for its users, the load goes on to it', 'name a stand-in there if it does')];
}

/** Volumes are new in each run, so what asks an authority for a certificate asks anew. @param {any} found @returns {Found[]} */
function ofCertificates({ image = '', command, environment }) {
  const texts = [image, ...[command].flat(), ...Object.keys(environment ?? {})];
  if (!texts.some((text) => CERTIFICATES.test(String(text ?? '')))) return [];
  return [
    warn(
      'seems to get certificates from an authority',
      'it asks for them anew in each run, and authorities limit that',
      'switch that off for the run',
    ),
  ];
}

/** https://docs.docker.com/compose/how-tos/provider-services/ @param {any} found @returns {Found[]} */
const ofProvider = ({ provider }) =>
  provider
    ? [
        refuse(
          `is made by the provider ${provider.type}`,
          'what that makes is outside of the run, and may stay there',
          'name a service with an image in its place',
        ),
      ]
    : [];

/** @type {(service: string, found: any) => string[]} */
function namesOf(service, found) {
  const aliases = Object.values(found.networks ?? {}).flatMap((network) => network?.aliases ?? []);
  return [service, found.container_name ?? '', ...aliases].map((name) => name.toLowerCase());
}

/** @type {(what: string, why: string, remedy: string) => Found} */
const refuse = (what, why, remedy) => ({ what, why, remedy, severity: 'refuse' });

/** @type {(what: string, why: string, remedy: string) => Found} */
const warn = (what, why, remedy) => ({ what, why, remedy, severity: 'warn' });
