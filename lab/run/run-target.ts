/**
 * One run of a target under one load, from the preflight to the teardown. Leaves `manifest.json` and `raw/` in the run's folder, whatever
 * happens on the way, and nothing of the stack.
 *
 *
 * @typedef {object} Target        a system under test, before anything of it is made
 * @property {string} project      Compose's name of the run
 * @property {string} group        folder below reports/ that the run's folder is made in
 * @property {Settings} settings  what is asked of the run
 * @property {Parameters<typeof preflight>[0]['published']} published  on this machine
 * @property {boolean} capture     what passes its networks is recorded
 * @property {Injection} injection
 * @property {(around: Around) => Promise<Images>} images  gets those that it needs
 * @property {(given: { run: RunFolder, images: Images, scratch: string } & Around) => Promise<Ready>} prepare
 *   makes the run's folder; scratch: folder that is removed after the run
 * @property {(given: { arm: string, images: Images, scratch: string, writtenFolder: string } & Around) => Promise<BareReady>} prepareBare
 *   of a run without the lab; arm: what of it is there all the same; writtenFolder: in scratch, that the generator writes into
 * @property {() => Promise<void>} close  when its stack is gone, or never was there
 * @property {() => Map<string, PlannedFault>} faults  that can be put into it, by id, the control first where it is one
 * @property {Record<string, string>} bareArms  what can be left of it without the whole lab, the plainest first, with titles; none where nothing is the same
 * @property {(given: { images: Images }) => Promise<PutLoad>} putLoad  what is put on it, before anything of it is made
 * @property {Fingerprints} [fingerprints]  where its name does not say what it is
 *
 * @typedef {{ files: string, load: string }} Fingerprints  of what Compose makes of its files; of what is asked of it, however many ask
 *
 * @typedef {object} PutLoad
 * @property {string} load         its name
 * @property {Shape} shape
 * @property {{ name: string, script: UserScript } | null} script  null where the load is no script of the user's own
 *
 * @typedef {Described & { settings: TargetSettings, arm?: ArmCheckout | null,
 *   calibration?: Calibration | null, group?: string, injection?: Injection, hosts?: Hosts }} TargetRun  of what a target
 *   is made. arm: of a comparison, null for the folder as it is; calibration: of this machine, for a budget or a load that follows from it; group: folder
 *   below reports/ that the run's folder is made in, the system's unless given; injection: a fault to put in; hosts: that it runs on, this machine alone
 *   unless given
 *
 * @typedef {Settings & { measured?: MeasuredRun }} TargetSettings  measured: where the rate was asked for as a share
 *
 * @typedef {object} MeasuredRun    of what it served a rate is a share
 * @property {number} rate         requests a second, what the share comes to
 * @property {string} share        what it is a share of, in words
 * @property {string} said         a sentence
 * @property {string} shown        its folder, as it would be typed
 * @property {RunImage[]} images  of its containers
 *
 * @typedef {object} ArmCheckout
 * @property {Arm} arm
 * @property {string} folder       of its Compose files, absolute
 * @property {string} root         that holds all of its revision; of no revision it is that folder
 * @property {Record<string, string>} kept  ids of the images that were built for its runs so far, by service
 *
 * @typedef {{ say: (text: string) => void, signal: AbortSignal }} Around
 *
 * @typedef {object} Ready         a target of which a run can be made
 * @property {System} system       its stack
 * @property {System} down         by which the stack is taken down
 * @property {System} loadSystem   the stack with its generators
 * @property {string[]} [generators]  Compose's names of them; the driver's own one unless given
 * @property {Driver} driver
 * @property {Record<string, string>} env  that Compose reads
 * @property {string | null} generatorImage  null where a service of the stack makes the load
 * @property {Record<string, string>} built  ids of images that were built for it, by service
 * @property {Shape} shape
 * @property {readonly string[]} liftedTiers  whose quotas are lifted for the warm-up
 * @property {RunFacts} facts
 * @property {(whenCreated: (() => Promise<void>) | undefined) => Promise<Up>} bringUp  whenCreated: its networks and containers are there, and
 *   nothing has started
 *
 * @typedef {object} RunFacts      what the manifest of any run says of it
 * @property {string} architecture  name of the system
 * @property {ReturnType<typeof describeSystem> & { published?: string, fingerprints?: Fingerprints }} system
 *   published: key of the published figures of such a run
 * @property {string} [target]     where the load goes in
 * @property {string} load         its name
 * @property {Shape} shape
 * @property {string} scenario
 * @property {string} [script]     of the user's own that is the load
 * @property {string} [openapi]    file that its requests are of
 * @property {Record<string, string>} variables
 * @property {string} budget
 * @property {Record<string, string>} [restarts]  services that their file has started again, `always` or after a `failure`, and this run does not
 * @property {Record<string, string>} [restart_policies]  of services that the engine starts again while the load goes on, as a Compose file has it
 * @property {Record<string, number>} quotas_cores
 * @property {number} [cpu_period_us]
 * @property {readonly string[]} [quotas_lifted_in_warmup]  tiers
 * @property {Calibration} [calibration]
 * @property {number} [think_time_s]  the scenario's own unless given
 * @property {object} [client]
 * @property {number} seed
 * @property {boolean} integrity
 * @property {number} delay_ms
 * @property {string} command      that repeats it
 * @property {object[]} [hosts]    that it runs on
 *
 * @typedef {object} Up            a target whose stack is up
 * @property {Service[]} stack
 * @property {string[]} notes      a sentence for each thing that is worth knowing
 * @property {Record<string, unknown>} facts  of the manifest, that were learned by then
 * @property {Way | null} way  of requests; null where none comes from outside
 * @property {() => Promise<void>} probe  asks what the load will ask, one request after the other, where the networks are recorded
 * @property {<T>(drive: (signal: AbortSignal) => Promise<T>) => Promise<T>} driven  drives a load, and ends it where it makes no sense
 * @property {() => Promise<Record<string, unknown>>} whenDriven  what the manifest says of what its services hold, read when the load has ended
 * @property {() => string[]} notesAfter  a sentence for each thing that is known when the load has ended
 *
 * @typedef {object} Injection     of a fault, by the self-test: the target puts in what of it is otherwise before the system comes up, in the way of
 *   its files. The manifest names it; no rule reads that
 * @property {{ id: string, title: string } | null} fault  null: none
 * @property {{ how: Put, service: string } | null} put  null: nothing; service: that it is of, empty where it names its
 *   services itself
 * @property {(during: During) => Promise<void>} whenUp  before the load
 * @property {(beganS: number, during: During) => Promise<void>} duringLoad  given the moment the load begins
 *
 * @typedef {object} During
 * @property {Service[]} stack
 * @property {Shape} shape  of the load
 * @property {System} system
 * @property {AbortSignal} signal
 * @property {AbortSignal} [over]  aborts when the load has ended
 *
 * @typedef {object} HostsGiven    what is to run on the hosts of a Swarm
 * @property {System} system        with its generators
 * @property {Record<string, string>} env
 * @property {string} helperImage   that is here, with Node.js: of the lab's own containers
 * @property {{ filled: string[], parts: string[] }} [own]  of a user's own files, volumes that this machine alone has: with what, and parts of these
 *
 * @typedef {Deployment & {
 *   prepare: (given: HostsGiven) => Promise<{ hosts: object[], notes: string[] }>, names: string[] }} Hosts  prepare: before anything is made, gives
 *   what each is, and a sentence for each thing that they do not have as Compose has it; names: of the hosts, this machine's first
 *
 * @typedef {object} RunOptions
 * @property {Progress} progress
 * @property {AbortSignal} signal  aborts when the user interrupts
 * @property {Watcher} [watcher]  who shows it while it goes on, and where
 *
 * @import { Shape } from '../../k6/lib/shapes.js'
 * @import { PlannedFault, Put } from '../adapters/faults.ts'
 * @import { NotReadyError } from '../base/errors.ts'
 * @import { Progress } from '../cli/reporter.ts'
 * @import { Deployment, Service, System } from '../docker/containers.ts'
 * @import { Images } from '../docker/images.ts'
 * @import { RunFolder } from '../docker/scratch.ts'
 * @import { Driver } from '../load/drivers.ts'
 * @import { UserScript } from '../load/user-script.ts'
 * @import { Arm } from '../options/arms.ts'
 * @import { Calibration } from '../options/calibration.ts'
 * @import { Settings } from '../options/settings.ts'
 * @import { Way, describeSystem } from '../target/describe.ts'
 * @import { Described } from '../target/described.ts'
 * @import { Manifest, RunImage, Watcher } from './components.ts'
 * @import { Preflight } from './preflight.ts'
 * @import { BareReady } from './run-bare.ts'
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDuration } from '../../k6/lib/shapes.js';
import { RAW } from '../base/paths.ts';
import { describeMachine } from '../docker/lock.ts';
import { makeScratch, nameRunFolder, noteRun } from '../docker/scratch.ts';
import { MANIFEST_SCHEMA_VERSION } from '../record/versions.ts';
import { describeEdges, describeServices } from '../target/describe.ts';
import { stopOrder } from '../target/entry.ts';
import { captureOf } from './capture/run-capture.ts';
import { collect } from './collect.ts';
import { openBalancer, pagesOf, readCommit, readVersions, recordRun, watchLoad } from './components.ts';
import { checkPutting, putFaults } from './faults/fault-actions.ts';
import { removeIdle, slowInTurns, startIdle } from './faults/slowing.ts';
import { drainQueue } from './observe/products.ts';
import { preflight } from './preflight.ts';
import { liftQuotas } from './quotas.ts';

/** @type {(services: Service[], way: Way | null) => Service[][]} groups, one after the other */
const stoppedTogether = (services, way) =>
	way === null ? [services] : stopOrder(way, services).map((group) => services.filter(({ service }) => group.includes(service)));

