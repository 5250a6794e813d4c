/**
 * Host names in a service's environment, command and files. All hold secrets, so a caller compares what it gets from here with names
 * that it knows, and lets nothing else of it out.
 */

import { isIP } from 'node:net';
import os from 'node:os';
import { NotReadyError } from '../base/errors.js';
import { ENGINE_SOCKET, isWholeMachine, SOCKET, SOCKET_FOLDERS } from './copied-folders.js';

/** What stands between `//` and the path: user, password, hosts, ports. Another URL after a comma is one of its own. */
const AUTHORITY = /[a-z][a-z\d+.-]{0,30}:\/\/((?:(?!,[a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#'"`<>;(){}|\\])+)/gi;
/** `db:5432`, alone, in a list or in a line of shell. */
const HOST_AND_PORT = /(?<![\w.@:/-])([a-z\d][\w.-]*):\d{1,5}(?![\w.])/gi;
/** Behind a password in which a slash stands, no authority is found. */
const AFTER_USER = /@([a-z\d][\w.-]*)/gi;
/** `host=db`, in a database's connection text or an option. */
const ASSIGNED = /(?:host|server|data source|addr|upstream|backend|broker|endpoint|target)[\w-]{0,40}\s*=\s*'?([a-z\d][\w.-]*)/gi;
/** Names of variables and options whose whole value may be a host. */
const SPEAKS_OF_HOST = /host|server|addr|ur[il]|upstream|backend|broker|nodes|peer|endpoint|target|proxy/i;
/** Names of variables whose whole value is a host that is asked; those after them say by which names the service itself is asked. */
const NAMES_HOST = /(host|hostname|server|addr|address|endpoint|broker|node)s?$/i;
const NAMES_ITSELF = /allowed|virtual|vhost|letsencrypt|trusted|public|bind|listen|^host(name)?$/i;
/** Who may ask the service, where users are sent back to, and what is only looked at now and then. */
const NAMES_CALLERS = /cors|origin|allowed|trusted|csrf|redirect|callback|health/i;
/** An address of the machine under such a name is for browsers. */
const FOR_BROWSERS = /public|external|browser|client|frontend/i;
/** By which a container reaches the machine. https://docs.docker.com/desktop/features/networking/ */
const MACHINE =
  /\b(?:host\.docker\.internal|gateway\.docker\.internal|docker\.for\.(?:mac|win)\.localhost|172\.17\.0\.1)(?::(\d{1,5}))?(?![\w.:-])/gi;
const WEB_PORT = '80';
const IN_HTTP = /https?:\/\/([a-z\d][\w.-]*)/gi;
/** Variables whose value is a name of something else, that is often called like the store that it is in. */
const NAMES_OTHERS =
  /user|pass|secret|token|key|(^|_)(db|database|schema|name|owner|role|bucket|topic|index|prefix)$|dbname|database_?name/i;
const OPTION = /^--?[a-z][\w-]*$/i;
const NAME = /^[a-z\d][\w.-]*$/i;

/**
 * @param {string} text
 * @returns {string[]} hosts of its URLs, in lower case
 */
export function urlHosts(text) {
  return [...text.matchAll(AUTHORITY)]
    .flatMap(([, authority]) => authority.slice(authority.lastIndexOf('@') + 1).split(','))
    .map((place) =>
      place
        .replace(/:\d*$/, '')
        .replace(/^\[|\]$/g, '')
        .toLowerCase(),
    )
    .filter((host) => host !== '');
}

/**
 * @param {string} name
 * @param {string} value
 * @returns {string[]} in lower case
 */
export function hostsOfVariable(name, value) {
  if (NAMES_CALLERS.test(name)) return [];
  const whole = SPEAKS_OF_HOST.test(name) ? value.split(/[\s,;]+/).filter((part) => NAME.test(part)) : [];
  return inLowerCase([...placesIn(value), ...whole]);
}

/** Of a variable, those that it asks in HTTP. @param {string} text @returns {string[]} in lower case */
export const hostsInHttp = (text) => inLowerCase(allIn(text, [IN_HTTP]));

/**
 * What is published at a port of the machine is often asked there by the other containers too.
 * @param {string} text
 * @param {Record<string, string>} places  `web:80`, by the port of the machine
 * @param {string} [name]  of the variable whose value it is
 * @returns {string} with the places of services in the place of the machine's
 */
export const withoutMachine = (text, places, name = '') =>
  FOR_BROWSERS.test(name) ? text : text.replace(MACHINE, (whole, port = WEB_PORT) => places[port] ?? whole);

/**
 * Which store is chosen by a variable that does not speak of hosts, as in `SESSION_STORE=cache`.
 * @param {string} name
 * @param {string} value
 * @returns {string | null} in lower case; a host only where a store of the system is called so
 */
export const storeOfVariable = (name, value) => (NAME.test(value) && !NAMES_OTHERS.test(name) ? value.toLowerCase() : null);

/**
 * Fewer than `hostsOfVariable` gives: each is likely a host, whether or not it is known as one.
 * @param {string} name
 * @param {string} value
 * @returns {string[]} in lower case
 */
function hostsAskedBy(name, value) {
  const isHost = NAMES_HOST.test(name) && !NAMES_ITSELF.test(name);
  const whole = isHost ? value.split(/[\s,;]+/).filter((part) => NAME.test(part)) : [];
  const withPorts = NAMES_ITSELF.test(name) ? [] : [...value.matchAll(HOST_AND_PORT)].map(([, host]) => host);
  return inLowerCase([...urlHosts(value), ...withPorts, ...whole]);
}

/**
 * @param {string[]} command
 * @returns {string[]} in lower case
 */
export function hostsOfCommand(command) {
  const given = command.filter((word, index) => NAME.test(word) && isHostOption(command[index - 1] ?? ''));
  return inLowerCase([...command.flatMap(placesIn), ...given]);
}

/** @param {string} word */
const isHostOption = (word) => word === '-h' || (OPTION.test(word) && SPEAKS_OF_HOST.test(word));

/** Those by their place in a text: in a URL, before a port, assigned. @param {string} text @returns {string[]} */
export const hostsByPlace = (text) => [...urlHosts(text), ...allIn(text, [HOST_AND_PORT, ASSIGNED])];

/** @param {string} text @returns {string[]} */
const placesIn = (text) => [...hostsByPlace(text), ...allIn(text, [AFTER_USER])];

/** @param {string} text @param {RegExp[]} patterns  each with one group @returns {string[]} */
export const allIn = (text, patterns) => patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, found]) => found));

