/**
 * When a file has a service started again after it has ended: by what Compose makes of its two places for it. Pure.
 *
 * @typedef {object} RestartPolicy  as the engine takes it (https://docs.docker.com/engine/containers/start-containers-automatically/)
 * @property {'no' | 'always' | 'unless-stopped' | 'on-failure'} name
 * @property {number} most  times that it is started again after failures, one after the other; 0: as often as it ends
 */

const FAILURE = 'on-failure';
/** Under `deploy`; what is not in it the engine has the same word for. @type {Record<string, RestartPolicy['name']>} */
const CONDITIONS = { none: 'no', any: 'always' };
const NAMES = ['no', 'always', 'unless-stopped', FAILURE];

/**
 * Of the two places for it the one under `deploy` counts, and where that names no condition Compose makes no policy of it (docker/compose,
 * pkg/compose/create.go, getRestartPolicy; seen with 2.26). Its `delay` and `window` are a Swarm's alone.
 * @param {{ restart?: unknown, deploy?: { restart_policy?: { condition?: string, max_attempts?: number } | null } | null }} found  a service, as Compose has resolved it
 * @returns {RestartPolicy}
 */
export function restartPolicyOf({ restart, deploy }) {
	const stated = deploy?.restart_policy;
	if (stated) return policyNamed(CONDITIONS[stated.condition ?? 'none'] ?? stated.condition, stated.max_attempts);
	const [name, most] = String(restart ?? 'no').split(':');
	return policyNamed(name, most);
}

/** @param {unknown} name @param {unknown} most @returns {RestartPolicy} */
function policyNamed(name, most) {
	if (!NAMES.includes(String(name))) return { name: 'no', most: 0 };
	// The engine refuses a number with any other.
	return { name: /** @type {RestartPolicy['name']} */ (name), most: name === FAILURE ? Number(most) || 0 : 0 };
}

/** As a Compose file has it. @param {RestartPolicy} policy */
export const spelt = ({ name, most }) => (most > 0 ? `${name}:${most}` : name);

/** @param {RestartPolicy} policy @returns {'never' | 'failure' | 'always'} after which ends */
export const restartsAfter = ({ name }) => (name === 'no' ? 'never' : name === FAILURE ? 'failure' : 'always');
