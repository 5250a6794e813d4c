/**
 * The faults of the systems that the lab brings along, each with an architecture and a load of its own, and what of one Compose is told.
 *
 * @typedef {import('../../adapters/faults.js').Put} Put
 * @typedef {import('../../adapters/faults.js').PlannedFault} PlannedFault
 */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faults, NOT_INJECTED, NOT_TRIED } from '../../adapters/shipped-faults.js';
import { ROOT } from '../../base/paths.js';
import { profileOf } from '../../catalog/architectures.js';
import { readConfig } from '../../docker/compose.js';
import { architectureSystem } from '../../docker/containers.js';

/** @typedef {PlannedFault & { architecture: string, load: string }} ArchitectureFault */

/** @returns {Map<string, ArchitectureFault>} by id */
export const architectureFaults = () =>
  new Map(
    Object.entries(faults).map(([id, fault]) => [
      id,
      {
        ...{ id, title: fault.title, demand: fault, service: '', how: fault, cannot: null, level: null },
        ...{ isShort: fault.short === true, mayBear: false, architecture: fault.architecture, load: fault.load },
        // Not every machine can make a way between containers a bad one.
        mayRefuse: (fault.actions ?? []).some(({ other }) => other !== undefined),
      },
    ]),
  );

/** Causes that no fault of these produces, and what is known to happen and is not tried, with the reasons. */
export const NO_FAULTS = { ...NOT_INJECTED, ...NOT_TRIED };

/** By a label the lab knows what it made, and takes it down. */
const OF_THE_LAB = { 'doubletake.lab': 'yes' };

/**
 * What Compose is told of a fault beside an architecture's own file.
 * @type {(architecture: string, put: import('../run-target.js').Injection['put'], folder: string) => Promise<{ files: string[], variables: Record<string, string> }>} folder:
 *   that the files lie in
 */
export async function besides(architecture, put, folder) {
  if (put === null) return { files: [], variables: {} };
  const { how } = put;
  const byName = await serviceNames(architecture);
  const copy = how.change ? await changedFolder(how.change, folder) : null;
  const override = join(folder, 'fault.yaml');
  // JSON is YAML.
  await writeFile(override, JSON.stringify(overrideOf(how, byName, copy)));
  return { files: [override], variables: how.variables ?? {} };
}

/**
 * @param {Pick<Put, 'services' | 'networks' | 'change'>} how
 * @param {Record<string, string>} byName  label doubletake.name to Compose's service
 * @param {string | null} copy             folder with what is changed
 */
function overrideOf({ services = {}, networks = [], change }, byName, copy) {
  /** @type {Record<string, any>} */
  const own = Object.fromEntries(Object.entries(services).map(([name, settings]) => [byName[name], settings]));
  if (change?.service && copy) {
    const changed = byName[change.service];
    own[changed] = { ...own[changed], volumes: [`${copy}:${change.path}:ro`] };
  }
  return { services: own, networks: Object.fromEntries(networks.map((name) => [name, { labels: OF_THE_LAB }])) };
}

/** @param {string} architecture @returns {Promise<Record<string, string>>} label doubletake.name to Compose's service */
async function serviceNames(architecture) {
  const { services } = await readConfig(architectureSystem(architecture, [profileOf(architecture), 'load']), {});
  return Object.fromEntries(Object.entries(services).map(([service, { labels }]) => [labels['doubletake.name'], service]));
}

/** @type {(change: import('../../adapters/faults.js').Change, folder: string) => Promise<string>} of the changed copy */
async function changedFolder({ name, changed }, folder) {
  const target = join(folder, name);
  await cp(join(ROOT, name), target, { recursive: true });
  for (const file of (await readdir(target)).filter((one) => one.endsWith('.conf'))) {
    const text = await readFile(join(target, file), 'utf8');
    await writeFile(join(target, file), changed(text) ?? text);
  }
  return target;
}
