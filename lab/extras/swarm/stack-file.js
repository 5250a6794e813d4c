/**
 * The stack that Docker Swarm runs, made of what Compose says of the same system: there is no second copy of it. Pure; whoever reads
 * folders is given.
 *
 * A stack ignores some of what a Compose file says (https://docs.docker.com/reference/cli/docker/stack/deploy/): what has another form
 * there gets it, and what has none is reported.
 */

import { createHash } from 'node:crypto';
import { basename, posix } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../../base/errors.js';
import { limitsOf } from '../../docker/compose.js';
import { bearsOurs, STACK_LABEL } from '../../docker/containers.js';
import { docker, ignoreGone } from '../../docker/docker.js';

/** A host of the Swarm has the label of each tier that it may run. @param {string} tier */
const tierLabel = (tier) => `doubletake.${tier}`;
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

/**
 * Which hosts may run what: a service runs on those that have the label of its tier.
 *
 * @typedef {object} Node
 * @property {string} name
 * @property {string[]} labels  those that are `yes`
 * @property {boolean} isReady  it answers, and takes new containers
 */

/** @returns {Promise<Node[]>} of the Swarm */
export async function listNodes() {
  const nodes = /** @type {any[]} */ (await docker.listNodes());
  return nodes.map(({ Description: description, Spec: spec, Status: status }) => ({
    name: description.Hostname,
    labels: Object.keys(spec.Labels ?? {}).filter((label) => spec.Labels[label] === YES),
    isReady: status.State === 'ready' && spec.Availability === 'active',
  }));
}

/**
 * The images that each host needs.
 * @param {Model['services']} services  of the stack
 * @param {Node[]} nodes
 * @param {string[]} reached  names of the hosts whose engines the lab reaches
 * @returns {Record<string, string[]>} images by host
 * @throws {NotReadyError} when no host may run a service, or one may that the lab does not reach
 */
export function imagesByHost(services, nodes, reached) {
  /** @type {Record<string, string[]>} */
  const images = Object.fromEntries(reached.map((name) => [name, []]));
  const hosts = nodes.filter(({ isReady }) => isReady);
  const unplaced = new Set(
    Object.values(services)
      .map(placeLabelOf)
      .filter((label) => !hosts.some(({ labels }) => labels.includes(label))),
  );
  if (unplaced.size > 0)
    throw new NotReadyError(
      `Expected a host for each tier; found none that is ready and has the label ${[...unplaced].join(', ')}.`,
      `give it to a host: ${[...unplaced].map((label) => `docker node update --label-add ${label}=${YES} ${hosts[0]?.name ?? '<host>'}`).join('; ')}`,
    );
  for (const service of Object.values(services)) {
    for (const { name } of hosts.filter(({ labels }) => labels.includes(placeLabelOf(service)))) {
      if (!reached.includes(name))
        throw new NotReadyError(
          `Expected to reach the engine of each host that may run something; found ${name} (${placeLabelOf(service)}), which HOSTS does not name.`,
          `name it (HOSTS='${name}=ssh://...'), or take its label away: docker node update --label-rm ${placeLabelOf(service)} ${name}`,
        );
      if (!images[name].includes(service.image)) images[name].push(service.image);
    }
  }
  return images;
}

/*
 * The volumes of a stack on each host: the one of the record is made before any container, and all are removed with the stack.
 */

/** Of the record (compose/lab.yaml). */
const RAW = 'raw';

/**
 * @param {import('./engines.js').Engine} engine
 * @param {string} stack
 * @param {Record<string, any>} volumes  of the stack's file
 * @returns {Promise<string>} the name of the record's
 */
export async function makeRecordVolume({ connection }, stack, volumes) {
  const name = `${stack}_${RAW}`;
  const { driver_opts: options = {}, labels = {} } = volumes[RAW];
  // As Swarm labels the others.
  await connection.createVolume({ Name: name, DriverOpts: options, Labels: { ...labels, [STACK_LABEL]: stack } });
  return name;
}

/** Those that the lab made. @param {import('./engines.js').Engine} engine @param {string} stack */
export async function removeVolumes(engine, stack) {
  const { made } = await volumesOf(engine, stack);
  await Promise.all(made.map((name) => engine.connection.getVolume(name).remove().catch(ignoreGone)));
}

/**
 * What bears the stack's name, and whether the lab made it: any stack may be called so.
 * @param {import('./engines.js').Engine} engine
 * @param {string} stack
 * @returns {Promise<{ made: string[], foreign: string[] }>} names
 */