/*
 * The manifest of a run as far as it is known before it, whatever is run.
 */

/**
 * @param {Preflight} checks
 * @param {Record<string, unknown>} own  what is run, and how
 * @returns {Promise<Manifest>}
 */
async function beginManifest(checks, own) {
	return {
		schema: MANIFEST_SCHEMA_VERSION,
		...own,
		machine: {
			...(await describeMachine()),
			engine: checks.engine,
			compose: checks.compose,
			busy_share_before: checks.busy_share,
			clock_offset_s: checks.clock_offset_s,
		},
		git: await readCommit(),
		warnings: checks.warnings,
		interrupted: false,
		started: new Date().toISOString(),
	};
}

/** A Swarm gives its containers no period of their own: Docker's. */
export const SWARM_PERIOD_US = 100_000;

/** @type {Injection} */
export const NO_INJECTION = {
	fault: null,
	put: null,
	whenUp: async () => {},
	duringLoad: async () => {},
};

/**
 * @param {Target} target
 * @param {RunOptions} options
 * @returns {Promise<{ folder: string, interrupted: boolean, images: Record<string, string> }>} the run's folder, and the ids of images that
 *   were built for it, by service; interrupted runs keep what was measured
 * @throws {NotReadyError} when the files, the machine or the stack are not ready
 */
