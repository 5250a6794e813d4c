/**
 * Asks containers through the adapters of their products: once for their versions, and once a second for their state while the load
 * goes on.
 *
 * @typedef {import('../../docker/containers.js').Service} Service
 * @typedef {import('../../adapters/contract.js').Container} Container
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adapterOf } from '../../adapters/registry.js';
import { SERVICE_RECORD } from '../../base/paths.js';
import { containerOf } from '../../docker/ask-container.js';
import { RecordFile } from '../../docker/record-file.js';
import { observeSamples } from './observe-samples.js';

const VERSION_LIMIT_MS = 5000;
const UNKNOWN = 'unknown';
/** Below this level a service's state is not asked for, unless its adapter says otherwise. */
const SAMPLED_FROM = 1;

/** @param {Service} container @returns {import('../../adapters/contract.js').Adapter | null} */
const adapterFor = ({ product }) => (product === null ? null : adapterOf(product));

/**
 * @param {Service[]} containers
 * @param {(service: Service) => Container} [open]
 * @returns {Promise<Record<string, string>>} by product; of services that run several, all of them with commas between
 */
export async function readProductVersions(containers, open = containerOf) {
  const first = containers.filter(
    ({ service, pid }, index) => pid > 0 && index === containers.findIndex((other) => other.service === service),
  );
  const answered = first.map(async (container) => {
    const adapter = adapterFor(container);
    const version = adapter?.version ?? null;
    if (adapter === null || version === null) return [];
    const answer = await open(container)
      .execute(version.command, VERSION_LIMIT_MS)
      .catch(() => null);
    return [{ product: adapter.product, version: version.pattern.exec(answer?.output ?? '')?.[1] ?? UNKNOWN }];
  });
  /** @type {Map<string, Set<string>>} */
  const versions = new Map();
  for (const { product, version } of (await Promise.all(answered)).flat())
    versions.set(product, (versions.get(product) ?? new Set()).add(version));
  return Object.fromEntries([...versions].map(([product, found]) => [product, [...found].join(', ')]));
}

/**
 * Those whose product has something to ask at the level at which they are watched.
 * @param {Service[]} containers  that run
 * @param {(service: Service) => Container} [open]
 * @returns {{ name: string, ask: () => Promise<object | null>, release: () => Promise<void> }[]} release: after the last question
 */
export function questionsFor(containers, open = containerOf) {
  return containers.flatMap((container) => {
    const { sample = null, release = async () => {}, sampledFrom = SAMPLED_FROM } = adapterFor(container) ?? {};
    if (sample === null || container.watch < sampledFrom) return [];
    const opened = open(container);
    return [{ name: container.name, ask: () => sample(opened), release: () => release(opened) }];
  });
}

/**
 * @param {Service[]} containers  that run
 * @param {string} rawFolder
 * @returns {Promise<{ stop: () => void, close: () => Promise<void> }>} close: to be called when it has stopped
 */
export async function sampleContainers(containers, rawFolder) {
  const asked = await Promise.all(
    questionsFor(containers).map(async ({ name, ask, release }) => {
      const folder = join(rawFolder, name);
      await mkdir(folder, { recursive: true });
      return { ask, release, record: new RecordFile(join(folder, SERVICE_RECORD.samples)) };
    }),
  );
  return {
    stop: observeSamples(asked),
    close: async () => {
      await Promise.all(asked.flatMap(({ record, release }) => [record.close(), release()]));
    },
  };
}
