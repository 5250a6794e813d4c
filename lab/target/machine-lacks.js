/**
 * What a service asks for that this machine does not have, and what it gets in place of it. Pure but for HERE.
 *
 * @typedef {import('./compose-changes.js').Changes} Changes
 *
 * @typedef {object} Machine
 * @property {number} cores
 * @property {string} arch      as Node calls it
 * @property {(path: string) => boolean} has  a device, or another file of the system
 */
import { existsSync } from 'node:fs';
import os from 'node:os';
import { override, reset, together } from './compose-changes.js';
import { ofPlatform } from './foreign-platform.js';

/** By which drivers of the two makers show that there is one. */
const GPUS = ['/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg', '/dev/kfd'];
/** @type {Machine} */
export const HERE = { cores: os.cpus().length, arch: os.arch(), has: existsSync };

/** @type {(entry: [string, any], machine: Machine) => { changes: Changes, said: string[] }} */
export function ofMachine([service, { deploy = {}, gpus, runtime, devices = [], cpus, models, platform, build }], { cores, arch, has }) {
  const limit = Number(deploy.resources?.limits?.cpus ?? 0);
  const reserved = deploy.resources?.reservations?.devices ?? [];
  const wantsGpu = reserved.length > 0 || (gpus ?? []).length > 0 || runtime === 'nvidia';
  const hasGpu = GPUS.some(has);
  const missing = devices.map(sourceOfDevice).filter((/** @type {string} */ source) => source.startsWith('/') && !has(source));
  /** @type {[boolean, Changes, string][]} */
  const rules = [
    [
      wantsGpu && !hasGpu,
      {
        ...(reserved.length > 0 ? { deploy: { resources: { reservations: { devices: reset() } } } } : {}),
        ...(gpus ? { gpus: reset() } : {}),
        ...(runtime === 'nvidia' ? { runtime: reset() } : {}),
      },
      'without the GPU that it asks for, of which this machine has none',
    ],
    [
      missing.length > 0,
      { devices: missing.length === devices.length ? reset() : override(devices.filter(isThere(missing))) },
      `without ${missing.join(', ')}, which this machine does not have`,
    ],
    [
      limit > cores,
      { deploy: { resources: { limits: { cpus: String(cores) } } } },
      `limited to ${cores} cores in place of ${limit}: this machine has no more`,
    ],
    [Number(cpus ?? 0) > cores, { cpus: cores }, `limited to ${cores} cores in place of ${cpus}: this machine has no more`],
  ];
  rules.push(...ofPlatform({ platform, build }, { arch, has }));
  if (models) rules.push([true, { models: reset() }, 'without the models that it asks for: a run starts none']);
  const found = rules.filter(([applies]) => applies);
  if (found.length === 0) return { changes: {}, said: [] };
  const changes = found.map(([, change]) => change).reduce(together, {});
  return {
    changes: { services: { [service]: changes } },
    said: found.flatMap(([, , what]) => (what === '' ? [] : [`${service}: ${what}.`])),
  };
}

/** A text in older versions of Compose. @param {any} device @returns {string} */
const sourceOfDevice = (device) => (typeof device === 'string' ? device.split(':')[0] : (device.source ?? ''));

/** @param {string[]} missing */
const isThere = (missing) => (/** @type {any} */ device) => !missing.includes(sourceOfDevice(device));
