/**
 * Asks the containers of a user's system through the adapters of their products: once for their versions, and once a second for
 * their state while the load goes on.
 *
 * @typedef {import('./project-schema.js').Project} Project
 * @typedef {import('../measure/containers.js').Service} Service
 * @typedef {import('../adapters/contract.js').Container} Container
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adapterOf } from '../adapters/registry.js';
import { SERVICE_RECORD } from '../define/paths.js';
import { containerOf } from '../measure/ask-container.js';
import { observeSamples } from '../measure/observe-samples.js';
import { RecordFile } from '../measure/record-file.js';
import { projectService } from './describe.js';

const VERSION_LIMIT_MS = 5000;
const UNKNOWN = 'unknown';
/** Below this level a service's state is not asked for, unless its adapter says otherwise. */
const SAMPLED_FROM = 1;

/**
 * @param {Service[]} containers
 * @param {Project} project
 * @param {(service: Service) => Container} [open]
 * @returns {Promise<Record<string, string>>} by product; of services that run several, all of them with commas between
 */
export async function readProductVersions(containers, project, open = containerOf) {
  /** @type {Map<string, Set<string>>} */
  const versions = new Map();
  const first = containers.filter(
    ({ service, pid }, index) => pid > 0 && index === containers.findIndex((other) => other.service === service),
  );
  for (const container of first) {
    const { product } = projectService(project, container.service);
    const source = adapterOf(product)?.version ?? null;
    if (source === null) continue;
    const answer = await open(container)
      .execute(source.command, VERSION_LIMIT_MS)
      .catch(() => null);
    const found = versions.get(product) ?? new Set();
    versions.set(product, found.add(source.pattern.exec(answer?.output ?? '')?.[1] ?? UNKNOWN));
  }
  return Object.fromEntries([...versions].map(([product, found]) => [product, [...found].join(', ')]));
}

/**
 * Those whose product has something to ask at the level at which they are watched.
 * @param {Service[]} containers  that run
 * @param {Project} project
 * @param {(service: Service) => Container} [open]
 * @returns {{ name: string, ask: () => Promise<object | null> }[]}
 */
export function questionsFor(containers, project, open = containerOf) {
  return containers.flatMap((container) => {
    const { product, watch } = projectService(project, container.service);
    const { sample = null, sampledFrom = SAMPLED_FROM } = adapterOf(product) ?? {};
    if (sample === null || watch < sampledFrom || container.tier === 'generator') return [];
    const opened = open(container);
    return [{ name: container.name, ask: () => sample(opened) }];
  });
}

/**
 * @param {Service[]} containers  that run
 * @param {Project} project
 * @param {string} rawFolder
 * @returns {Promise<{ stop: () => void, close: () => Promise<void> }>} close: to be called when it has stopped
 */
export async function sampleContainers(containers, project, rawFolder) {
  const asked = await Promise.all(
    questionsFor(containers, project).map(async ({ name, ask }) => {
      const folder = join(rawFolder, name);
      await mkdir(folder, { recursive: true });
      return { ask, record: new RecordFile(join(folder, SERVICE_RECORD.samples)) };
    }),
  );
  return {
    stop: observeSamples(asked),
    close: async () => {
      await Promise.all(asked.map(({ record }) => record.close()));
    },
  };
}
