/**
 * What of a stack the lab made, and what others did who call theirs by the same name: that is never removed.
 *
 * @typedef {{ what: string, remove: () => Promise<unknown> }} Part
 */
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../../base/errors.js';
import { bearsOurs, STACK_LABEL } from '../../docker/containers.js';
import { docker, ignoreGone } from '../../docker/docker.js';
import { volumesOf } from './host-volumes.js';

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
