/**
 * What a user does when an answer is late or bad: how long it waits for one, and how it tries again.
 */
import exec from 'k6/execution';
import { randomOf } from './random.js';
import { newRetries, policyOf } from './retries.js';

/** More than a load has. */
const USERS_MOST = 100_000;

/**
 * @param {Record<string, string | undefined>} env  TIMEOUT in ms; RETRIES and what goes with it; SEED
 * @returns {{ timeoutMs?: number, retries: ReturnType<typeof newRetries> | null }} as the client takes it
 */
export function behaviourOf(env) {
	const policy = policyOf(env);
	/** Each user's own, made when it is first asked: k6 numbers its users after it has read the script. @type {(() => number) | undefined} */
	let random;
	const draw = () => {
		random ??= randomOf(Number(env.SEED || 1) * USERS_MOST + exec.vu.idInTest);
		return random();
	};
	return { ...(env.TIMEOUT ? { timeoutMs: Number(env.TIMEOUT) } : {}), retries: policy && newRetries(policy, draw) };
}
