/**
 * Puts a fault into the stack: an override file for Compose, a changed conf, or something done to a container at a moment
 * of the load.
 */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { profileOf } from '../define/architectures.js';
import { ROOT } from '../define/paths.js';
import { readConfig } from '../measure/compose.js';
import { docker, listServices } from '../measure/docker.js';

/**
 * @param {import('../define/faults.js').Fault} fault
 * @returns {Promise<import('../measure/run.js').Injection & { remove: () => Promise<void> }>}
 */
export async function prepareInjection(fault) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-fault-'));
  const byName = await serviceNames(fault.architecture);
  /** @type {Record<string, any>} */
  const services = {};
  for (const [name, settings] of Object.entries(fault.services ?? {})) services[byName[name]] = settings;
  if (fault.conf) {
    const confFolder = await changedConf(fault.conf, folder);
    services[byName.nginx] = { ...services[byName.nginx], volumes: [`${confFolder}:/etc/doubletake:ro`] };
  }
  const override = join(folder, 'override.yaml');
  // JSON is YAML.
  await writeFile(override, JSON.stringify({ services }));
  return {
    variables: { COMPOSE_FILE: [join(ROOT, 'compose.yaml'), override].join(delimiter) },
    duringLoad: (beganS, signal) => act(fault.actions ?? [], beganS, signal),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** @param {string} architecture @returns {Promise<Record<string, string>>} label doubletake.name to Compose's service */
async function serviceNames(architecture) {
  const { services } = await readConfig([profileOf(architecture), 'load'], {});
  return Object.fromEntries(Object.entries(services).map(([service, { labels }]) => [labels['doubletake.name'], service]));
}

/** @type {(change: [RegExp, string], folder: string) => Promise<string>} */
async function changedConf([pattern, replacement], folder) {
  const target = join(folder, 'nginx');
  await cp(join(ROOT, 'nginx'), target, { recursive: true });
  for (const file of (await readdir(target)).filter((name) => name.endsWith('.conf'))) {
    const text = await readFile(join(target, file), 'utf8');
    await writeFile(join(target, file), text.replace(pattern, replacement));
  }
  return target;
}

/** @type {(actions: import('../define/faults.js').Action[], beganS: number, signal: AbortSignal) => Promise<void>} */
async function act(actions, beganS, signal) {
  for (const { after_s: afterS, service: name, action } of actions) {
    await wait(Math.max(0, (beganS + afterS) * 1000 - Date.now()), undefined, { signal });
    const service = (await listServices()).find((candidate) => candidate.name === name);
    if (!service) throw new Error(`There is no container ${name} to ${action}.`);
    await docker.getContainer(service.id)[action]();
  }
}
