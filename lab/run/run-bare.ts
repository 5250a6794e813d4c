/** A load on a target without the lab: its Compose files and k6, nothing that observes. */

import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GRACEFUL_STOP_S, loadDuration, loadStart } from '../../k6/lib/shapes.js';
import { RunFailedError } from '../base/errors.ts';
import { formatCommand } from '../base/format-command.ts';
import { RAW, WRITTEN } from '../base/paths.ts';
import { readPrivate } from '../base/private-file.ts';
import { containerById, readLog } from '../docker/docker.ts';
import { makeScratch } from '../docker/scratch.ts';
import { takeDown } from '../docker/stack.ts';
import { startGenerators } from '../load/load.ts';
import { preflight } from './preflight.ts';
import type { Around, Ready, Target } from './run-target.ts';

/** generator: Compose's name of its service */
export type BareReady = Pick<Ready, 'loadSystem' | 'down' | 'env' | 'shape'> & {
	generator: string;
	bringUp: () => Promise<unknown>;
};

/** The folder around it is the lab's alone. */
const WORLD_WRITABLE = 0o777;
/** k6 prepares its users before the load and writes its summary after it. */
const AROUND_LOAD_LIMIT_S = 180;
const LAST_LINES = 15;
/** Exit codes of k6; 99: a threshold was not met, which a script of the user's own may have. */
const ENDED_WELL = [0, 99];

/**
 * @param options arm: what of the lab is in it, as the target has it
 * @returns k6's summary; of a user's script in the form of --summary-export
 * @throws {LabError} when the machine or the stack is not ready, or k6 fails
 */
export async function runBare(
	{ project, settings, images: getImages, prepareBare, close }: Target,
	{ arm, ...around }: { arm: string } & Around,
): Promise<any> {
	const { say, signal } = around;
	// As quiet as before the run that it is compared with.
	await preflight({ project, published: async () => [], settings, ...around });
	const images = await getImages(around);
	const scratch = await makeScratch('bare');
	let ready: BareReady | null = null;
	try {
		const writtenFolder = join(scratch, WRITTEN.own);
		await mkdir(writtenFolder);
		await chmod(writtenFolder, WORLD_WRITABLE);
		ready = await prepareBare({ arm, images, scratch, writtenFolder, ...around });
		const { shape } = ready;
		say('bringing the stack up, without Doubletake');
		await ready.bringUp();
		say(`load, without Doubletake: ${shape.title}`);
		await load(ready, signal);
		return JSON.parse(String(readPrivate(join(writtenFolder, RAW.k6Summary)) ?? ''));
	} finally {
		if (ready !== null) await bringDown(ready, say);
		await close();
		await rm(scratch, { recursive: true, force: true });
	}
}

async function bringDown({ env, down }: BareReady, say: (text: string) => void): Promise<void> {
	say('taking the stack down');
	const left = await takeDown(env, down);
	if (left !== null) say(`${left}; "${formatCommand(['clean'])}" tries again`);
}

/**
 * A k6 of which nothing is followed: from its start to its end.
 * @throws {RunFailedError} when k6 fails, or does not end in time
 */
async function load({ loadSystem: system, generator, env, shape }: BareReady, signal: AbortSignal) {
	const [created] = await startGenerators({ system, generators: [generator], env, signal });
	const limitS = AROUND_LOAD_LIMIT_S + loadStart(shape) + loadDuration(shape) + GRACEFUL_STOP_S;
	const inTime = new AbortController();
	const overdue = wait(limitS * 1000, null, { signal: AbortSignal.any([signal, inTime.signal]) });
	try {
		const ended = await Promise.race([containerById(created.id).wait(), overdue]);
		if (ended !== null && ENDED_WELL.includes(ended.StatusCode)) return;
		const how = ended === null ? `did not end in ${limitS} s` : `ended with exit code ${ended.StatusCode}`;
		throw new RunFailedError(`k6 ${how}; the last lines of its log:\n${await readLog(created.id, LAST_LINES)}`);
	} finally {
		// What is not waited for any more must not keep the lab from ending, nor be an unhandled rejection.
		overdue.catch(() => {});
		inTime.abort();
	}
}