async function volumesOf({ connection }, stack) {
  const { Volumes: volumes } = await connection.listVolumes({ filters: JSON.stringify({ label: [`${STACK_LABEL}=${stack}`] }) });
  const namesOf = (/** @type {boolean} */ ours) =>
    (volumes ?? []).filter(({ Labels: labels }) => bearsOurs(labels) === ours).map(({ Name: name }) => name);
  return { made: namesOf(true), foreign: namesOf(false) };
}

/**
 * What of a stack the lab made, and what others did who call theirs by the same name: that is never removed.
 *
 * @typedef {{ what: string, remove: () => Promise<unknown> }} Part
 */

const LOOK_MS = 500;
const GONE_LIMIT_MS = 60_000;

/**
 * What bears the stack's name in the Swarm, and whether the lab made it: any stack may be called so.
 * @param {string} stack
 * @returns {Promise<{ made: Part[], foreign: string[] }>} nothing where this engine manages no Swarm
 */
export async function partsOf(stack) {
  const { Swarm: swarm } = await docker.info();
  if (swarm?.ControlAvailable !== true) return { made: [], foreign: [] };
  const filters = JSON.stringify({ label: [`${STACK_LABEL}=${stack}`] });
  const [services, networks, configs, secrets] = await Promise.all([
    docker.listServices({ filters }),
    docker.listNetworks({ filters }),
    docker.listConfigs({ filters }),
    docker.listSecrets({ filters }),
  ]);
  const parts = [
    ...services.map(({ ID: id, Spec: spec }) => ({
      what: `service ${spec?.Name}`,
      // One that an older lab deployed has them on its containers alone.
      labels: { ...spec?.Labels, .../** @type {any} */ (spec?.TaskTemplate)?.ContainerSpec?.Labels },
      remove: () => docker.getService(id).remove(),
    })),
    ...networks.map(({ Id: id, Name: name, Labels: labels }) => ({
      what: `network ${name}`,
      labels,
      remove: () => docker.getNetwork(id).remove(),
    })),
    ...configs.map(({ ID: id, Spec: spec }) => ({
      what: `config ${spec?.Name}`,
      labels: spec?.Labels,
      remove: () => docker.getConfig(id).remove(),
    })),
    ...secrets.map(({ ID: id, Spec: spec }) => ({
      what: `secret ${spec?.Name}`,
      labels: spec?.Labels,
      remove: () => docker.getSecret(id).remove(),
    })),
  ];
  return {
    made: parts.filter(({ labels }) => bearsOurs(labels)),
    foreign: parts.filter(({ labels }) => !bearsOurs(labels)).map(({ what }) => what),
  };
}

/**
 * Removes of it what the lab made, and waits until that and its containers are gone: the next one has the same names. What its containers
 * still use cannot be removed before them.
 * @param {string} stack
 * @param {() => Promise<unknown[]>} listContainers  of the stack, on all hosts that answer
 * @param {{ lookMs?: number, limitMs?: number }} [bounds]
 * @returns {Promise<string[]>} what is still there
 */
export async function removeStack(stack, listContainers, { lookMs = LOOK_MS, limitMs = GONE_LIMIT_MS } = {}) {
  const endsAt = Date.now() + limitMs;
  for (;;) {
    const { made } = await partsOf(stack);
    let why = '';
    for (const { what, remove } of made)
      await remove()
        .catch(ignoreGone)
        .catch((error) => {
          why = `${what}: ${error.message}`;
        });
    const containers = await listContainers();
    if (made.length === 0 && containers.length === 0) return [];
    if (Date.now() > endsAt) {
      const words = [
        ...made.map(({ what }) => what),
        ...(containers.length > 0 ? [`${containers.length} containers of the stack ${stack}`] : []),
      ];
      return why === '' ? words : [...words, `because of ${why}`];
    }
    await wait(lookMs);
  }
}

/**
 * What has the stack's name, in the Swarm or on one of the hosts, and is somebody else's.
 * @param {string} stack
 * @param {import('./engines.js').Engine[]} engines
 * @returns {Promise<string[]>}
 */
export async function foreignOf(stack, engines) {
  const ofHosts = await Promise.all(
    engines.map(async (engine) => (await volumesOf(engine, stack)).foreign.map((volume) => `volume ${volume} on ${engine.name}`)),
  );
  return [...(await partsOf(stack)).foreign, ...ofHosts.flat()];
}

/** @param {string} stack @param {import('./engines.js').Engine[]} engines @throws {NotReadyError} */
export async function refuseForeign(stack, engines) {
  const foreign = await foreignOf(stack, engines);
  if (foreign.length === 0) return;
  throw new NotReadyError(
    `Expected no stack "${stack}" beside the lab's own; found ${foreign.join(', ')}.`,
    `give that stack another name; if it and its data may go, docker stack rm ${stack}, and docker volume rm.`,
  );
}
