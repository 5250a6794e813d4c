/**
 * The load generator beside a user's system: that of compose.yaml, whose settings stand there alone, with the requests of the
 * user.
 */
import { join } from 'node:path';
import { PROJECT, RAW, ROOT } from '../define/paths.js';
import { readConfig } from '../measure/compose.js';
import { architectureSystem } from '../measure/system.js';
import { serviceModels } from './compose-model.js';
import { fromWrapper } from './own-script.js';

const SERVICE = 'k6';
const PROFILE = 'load';
export const SCENARIO = 'requests';
/** In the container. Apart from the record, which k6 may write to. */
const REQUESTS_FILE = '/requests.json';

/**
 * @typedef {object} Wanted
 * @property {string} image
 * @property {string} target       URL at which the paths of the requests begin
 * @property {string} shape        key of k6/shapes.js
 * @property {number} users
 * @property {number} thinkTimeS
 * @property {number} seed
 * @property {string} user         uid:gid that may write into the record
 * @property {import('./own-script.js').OwnScript | null} [script]  of the user's own, in place of the requests
 */

/**
 * @param {Wanted} wanted
 * @returns {Promise<import('./overlay.js').Generator>}
 */
export async function generatorFor(wanted) {
  const config = await readConfig(architectureSystem([PROFILE]), {
    // The user's shell may name files, a project and profiles of their own.
    COMPOSE_FILE: join(ROOT, 'compose.yaml'),
    COMPOSE_PROJECT_NAME: PROJECT,
    COMPOSE_PROFILES: '',
    K6_IMAGE: wanted.image,
    SCENARIO,
    SHAPE: wanted.shape,
    TARGET: wanted.target,
    THINK_TIME_S: String(wanted.thinkTimeS),
  });
  return generatorOf(config, wanted);
}

/**
 * @param {{ services: Record<string, any> }} config  compose.yaml as Compose resolved it
 * @param {Pick<Wanted, 'users' | 'seed' | 'user' | 'script'>} wanted
 * @returns {import('./overlay.js').Generator}
 */
export function generatorOf({ services }, { users, seed, user, script = null }) {
  const [{ image, command, environment, mounts }] = serviceModels({ services: { [SERVICE]: services[SERVICE] } });
  const record = mounts.find(({ readOnly }) => !readOnly);
  const shared = [
    ...mounts.filter(({ readOnly }) => readOnly).map(({ source, target }) => ({ source, target, readOnly: true })),
    { source: 'raw:', target: record?.target ?? environment.RECORD_FOLDER, readOnly: false },
  ];
  if (script)
    return {
      image,
      user,
      entrypoint: ['sh'],
      folder: script.folder,
      command: ['-c', fromWrapper('run --quiet')],
      // Its thresholds are the user's, and are judged.
      environment: { ...environment, K6_NO_THRESHOLDS: 'false' },
      mounts: [...shared, ...(script.mounts ?? [])],
    };
  return {
    image,
    user,
    command,
    environment: { ...environment, USERS: String(users), SEED: String(seed), REQUESTS_FILE },
    mounts: [...shared, { source: `raw:${RAW.requests}`, target: REQUESTS_FILE, readOnly: true }],
  };
}
