/**
 * Asks every component for its own version, and the balancer for its configuration and totals.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { IS_CHECKOUT, RAW, ROOT } from '../define/paths.js';
import { labelOf } from './containers.js';
import { docker, execute } from './docker.js';

const GIT_LIMIT_MS = 5000;
const LEAST_K6_LIMIT_MS = 30_000;

/**
 * How a program tells its version, by the tier that runs it or, where a tier has several programs, by the service's name.
 * Node's packages come with its own record.
 * @type {Record<string, { component: string, command: string[], pattern: RegExp }>}
 */
const VERSION_OF = {
  'load-balancer': { component: 'nginx', command: ['nginx', '-v'], pattern: /nginx\/(\S+)/ },
  app: { component: 'node', command: ['node', '--version'], pattern: /v(\S+)/ },
  mongo: { component: 'mongod', command: ['mongod', '--version'], pattern: /db version v(\S+)/ },
  tokyo: { component: 'tokyo cabinet', command: ['tchmgr', 'version'], pattern: /Tokyo Cabinet version (\S+)/ },
};

/**
 * @param {import('./system.js').System} system
 * @param {import('./containers.js').Service[]} services
 * @param {string | null} generatorImage  null where no k6 makes the load
 * @returns {Promise<Record<string, string>>} component to version
 */
export async function readVersions(system, services, generatorImage) {
  /** @type {Record<string, string>} */
  const versions = {};
  for (const { name, tier, id } of services) {
    const source = VERSION_OF[name] ?? VERSION_OF[tier];
    if (!source || versions[source.component]) continue;
    versions[source.component] = source.pattern.exec(await execute(id, source.command))?.[1] ?? 'unknown';
  }
  if (generatorImage !== null) versions.k6 = await readK6Version(system, generatorImage);
  return versions;
}

/**
 * @param {import('./system.js').System} system
 * @param {string} image
 */
export async function readK6Version(system, image) {
  const k6 = await execa('docker', ['run', '--rm', '--network', 'none', '--label', labelOf(system), image, 'version'], {
    reject: false,
    timeout: LEAST_K6_LIMIT_MS,
  });
  return /v(\d[^\s(]*)/.exec(String(k6.stdout))?.[1] ?? 'unknown';
}

/**
 * Name and digest of each service's image.
 * @param {import('./containers.js').Service[]} services
 */
export async function readImages(services) {
  return Promise.all(
    services.map(async ({ name, image, imageId }) => {
      const { RepoDigests: digests } = await docker.getImage(imageId).inspect();
      return { name, image, id: imageId, digest: digests?.[0] ?? null };
    }),
  );
}

/** The commit that measured, and whether the tree differed from it; null where none is known. */
export async function readCommit() {
  // The folders around a package may be somebody else's repository.
  if (!IS_CHECKOUT) return null;
  const git = (/** @type {string[]} */ args) => execa('git', args, { cwd: ROOT, reject: false, timeout: GIT_LIMIT_MS });
  const [commit, status] = await Promise.all([git(['rev-parse', 'HEAD']), git(['status', '--porcelain'])]);
  return commit.failed ? null : { commit: String(commit.stdout).trim(), changed: String(status.stdout).trim() !== '' };
}

/**
 * Keeps the configuration that the balancer really runs, includes and all.
 * @param {import('./containers.js').Service[]} services
 * @param {string} rawFolder
 */
export async function keepBalancerConf(services, rawFolder) {
  const balancer = services.find(({ tier }) => tier === 'load-balancer');
  if (!balancer) return;
  const { Config: config } = await docker.getContainer(balancer.id).inspect();
  const entry = /** @type {string[]} */ (config.Entrypoint ?? []);
  const conf = entry[entry.indexOf('-c') + 1];
  await writeFile(join(rawFolder, RAW.balancerConf), await execute(balancer.id, ['nginx', '-T', '-q', '-c', conf]));
}

/**
 * The balancer's connection totals, asked inside its container on a port of their own.
 * @param {import('./containers.js').Service[]} services
 * @returns {Promise<{ t: number, accepted: number, handled: number, requests: number, active: number } | null>} null
 *   when there is no balancer, or it does not answer
 */
export async function readBalancerStatus(services) {
  const balancer = services.find(({ tier }) => tier === 'load-balancer');
  if (!balancer) return null;
  const ask = "exec 3<>/dev/tcp/127.0.0.1/8081; printf 'GET /status HTTP/1.0\\r\\n\\r\\n' >&3; timeout 2 cat <&3";
  const answer = await execute(balancer.id, ['timeout', '3', 'bash', '-c', ask]).catch(() => '');
  const totals = /^\s*(\d+) (\d+) (\d+)\s*$/m.exec(answer);
  const active = /Active connections: (\d+)/.exec(answer);
  if (!totals || !active) return null;
  const [, accepted, handled, requests] = totals.map(Number);
  return { t: Date.now() / 1000, accepted, handled, requests, active: Number(active[1]) };
}
