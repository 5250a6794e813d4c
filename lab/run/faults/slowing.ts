/**
 * Slows services in turns while the load goes on, each by a known share, and keeps by how much it really was. A service stands still for that share of short
 * periods. One that its quota of CPU holds back would make up for that in the rest of the quota's period: of it the quota is cut.
 */

import type { Service, System } from '../../docker/containers.ts';
import { listServices } from '../../docker/containers.ts';
import { containerById, docker } from '../../docker/docker.ts';
import { guardPaused } from '../../docker/thaw-guard.ts';
import type { Slowing } from '../../options/trial.ts';
import type { Manifest } from '../components.ts';
import { quotaBefore } from '../quotas.ts';
import type { Clock } from './turn-clock.ts';
import { REAL_CLOCK } from './turn-clock.ts';

/** what came of it; seconds since 1970 */
export type SlowedTurn = {
	group: string;
	/** of its containers */
	names: string[];
	from_s: number;
	to_s: number;
	/** that its services stood still, or as much of their quota was missing */
	slowed_s: number;
	/** why not */
	failed: string | null;
};

export type Freezer = {
	pause: (id: string) => Promise<unknown>;
	unpause: (id: string) => Promise<unknown>;
	/** its quota in a period of which a share can be taken, before the first turn */
	steady: (id: string) => Promise<unknown>;
	/** its quota by a share; brings it back; null where it has none */
	cut: (id: string, share: number) => Promise<(() => Promise<unknown>) | null>;
};

/** Of the container that stands still where no service does. */
const IDLE_LABEL = 'doubletake.idle';
const IDLE_S = 3600;
const IDLE_BYTES = 16 * 1024 * 1024;

/**
 * To freeze a container costs the engine some CPU time, which turns without a frozen service have to cost too: in these an idle container stands still.
 * @param image of the generator, which is here
 * @returns its id; null where it cannot be made
 */
export async function startIdle(image: string): Promise<string | null> {
	const container = await docker.createContainer({
		...{ Image: image, Entrypoint: ['sleep', String(IDLE_S)], Labels: { [IDLE_LABEL]: String(process.pid) } },
		HostConfig: {
			...{ NetworkMode: 'none', ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], Memory: IDLE_BYTES },
		},
	});
	return container.start().then(
		() => container.id,
		() => null,
	);
}

/** Also that of a run which was killed. */
export async function removeIdle() {
	const left = await docker.listContainers({ all: true, filters: JSON.stringify({ label: [IDLE_LABEL] }) });
	await Promise.allSettled(left.map(({ Id }) => containerById(Id).remove({ force: true })));
}

/** The kernel's own period. It takes no quota below 1 ms, which a part of one in a shorter period may be. https://docs.kernel.org/scheduler/sched-bwc.html */
const STEADY_US = 100_000;

const ENGINE: Freezer = {
	steady: async (id) => {
		const container = containerById(id);
		const { CpuQuota: quota = 0, CpuPeriod: period = 0 } = (await container.inspect()).HostConfig;
		if (quota <= 0 || period <= 0 || period >= STEADY_US) return;
		await container.update({ CpuPeriod: STEADY_US, CpuQuota: Math.round((quota * STEADY_US) / period) });
	},
	pause: (id) => containerById(id).pause(),
	unpause: (id) => containerById(id).unpause(),
	cut: async (id, share) => {
		const container = containerById(id);
		const { HostConfig: before } = await container.inspect();
		const { NanoCpus: nano = 0, CpuQuota: quota = 0, CpuPeriod: period = 0 } = before;
		const left = (all: number) => Math.round((1 - share) * all);
		if (nano <= 0 && quota <= 0) return null;
		// In the period that it has: in another one the same quota gives another throughput.
		await container.update(nano > 0 ? { NanoCpus: left(nano) } : { CpuQuota: left(quota), ...(period > 0 ? { CpuPeriod: period } : {}) });
		return () => container.update(quotaBefore(before));
	},
};

/**
 * @param manifest which says when the load began, and gets `slowed`
 * @returns when the last turn is over, or a signal has aborted; nothing is slowed then. Never rejected
 */
export async function slowInTurns(
	{ share, period_s: periodS, turns, throttled }: Slowing,
	manifest: Manifest,
	options: {
		signal: AbortSignal;
		/** aborts when the load has ended */
		over: AbortSignal;
		system: System;
		/** container that stands still where no service does */
		idle: string | null;
		/** its containers; those that are up unless given */
		stack?: Service[];
		freezer?: Freezer;
		/** what lets containers go on if the lab is killed */
		guard?: typeof guardPaused;
		clock?: Clock;
	},
): Promise<void> {
	const { signal, over, system, idle, freezer = ENGINE, guard = guardPaused, clock = REAL_CLOCK } = options;
	const { nowS, until } = clock;
	const slowed: SlowedTurn[] = [];
	manifest.slowed = slowed;
	const beganS = Number(manifest.load_began_s);
	const either = AbortSignal.any([signal, over]);
	const stack = options.stack ?? (await listServices(system).catch(() => [] as Service[]));
	for (const { id } of stack.filter(({ name }) => throttled.includes(name))) await freezer.steady(id).catch(() => {});
	const release = guard([...stack.map(({ id }) => id), ...(idle === null ? [] : [idle])]);
	for (const turn of turns) {
		const containers = stack.filter(({ service }) => turn.services.includes(service));
		const [fromS, toS] = [beganS + turn.from_s, beganS + turn.to_s];
		await until(fromS, either);
		if (either.aborted) break;
		const done: SlowedTurn = {
			group: turn.group,
			names: containers.map(({ name }) => name),
			from_s: nowS(),
			to_s: 0,
			slowed_s: 0,
			failed: null,
		};
		slowed.push(done);
		const still = turn.group === '' && idle !== null ? [idle] : [];
		const back: (() => Promise<unknown>)[] = [];
		try {
			if (containers.length < turn.services.length) throw new Error('a container of it is not there');
			for (const { id, name } of containers) {
				const bring = throttled.includes(name) ? await freezer.cut(id, share) : null;
				if (bring === null) still.push(id);
				else back.push(bring);
			}
			const cutFromS = nowS();
			for (let at = fromS; still.length > 0 && at + share * periodS <= toS && !either.aborted; at += periodS) {
				await until(at, either);
				if (!either.aborted) done.slowed_s += await standStill(still, at + share * periodS, { signal: either, freezer, clock });
			}
			await until(toS, either);
			if (still.length === 0) done.slowed_s = share * (nowS() - cutFromS);
		} catch (error) {
			done.failed = String((error as any).message).split('\n')[0];
		}
		await Promise.allSettled(back.map((bring) => bring()));
		done.to_s = nowS();
	}
	release();
}

/**
 * The engine answers somewhat after it has done what it was asked: the middle of question and answer is taken for the moment.
 * seconds
 */
async function standStill(
	ids: string[],
	toS: number,
	{ signal, freezer, clock: { nowS, until } }: { signal: AbortSignal; freezer: Freezer; clock: Clock },
): Promise<number> {
	const askedS = nowS();
	const answers = await Promise.allSettled(ids.map(freezer.pause));
	const pausedS = (askedS + nowS()) / 2;
	const failed = answers.find(({ status }) => status === 'rejected');
	if (failed === undefined) await until(toS, signal);
	const thawedS = nowS();
	await Promise.allSettled(ids.map(freezer.unpause));
	if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
	return (thawedS + nowS()) / 2 - pausedS;
}