/** By which a Swarm reaches the containers of a service one by one. https://docs.docker.com/engine/swarm/networking/ */
const OF_SWARM = /^tasks\./;

/** @param {string[]} hosts @returns {string[]} each once, as a service may be called */
export const inLowerCase = (hosts) => [...new Set(hosts.map((host) => host.toLowerCase().replace(OF_SWARM, '')))];

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

/**
 * By which host names users know a system, as far as its services' environments and the files that they mount say it. They are values of the
 * user's: asked by, and never shown.
 *
 * @typedef {Pick<import('./compose-model.js').AttachedService, 'environment' | 'names' | 'mounts' | 'published'>} Naming
 */

const PUBLIC_NAMES_NAMES_ITSELF =
  /allowed|trusted|virtual|vhost|domain|server_?name|fqdn|public|external|site|(^|_)(app|base|root|server)_?url|^host(name)?$/i;
/** Whatever it may be called, a browser on the machine of who develops it calls it so. */
const LOCALLY = 'localhost';
const PUBLIC_NAMES_NAME = /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*\.[a-z]{2,}$/i;
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
  const reported = models.flatMap(({ environment }) =>
    Object.entries(environment).flatMap(([name, value]) =>
      PUBLIC_NAMES_NAMES_ITSELF.test(name) ? [...urlHosts(value), ...value.toLowerCase().split(/[\s,;]+/)] : [],
    ),
  );
  const mounted = models
    .filter(({ published }) => published.length > 0)
    .flatMap(({ mounts }) => mounts.filter(({ type }) => type === 'bind'))
    .flatMap(({ source }) => (read(source) ?? '').replace(COMMENT, '').match(WORD) ?? []);
  const all = [...reported, ...mounted]
    .map((word) => word.toLowerCase())
    .filter((word) => PUBLIC_NAMES_NAME.test(word) && !FILE.test(word));
  return [...new Set([LOCALLY, ...all])].filter((name) => isIP(name) === 0 && !own.has(name)).slice(0, NAMES_MOST);
}
