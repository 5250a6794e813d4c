/**
 * Everything that could spoil a run is checked before anything is changed.
 */
import { statfs } from 'node:fs/promises';
import net from 'node:net';
import { execa } from 'execa';
import { NotReadyError } from '../define/errors.js';
import { ROOT } from '../define/paths.js';
import { down, readConfig } from './compose.js';
import { docker, isStackByHand, listLeftovers } from './docker.js';
import { availableMemory, openFilesLimit, sampleBusyShare } from './machine.js';
import { waitForQuiet } from './quiet.js';

const GIB = 2 ** 30;
/** MongoDB's cache, k6 with 2,000 users (about 0.8 GiB) and the nodes, measured, with room. */
const LEAST_MEMORY_BYTES = 3 * GIB;
/** Images, the database of one run (about 0.1 GiB) and its record, measured, with room. */
const LEAST_DISK_BYTES = 3 * GIB;
/** 2,000 users through a balancer take about three descriptors each. */
const LEAST_OPEN_FILES = 6_500;
/** Compose takes `required: false` in depends_on from here on. */
const LEAST_COMPOSE = [2, 20];
const COMMAND_LIMIT_MS = 15_000;

/**
 * @typedef {object} Preflight
 * @property {string} engine       the container engine and its version
 * @property {string} compose      version
 * @property {number} busy_share   of the machine before the run, 0 to 1
 * @property {string[]} warnings   what does not stop the run and stands in its report
 */

/**
 * @param {{ profiles: string[], busy: 'refuse' | 'allow', say: (text: string) => void, signal: AbortSignal }} options
 * @returns {Promise<Preflight>}
 * @throws {NotReadyError} naming what is missing
 */
export async function preflight({ profiles, busy, say, signal }) {
  const engine = await checkEngine();
  const compose = await checkCompose();
  await clearLeftovers(say);
  checkMemory();
  await checkDisk();
  await checkPorts(profiles);
  const warnings = [];
  const openFiles = await openFilesLimit();
  if (openFiles < LEAST_OPEN_FILES) {
    warnings.push(`open files are limited to ${openFiles} here; 2,000 users need about ${LEAST_OPEN_FILES} (ulimit -Hn)`);
  }
  const quiet = await waitForQuiet({ busy, say, sample: (forMs) => sampleBusyShare(signal, forMs) });
  return { engine, compose, busy_share: quiet.share, warnings: [...warnings, ...quiet.warnings] };
}

async function checkEngine() {
  try {
    const { Version, Platform } = await docker.version();
    return `${Platform?.Name || 'Docker Engine'} ${Version}`;
  } catch (error) {
    throw new NotReadyError(
      `Expected a Docker Engine that answers; found: ${error instanceof Error ? error.message : error}.`,
      'start Docker, or run this as root on Debian, where "make" installs the engine by itself.',
    );
  }
}

async function checkCompose() {
  const result = await execa('docker', ['compose', 'version', '--short'], { reject: false, timeout: COMMAND_LIMIT_MS });
  const version = String(result.stdout ?? '').replace(/^v/, '');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > LEAST_COMPOSE[0] || (major === LEAST_COMPOSE[0] && minor >= LEAST_COMPOSE[1]);
  if (result.failed || !enough) {
    throw new NotReadyError(
      `Expected Docker Compose ${LEAST_COMPOSE.join('.')} or newer; found ${version || 'none'}.`,
      'install the Compose plug-in (https://docs.docker.com/compose/install/).',
    );
  }
  return version;
}

/**
 * What an interrupted run left is removed; a stack that somebody started by hand is theirs to stop.
 * @param {(text: string) => void} say
 */
async function clearLeftovers(say) {
  if (await isStackByHand()) {
    throw new NotReadyError(
      'A stack that was started by hand is up (docker compose --profile ... up).',
      'stop it with "make clean", then run this again.',
    );
  }
  const leftovers = await listLeftovers();
  if (leftovers.length === 0) return;
  say(`removing what an earlier run left: ${leftovers.join(', ')}`);
  await down({});
}

function checkMemory() {
  const bytes = availableMemory();
  if (bytes >= LEAST_MEMORY_BYTES) return;
  throw new NotReadyError(
    `Expected ${LEAST_MEMORY_BYTES / GIB} GiB of free memory; found ${(bytes / GIB).toFixed(1)} GiB.`,
    'close other programs, or give Docker more memory.',
  );
}

async function checkDisk() {
  const { bavail, bsize } = await statfs(ROOT);
  if (bavail * bsize >= LEAST_DISK_BYTES) return;
  throw new NotReadyError(
    `Expected ${LEAST_DISK_BYTES / GIB} GiB of free disk at ${ROOT}; found ${((bavail * bsize) / GIB).toFixed(1)} GiB.`,
    'free some space; "make clean" removes old stacks, "docker system prune" unused images.',
  );
}

/**
 * Every port that the services of these profiles publish must be free.
 * @param {string[]} profiles
 */
async function checkPorts(profiles) {
  const { services } = await readConfig(profiles, {});
  const published = Object.entries(services).flatMap(([service, { ports = [] }]) =>
    ports.map((/** @type {{ published: string, host_ip?: string }} */ port) => ({
      service,
      port: Number(port.published),
      host: port.host_ip,
    })),
  );
  for (const { service, port, host } of published) {
    if (await isFree(port, host ?? '127.0.0.1')) continue;
    throw new NotReadyError(
      `Expected port ${port} on ${host} to be free for ${service}; another program listens there.`,
      `stop that program (find it with "ss -ltnp sport = :${port}").`,
    );
  }
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>}
 */
function isFree(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });
}
