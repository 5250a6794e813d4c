/**
 * The one connection to the Docker API, and what the lab asks it.
 */
import Docker from 'dockerode';
import { PROJECT } from '../define/paths.js';

export const docker = new Docker();

const PROJECT_LABEL = 'com.docker.compose.project';
const SERVICE_LABEL = 'com.docker.compose.service';
const LAB_FILTER = JSON.stringify({ label: [`${PROJECT_LABEL}=${PROJECT}`] });
const MULTIPLEX_HEADER_BYTES = 8;
/** The kernel's own period of a CPU quota. */
const DEFAULT_PERIOD_US = 100_000;

/**
 * A service as the lab knows it: the labels of compose.yaml, and the container behind it.
 * @typedef {object} Service
 * @property {string} service  Compose's name
 * @property {string} name     label doubletake.name: what its figures are called
 * @property {string} tier     label doubletake.tier
 * @property {string} id       container
 * @property {number} pid      of the container's first process on the host
 * @property {string} address  on the lab's network
 * @property {number | null} cpuQuotaCores as the engine enforces it; null when unlimited
 * @property {string} image    as compose.yaml names it
 * @property {string} imageId
 */

/** Containers of the lab, running or not. */
export async function listContainers() {
  return docker.listContainers({ all: true, filters: LAB_FILTER });
}

/** What of the lab is still there: containers, networks, volumes, by name. */
export async function listLeftovers() {
  const [containers, networks, { Volumes: volumes }] = await Promise.all([
    listContainers(),
    docker.listNetworks({ filters: LAB_FILTER }),
    docker.listVolumes({ filters: LAB_FILTER }),
  ]);
  return [
    ...containers.map((container) => `container ${container.Names[0]?.slice(1) ?? container.Id.slice(0, 12)}`),
    ...networks.map((network) => `network ${network.Name}`),
    ...(volumes ?? []).map((volume) => `volume ${volume.Name}`),
  ];
}

/** Whether the stack that is up was started by hand, and not by a run of the lab. */
export async function isStackByHand() {
  const networks = await docker.listNetworks({ filters: LAB_FILTER });
  return networks.some((network) => network.Labels?.['doubletake.run'] === 'by-hand');
}

/**
 * The services that are up, in no particular order.
 * @returns {Promise<Service[]>}
 */
export async function listServices() {
  const containers = await listContainers();
  return Promise.all(
    containers.map(async (container) => {
      const state = await docker.getContainer(container.Id).inspect();
      const service = container.Labels[SERVICE_LABEL];
      return {
        service,
        name: container.Labels['doubletake.name'] ?? service,
        tier: container.Labels['doubletake.tier'] ?? 'observer',
        id: container.Id,
        pid: state.State.Pid,
        cpuQuotaCores: state.HostConfig.CpuQuota ? state.HostConfig.CpuQuota / (state.HostConfig.CpuPeriod || DEFAULT_PERIOD_US) : null,
        address: Object.values(state.NetworkSettings.Networks)[0]?.IPAddress ?? '',
        image: container.Image,
        imageId: container.ImageID,
      };
    }),
  );
}

/**
 * Runs a command in a container and gives what it printed.
 * @param {string} containerId
 * @param {string[]} command
 * @param {(text: string) => void} [onOutput]  given all that it has printed, whenever it prints more
 * @returns {Promise<string>} output and errors together
 */
export async function execute(containerId, command, onOutput = () => {}) {
  const exec = await docker.getContainer(containerId).exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  const chunks = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    onOutput(demultiplex(Buffer.concat(chunks)));
  }
  return demultiplex(Buffer.concat(chunks));
}

/**
 * The last lines that a container wrote.
 * @param {string} containerId
 * @param {number} lines
 */
export async function readLog(containerId, lines) {
  const log = await docker.getContainer(containerId).logs({ stdout: true, stderr: true, follow: false, tail: lines });
  return demultiplex(/** @type {Buffer} */ (/** @type {unknown} */ (log)));
}

/**
 * Docker frames each piece of output with a header of 8 bytes: stream, three zeros, length.
 * https://docs.docker.com/reference/api/engine/ ("Stream format")
 * @param {Buffer} buffer
 */
export function demultiplex(buffer) {
  const parts = [];
  for (let at = 0; at + MULTIPLEX_HEADER_BYTES <= buffer.length; ) {
    const end = at + MULTIPLEX_HEADER_BYTES + buffer.readUInt32BE(at + 4);
    parts.push(buffer.subarray(at + MULTIPLEX_HEADER_BYTES, end));
    at = end;
  }
  return Buffer.concat(parts).toString('utf8');
}
