/**
 * What ends while the load goes on is started again by the engine, as its file has it, and by nobody once the record is collected. Until the load
 * the lab itself starts again what ends (docker/stack.ts): the overlay takes `restart` away, and the engine is told of it when the stack is up.
 *
 *
 * @import { Service } from '../docker/containers.ts'
 * @import { RestartPolicy } from '../target/restart-policy.ts'
 */

import { containerById } from '../docker/docker.ts';
import { restartsAfter, spelt } from '../target/restart-policy.ts';

/** @type {RestartPolicy} */
const NEVER = { name: 'no', most: 0 };

/** @param {string} id of a container @param {RestartPolicy} policy */
const restartBy = (id, { name, most }) => containerById(id).update({ RestartPolicy: { Name: name, MaximumRetryCount: most } });

/**
 * @param {Pick<Service, 'id' | 'name' | 'service'>[]} stack  that is up
 * @param {{ service: string, restartPolicy: RestartPolicy }[]} models
 * @param {typeof restartBy} [tell]  the engine
 * @returns {Promise<{ facts: { restart_policies: Record<string, string>, restarts: Record<string, string> }, notes: string[] }>} facts: by service, as
 *   a Compose file has it; and those whose end stays an end, `always` or after a `failure`, because the engine did not take it. notes: a sentence for each of these
 */
export async function letRestart(stack, models, tell = restartBy) {
	const policies = new Map(models.map(({ service, restartPolicy }) => [service, restartPolicy]));
	const reported = await Promise.all(
		stack.map(async ({ id, name, service }) => {
			const policy = policies.get(service) ?? NEVER;
			if (restartsAfter(policy) === 'never') return [];
			const why = await tell(id, policy).then(() => null, whyNot);
			return [{ name, service, policy, why }];
		}),
	);
	const [kept, missed] = [reported.flat().filter(({ why }) => why === null), reported.flat().filter(({ why }) => why !== null)];
	return {
		facts: {
			restart_policies: Object.fromEntries(kept.map(({ service, policy }) => [service, spelt(policy)])),
			restarts: Object.fromEntries(missed.map(({ service, policy }) => [service, restartsAfter(policy)])),
		},
		notes: missed.map(
			({ name, policy, why }) =>
				`${name} is not started again if it ends while the load goes on, as its Compose file has it (restart: ${spelt(policy)}): the engine did not take that (${why}).`,
		),
	};
}

/** @param {any} error */
const whyNot = (error) =>
	String(error?.json?.message ?? error?.message ?? error)
		.split('\n')[0]
		.trim();

/** @param {string} id of a container @returns {Promise<boolean>} whether the engine would start it again */
async function isRestarted(id) {
	const { HostConfig: config } = await containerById(id).inspect();
	return ![NEVER.name, '', undefined].includes(config?.RestartPolicy?.Name);
}

/**
 * What is told to end would come up again else, with the engine's own start if not before; and what loses the service that it needs would end and come
 * up again and again while the others are stopped.
 * @param {Pick<Service, 'id'>[]} services
 * @param {{ tell: typeof restartBy, isAgain: typeof isRestarted }} [engine]  isAgain: whether it would start one again
 * @returns {Promise<void>} whatever the engine says: what is gone does not come up again, and all are removed soon
 */
export async function endRestarts(services, { tell, isAgain } = { tell: restartBy, isAgain: isRestarted }) {
	const end = async (/** @type {string} */ id) => (await isAgain(id)) && tell(id, NEVER);
	await Promise.all(services.map(({ id }) => end(id).catch(() => {})));
}
