/** Runs k6, or several of them that make the load together, and follows what they write. */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Shape } from '../../k6/lib/shapes.js';
import { GRACEFUL_STOP_S, loadDuration, loadStart, WARMUP_USERS } from '../../k6/lib/shapes.js';
import { RunFailedError } from '../base/errors.ts';
import type { LoadStatus, Progress } from '../base/progress.ts';
import { jsonIn } from '../base/values.ts';
import { composeWith } from '../docker/compose.ts';
import type { Service, System } from '../docker/containers.ts';
import { compareNames, listServices } from '../docker/containers.ts';
import { eachRequest, tellsRequests } from '../record/k6-requests.ts';
import { percentileOf } from '../record/percentile.ts';
import { beginTogether } from '../target/generators.ts';
import type { Generated } from './first-requests.ts';
import { FollowedGenerator } from './first-requests.ts';

/*
 * Follows what k6's users write of their requests while the load goes on, for who watches it. A user writes its requests some at a time and
 * k6 holds back some of its log, so that what was read last says little of the last seconds: the figures are of the seconds in which
 * requests ended, and these seconds are some time ago.
 */

/** The figures are of seconds that ended so long ago at least. The lab's own choice: what may be kept, and what k6's log and the reader take. */
const AGO_S = 7;
/** Several, so that the figures can be read. */
const OF_S = 5;
/**
 * As long as a user keeps its requests (k6/lib/request-log.js), and a second more. k6 writes its log in pieces of 4 KB, which a small load fills
 * slowly: what ended so long before the newest request that was read is reported, by all but users who have waited for an answer since.
 */
