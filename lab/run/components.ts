/**
 * Asks every component for its own version, and the shipped balancer for its configuration and totals.
 *
 * @import { Progress } from '../cli/reporter.ts'
 * @import { Lines, Records, Service, System } from '../docker/containers.ts'
 * @import { DriveOptions } from '../load/drivers.ts'
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adapterFor } from '../adapters/registry.ts';
import { writeFileAtomic, writePrivate } from '../base/files.ts';
import { formatCommand } from '../base/format-command.ts';
import { IS_CHECKOUT, RAW, RECORD, ROOT } from '../base/paths.ts';
import { runBounded } from '../docker/bounded.ts';
import { labelOf } from '../docker/containers.ts';
import { containerById, engineOf, execute } from '../docker/docker.ts';
import { layersIn } from '../docker/images.ts';
import { RecordFile, removeWritten, takeWritten } from '../docker/scratch.ts';
import { takeDown } from '../docker/stack.ts';
import { inventoryOf, withSeal } from '../record/inventory.ts';
import { observeKernel } from './observe/observe-kernel.ts';
import { observeContainers, observeEvents, readPortRange, readProductVersions, sampleContainers } from './observe/products.ts';

const GIT_LIMIT_MS = 5000;
const LEAST_K6_LIMIT_MS = 30_000;

/**
 * @param {import('../docker/containers.ts').System} system
 * @param {Service[]} services
 * @param {string | null} generatorImage  null where no k6 makes the load
 * @returns {Promise<Record<string, string>>} component to version
 */
export async function readVersions(system, services, generatorImage) {
	const asked = services
		.filter(({ product }) => product === null)
		.flatMap((service) => {
			const adapter = adapterFor(service);
			return adapter?.version ? [{ id: service.id, component: adapter.product, ...adapter.version }] : [];
		})
		.filter(({ component }, index, all) => index === all.findIndex((other) => other.component === component));
	const [ofProducts, k6, ...own] = await Promise.all([
		readProductVersions(services),
		generatorImage === null ? null : readK6Version(system, generatorImage),
		...asked.map(async ({ id, component, command, pattern }) => [component, pattern.exec(await execute(id, command))?.[1] ?? 'unknown']),
	]);
	return { ...Object.fromEntries(own), ...ofProducts, ...(k6 === null ? {} : { k6 }) };
}

/**
 * @param {import('../docker/containers.ts').System} system
 * @param {string} image
 */
