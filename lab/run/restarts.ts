/**
 * What ends while the load goes on is started again by the engine, as its file has it, and by nobody once the record is collected. Until the load
 * the lab itself starts again what ends (docker/stack.ts): the overlay takes `restart` away, and the engine is told of it when the stack is up.
 */

import type { Service } from '../docker/containers.ts';
import { containerById } from '../docker/docker.ts';
import type { RestartPolicy } from '../target/restart-policy.ts';
import { restartsAfter, spelt } from '../target/restart-policy.ts';

const NEVER: RestartPolicy = { name: 'no', most: 0 };

/** @param id of a container */
const restartBy = (id: string, { name, most }: RestartPolicy) =>
	containerById(id).update({ RestartPolicy: { Name: name, MaximumRetryCount: most } });

/**
 * @param stack that is up
 * @param tell the engine
 * @returns facts: by service, as
 * a Compose file has it; and those whose end stays an end, `always` or after a `failure`, because the engine did not take it. notes: a sentence for each of these
 */
export async function letRestart(
	stack: Pick<Service, 'id' | 'name' | 'service'>[],
	models: { service: string; restartPolicy: RestartPolicy }[],
	tell: typeof restartBy = restartBy,
): Promise<{ facts: { restart_policies: Record<string, string>; restarts: Record<string, string> }; notes: string[] }> {
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

const whyNot = (error: any) =>
	String(error?.json?.message ?? error?.message ?? error)
		.split('\n')[0]
		.trim();

/**
 * @param id of a container
 * @returns whether the engine would start it again
 */
async function isRestarted(id: string): Promise<boolean> {
	const { HostConfig: config } = await containerById(id).inspect();
	return ![NEVER.name, '', undefined].includes(config?.RestartPolicy?.Name);
}

/**
 * What is told to end would come up again else, with the engine's own start if not before; and what loses the service that it needs would end and come
 * up again and again while the others are stopped.
 * @param engine isAgain: whether it would start one again
 * @returns whatever the engine says: what is gone does not come up again, and all are removed soon
 */
export async function endRestarts(
	services: Pick<Service, 'id'>[],
	{ tell, isAgain }: { tell: typeof restartBy; isAgain: typeof isRestarted } = { tell: restartBy, isAgain: isRestarted },
): Promise<void> {
	const end = async (id: string) => (await isAgain(id)) && tell(id, NEVER);
	await Promise.all(services.map(({ id }) => end(id).catch(() => {})));
}