const KEPT_S = 6;
/** What the analysis takes off an open load's times (diagnose/read-generators.ts). */
const ARRIVAL = /^\{"event":"first-arrival"/;
const LINE = /^\{"(requests|warm)":/;

/** ended: seconds since 1970 */
type Request = { ended: number; waitedMs: number; isGood: boolean; isOfLoad: boolean };

export class LiveRequests {
	/**
	 * Of each generator: of its log the beginning of a line whose end is still to come, when the newest request that was read ended, and by how
	 * much its arrivals are late by its own clock.
	 */
	#logs: { rest: string; newest: number; lateMs: number }[];
	#requests: Request[] = [];

	constructor(generators: number = 1) {
		this.#logs = Array.from({ length: generators }, () => ({ rest: '', newest: Number.NEGATIVE_INFINITY, lateMs: 0 }));
	}

	/**
	 * @param text a further piece of k6's log; it may end inside a line
	 * @param generator whose log
	 */
	feed(text: string, generator: number = 0) {
		const log = this.#logs[generator];
		const lines = (log.rest + text).split('\n');
		log.rest = lines.pop() ?? '';
		for (const line of lines) {
			const said = saidIn(line);
			if (said === null) continue;
			if (ARRIVAL.test(said)) log.lateMs = JSON.parse(said).late_ms ?? 0;
			for (const request of requestsIn(said, log.lateMs)) {
				log.newest = Math.max(log.newest, request.ended);
				this.#requests.push(request);
			}
		}
	}

	/**
	 * Until when the record is whole.
	 * @param now seconds since 1970
	 * @returns seconds since 1970; in no past before anything was read
	 */
	completeUntil(now: number): number {
		return Math.min(now - AGO_S, ...this.#logs.map(({ newest }) => newest - KEPT_S));
	}

	/**
	 * What ended before these seconds is forgotten.
	 * @param span seconds since 1970, not before those of the last call; isOfLoad: else of the
	 * warm-up
	 * @returns null where there is nothing to say it by; of the
	 * warm-up no failures are told
	 */
	figures({ from, to, isOfLoad }: { from: number; to: number; isOfLoad: boolean }): {
		rps: number | null;
		p95Ms: number | null;
		failureRate: number | null;
	} {
		this.#requests = this.#requests.filter(({ ended }) => ended > from);
		const reported = this.#requests.filter((request) => request.ended <= to && request.isOfLoad === isOfLoad);
		if (reported.length === 0) return { rps: null, p95Ms: null, failureRate: null };
		return {
			rps: reported.length / (to - from),
			p95Ms: percentileOf(Float64Array.from(reported, ({ waitedMs }) => waitedMs).sort(), 0.95),
			failureRate: isOfLoad ? reported.filter(({ isGood }) => !isGood).length / reported.length : null,
		};
	}
}

/** @param lateMs which no arrival of the load waited for */
function requestsIn(said: string, lateMs: number): Request[] {
	const reported = LINE.test(said) ? JSON.parse(said) : null;
	if (!tellsRequests(reported)) return [];
	const requests: Request[] = [];
	for (const [numbers, isOfLoad] of [
		[reported.warm, false],
		[reported.requests, true],
	] as const)
		eachRequest(numbers ?? [], ({ ended, waitedMs, isGood, isFurther }) => {
			const early = isOfLoad && !isFurther ? lateMs : 0;
			requests.push({ ended, waitedMs: Math.max(0, waitedMs - early), isGood, isOfLoad });
		});
	return requests;
}

/**
 * @param line of k6's log
 * @returns what the scenario wrote; null where it is no line of JSON
 */
function saidIn(line: string): string | null {
	const written = jsonIn(line);
	return written === null ? null : String(written.msg);
}

/*
 * What is said of a load while it goes on. What k6's users write of their requests comes some seconds late, so stage, users, rate, p95 and
 * failures are all of the same seconds, those that the record is whole for; how much time is left is of now.
 */

/** Of fewer seconds a rate says little: one request more or less, or how the load begins. The lab's own choice. */
const LEAST_S = 1;

/** Said once, before the first of them. */
const aboutLive = (shape: Shape) =>
	`live: ${areUsersKnown(shape) ? 'users, ' : ''}rate, p95 and failures are of the same ${OF_S} s, which ended ${AGO_S} s ago or more, as k6's users write their requests down some at a time`;

export function liveStatus(
	{
		shape,
		beganS,
		requests,
	}: {
		shape: Shape;
		/** when k6 began, seconds since 1970; null before */
		beganS: number | null;
		requests: LiveRequests;
	},
	now: number,
): LoadStatus {
	const start = loadStart(shape);
	const left = {
		leftS: start + loadDuration(shape) - (beganS === null ? 0 : now - beganS),
		isLongest: shape.ends !== undefined,
		...(areUsersKnown(shape) ? {} : { usersMost: usersMostOf(shape) }),
	};
	const none = { users: null, rps: null, p95Ms: null, failureRate: null, ofS: null };
	if (beganS === null) return { stage: stageName(shape, null), ...none, ...left, nowS: null };
	const nowS = now - beganS - start;
	// Before anything is told there is only what goes on now.
	const until = Math.max(0, Math.min(now - beganS, requests.completeUntil(now) - beganS));
	const span = secondsAt(shape, until);
	if (span === null || span.to - span.from < LEAST_S) return { stage: stageName(shape, until), ...none, ...left, nowS };
	const figures = requests.figures({ from: beganS + span.from, to: beganS + span.to, isOfLoad: span.isOfLoad });
	const middle = (span.from + span.to) / 2;
	const reported = { stage: stageName(shape, middle), ...figures, ...left, nowS };
	return figures.rps === null
		? { ...reported, users: null, ofS: null }
		: { ...reported, users: usersOf(shape, middle), ofS: [span.from - start, span.to - start] };
}

/**
 * The last few seconds until a moment, of the load alone or of the warm-up alone.
 * @param until seconds since k6 began
 * @returns null in the pause between them
 */
function secondsAt(shape: Shape, until: number): { from: number; to: number; isOfLoad: boolean } | null {
	const start = loadStart(shape);
	if (until > start) return { from: Math.max(start, until - OF_S), to: until, isOfLoad: true };
	if (until > shape.warmup_s) return null;
	return { from: Math.max(0, until - OF_S), to: until, isOfLoad: false };
}

/** Whether the shape says how many users there are in each moment. */
const areUsersKnown = ({ model, warmup_s: warmup }: Shape) => model === 'closed' && warmup > 0;

/** @returns null of a load that has a rate, and as many users as that takes */
const usersMostOf = ({ unit, stages }: Shape): number | null => (unit === 'users' ? Math.max(...stages.map(({ target }) => target)) : null);

/**
 * Users that the shape wants. Of a script of the user's own the lab knows no more than how many there are at most.
 * @param elapsedS since k6 began, in the warm-up or in the load
 */
function usersOf(shape: Shape, elapsedS: number): number | null {
	const { warmupUsers = WARMUP_USERS, stages } = shape;
	if (!areUsersKnown(shape)) return null;
	if (elapsedS < loadStart(shape)) return warmupUsers;
	let from = loadStart(shape);
	let users = stages[0].held ? stages[0].target : 1;
	for (const { duration_s: duration, target } of stages) {
		if (elapsedS < from + duration) return Math.round(users + ((target - users) * (elapsedS - from)) / duration);
		from += duration;
		users = target;
	}
	return null;
}

function stageName(shape: Shape, elapsedS: number | null): string {
	if (elapsedS === null) return 'preparing users';
	if (elapsedS < loadStart(shape)) return 'warm-up (not counted)';
	let end = loadStart(shape);
	for (const { duration_s: duration, target } of shape.stages) {
		end += duration;
		if (elapsedS < end) return `to ${target.toLocaleString('en-US')} ${target === 1 && shape.unit === 'users' ? 'user' : shape.unit}`;
	}
	return 'last answers';
}

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
