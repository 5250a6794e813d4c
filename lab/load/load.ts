/** Runs k6, or several of them that make the load together, and follows what they write. */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GRACEFUL_STOP_S, loadDuration, loadStart, type Shape } from '../../k6/lib/shapes.js';
import { RunFailedError } from '../base/errors.ts';
import type { Progress } from '../base/progress.ts';
import { composeWith } from '../docker/compose.ts';
import { compareNames } from '../docker/container-names.ts';
import { listServices, type Service, type System } from '../docker/containers.ts';
import type { Generated } from '../record/generated.ts';
import { beginTogether } from '../target/generators.ts';
import { FollowedGenerator } from './followed-generator.ts';
import { AGO_S, LiveRequests, OF_S } from './live-requests.ts';
import { areUsersKnown, liveStatus } from './live-status.ts';

/** Said once, before the first of them. */
const aboutLive = (shape: Shape) =>
	`live: ${areUsersKnown(shape) ? 'users, ' : ''}rate, p95 and failures are of the same ${OF_S} s, which ended ${AGO_S} s ago or more, as k6's users write their requests down some at a time`;

const POLL_MS = 500;
/** A little less than a second, of which every other poll is just short. */
const SHOWN_EVERY_S = 0.9;
const CREATE_LIMIT_MS = 60_000;
/** k6 prepares 2,000 users before it starts; 10 s at half a core, more on a busy machine. */
const PREPARE_LIMIT_S = 120;
/** Beyond the load's own end: the summary, the export of k6's report. */
const FINISH_LIMIT_S = 60;
/** With its summary written k6 has ended, but a tab that is open on its own page keeps it. */
const LINGER_LIMIT_S = 5;
/** The warm-up's last requests have 2 s to end, of the 3 s before the load. */
const SETTLED_BEFORE_LOAD_S = 0.8;

/**
 * @returns how each of them ended
 * @throws {RunFailedError} when one does not start, ends before its load or does not end in time
 */
export async function runLoad({
	system,
	generators,
	env,
	onCreated,
	...options
}: {
	system: System;
	/** Compose's names of their services */
	generators: string[];
	env: Record<string, string>;
	shape: Shape;
	rawFolder: string;
	progress: Progress;
	/** their containers run */
	onCreated: (generators: Service[]) => Promise<void>;
	/** with the moment, seconds since 1970 */
	onWarmupBegan: (began: number) => void;
	/** between warm-up and load, when no request is under way */
	onSettled: () => Promise<void>;
	signal: AbortSignal;
}): Promise<Generated[]> {
	const { rawFolder, signal } = options;
	const created = await startGenerators({ system, generators, env, rawFolder, signal });
	await onCreated(created);
	const folderOf = (name: string) => (created.length === 1 ? rawFolder : join(rawFolder, name));
	const followed = created.map((service) => new FollowedGenerator(service, folderOf(service.name)));
	try {
		if (created.length > 1) await beginTogether(created, { limitS: PREPARE_LIMIT_S, signal });
		await follow({ followed, ...options });
		return followed.map((generator) => generator.reported());
	} catch (error) {
		await Promise.all(followed.map((generator) => generator.stop().catch(() => {})));
		throw error;
	}
}

/**
 * Starts k6 beside the stack, which is up.
 * @param options rawFolder: of the run, where it is to be followed there
 * @returns in the order of their names
 * @throws {RunFailedError} when it does not start
 */
export async function startGenerators({
	system,
	generators,
	env,
	rawFolder = '',
	signal,
}: {
	system: System;
	generators: string[];
	env: Record<string, string>;
	rawFolder?: string;
	signal: AbortSignal;
}): Promise<Service[]> {
	if (system.deployment) await system.deployment.startGenerators(generators, rawFolder);
	else await startByCompose({ system, generators, env, signal });
	const created = (await listServices(system)).filter(({ tier }) => tier === 'generator');
	if (created.length !== generators.length) throw new RunFailedError('The load generator is not among the containers.');
	return created.sort((one, other) => compareNames(one.name, other.name));
}

async function startByCompose({
	system,
	generators,
	env,
	signal,
}: {
	system: System;
	generators: string[];
	env: Record<string, string>;
	signal: AbortSignal;
}): Promise<void> {
	const up = ['up', '--detach', '--no-deps', '--no-build', '--pull', 'never'];
	const started = await composeWith(system, up, { services: generators, env, limitMs: CREATE_LIMIT_MS, signal });
	signal.throwIfAborted();
	if (started.failed) throw new RunFailedError(`The load generator did not start:\n${started.all}`);
}

type FollowOptions = Omit<Parameters<typeof runLoad>[0], 'system' | 'generators' | 'env' | 'onCreated'>;

async function follow({ followed, shape, progress, onWarmupBegan, onSettled, signal }: { followed: FollowedGenerator[] } & FollowOptions) {
	const requests = new LiveRequests(followed.length);
	const expectedS = loadStart(shape) + loadDuration(shape);
	const began = Date.now() / 1000;
	let startedAt = null as number | null;
	let shownAt = 0;
	let endedAt = null as number | null;
	let settled = false;

	for (;;) {
		await wait(POLL_MS, undefined, { signal });
		const now = Date.now() / 1000;
		for (const [index, generator] of followed.entries()) requests.feed(await generator.read(), index);
		if (startedAt === null) {
			startedAt = latestOf(followed);
			if (startedAt !== null) {
				onWarmupBegan(startedAt);
				progress.say(aboutLive(shape));
			}
		}
		if (!settled && startedAt !== null && now - startedAt > loadStart(shape) - SETTLED_BEFORE_LOAD_S) {
			settled = true;
			await onSettled();
		}
		const elapsedS = startedAt === null ? null : now - startedAt;
		if (now - shownAt >= SHOWN_EVERY_S) {
			shownAt = now;
			progress.load(liveStatus({ shape, beganS: startedAt, requests }, now));
		}

		const early = startedAt === null ? followed.find(({ ended }) => ended !== null) : undefined;
		if (early)
			throw new RunFailedError(
				`${early.name} ended before the load began (exit code ${early.ended?.exitCode}):\n${await early.lastWords()}`,
			);
		const left = followed.filter(({ ended }) => ended === null);
		if (left.length === 0) return;
		// A script may end before its longest time.
		const isOver = elapsedS !== null && (elapsedS > expectedS || shape.ends !== undefined);
		if (isOver && (await Promise.all(left.map((generator) => generator.isDone()))).every(Boolean)) endedAt ??= now;
		const lingers = endedAt !== null && now - endedAt > LINGER_LIMIT_S;
		const overdue = startedAt === null ? now - began > PREPARE_LIMIT_S : now - startedAt > expectedS + GRACEFUL_STOP_S + FINISH_LIMIT_S;
		if (!lingers && !overdue) continue;
		await Promise.all(left.map((generator) => generator.stop()));
		if (!lingers) throw new RunFailedError(`${left[0].name} did not end in time; the last lines of its log:\n${await left[0].lastWords()}`);
		return;
	}
}

/** @returns seconds since 1970; null until each has begun */
function latestOf(followed: FollowedGenerator[]): number | null {
	const began = followed.flatMap(({ beganS }) => beganS ?? []);
	return began.length === followed.length ? Math.max(...began) : null;
}
