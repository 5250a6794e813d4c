/**
 * One run of a target under one load, from the preflight to the teardown. Leaves `manifest.json` and `raw/` in the run's folder, whatever
 * happens on the way, and nothing of the stack.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDuration, type Shape } from '../../k6/lib/shapes.js';
import type { PlannedFault, Put } from '../adapters/faults.ts';
import { RAW } from '../base/paths.ts';
import type { Progress } from '../base/progress.ts';
import type { Deployment, Service, System } from '../docker/containers.ts';
import type { Images } from '../docker/images.ts';
import { nameRunFolder } from '../docker/run-folder.ts';
import { makeScratch, noteRun, type RunFolder } from '../docker/scratch.ts';
import type { Driver } from '../load/drivers.ts';
import type { UserScript } from '../load/user-script.ts';
import type { Arm } from '../options/arms.ts';
import type { Calibration } from '../options/calibration.ts';
import type { Settings } from '../options/settings.ts';
import { describeEdges, describeServices, type describeSystem, type Way } from '../target/describe.ts';
import type { Described } from '../target/described.ts';
import { stopOrder } from '../target/stop-order.ts';
import { captureOf } from './capture/run-capture.ts';
import { collect } from './collect.ts';
import { type Manifest, openBalancer, pagesOf, type RunImage, readVersions, recordRun, type Watcher, watchLoad } from './components.ts';
import { checkPutting, putFaults } from './faults/fault-actions.ts';
import { removeIdle, slowInTurns, startIdle } from './faults/slowing.ts';
import { openSwitch, switchInTurns } from './faults/switching.ts';
import { beginManifest } from './manifest.ts';
import { drainQueue } from './observe/drain.ts';
import { preflight } from './preflight.ts';
import { liftQuotas } from './quotas.ts';
import type { BareReady } from './run-bare.ts';

/** a system under test, before anything of it is made */
export type Target = {
	/** Compose's name of the run */
	project: string;
	/** folder below reports/ that the run's folder is made in */
	group: string;
	/** what is asked of the run */
	settings: Settings;
	/** on this machine */
	published: Parameters<typeof preflight>[0]['published'];
	/** what passes its networks is recorded */
	capture: boolean;
	injection: Injection;
	/** gets those that it needs */
	images: (around: Around) => Promise<Images>;
	/** makes the run's folder; scratch: folder that is removed after the run */
	prepare: (given: { run: RunFolder; images: Images; scratch: string } & Around) => Promise<Ready>;
	/** of a run without the lab; arm: what of it is there all the same; writtenFolder: in scratch, that the generator writes into */
	prepareBare: (given: { arm: string; images: Images; scratch: string; writtenFolder: string } & Around) => Promise<BareReady>;
	/** when its stack is gone, or never was there */
	close: () => Promise<void>;
	/** that can be put into it, by id, the control first where it is one */
	faults: () => Map<string, PlannedFault>;
	/** what can be left of it without the whole lab, the plainest first, with titles; none where nothing is the same */
	bareArms: Record<string, string>;
	/** what is put on it, before anything of it is made */
	putLoad: (given: { images: Images }) => Promise<PutLoad>;
	/** where its name does not say what it is */
	fingerprints?: Fingerprints;
};

/** of what Compose makes of its files; of what is asked of it, however many ask */
export type Fingerprints = { files: string; load: string };

export type PutLoad = {
	/** its name */
	load: string;
	shape: Shape;
	/** null where the load is no script of the user's own */
	script: { name: string; script: UserScript } | null;
};

/**
 * of what a target
 *  is made. arm: of a comparison, null for the folder as it is; calibration: of this machine, for a budget or a load that follows from it; group: folder
 *  below reports/ that the run's folder is made in, the system's unless given; injection: a fault to put in; hosts: that it runs on, this machine alone
 *  unless given
 */
export type TargetRun = Described & {
	settings: TargetSettings;
	arm?: ArmCheckout | null;
	calibration?: Calibration | null;
	group?: string;
	injection?: Injection;
	hosts?: Hosts;
};

/** measured: where the rate was asked for as a share */
export type TargetSettings = Settings & { measured?: MeasuredRun };

/** of what it served a rate is a share */
export type MeasuredRun = {
	/** requests a second, what the share comes to */
	rate: number;
	/** what it is a share of, in words */
	share: string;
	/** a sentence */
	said: string;
	/** its folder, as it would be typed */
	shown: string;
	/** of its containers */
	images: RunImage[];
};

export type ArmCheckout = {
	arm: Arm;
	/** of its Compose files, absolute */
	folder: string;
	/** that holds all of its revision; of no revision it is that folder */
	root: string;
	/** ids of the images that were built for its runs so far, by service */
	kept: Record<string, string>;
};

export type Around = { say: (text: string) => void; signal: AbortSignal };

