/** A running container, as an adapter may ask it. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Container } from '../adapters/contract.ts';
import { labelOf, type Service, type System } from './containers.ts';
import { executeToEnd } from './docker.ts';

type Execute = (containerId: string, command: string[]) => Promise<{ exitCode: number; output: string }>;

/** Each question has a limit of its own, and is known to run until it has ended. */
const executeUnbounded: Execute = (id, command) => executeToEnd(id, command, { limitMs: null });

/** @returns that refuses a command while one whose time is over still runs in it: the engine cannot end such a one */
export function containerOf(
	{ id, service, address }: Pick<Service, 'id' | 'service' | 'address'>,
	execute: Execute = executeUnbounded,
): Container {
	let overdue = 0;
	return {
		service,
		address,
		execute: async (command, limitMs) => {
			if (overdue > 0) throw new Error(`${service} still runs an earlier command.`);
			const executed = execute(id, command);
			const inTime = new AbortController();
			const limit = wait(limitMs, null, { signal: inTime.signal });
			// What is not waited for any more must not be an unhandled rejection.
			limit.catch(() => {});
			try {
				const answer = await Promise.race([executed, limit]);
				if (answer !== null) return answer;
			} finally {
				inTime.abort();
			}
			overdue += 1;
			const ended = () => {
				overdue -= 1;
			};
			executed.then(ended, ended);
			throw new Error(`${service} did not answer ${command[0]} in ${limitMs} ms.`);
		},
	};
}

/** By the project alone nothing is removed. */
export function ownLabels(system: System) {
	const [label, project] = labelOf(system).split('=');
	return { [label]: project, 'doubletake.lab': 'yes' };
}
