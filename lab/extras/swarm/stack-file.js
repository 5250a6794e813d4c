/**
 * The stack that Docker Swarm runs, made of what Compose says of the same system: there is no second copy of it. Pure; whoever reads
 * folders is given.
 *
 * A stack ignores some of what a Compose file says (https://docs.docker.com/reference/cli/docker/stack/deploy/): what has another form
 * there gets it, and what has none is told.
 */
import { createHash } from 'node:crypto';
import { basename, posix } from 'node:path';
import { limitsOf } from '../../catalog/service-limits.js';

/** A host of the Swarm has the label of each tier that it may run. @param {string} tier */
export const tierLabel = (tier) => `doubletake.${tier}`;
export const YES = 'yes';
/** Of all that is made: what has it not is somebody else's, and is never removed. As compose/lab.yaml gives it. */
const OURS = { 'doubletake.lab': YES };
/** Of files that containers read and do not write. */
const READABLE = 0o444;
const HASH_LETTERS = 12;
/** Swarm's own limit of a configuration's name. */
const NAME_LETTERS = 64;
/** What fails because a name is not there yet is started again after so long. */
const AGAIN = '2s';

/** Fields that a stack has as Compose has them. */
const KEPT = [
  ...['image', 'command', 'entrypoint', 'environment', 'user', 'read_only', 'cap_drop', 'init', 'labels', 'healthcheck', 'networks'],
  ...['stop_grace_period', 'stop_signal', 'ulimits', 'sysctls', 'logging', 'working_dir', 'hostname', 'extra_hosts'],
];
/** Those that get another form there. */
const TURNED = ['cpu_period', 'cpu_quota', 'mem_limit', 'cpus', 'restart', 'volumes', 'tmpfs', 'depends_on', 'deploy'];
/** Why the others are left out. @type {Record<string, string>} */
const LEFT_OUT = {
  cpu_shares: 'a stack has no CPU weights',
  security_opt: 'a stack takes no security options',
  ports: 'nothing is published: who asks is on the same network',
};
/** Nothing is lost with them: they say how the model itself is read. */
const OF_COMPOSE = ['profiles', 'build', 'extends', 'pull_policy'];

/**
 * @typedef {{ source: string, target: string, type: string, read_only?: boolean }} Mount
 * @typedef {{ services: Record<string, any>, networks?: Record<string, any>, volumes?: Record<string, any> }} Model  that Compose makes of its
 *   files, as `docker compose config` prints it
 * @typedef {{ service: string, field: string, why: string }} Ignored
 */

/**
 * @param {Model} model
 * @param {object} given
 * @param {(folder: string) => string[]} given.filesIn  paths below a folder of this machine
 * @param {(file: string) => string} given.read
 * @param {(image: string) => string} [given.imageOf]  what an image is called on the hosts; as in the model unless given
 * @param {number} [given.replicas]  of each service; 1 unless given
 * @returns {{ stack: Record<string, any>, ignored: Ignored[] }}
 */
export function stackOf(model, { imageOf = (image) => image, replicas = 1, ...given }) {
  const configs = new Configs(given);
  const services = Object.entries(model.services).map(([name, service]) => [
    name,
    serviceOf({ ...service, image: imageOf(service.image) }, configs, replicas),
  ]);
  const networks = Object.entries(model.networks ?? {}).map(([name, { labels }]) => [
    name,
    { driver: 'overlay', attachable: true, labels: { ...labels, ...OURS } },
  ]);
  const volumes = Object.entries(model.volumes ?? {}).map(([name, { labels, driver_opts: options }]) => [
    name,
    { labels: { ...labels, ...OURS }, ...(options ? { driver_opts: options } : {}) },
  ]);
  return {
    stack: {
      version: '3.8',
      services: Object.fromEntries(services),
      networks: Object.fromEntries(networks),
      volumes: Object.fromEntries(volumes),
      configs: configs.all(),
    },
    ignored: Object.entries(model.services).flatMap(([service, fields]) => ignoredOf(fields).map((one) => ({ service, ...one }))),
  };
}

/** Compose prints what is not given as null. @param {Record<string, unknown>} service */
const saidIn = (service) => Object.keys(service).filter((field) => service[field] !== null && service[field] !== undefined);

/** @param {Record<string, unknown>} service @returns {Omit<Ignored, 'service'>[]} */
function ignoredOf(service) {
  const had = [...KEPT, ...TURNED, ...OF_COMPOSE];
  return saidIn(service)
    .filter((field) => !had.includes(field))
    .map((field) => ({ field, why: LEFT_OUT[field] ?? 'the lab does not know whether a stack has it' }));
}

/**
 * Where a service runs: on the hosts of its tier, or of the tier that it has to be beside.
 * @param {{ labels: Record<string, string> }} service
 */
export const placeLabelOf = ({ labels }) => tierLabel(labels['doubletake.beside'] ?? labels['doubletake.tier']);

/** @param {any} service @param {Configs} configs @param {number} replicas */
function serviceOf(service, configs, replicas) {
  const said = saidIn(service);
  const mounts = /** @type {Mount[]} */ (service.volumes ?? []);
  const isRead = (/** @type {Mount} */ { type, read_only: isReadOnly }) => type === 'bind' && isReadOnly === true;
  return {
    ...Object.fromEntries(KEPT.filter((field) => said.includes(field)).map((field) => [field, service[field]])),
    volumes: [
      ...mounts.filter((mount) => !isRead(mount)).map(({ type, source, target }) => ({ type, source, target })),
      ...[service.tmpfs ?? []].flat().map((target) => ({ type: 'tmpfs', target })),
    ],
    configs: mounts.filter(isRead).flatMap((mount) => configs.add(mount)),
    deploy: {
      labels: OURS,
      replicas,
      // The routing mesh is a balancer that nobody sees.
      endpoint_mode: 'dnsrr',
      placement: { constraints: [`node.labels.${placeLabelOf(service)} == ${YES}`] },
      // A stack starts all at once, whatever depends on what. A load that was broken off is not begun again.
      restart_policy: service.labels['doubletake.tier'] === 'generator' ? { condition: 'none' } : { condition: 'on-failure', delay: AGAIN },
      update_config: { parallelism: 1, order: 'stop-first' },
      resources: { limits: limitsOf(service, 'cpus') },
    },
  };
}

/** Files of this machine that services read, each once, under a name that changes with what is in it: Swarm's own are never changed. */
class Configs {
  /** @type {Map<string, string>} name to file */
  #files = new Map();
  #given;

  /** @param {{ filesIn: (folder: string) => string[], read: (file: string) => string }} given */
  constructor(given) {
    this.#given = given;
  }

  /** @param {Mount} mount  a folder */
  add({ source, target }) {
    return this.#given.filesIn(source).map((path) => {
      const file = posix.join(source, path);
      const hash = createHash('sha256').update(this.#given.read(file)).digest('hex').slice(0, HASH_LETTERS);
      const plain = `${basename(source)}-${path}`.replaceAll(/[^\w-]+/g, '-');
      const name = `${plain.slice(0, NAME_LETTERS - HASH_LETTERS - 1)}-${hash}`;
      this.#files.set(name, file);
      return { source: name, target: posix.join(target, path), mode: READABLE };
    });
  }

  all() {
    return Object.fromEntries([...this.#files].map(([name, file]) => [name, { name, file, labels: OURS }]));
  }
}