/** a target of which a run can be made */
export type Ready = {
	/** its stack */
	system: System;
	/** by which the stack is taken down */
	down: System;
	/** the stack with its generators */
	loadSystem: System;
	/** Compose's names of them; the driver's own one unless given */
	generators?: string[];
	driver: Driver;
	/** that Compose reads */
	env: Record<string, string>;
	/** null where a service of the stack makes the load */
	generatorImage: string | null;
	/** ids of images that were built for it, by service */
	built: Record<string, string>;
	shape: Shape;
	/** whose quotas are lifted for the warm-up */
	liftedTiers: readonly string[];
	facts: RunFacts;
	/** whenCreated: its networks and containers are there, and nothing has started */
	bringUp: (whenCreated: (() => Promise<void>) | undefined) => Promise<Up>;
};

/** what the manifest of any run says of it */
export type RunFacts = {
	/** name of the system */
	architecture: string;
	/** published: key of the published figures of such a run */
	system: ReturnType<typeof describeSystem> & { published?: string; fingerprints?: Fingerprints };
	/** where the load goes in */
	target?: string;
	/** its name */
	load: string;
	shape: Shape;
	scenario: string;
	/** of the user's own that is the load */
	script?: string;
	/** file that its requests are of */
	openapi?: string;
	variables: Record<string, string>;
	budget: string;
	/** services that their file has started again, `always` or after a `failure`, and this run does not */
	restarts?: Record<string, string>;
	/** of services that the engine starts again while the load goes on, as a Compose file has it */
	restart_policies?: Record<string, string>;
	quotas_cores: Record<string, number>;
	cpu_period_us?: number;
	/** tiers */
	quotas_lifted_in_warmup?: readonly string[];
	calibration?: Calibration;
	/** the scenario's own unless given */
	think_time_s?: number;
	client?: object;
	seed: number;
	integrity: boolean;
	delay_ms: number;
	/** that repeats it */
	command: string;
	/** that it runs on */
	hosts?: object[];
};

/** a target whose stack is up */
export type Up = {
	stack: Service[];
	/** a sentence for each thing that is worth knowing */
	notes: string[];
	/** of the manifest, that were learned by then */
	facts: Record<string, unknown>;
	/** of requests; null where none comes from outside */
	way: Way | null;
	/** asks what the load will ask, one request after the other, where the networks are recorded */
	probe: () => Promise<void>;
	/** drives a load, and ends it where it makes no sense */
	driven: <T>(drive: (signal: AbortSignal) => Promise<T>) => Promise<T>;
	/** what the manifest says of what its services hold, read when the load has ended */
	whenDriven: () => Promise<Record<string, unknown>>;
	/** a sentence for each thing that is known when the load has ended */
	notesAfter: () => string[];
};

/**
 * of a fault, by the self-test: the target puts in what of it is otherwise before the system comes up, in the way of
 * its files. The manifest names it; no rule reads that
 */
export type Injection = {
	/** null: none */
	fault: { id: string; title: string } | null;
	/** null: nothing; service: that it is of, empty where it names its services itself */
	put: { how: Put; service: string } | null;
	/** before the load */
	whenUp: (during: During) => Promise<void>;
	/** given the moment the load begins */
	duringLoad: (beganS: number, during: During) => Promise<void>;
};

type During = {
	stack: Service[];
	/** of the load */
	shape: Shape;
	system: System;
	signal: AbortSignal;
	/** aborts when the load has ended */
	over?: AbortSignal;
};

/** what is to run on the hosts of a Swarm */
export type HostsGiven = {
	/** with its generators */
	system: System;
	env: Record<string, string>;
	/** that is here, with Node.js: of the lab's own containers */
	helperImage: string;
	/** of a user's own files, volumes that this machine alone has: with what, and parts of these */
	own?: { filled: string[]; parts: string[] };
};

/**
 * prepare: before anything is made, gives
 * what each is, and a sentence for each thing that they do not have as Compose has it; names: of the hosts, this machine's first
 */
export type Hosts = Deployment & {
	prepare: (given: HostsGiven) => Promise<{ hosts: object[]; notes: string[] }>;
	names: string[];
};

export type RunOptions = {
	progress: Progress;
	/** aborts when the user interrupts */
	signal: AbortSignal;
	/** who shows it while it goes on, and where */
	watcher?: Watcher;
};

/** groups, one after the other */
const stoppedTogether: (services: Service[], way: Way | null) => Service[][] = (services, way) =>
	way === null ? [services] : stopOrder(way, services).map((group) => services.filter(({ service }) => group.includes(service)));

/** A Swarm gives its containers no period of their own: Docker's. */
export const SWARM_PERIOD_US = 100_000;

export const NO_INJECTION: Injection = {
	fault: null,
	put: null,
	whenUp: async () => {},
	duringLoad: async () => {},
};

/**
 * @returns the run's folder, and the ids of images that
 * were built for it, by service; interrupted runs keep what was measured
 * @throws {NotReadyError} when the files, the machine or the stack are not ready
 */
