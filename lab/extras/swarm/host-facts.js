/**
 * What a host of a Swarm is, as the manifest has it.
 *
 * @typedef {import('./engines.js').Engine} Engine
 *
 * @typedef {object} HostFacts
 * @property {string} name
 * @property {string} os
 * @property {string} kernel
 * @property {string} engine
 * @property {number} cores
 * @property {number} memory_bytes
 * @property {string} boot_id   of its kernel: hosts that have the same one are one machine
 * @property {import('./clock.js').ClockOffset | null} clock  against this machine's; null for this one
 */
import { execute, placeContainers } from '../../docker/docker.js';
import { clockOffsetOf } from './clock.js';
import { removeHelpers, startKeeper } from './helpers.js';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * @param {Engine} engine
 * @param {{ image: string, user: string, lastsS: number }} helper  of a container in which the host is asked
 * @returns {Promise<HostFacts>}
 */
export async function describeHost(engine, helper) {
  const { connection, name, isHere } = engine;
  const info = await connection.info();
  const told = async () => Date.parse((await connection.info()).SystemTime ?? '');
  return {
    name,
    os: info.OperatingSystem,
    kernel: info.KernelVersion,
    engine: `Docker Engine ${info.ServerVersion}`,
    cores: info.NCPU,
    memory_bytes: info.MemTotal,
    boot_id: await bootIdOf(engine, helper),
    clock: isHere ? null : await clockOffsetOf(told),
  };
}

/** @param {Engine} engine @param {Parameters<typeof describeHost>[1]} helper */
async function bootIdOf(engine, helper) {
  try {
    const id = await startKeeper(engine, { ...helper, volume: null });
    placeContainers(engine.connection, [id]);
    return (await execute(id, ['cat', BOOT_ID])).trim();
  } finally {
    await removeHelpers(engine);
  }
}
