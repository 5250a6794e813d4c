/**
 * The lab's own containers on the hosts of a Swarm, of the app's image: a keeper, which holds the volume that records go to, and on a host
 * that is not this machine an observer, which reads the kernel's files there. Both end by themselves, should the lab be gone.
 *
 * @typedef {import('./engines.js').Engine} Engine
 * @typedef {import('../../run/observe/observe-kernel.js').Watched} Watched
 */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ignoreGone } from '../../docker/docker.js';
import { demultiplex } from '../../docker/log-stream.js';

/** What each is called on its host, and the label by which it is found again. */
const KEEPER = 'doubletake-keeper';
const OBSERVER = 'doubletake-observer';
const HELPER_LABEL = 'doubletake.helper';
/** Where containers write their records (compose/base.yaml). */
export const RECORD_FOLDER = '/raw';
const MEMORY_BYTES = 256 * 2 ** 20;
const CGROUPS = '/sys/fs/cgroup';

/** As every container of the lab. */
const HARDENED = { ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges:true'], Memory: MEMORY_BYTES };

/**
 * @param {Engine} engine
 * @param {{ image: string, user: string, volume: string | null, lastsS: number }} given  volume: of the record; there already
 * @returns {Promise<string>} id of the container
 */
export const startKeeper = (engine, { image, user, volume, lastsS }) =>
  startHelper(engine, KEEPER, {
    Image: image,
    User: user,
    Entrypoint: ['sleep', String(lastsS)],
    HostConfig: { ...HARDENED, NetworkMode: 'none', Binds: volume === null ? [] : [`${volume}:${RECORD_FOLDER}`] },
  });

/**
 * @param {Engine} engine
 * @param {{ image: string, user: string, watched: Watched[], lastsS: number }} given  watched: containers of that host
 * @returns {Promise<string>} id of the container
 */
export const startObserver = async (engine, { image, user, watched, lastsS }) =>
  startHelper(engine, OBSERVER, {
    Image: image,
    User: user,
    Entrypoint: ['node', '--input-type=module', '--eval', await observerProgram()],
    Cmd: [],
    Env: [`OBSERVED=${JSON.stringify({ watched, lastsS })}`],
    HostConfig: /** @type {import('dockerode').HostConfig} */ ({
      ...HARDENED,
      // It reads what the kernel shows of the host's processes, and changes nothing.
      PidMode: 'host',
      CgroupnsMode: 'host',
      NetworkMode: 'host',
      Binds: [`${CGROUPS}:${CGROUPS}:ro`],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '200m', 'max-file': '1' } },
    }),
  });

/**
 * Stops an observer.
 * @param {import('dockerode')} connection
 * @param {string} id of its container
 * @returns {Promise<[string, object][]>} what it read: the name of a record, and a line of it
 */
export async function readObserver(connection, id) {
  const container = connection.getContainer(id);
  await container.stop({ t: 2 }).catch(() => {});
  const log = await container.logs({ stdout: true, stderr: false, follow: false });
  return demultiplex(/** @type {Buffer} */ (/** @type {unknown} */ (log)))
    .split('\n')
    .flatMap(parsed);
}

/** Its last line may be cut, as it was stopped. @param {string} line @returns {[string, object][]} */
function parsed(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** What earlier runs left. @param {Engine} engine */
export async function removeHelpers({ connection }) {
  const left = await connection.listContainers({ all: true, filters: JSON.stringify({ label: [HELPER_LABEL] }) });
  await Promise.all(left.map(({ Id: id }) => connection.getContainer(id).remove({ force: true }).catch(ignoreGone)));
}

/** @param {Engine} engine @param {string} name @param {import('dockerode').ContainerCreateOptions} options */
async function startHelper({ connection }, name, options) {
  const container = await connection.createContainer({ ...options, name, Labels: { [HELPER_LABEL]: name } });
  await container.start();
  return container.id;
}

/** @returns {Promise<string>} with all that it imports: on another host there is nothing of the lab but its images */
async function observerProgram() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('host-observer.js', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    write: false,
  });
  return outputFiles[0].text;
}
