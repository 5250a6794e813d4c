/**
 * Puts a fault into the stack: variables and an override file for Compose, a changed conf, or something done to a container
 * at a moment of the load.
 */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import { PROXY } from '../adapters/shipped.js';
import { profileOf } from '../define/architectures.js';
import { ROOT } from '../define/paths.js';
import { composeFileOf } from '../define/shipped-services.js';
import { readConfig } from '../measure/compose.js';
import { act } from '../measure/deeds.js';
import { architectureSystem } from '../measure/system.js';

/** By a label the lab knows what it made, and takes it down. */
const OF_THE_LAB = { 'doubletake.lab': 'yes' };

/**
 * @param {import('../define/faults.js').Fault} fault
 * @returns {Promise<import('../measure/run.js').Injection & { remove: () => Promise<void> }>}
 */
export async function prepareInjection(fault) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-fault-'));
  const byName = await serviceNames(fault.architecture);
  const confFolder = fault.conf ? await changedConf(fault.conf, folder) : null;
  const override = join(folder, 'override.yaml');
  // JSON is YAML.
  await writeFile(override, JSON.stringify(overrideOf(fault, byName, confFolder)));
  return {
    variables: { ...fault.variables, COMPOSE_FILE: [composeFileOf(fault.architecture), override].join(delimiter) },
    duringLoad: (beganS, { signal }) => act(fault.actions ?? [], beganS, signal),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * What Compose reads beside the architecture's own file.
 * @param {Pick<import('../define/faults.js').Fault, 'services' | 'networks'>} fault
 * @param {Record<string, string>} byName  label doubletake.name to Compose's service
 * @param {string | null} confFolder       with the changed confs of the balancer
 */
export function overrideOf({ services = {}, networks = [] }, byName, confFolder) {
  /** @type {Record<string, any>} */
  const own = Object.fromEntries(Object.entries(services).map(([name, settings]) => [byName[name], settings]));
  if (confFolder) own[byName[PROXY.service]] = { ...own[byName[PROXY.service]], volumes: [`${confFolder}:/etc/doubletake:ro`] };
  return { services: own, networks: Object.fromEntries(networks.map((name) => [name, { labels: OF_THE_LAB }])) };
}

/** @param {string} architecture @returns {Promise<Record<string, string>>} label doubletake.name to Compose's service */
async function serviceNames(architecture) {
  const { services } = await readConfig(architectureSystem(architecture, [profileOf(architecture), 'load']), {});
  return Object.fromEntries(Object.entries(services).map(([service, { labels }]) => [labels['doubletake.name'], service]));
}

/** @type {(change: [RegExp, string], folder: string) => Promise<string>} */
export async function changedConf([pattern, replacement], folder) {
  const target = join(folder, PROXY.folder);
  await cp(join(ROOT, PROXY.folder), target, { recursive: true });
  for (const file of (await readdir(target)).filter((name) => name.endsWith('.conf'))) {
    const text = await readFile(join(target, file), 'utf8');
    await writeFile(join(target, file), text.replace(pattern, replacement));
  }
  return target;
}
