/**
 * What a run could harm that is not its own: data that was there before, other containers, the machine. Nothing is changed here;
 * what is found is printed, and the gravest of it keeps a run from starting.
 *
 * A run has a project name of its own, so a volume or network that the file gives no name to is created anew for it, and goes with
 * it. Compose resolves that name to `<project>_<key>`. It is therefore only safe to call `dangersOf` with what Compose resolved
 * under the run's own project name (`docker compose -p <run> ... config`): under the user's, the same name would be that of the
 * volume with the user's data.
 *
 * @typedef {object} Danger
 * @property {string} service
 * @property {string} what      found; a clause whose subject is the service
 * @property {string} why       it could do harm
 * @property {string} remedy    what to do, as an order
 * @property {'refuse' | 'warn'} severity  refuse: no run unless the user allows it
 * @typedef {Omit<Danger, 'service'>} Found
 */
import { NotReadyError } from '../define/errors.js';
import { urlHosts } from './host-names.js';

/** Who can talk to it commands the engine, and so every container and the machine; a read-only mount does not change that. */
const ENGINE_SOCKET = /\/(docker|podman|containerd)\.sock$/;
/** Folders of the machine in which such a socket lies. */
const SOCKET_FOLDERS = ['/', '/run', '/var', '/var/run'];
const LOOPBACK = /^(127\.|0\.0\.0\.0$)/;

const LEAVE_NAMES = 'leave out "external" and "name", so that each run gets one of its own';

/**
 * @param {any} config  as Compose has resolved it under the run's own project name
 * @returns {Danger[]} in the order of services; empty where nothing was found
 */
export function dangersOf(config) {
  const services = Object.entries(config.services ?? {});
  const ownNames = new Set(services.flatMap(([service, found]) => namesOf(service, found)));
  return services.flatMap(([service, found]) => {
    /** @type {Found[]} */
    const dangers = [
      ...(found.volumes ?? []).flatMap((/** @type {any} */ mount) => ofMount(mount, config)),
      ...(found.volumes_from ?? []).flatMap(ofForeignVolumes),
      ...Object.keys(found.networks ?? {}).flatMap((key) => ofNetwork(key, config)),
      ...ofPrivileges(found),
      ...ofOutside(found, ownNames),
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
    'change it in a second Compose file, and name that under "compose" in doubletake.yaml; or allow all of it with --allow-data.',
  );
}

/** @type {(mount: any, config: any) => Found[]} */
function ofMount({ type, source = '', target, read_only: readOnly }, config) {
  if (type === 'volume') return source === '' || readOnly ? [] : ofVolume(source, config);
  if (type !== 'bind') return [];
  const socket = 'with the engine’s socket it can command every container, not only those of the run';
  if (ENGINE_SOCKET.test(source)) return [refuse(`mounts ${source} of this machine`, socket, 'leave out the mount, or the service')];
  if (!readOnly)
    return [
      refuse(
        `can write to ${source} of this machine (mounted at ${target})`,
        'what it writes under load stays there after the run',
        'mount it read-only (":ro"), or mount a volume in its place',
      ),
    ];
  return SOCKET_FOLDERS.includes(source)
    ? [warn(`mounts ${source} of this machine, where the engine’s socket lies`, socket, 'leave out the mount, or the service')]
    : [];
}

/** @type {(key: string, config: any) => Found[]} */
function ofVolume(key, config) {
  const volume = config.volumes?.[key] ?? {};
  if (volume.external)
    return [refuse(`uses the external volume "${key}"`, 'it was there before the run, and what the run writes stays in it', LEAVE_NAMES)];
  const { device, type: kind } = volume.driver_opts ?? {};
  // Of the driver's other options nothing is shown: those of a network share hold its password.
  if (device && kind !== 'tmpfs')
    return [refuse(`uses the volume "${key}", which lies in ${device}`, 'what the run writes stays there', 'leave out its driver_opts')];
  if (isOwn(volume, key, config)) return [];
  return [refuse(`uses the volume "${key}" by the fixed name ${volume.name}`, 'all who use this name have the same data', LEAVE_NAMES)];
}

/** @param {unknown} from a service, or a container that is not the run's @returns {Found[]} */
const ofForeignVolumes = (from) =>
  String(from).startsWith('container:')
    ? [refuse('uses the volumes of a container that is not the run’s', 'what the run writes stays in them', 'leave out volumes_from')]
    : [];

/** @type {(key: string, config: any) => Found[]} */
function ofNetwork(key, config) {
  const network = config.networks?.[key] ?? {};
  if (!network.external && isOwn(network, key, config)) return [];
  return [
    refuse(
      network.external ? `joins the external network "${key}"` : `joins the network "${key}" by the fixed name ${network.name}`,
      'what else is on it can be asked in place of the run’s own services, and gets the load',
      LEAVE_NAMES,
    ),
  ];
}

/** @type {(found: { name?: string }, key: string, config: any) => boolean} */
const isOwn = ({ name }, key, config) => name !== undefined && name === `${config.name}_${key}`;

/** @param {any} found @returns {Found[]} */
function ofPrivileges({ privileged, network_mode: network = '', pid, devices = [], extra_hosts: hosts = [] }) {
  const named = devices.map(deviceOf).join(', ');
  /** @type {[boolean, Found][]} */
  const rules = [
    [privileged === true, refuse('is privileged', 'it can change the machine itself', 'name under cap_add what it needs instead')],
    [network === 'host', refuse('uses the machine’s own network', 'it takes and reaches what listens there', 'leave out network_mode')],
    [
      network.startsWith('container:'),
      refuse('uses the network of a container that is not the run’s', 'it gets in the way of that one', 'leave out network_mode'),
    ],
    [pid === 'host', warn('sees the machine’s processes', 'it could end one of them', 'leave out pid')],
    [devices.length > 0, warn(`uses ${named} of this machine`, 'others may use it at the same time', 'leave out devices')],
    [
      JSON.stringify(hosts).includes('host-gateway'),
      warn('has a name for this machine', 'what listens here may get part of the load', 'leave out extra_hosts'),
    ],
  ];
  return rules.filter(([applies]) => applies).map(([, danger]) => danger);
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
    .filter(([, value]) => urlHosts(String(value ?? '')).some(isOutside))
    .map(([name]) => name);
  if (variables.length === 0) return [];
  const what = `names a host outside of this file in ${variables.join(', ')}`;
  return [warn(what, 'if it asks that host for its users, the load goes on to it', 'name a stand-in there if it does')];
}

/** @type {(service: string, found: any) => string[]} */
function namesOf(service, found) {
  const aliases = Object.values(found.networks ?? {}).flatMap((network) => network?.aliases ?? []);
  return [service, found.container_name ?? '', ...aliases].map((name) => name.toLowerCase());
}

/** @type {(what: string, why: string, remedy: string) => Found} */
const refuse = (what, why, remedy) => ({ what, why, remedy, severity: 'refuse' });

/** @type {(what: string, why: string, remedy: string) => Found} */
const warn = (what, why, remedy) => ({ what, why, remedy, severity: 'warn' });