export async function runTarget(target, { progress, signal, watcher }) {
	const around = { say: progress.say, signal };
	const { settings, project, published } = target;
	const checks = await preflight({ project, published, settings, ...around });
	for (const warning of checks.warnings) progress.say(`note: ${warning}`);
	const images = await target.images(around);
	const run = nameRunFolder(target.group);
	const scratch = await makeScratch('run');
	/** @type {Awaited<ReturnType<typeof captureOf>>} */
	let capture = null;
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

/**
 * @param {Required<Pick<RunOptions, 'progress' | 'signal'>> & Pick<RunOptions, 'watcher'> & { target: Target, ready: Ready, run: RunFolder, manifest: Manifest, capture: Awaited<ReturnType<typeof captureOf>> }} options
 */
async function measure({ target, ready, run, manifest, progress, signal, watcher, capture }) {
	const { injection, settings } = target;
	const { system, loadSystem, generators, driver, env, shape } = ready;
	const { folder, rawFolder, writtenFolder } = run;
	progress.say('bringing the stack up');
	const up = await ready.bringUp(capture?.begin);
	const { stack, way } = up;
	Object.assign(manifest, up.facts);
	manifest.warnings = [.../** @type {string[]} */ (manifest.warnings), ...up.notes];
	const over = new AbortController();
	const during = { stack, shape, system, signal, over: over.signal };
	if (capture !== null) await up.probe();
	await checkPutting(settings.faults, stack);
	await injection.whenUp(during);
	let injected = Promise.resolve();
	let put = Promise.resolve();
	const { slowing } = settings.trial ?? {};
	const idle = slowing && ready.generatorImage !== null ? await startIdle(ready.generatorImage) : null;
	let slowed = Promise.resolve();
	const bringQuotasBack = await liftQuotas(stack, ready.liftedTiers);
	const balancer = openBalancer(stack, rawFolder);
	const onSettled = async () => {
		await bringQuotasBack();
		await balancer.read();
		put = putFaults(settings.faults, manifest, { signal, over: over.signal, system });
		if (slowing) slowed = slowInTurns(slowing, manifest, { signal, over: over.signal, system, idle });
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
			await Promise.all([injected, put, slowed]);
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
			/** @type {string[]} */
			const rotated = [];
			const onRotated = (/** @type {string} */ name) => rotated.push(name);
			const since = { sinceS: Number(manifest.load_began_s), onRotated };
			const missing = await collect({ system, services, groups: stoppedTogether(services, way), folder, ...since });
			if (rotated.length > 0) manifest.rotated_logs = rotated;
			await balancer.close();
			await capture?.write(join(rawFolder, `${RAW.wire}.gz`));
			return [...(capture?.notes ?? []), ...missing, ...up.notesAfter()];
		},
	});
}