export async function runTarget(
	target: Target,
	{ progress, signal, watcher }: RunOptions,
): Promise<{ folder: string; interrupted: boolean; images: Record<string, string> }> {
	const around = { say: progress.say, signal };
	const { settings, project, published } = target;
	const checks = await preflight({ project, published, settings, ...around });
	for (const warning of checks.warnings) progress.say(`note: ${warning}`);
	const images = await target.images(around);
	const run = nameRunFolder(target.group);
	const scratch = await makeScratch('run');
	let capture: Awaited<ReturnType<typeof captureOf>> = null;
	try {
		await noteRun(scratch, run.folder);
		const ready = await target.prepare({ run, images, scratch, ...around });
		capture = await captureOf({
			isWanted: target.capture,
			project,
			loadS: loadDuration(ready.shape),
			...{ images: settings.images, ...around },
		});
		const { fault } = target.injection;
		const manifest = await beginManifest(checks, { run: run.id, ...ready.facts, ...(fault && { fault }), images_mode: images.mode });
		const { down, env, built } = ready;
		const recorded = await recordRun({ down, env, folder: run.folder, manifest, progress, signal }, () =>
			measure({ target, ready, run, manifest, progress, signal, watcher, capture }),
		);
		return { ...recorded, images: built };
	} finally {
		await capture?.clear();
		if (settings.trial?.slowing) await removeIdle();
		await target.close();
		await rm(scratch, { recursive: true, force: true });
	}
}

async function measure({
	target,
	ready,
	run,
	manifest,
	progress,
	signal,
	watcher,
	capture,
}: Required<Pick<RunOptions, 'progress' | 'signal'>> &
	Pick<RunOptions, 'watcher'> & {
		target: Target;
		ready: Ready;
		run: RunFolder;
		manifest: Manifest;
		capture: Awaited<ReturnType<typeof captureOf>>;
	}) {
	const { injection, settings } = target;
	const { system, loadSystem, generators, driver, env, shape } = ready;
	const { folder, rawFolder, writtenFolder } = run;
	progress.say('bringing the stack up');
	const up = await ready.bringUp(capture?.begin);
	const { stack, way } = up;
	Object.assign(manifest, up.facts);
	manifest.warnings = [...(manifest.warnings as string[]), ...up.notes];
	const over = new AbortController();
	const during = { stack, shape, system, signal, over: over.signal };
	if (capture !== null) await up.probe();
	await checkPutting(settings.faults, stack);
	await injection.whenUp(during);
	let injected = Promise.resolve();
	let put = Promise.resolve();
	const { slowing, switching } = settings.trial ?? {};
	const idle = slowing && ready.generatorImage !== null ? await startIdle(ready.generatorImage) : null;
	const open = switching && (await openSwitch(switching.change, { system, stack }).catch((error: Error) => error));
	let slowed = Promise.resolve();
	let switched = Promise.resolve();
	const bringQuotasBack = await liftQuotas(stack, ready.liftedTiers);
	const balancer = openBalancer(stack, rawFolder);
	const onSettled = async () => {
		await bringQuotasBack();
		await balancer.read();
		put = putFaults(settings.faults, manifest, { signal, over: over.signal, system });
		if (slowing) slowed = slowInTurns(slowing, manifest, { signal, over: over.signal, system, idle });
		if (open) switched = switchInTurns(switching.turns, manifest, { open, signal, over: over.signal });
		injected = injection.duringLoad(Number(manifest.load_began_s), during);
		// Awaited below; a failure before that must not be an unhandled one.
		injected.catch(() => {});
	};
	await watchLoad({
		...{ system, stack, rawFolder, manifest, progress, watcher },
		describe: (services) => ({ services: describeServices(services), ...describeEdges(services, way) }),
		load: async (when) => {
			const [versions, table] = await Promise.all([
				readVersions(system, stack, ready.generatorImage),
				balancer.keepConf(),
				balancer.read(),
			]);
			manifest.versions = versions;
			if (table?.slots) watcher?.limit(table.name, table.slots);
			progress.say(`load: ${shape.title}${pagesOf(watcher, settings.dashboard ? driver.livePage : '')}`);
			const driven = { system: loadSystem, generators, env, stack, shape, rawFolder, writtenFolder, progress };
			const generated = await up.driven((until) => driver.drive({ ...driven, ...when, signal: until, onSettled }));
			if (generated.length > 1) manifest.generators = generated;
			else if (generated.length > 0) manifest.generator_exit_code = generated[0].exit_code;
			over.abort();
			await Promise.all([injected, put, slowed, switched]);
			manifest.load_ended_s = Date.now() / 1000;
			await balancer.read();
			const drained = await drainQueue(stack, { say: progress.say, signal });
			if (drained !== null) manifest.drained = drained;
			Object.assign(manifest, await up.whenDriven());
			const outages = system.deployment?.outages ?? [];
			if (outages.length > 0) manifest.outages = outages;
		},
		collect: async (services) => {
			await capture?.stop();
			const rotated: string[] = [];
			const onRotated = (name: string) => rotated.push(name);
			const since = { sinceS: Number(manifest.load_began_s), onRotated };
			const missing = await collect({ system, services, groups: stoppedTogether(services, way), folder, ...since });
			if (rotated.length > 0) manifest.rotated_logs = rotated;
			await balancer.close();
			await capture?.write(join(rawFolder, `${RAW.wire}.gz`));
			return [...(capture?.notes ?? []), ...missing, ...up.notesAfter()];
		},
	});
}
