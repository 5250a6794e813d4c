/**
 * What the machine is that containers run on: this one, or where the engine has a kernel of its own (Docker Desktop, another host by
 * DOCKER_HOST) the engine's, with cores and memory of its own.
 *
 * @typedef {object} Described
 * @property {string} os
 * @property {string} kernel        its release
 * @property {string} cpu_model
 * @property {number} cores
 * @property {number} memory_bytes
 *
 * @typedef {{ KernelVersion?: string, OperatingSystem?: string, NCPU?: number, MemTotal?: number }} EngineFacts  of GET /info
 */
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { docker } from './docker.js';

/** Its engine runs in a virtual machine on this machine's own hardware. */
const DESKTOP = 'Docker Desktop';
const UNKNOWN = 'unknown';

/**
 * @param {() => Promise<EngineFacts>} [ask]  the engine
 * @returns {Promise<Described>}
 */
export async function describeMachine(ask = () => docker.info()) {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const here = {
    os: /^PRETTY_NAME="?([^"\n]*)/m.exec(release)?.[1] ?? os.type(),
    kernel: os.release(),
    cpu_model: os.cpus()[0]?.model ?? UNKNOWN,
    cores: os.availableParallelism(),
    memory_bytes: os.totalmem(),
  };
  const engine = await ask().catch(() => /** @type {EngineFacts} */ ({}));
  if (!isElsewhere(engine)) return here;
  const { OperatingSystem: system = UNKNOWN, KernelVersion: kernel = UNKNOWN, NCPU: cores, MemTotal: memory } = engine;
  return {
    os: system,
    kernel,
    cpu_model: system === DESKTOP ? here.cpu_model : UNKNOWN,
    cores: cores ?? here.cores,
    memory_bytes: memory ?? here.memory_bytes,
  };
}

/** Whether the engine says that its kernel is not this machine's. @param {EngineFacts} engine */
export const isElsewhere = ({ KernelVersion: kernel }) => kernel !== undefined && kernel !== os.release();
