/** Ends a run in an order that lets the counts add up, and keeps what its containers said of it, without what users said. */

import { join } from 'node:path';
import { everyAdapter } from '../adapters/registry.ts';
import { RAW, requestLogOf } from '../base/paths.ts';
import { writePrivate } from '../base/private-file.ts';
import { listStates, type Service, type System } from '../docker/containers.ts';
import { containerById, readLog } from '../docker/docker.ts';
import { placesIn } from '../docker/run-folder.ts';
import { takeWritten } from '../docker/take-written.ts';
import { compress } from './compress.ts';
import { redactGeneratorLog } from './generator-log.ts';
import { keepLogs } from './observe/container-log.ts';
import { endRestarts } from './restarts.ts';

/** compose/base.yaml gives a node as long as this to finish. */
const STOP_LIMIT_S = 12;
/**
 * Of a program that keeps no record for the lab: its log is there as it is written. Who is the first process of a container and does not ask for
 * the signal never gets it, so that a longer wait is a wait for nothing.
 */
const UNREAD_STOP_LIMIT_S = 2;
/** The level from which on a user's own keeps one; a shipped one, which has no product, always does. */
const READ_WITHIN = 2;
/** Compose keeps 5 MB of a container's output; this is all of it. */
const LOG_LINES = 50_000;

/** @returns a sentence for each thing that is not on record, or that failed beside the way of requests */
export async function collect({
	system,
	services,
	groups,
	folder,
	sinceS = 0,
	onRotated = () => {},
}: {
	system: System;
	services: Service[];
	/** the members of each stop together, one group after the other */
	groups: Service[][];
	/** of the run */
	folder: string;
	/** when the load began, in seconds of the epoch */
	sinceS?: number;
	/** called for each container whose log may lack lines of the load */
	onRotated?: (name: string) => void;
}): Promise<string[]> {
	const { rawFolder, writtenFolder } = placesIn(folder);
	const states = await listStates(system);
	// How each stood when the load had ended is on record: one that is not running then died by itself. From here on none comes up again.
	await endRestarts(services);
	await stopInOrder(groups);
	await writePrivate(join(rawFolder, RAW.finalStates), JSON.stringify(states, null, 1));
	const missing = [...aboutFailedJobs(states, services), ...(await keepLogs(services, rawFolder, { sinceS, onRotated }))];
	await keepUnread(services, rawFolder);
	missing.push(...((await system.deployment?.fetch(writtenFolder)) ?? []), ...(await takeWritten(folder)));
	const generators = services.filter(({ tier }) => tier === 'generator').map(({ name }) => name);
	await redactGeneratorLog(rawFolder, generators);
	const requestLogs = services.map(({ name }) => requestLogOf(name));
	const large = everyAdapter.flatMap(({ packed = [] }) => packed);
	await Promise.all([...large, ...requestLogs].map((file) => compress(join(rawFolder, file))));
	return missing;
}

/** What services without a product wrote, which no adapter reads. */
async function keepUnread(services: Service[], rawFolder: string): Promise<void> {
	const keep = async ({ id, name }: Service) => {
		const text = await readLog(id, LOG_LINES).catch(() => '');
		if (text !== '') await writePrivate(join(rawFolder, `${name}.log`), text);
	};
	await Promise.all(services.filter(({ product, tier }) => product === null && tier !== 'generator').map(keep));
}

/** What is down already answers with an error; there is nothing to stop. */
async function stopInOrder(groups: Service[][]) {
	for (const group of groups)
		await Promise.all(
			group.map(({ id, product, watch }) =>
				containerById(id)
					.stop({ t: product !== null && watch < READ_WITHIN ? UNREAD_STOP_LIMIT_S : STOP_LIMIT_S })
					.catch(() => {}),
			),
		);
}

/**
 * What no request passes, and failed while the load went on: no placement tells of it.
 * @param states when the load had ended
 * @returns a sentence each
 */
const aboutFailedJobs = (
	states: { name: string; running: boolean; exit_code: number }[],
	services: Pick<Service, 'name' | 'tier'>[],
): string[] =>
	states
		.filter(
			({ name, running, exit_code: code }) =>
				!running && code !== 0 && services.some((one) => one.name === name && one.tier === 'observer'),
		)
		.map(({ name, exit_code: code }) => `${name} ended with code ${code} while the load went on; no request passes it.`);
