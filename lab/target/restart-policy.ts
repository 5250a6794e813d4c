/** When a file has a service started again after it has ended: by what Compose makes of its two places for it. Pure. */
/** as the engine takes it (https://docs.docker.com/engine/containers/start-containers-automatically/) */
export type RestartPolicy = {
	name: 'no' | 'always' | 'unless-stopped' | 'on-failure';
	/** times that it is started again after failures, one after the other; 0: as often as it ends */
	most: number;
};

const FAILURE = 'on-failure';
/** Under `deploy`; what is not in it the engine has the same word for. */
const CONDITIONS: Record<string, RestartPolicy['name']> = { none: 'no', any: 'always' };
const NAMES = ['no', 'always', 'unless-stopped', FAILURE];

/**
 * Of the two places for it the one under `deploy` counts, and where that names no condition Compose makes no policy of it (docker/compose,
 * pkg/compose/create.go, getRestartPolicy; seen with 2.26). Its `delay` and `window` are a Swarm's alone.
 * @param found a service, as Compose has resolved it
 */
export function restartPolicyOf({
	restart,
	deploy,
}: {
	restart?: unknown;
	deploy?: { restart_policy?: { condition?: string; max_attempts?: number } | null } | null;
}): RestartPolicy {
	const stated = deploy?.restart_policy;
	if (stated) return policyNamed(CONDITIONS[stated.condition ?? 'none'] ?? stated.condition, stated.max_attempts);
	const [name, most] = String(restart ?? 'no').split(':');
	return policyNamed(name, most);
}

function policyNamed(name: unknown, most: unknown): RestartPolicy {
	if (!NAMES.includes(String(name))) return { name: 'no', most: 0 };
	// The engine refuses a number with any other.
	return { name: name as RestartPolicy['name'], most: name === FAILURE ? Number(most) || 0 : 0 };
}

/** As a Compose file has it. */
export const spelt = ({ name, most }: RestartPolicy) => (most > 0 ? `${name}:${most}` : name);

/** @returns after which ends */
export const restartsAfter = ({ name }: RestartPolicy): 'never' | 'failure' | 'always' =>
	name === 'no' ? 'never' : name === FAILURE ? 'failure' : 'always';
