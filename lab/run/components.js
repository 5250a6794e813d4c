/**
 * Asks every component for its own version, and the shipped balancer for its configuration and totals.
 */
import { join } from 'node:path';
import { adapterFor } from '../adapters/registry.js';
import { IS_CHECKOUT, ROOT } from '../base/paths.js';
import { writePrivate } from '../base/private-file.js';
import { runBounded } from '../docker/bounded.js';
import { labelOf } from '../docker/containers.js';
import { containerById, engineOf, execute } from '../docker/docker.js';
import { RecordFile } from '../docker/record-file.js';
import { readProductVersions } from './observe/products.js';

const GIT_LIMIT_MS = 5000;
const LEAST_K6_LIMIT_MS = 30_000;

/**
 * @param {import('../docker/system.js').System} system
 * @param {import('../docker/containers.js').Service[]} services
 * @param {string | null} generatorImage  null where no k6 makes the load
 * @returns {Promise<Record<string, string>>} component to version
 */
export async function readVersions(system, services, generatorImage) {
  const asked = services
    .filter(({ product }) => product === null)
    .flatMap((service) => {
      const adapter = adapterFor(service);
      return adapter?.version ? [{ id: service.id, component: adapter.product, ...adapter.version }] : [];
    })
    .filter(({ component }, index, all) => index === all.findIndex((other) => other.component === component));
  const [ofProducts, k6, ...own] = await Promise.all([
    readProductVersions(services),
    generatorImage === null ? null : readK6Version(system, generatorImage),
    ...asked.map(async ({ id, component, command, pattern }) => [component, pattern.exec(await execute(id, command))?.[1] ?? 'unknown']),
  ]);
  return { ...Object.fromEntries(own), ...ofProducts, ...(k6 === null ? {} : { k6 }) };
}

/**
 * @param {import('../docker/system.js').System} system
 * @param {string} image
 */
async function readK6Version(system, image) {
  const k6 = await runBounded('docker', ['run', '--rm', '--network', 'none', '--label', labelOf(system), image, 'version'], {
    limitMs: LEAST_K6_LIMIT_MS,
  });
  return /v(\d[^\s(]*)/.exec(k6.stdout)?.[1] ?? 'unknown';
}

/**
 * Name and digest of each service's image.
 * @param {import('../docker/containers.js').Service[]} services
 */
export async function readImages(services) {
  return Promise.all(
    services.map(async ({ id, name, image, imageId }) => {
      const { RepoDigests: digests } = await engineOf(id).getImage(imageId).inspect();
      return { name, image, id: imageId, digest: digests?.[0] ?? null };
    }),
  );
}

/** The commit that measured, and whether the tree differed from it; null where none is known. */
export async function readCommit() {
  // The folders around a package may be somebody else's repository.
  if (!IS_CHECKOUT) return null;
  const git = (/** @type {string[]} */ args) => runBounded('git', args, { cwd: ROOT, limitMs: GIT_LIMIT_MS });
  const [commit, status] = await Promise.all([git(['rev-parse', 'HEAD']), git(['status', '--porcelain'])]);
  return commit.failed ? null : { commit: String(commit.stdout).trim(), changed: String(status.stdout).trim() !== '' };
}

/**
 * The balancer, where something is asked inside it: its configuration, and its totals at some moments.
 * @param {import('../docker/containers.js').Service[]} services
 * @param {string} rawFolder
 */
export function openBalancer(services, rawFolder) {
  const balancer = services.find(({ tier, product }) => tier === 'load-balancer' && product === null);
  const inside = balancer && adapterFor(balancer)?.inside;
  if (!inside) return { keepConf: async () => null, read: async () => {}, close: async () => {} };
  const { id, name } = balancer;
  const { conf, totals } = inside;
  const file = new RecordFile(join(rawFolder, totals.file));
  return {
    /** Keeps the one that it really runs. @returns {Promise<{ name: string, slots: number | null }>} slots: of its connection table */
    keepConf: async () => {
      const { Config: config } = await containerById(id).inspect();
      const text = await execute(id, conf.command(/** @type {string[]} */ (config.Entrypoint ?? [])));
      await writePrivate(join(rawFolder, conf.file), text);
      return { name, slots: conf.slots(text) };
    },
    /** Nothing where it does not answer. */
    read: async () => {
      const told = totals.parse(await execute(id, totals.command).catch(() => ''));
      if (told) file.write({ t: Date.now() / 1000, ...told });
    },
    close: () => file.close(),
  };
}
