/** Asks every component for its own version, and the shipped balancer for its configuration and totals. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adapterFor } from '../adapters/registry.ts';
import { formatCommand } from '../base/format-command.ts';
import { IS_CHECKOUT, RAW, RECORD, ROOT } from '../base/paths.ts';
import { writePrivate } from '../base/private-file.ts';
import type { Progress } from '../base/progress.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { runBounded } from '../docker/bounded.ts';
import type { Lines, Records, Service, System } from '../docker/containers.ts';
import { labelOf, OWN_LABEL } from '../docker/containers.ts';
import { containerById, engineOf, execute } from '../docker/docker.ts';
import { layersIn } from '../docker/images.ts';
import { RecordFile } from '../docker/record-file.ts';
import { takeDown } from '../docker/stack.ts';
import { removeWritten, takeWritten } from '../docker/take-written.ts';
import type { DriveOptions } from '../load/drivers.ts';
import { inventoryOf, withSeal } from '../record/inventory.ts';
import { observeContainers } from './observe/observe-containers.ts';
import { observeEvents } from './observe/observe-events.ts';
import { observeKernel } from './observe/observe-kernel.ts';
import { readPortRange, readProductVersions, sampleContainers } from './observe/products.ts';

const GIT_LIMIT_MS = 5000;
const LEAST_K6_LIMIT_MS = 30_000;

/**
 * @param generatorImage null where no k6 makes the load
 * @returns component to version
 */
export async function readVersions(system: System, services: Service[], generatorImage: string | null): Promise<Record<string, string>> {
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

async function readK6Version(system: System, image: string) {
	const k6 = await runBounded(
		'docker',
		['run', '--rm', '--network', 'none', '--label', labelOf(system), '--label', OWN_LABEL, image, 'version'],
		{
			limitMs: LEAST_K6_LIMIT_MS,
		},
	);
	return /v(\d[^\s(]*)/.exec(k6.stdout)?.[1] ?? 'unknown';
}

export type RunImage = {
	/** of a container */
	name: string;
	image: string;
	id: string;
	/** null of one that was built here */
	digest: string | null;
	/** of what it is made (layersIn); earlier manifests have none */
	layers?: string;
};

async function readImages(services: Service[]): Promise<RunImage[]> {
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
	const git = (args: string[]) => runBounded('git', args, { cwd: ROOT, limitMs: GIT_LIMIT_MS });
	const [commit, status] = await Promise.all([git(['rev-parse', 'HEAD']), git(['status', '--porcelain'])]);
	return commit.failed ? null : { commit: String(commit.stdout).trim(), changed: String(status.stdout).trim() !== '' };
}

/** The balancer, where something is asked inside it: its configuration, and its totals at some moments. */
export function openBalancer(services: Service[], rawFolder: string) {
	const balancer = services.find(({ tier, product }) => tier === 'load-balancer' && product === null);
	const inside = balancer && adapterFor(balancer)?.inside;
	if (!inside) return { keepConf: async () => null, read: async () => {}, close: async () => {} };
	const { id, name } = balancer;
	const { conf, totals } = inside;
	const file = new RecordFile(join(rawFolder, totals.file));
	return {
		/**
		 * Keeps the one that it really runs.
		 * @returns slots: of its connection table
		 */
		keepConf: async (): Promise<{ name: string; slots: number | null }> => {
			const { Config: config } = await containerById(id).inspect();
			const text = await execute(id, conf.command((config.Entrypoint ?? []) as string[]));
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
 */
/** filled while the run goes on, so that an interrupted one has it too */
export type Manifest = Record<string, unknown>;

/** who sees what is recorded while the run goes on */
export type Watcher = {
	/** where that is shown */
	url: string;
	/** before that: of open connections that a service may have */
	limit: (name: string, connections: number) => void;
	describe: (services: Service[]) => void;
	take: (record: string, line: object) => void;
};

/** What is said of the pages on which a run can be watched. */
export const pagesOf = (watcher: Watcher | undefined, generatorsPage: string) =>
	`${watcher ? `; watch it on ${watcher.url}` : ''}${generatorsPage}`;

/** Records of the observers. */
const OBSERVED = ['containers', 'kernel', 'host', 'events'] as const;

export async function recordRun(
	{
		down,
		env,
		folder,
		manifest,
		progress,
		signal,
	}: {
		/** what is taken down */
		down: System;
		env: Record<string, string>;
		/** of the run */
		folder: string;
		manifest: Manifest;
		progress: Progress;
		signal: AbortSignal;
	},
	measure: () => Promise<void>,
): Promise<{ folder: string; interrupted: boolean }> {
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
			const written = left === null ? await removeWritten(folder) : [];
			if (written.length > 0) progress.say(`still there, as not all of it may be removed: ${written.join(', ')}`);
		}
	}
	return { folder, interrupted: signal.aborted };
}

/**
 * With what its files are, so that whoever reads them knows whether all is there. Where that cannot be said the rest is written all the same.
 * @param folder of the run
 */
async function writeManifest(folder: string, manifest: Manifest) {
	const files = await inventoryOf(join(folder, RECORD.raw)).catch(() => undefined);
	await writeFileAtomic(join(folder, RECORD.manifest), `${JSON.stringify(withSeal({ ...manifest, files }), null, 2)}\n`);
}

/** Drives the load with all observers on, and collects the record when it has ended, however it did. */
export async function watchLoad({
	system,
	stack,
	rawFolder,
	manifest,
	progress,
	describe,
	load,
	collect,
	watcher,
}: {
	system: System;
	stack: Service[];
	rawFolder: string;
	manifest: Manifest;
	progress: Progress;
	/** what the manifest says of them */
	describe: (services: Service[]) => Manifest;
	load: (when: Pick<DriveOptions, 'onReady' | 'onWarmupBegan'>) => Promise<void>;
	/** gives a sentence for each thing that is not whole */
	collect: (services: Service[]) => Promise<string[]>;
	/** who sees what is recorded at once */
	watcher?: Watcher;
}) {
	const files = Object.fromEntries(OBSERVED.map((name) => [name, new RecordFile(join(rawFolder, RAW[name]))]));
	const records = Object.fromEntries(
		OBSERVED.map((name) => [name, watcher === undefined ? files[name] : seenBy(watcher, name, files[name])]),
	) as Records;
	const observers: (() => void | Promise<void>)[] = [];
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
		manifest.warnings = [...(manifest.warnings as string[]), ...missing];
		await Promise.all([closeSamples(), ...Object.values(files).map((file) => file.close())]);
	}
}

/** @returns each stops a watching */
async function observe(system: System, running: Service[], services: Service[], records: Records): Promise<(() => void | Promise<void>)[]> {
	if (system.deployment) return [await system.deployment.observe(services, records)];
	const watched = await Promise.all(running.map(async ({ name, id, pid }) => ({ name, id, pid, portRange: await readPortRange(id) })));
	return [
		observeKernel(watched, records),
		await observeContainers(running, records.containers),
		await observeEvents(labelOf(system), services, records.events),
	];
}

const seenBy: (watcher: Watcher, name: string, file: RecordFile) => Lines = (watcher, name, file) => ({
	write(line) {
		file.write(line);
		watcher.take(name, line);
	},
});