async function readK6Version(system, image) {
	const k6 = await runBounded('docker', ['run', '--rm', '--network', 'none', '--label', labelOf(system), image, 'version'], {
		limitMs: LEAST_K6_LIMIT_MS,
	});
	return /v(\d[^\s(]*)/.exec(k6.stdout)?.[1] ?? 'unknown';
}

/**
 * @typedef {object} RunImage
 * @property {string} name    of a container
 * @property {string} image
 * @property {string} id
 * @property {string | null} digest  null of one that was built here
 * @property {string} [layers]  of what it is made (layersIn); earlier manifests have none
 *
 * @param {Service[]} services
 * @returns {Promise<RunImage[]>}
 */
async function readImages(services) {
	return Promise.all(
		services.map(async ({ id, name, image, imageId }) => {
			const inspected = await engineOf(id).getImage(imageId).inspect();
			return { name, image, id: imageId, digest: inspected.RepoDigests?.[0] ?? null, layers: layersIn(inspected) };
		}),
	);
}

/** What measures: its version, and the commit where one is known. */
export async function readLab() {
	const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
	return { version: String(version), git: await readCommit() };
}

/** The commit that measured, and whether the tree differed from it; null where none is known. */
export async function readCommit() {
	// The folders around a package may be somebody else's repository.
	if (!IS_CHECKOUT) return null;
	const git = (/** @type {string[]} */ args) => runBounded('git', args, { cwd: ROOT, limitMs: GIT_LIMIT_MS });
	const [commit, status] = await Promise.all([git(['rev-parse', 'HEAD']), git(['status', '--porcelain'])]);
	return commit.failed ? null : { commit: String(commit.stdout).trim(), changed: String(status.stdout).trim() !== '' };
}

/**
 * The balancer, where something is asked inside it: its configuration, and its totals at some moments.
 * @param {Service[]} services
 * @param {string} rawFolder
 */
export function openBalancer(services, rawFolder) {
	const balancer = services.find(({ tier, product }) => tier === 'load-balancer' && product === null);
	const inside = balancer && adapterFor(balancer)?.inside;
	if (!inside) return { keepConf: async () => null, read: async () => {}, close: async () => {} };
	const { id, name } = balancer;
	const { conf, totals } = inside;
	const file = new RecordFile(join(rawFolder, totals.file));
	return {
		/** Keeps the one that it really runs. @returns {Promise<{ name: string, slots: number | null }>} slots: of its connection table */
		keepConf: async () => {
			const { Config: config } = await containerById(id).inspect();
			const text = await execute(id, conf.command(/** @type {string[]} */ (config.Entrypoint ?? [])));
			await writePrivate(join(rawFolder, conf.file), text);
			return { name, slots: conf.slots(text) };
		},
		/** Nothing where it does not answer. */
		read: async () => {
			const reported = totals.parse(await execute(id, totals.command).catch(() => ''));
			if (reported) file.write({ t: Date.now() / 1000, ...reported });
		},
		close: () => file.close(),
	};
}

/**
 * What every run has in common, whatever stack it is of: its manifest is written whatever happens on the way, its stack is taken
 * down, and while the load goes on its containers are watched.
 *
 * @typedef {Record<string, unknown>} Manifest  filled while the run goes on, so that an interrupted one has it too
 */

/**
 * @typedef {object} Watcher     who sees what is recorded while the run goes on
 * @property {string} url        where that is shown
 * @property {(name: string, connections: number) => void} limit  before that: of open connections that a service may have
 * @property {(services: Service[]) => void} describe
 * @property {(record: string, line: object) => void} take
 */

/** What is said of the pages on which a run can be watched. @param {Watcher | undefined} watcher @param {string} generatorsPage */
export const pagesOf = (watcher, generatorsPage) => `${watcher ? `; watch it on ${watcher.url}` : ''}${generatorsPage}`;

/** Records of the observers. */
const OBSERVED = /** @type {const} */ (['containers', 'kernel', 'host', 'events']);

/**
 * @param {object} options
 * @param {System} options.down    what is taken down
 * @param {Record<string, string>} options.env
 * @param {string} options.folder  of the run
 * @param {Manifest} options.manifest
 * @param {Progress} options.progress
 * @param {AbortSignal} options.signal
 * @param {() => Promise<void>} measure
 * @returns {Promise<{ folder: string, interrupted: boolean }>}
 */
export async function recordRun({ down, env, folder, manifest, progress, signal }, measure) {
	try {
		await measure();
	} catch (error) {
		if (!signal.aborted) throw error;
		manifest.interrupted = true;
	} finally {
		progress.done();
		manifest.ended = new Date().toISOString();
		try {
			await writeManifest(folder, manifest);
		} finally {
			progress.say('taking the stack down');
			const left = await takeDown(env, down);
			if (left !== null) progress.say(`${left}; "${formatCommand(['clean'])}" tries again`);
			// Of a run that did not come to its load there is still why: what a balancer logged that did not start.
			await takeWritten(folder);
			// A container that is still there could put a link where a folder is being removed.
			if (left === null) await removeWritten(folder);
		}
	}
	return { folder, interrupted: signal.aborted };
}

/**
 * With what its files are, so that whoever reads them knows whether all is there. Where that cannot be said the rest is written all the same.
 * @param {string} folder of the run
 * @param {Manifest} manifest
 */
async function writeManifest(folder, manifest) {
	const files = await inventoryOf(join(folder, RECORD.raw)).catch(() => undefined);
	await writeFileAtomic(join(folder, RECORD.manifest), `${JSON.stringify(withSeal({ ...manifest, files }), null, 2)}\n`);
}

/**
 * Drives the load with all observers on, and collects the record when it has ended, however it did.
 * @param {object} options
 * @param {System} options.system
 * @param {Service[]} options.stack
 * @param {string} options.rawFolder
 * @param {Manifest} options.manifest
 * @param {Progress} options.progress
 * @param {(services: Service[]) => Manifest} options.describe  what the manifest says of them
 * @param {(when: Pick<DriveOptions, 'onReady' | 'onWarmupBegan'>) => Promise<void>} options.load
 * @param {(services: Service[]) => Promise<string[]>} options.collect  gives a sentence for each thing that is not whole
 * @param {Watcher} [options.watcher]  who sees what is recorded at once
 */
export async function watchLoad({ system, stack, rawFolder, manifest, progress, describe, load, collect, watcher }) {
	const files = Object.fromEntries(OBSERVED.map((name) => [name, new RecordFile(join(rawFolder, RAW[name]))]));
	const records = /** @type {Records} */ (
		Object.fromEntries(OBSERVED.map((name) => [name, watcher === undefined ? files[name] : seenBy(watcher, name, files[name])]))
	);
	/** @type {(() => void | Promise<void>)[]} */
	const observers = [];
	let services = stack;
	let closeSamples = async () => {};
	try {
		await load({
			onReady: async (all) => {
				services = all;
				watcher?.describe(services);
				Object.assign(manifest, describe(services));
				manifest.images = await readImages(services);
				const running = services.filter(({ pid }) => pid > 0);
				observers.push(...(await observe(system, running, services, records)));
				const samples = await sampleContainers(running, rawFolder);
				closeSamples = samples.close;
				observers.push(samples.stop);
			},
			onWarmupBegan: (began, loadBegins) => {
				manifest.warmup_began_s = began;
				manifest.load_began_s = loadBegins;
			},
		});
	} finally {
		progress.done();
		for (const stop of observers) await stop();
		progress.say('collecting the record');
		const missing = await collect(services);
		for (const sentence of missing) progress.say(`note: ${sentence}`);
		manifest.warnings = [.../** @type {string[]} */ (manifest.warnings), ...missing];
		await Promise.all([closeSamples(), ...Object.values(files).map((file) => file.close())]);
	}
}

/**
 * @param {System} system
 * @param {Service[]} running
 * @param {Service[]} services
 * @param {Records} records
 * @returns {Promise<(() => void | Promise<void>)[]>} each stops a watching
 */
async function observe(system, running, services, records) {
	if (system.deployment) return [await system.deployment.observe(services, records)];
	const watched = await Promise.all(running.map(async ({ name, id, pid }) => ({ name, id, pid, portRange: await readPortRange(id) })));
	return [
		observeKernel(watched, records),
		await observeContainers(running, records.containers),
		await observeEvents(labelOf(system), services, records.events),
	];
}

/** @type {(watcher: Watcher, name: string, file: RecordFile) => Lines} */
const seenBy = (watcher, name, file) => ({
	write(line) {
		file.write(line);
		watcher.take(name, line);
	},
});
