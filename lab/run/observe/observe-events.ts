/**
 * What happens to the containers while a run goes on, as the engine tells it: each end, each kill for lack of memory, each
 * start. A container's last state alone would hide all but the last of them.
 */

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Lines, Service } from '../../docker/containers.ts';
import { docker } from '../../docker/docker.ts';

/** By which an engine knows a container of a Swarm. */
const TASK = 'com.docker.swarm.task.id';
const ACTIONS = ['die', 'oom', 'start', 'pause', 'unpause'];

/**
 * @param label of the containers, as in `name=value`
 * @param connection of their engine
 * @returns stops watching
 */
export async function observeEvents(
	label: string,
	services: Service[],
	record: Lines,
	connection: import('dockerode') = docker,
): Promise<() => void> {
	const names = new Map(services.map(({ id, name }) => [id, name]));
	const filters = { type: ['container'], event: ACTIONS, label: [label] };
	const stream = (await connection.getEvents({ filters: JSON.stringify(filters) })) as Readable;
	const lines = createInterface({ input: stream });
	lines.on('line', (line) => {
		const event = readEvent(line, names);
		if (event) record.write(event);
	});
	// The stream is cut when watching ends.
	stream.on('error', () => {});
	return () => stream.destroy();
}

/**
 * @param line of the engine's stream
 * @param names container to service
 * @returns null for what is not a service's
 */
function readEvent(line: string, names: Map<string, string>): { t: number; name: string; action: string; exit_code: number | null } | null {
	const { Actor: actor, Action: action, timeNano } = JSON.parse(line);
	const attributes = actor?.Attributes ?? {};
	// One that a Swarm started in the place of another.
	const name = names.get(actor?.ID) ?? (attributes[TASK] === undefined ? undefined : attributes['doubletake.name']);
	if (name === undefined) return null;
	const { exitCode } = attributes;
	return { t: timeNano / 1e9, name, action, exit_code: exitCode === undefined ? null : Number(exitCode) };
}
