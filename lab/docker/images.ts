/**
 * Gets the images: the base images from the registry or built from packages, then the app's own. What is there already is
 * not made again. The names go to a file; a checkout's is .env, which Compose reads by itself.
 */

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import type { ImageInspectInfo } from 'dockerode';
import { NotReadyError } from '../base/errors.ts';
import { ENV_FILE, ROOT } from '../base/paths.ts';
import { copyFiles, hashOf } from '../base/sources.ts';
import { jsonIn } from '../base/values.ts';
import { experimentsWith, pathOf } from '../catalog/experiment-folders.ts';
import type { ImageMode } from '../catalog/image-mode.ts';
import { baseImages, DEBIAN_HUB, imagesFor } from '../catalog/shipped-services.ts';
import type { Bounds } from './bounded.ts';
import { runBounded } from './bounded.ts';
import { PROJECT_LABEL } from './containers.ts';
import { docker, ignoreGone } from './docker.ts';

export type Images = { mode: 'hub' | 'local'; variables: Record<string, string> };

/** a way to get the base images */
type Source = {
	mode: 'hub' | 'local';
	/** what the images are built on that are built */
	base: string;
	/** of every base image, by its key in the table */
	tags: Record<string, string>;
	/** keys of those that have to be there now; the others are only named */
	needed: string[];
	/** keys of the needed ones that the registry has; the others are built */
	pulled: string[];
};

const BUILD_FOLDER = join(ROOT, 'compose', 'images');
/** The programs that are asked: those that are shared, with their packages, and each experiment's own. Below the folder of the lab. */
const APP = 'app';
const APP_FOLDERS = [APP, ...experimentsWith(APP).map((id) => pathOf(id, APP))];
const PULL_LIMIT_MS = 600_000;
const BUILD_LIMIT_MS = 900_000;

/**
 * @returns the variables of the Compose files that name the images
 * @throws {NotReadyError} when an image can neither be pulled nor built
 */
export async function ensureImages({
	mode,
	architectures,
	say,
	signal,
}: {
	mode: ImageMode;
	/** whose images are wanted; those of all unless given */
	architectures?: string[];
	say: (text: string) => void;
	signal?: AbortSignal;
}): Promise<Images> {
	const bases = await ensureBases({ mode, needed: imagesFor(architectures), say, signal });
	const app = await ensureApp(bases.variables.NODE_IMAGE, say, signal);
	const images = { mode: bases.mode, variables: { ...bases.variables, APP_IMAGE: app } };
	await mkdir(dirname(ENV_FILE), { recursive: true });
	await writeFile(ENV_FILE, envText(images));
	return images;
}

/**
 * The generator's image alone, for a system whose other images are its own.
 * @returns of the variables, that of the generator is there
 * @throws {NotReadyError} when it can neither be pulled nor built
 */
export const ensureGenerator = (options: Pick<Parameters<typeof ensureImages>[0], 'mode' | 'say' | 'signal'>): Promise<Images> =>
	ensureBases({ ...options, needed: ['k6'] });

/**
 * The same, and the image of the lab's own containers on the hosts of a Swarm.
 * @throws {NotReadyError} as ensureGenerator
 */
export const ensureGeneratorOnHosts = (options: Parameters<typeof ensureGenerator>[0]): Promise<Images> =>
	ensureBases({ ...options, needed: ['k6', 'node'] });

/**
 * The image that records what passes the networks of a user's system.
 * @returns its name
 * @throws {NotReadyError} when it cannot be built
 */
export const ensureRecorder = async (options: Pick<Parameters<typeof ensureImages>[0], 'mode' | 'say' | 'signal'>): Promise<string> =>
	(await ensureBases({ ...options, needed: ['capture'] })).variables.CAPTURE_IMAGE;

function envText({ mode, variables }: Images) {
	const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	return `# Written by Doubletake: the images that this machine uses (${mode}), for Compose.\n${lines.join('\n')}\n`;
}

async function ensureBases({
	mode,
	needed,
	say,
	signal,
}: {
	mode: string;
	needed: string[];
	say: (text: string) => void;
	signal?: AbortSignal;
}): Promise<Images> {
	const hub = await hubSource(needed);
	const local = await localSource(needed);
	// What a machine has once got stays its choice until the user says otherwise.
	if (mode !== 'local' && (await isComplete(hub))) return imagesOf(hub);
	if (mode !== 'hub' && (await isComplete(local))) return imagesOf(local);
	if (mode !== 'local') {
		const refusal = await pullAll(hub, say, signal);
		if (refusal === null) {
			await buildAll(hub, say, signal);
			return imagesOf(hub);
		}
		if (mode === 'hub')
			throw new NotReadyError(`IMAGES=hub: ${refusal}`, 'check the network, or use IMAGES=local to build the images from packages.');
		say(`no image registry here (${refusal.split('\n')[0]}); building the images from packages`);
	}
	await buildAll(local, say, signal);
	return imagesOf(local);
}

/** The images of the registry, and beside them what the registry lacks. */
async function hubSource(needed: string[]): Promise<Source> {
	const hash = await hashOf(BUILD_FOLDER, DEBIAN_HUB);
	const tags = Object.entries(baseImages).map(([name, image]) => [name, image.hub ?? builtTag(name, hash)]);
	const pulled = needed.filter((name) => baseImages[name].hub);
	return { mode: 'hub', base: DEBIAN_HUB, tags: Object.fromEntries(tags), needed, pulled };
}

async function localSource(needed: string[]): Promise<Source> {
	const hash = await hashOf(BUILD_FOLDER);
	const tags = Object.keys(baseImages).map((name) => [name, builtTag(name, hash)]);
	return { mode: 'local', base: `doubletake/debian:bookworm-${hash}`, tags: Object.fromEntries(tags), needed, pulled: [] };
}

/** The name of an image that is built carries a hash of what it is built from. */
const builtTag: (name: string, hash: string) => string = (name, hash) => `doubletake/${name}:${baseImages[name].version}-${hash}`;

const imagesOf: (source: Source) => Images = ({ mode, tags }) => ({
	mode,
	variables: Object.fromEntries(Object.entries(tags).map(([name, tag]) => [baseImages[name].variable, tag])),
});

/**
 * What was built here from packages and is what an image of the registry is: Debian of the same release, or Node.js of the same major version on it.
 * @param image of the registry
 * @returns null where the engine has none
 */
export async function builtInstead(image: string): Promise<string | null> {
	const { base, tags } = await localSource([]);
	const [major] = String(baseImages.node.version).split('.');
	const isNode = new RegExp(`^node:${major}(\\.\\d+)*(-bookworm)?(-slim)?$`).test(image);
	const built = isNode ? tags.node : base;
	return (isNode || /^debian:(bookworm|12(\.\d+)?)(-\d+)?(-slim)?$/.test(image)) && (await isPresent(built)) ? built : null;
}

/** @param otherwise where the engine does not have it */
const ofImage = <T>(tag: string, read: (image: ImageInspectInfo) => T, otherwise: T) =>
	docker
		.getImage(tag)
		.inspect()
		.then(read, () => otherwise);

/** Whether the engine has it. */
export const isPresent = async (tag: string) => (await imageId(tag)) !== null;

/** @returns null where the engine does not have it */
export const imageId = (tag: string): Promise<string | null> => ofImage(tag, ({ Id: id }) => id as string | null, null);

/** In a label of a volume that nothing mounts the engine keeps what names stand for, should the lab be ended by force. */
const LENT = 'doubletake.lent';

const stand: (name: string, image: string | null) => Promise<unknown> = (name, image, at = name.lastIndexOf(':')) =>
	image === null ? docker.getImage(name).remove() : docker.getImage(image).tag({ repo: name.slice(0, at), tag: name.slice(at + 1) });

/**
 * Has a name stand for another image until it is given back.
 * @param name with its tag
 */
export async function lendName(name: string, other: string) {
	const lent = { name, before: await imageId(name), id: await imageId(other) };
	const volume = (await docker.createVolume({ Labels: { [LENT]: JSON.stringify(lent) } })) as any;
	await stand(name, other);
	return async () => {
		await stand(name, lent.before);
		await docker.getVolume(volume.name).remove().catch(ignoreGone);
	};
}

/** What an earlier run lent, unless the name stands for something else by now. */
export async function takeLentBack() {
	const { Volumes: volumes } = await docker.listVolumes({ filters: JSON.stringify({ label: [LENT] }) });
	// A Compose file may give its volumes any label.
	const own = (volumes ?? []).filter(({ Labels: labels }) => !labels?.[PROJECT_LABEL]);
	const lent = own.map(({ Labels: labels }) => jsonIn(labels[LENT]) ?? {});
	// One may be lent twice.
	for (const { name, before, id } of [...lent, ...lent])
		if (id && (await imageId(name)) === id) await stand(name, before).catch(() => stand(name, null));
	for (const { Name: volume } of own) await docker.getVolume(volume).remove().catch(ignoreGone);
}

/** What an image is made of, which is the same however often that is built; an id need not be. */
export const layersIn = ({ RootFS: { Layers: layers = [] } = {} }: { RootFS?: { Layers?: string[] } }): string =>
	createHash('sha256').update(layers.join('\n')).digest('hex');

/**
 * The same by its name.
 * @returns null where the engine does not have it
 */
export const imageLayers = (tag: string): Promise<string | null> => ofImage(tag, (image) => layersIn(image) as string | null, null);

/**
 * Over TCP, as the image itself says.
 * @returns none where the engine does not have it
 */
export const exposedPorts = async (tag: string): Promise<number[]> =>
	(await ofImage(tag, ({ Config: config }) => Object.keys(config?.ExposedPorts ?? {}), []))
		.filter((port) => port.endsWith('/tcp'))
		.map((port) => Number.parseInt(port, 10));

/**
 * What an image sets in the environment of its containers.
 * @returns nothing where the engine does not have it
 */
export const imageEnvironment = async (tag: string): Promise<Record<string, string>> =>
	Object.fromEntries((await ofImage(tag, ({ Config: config }) => config?.Env ?? [], [])).map(splitOnce));

/**
 * What an image starts where nobody says otherwise.
 * @returns nothing where the engine does not have it
 */
export const imageStart = (tag: string): Promise<{ entrypoint: string[]; command: string[] }> =>
	ofImage(tag, ({ Config: config }) => ({ entrypoint: [config?.Entrypoint ?? []].flat(), command: config?.Cmd ?? [] }), {
		entrypoint: [],
		command: [],
	} as { entrypoint: string[]; command: string[] });

/** `NAME=a=b` is NAME and a=b. */
function splitOnce(line: string): [string, string] {
	const at = line.indexOf('=');
	return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}

async function isComplete({ tags, needed }: Source) {
	return (await Promise.all(needed.map((name) => isPresent(tags[name])))).every(Boolean);
}

/** null when all are there, else why not */
async function pullAll({ base, tags, needed, pulled }: Source, say: (text: string) => void, signal?: AbortSignal): Promise<string | null> {
	const isBuilt = needed.length > pulled.length;
	for (const tag of [...pulled.map((name) => tags[name]), ...(isBuilt ? [base] : [])]) {
		if (await isPresent(tag)) continue;
		say(`pulling ${tag} ...`);
		const complaint = await complaintOf('docker', ['pull', '--quiet', tag], { limitMs: PULL_LIMIT_MS, signal });
		if (complaint !== null) return `docker pull ${tag} failed: ${complaint}`;
	}
	return null;
}

async function buildAll({ mode, base, tags, needed, pulled }: Source, say: (text: string) => void, signal?: AbortSignal): Promise<void> {
	const build = async (image: string, tag: string, rest: string[]) => {
		if (await isPresent(tag)) return;
		const started = Date.now();
		say(`building ${tag} ...`);
		const complaint = await complaintOf(join(BUILD_FOLDER, 'build.sh'), [image, tag, ...rest], { signal });
		if (complaint !== null)
			throw new NotReadyError(`Building ${tag} failed:\n${tailOf(complaint)}`, 'fix the error above, then run this again.');
		say(`built ${tag} in ${Math.round((Date.now() - started) / 1000)} s`);
	};
	if (mode === 'local') await build('base', base, []);
	const built = needed.filter((name) => !pulled.includes(name));
	await Promise.all(built.map((name) => build(name, tags[name], [base])));
}

/** the app image's name */
async function ensureApp(nodeImage: string, say: (text: string) => void, signal?: AbortSignal): Promise<string> {
	let hash = nodeImage;
	for (const folder of APP_FOLDERS) hash = await hashOf(join(ROOT, folder), hash);
	const tag = `doubletake/app:${hash}`;
	if (await isPresent(tag)) return tag;
	say(`building ${tag} ...`);
	// The folder of an installed package is not written to.
	const copy = await mkdtemp(join(os.tmpdir(), 'doubletake-app-'));
	try {
		for (const folder of APP_FOLDERS) await copyFiles(join(ROOT, folder), join(copy, folder));
		await buildApp({ folder: copy, tag, nodeImage, signal });
	} finally {
		await rm(copy, { recursive: true, force: true });
	}
	return tag;
}

/** @param options folder: of the copies, which get their packages */
async function buildApp({ folder, tag, nodeImage, signal }: { folder: string; tag: string; nodeImage: string; signal?: AbortSignal }) {
	// On the host, where npm has the user's settings: a company's own certificate authority is unknown inside a build.
	const install = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
	const notInstalled = await complaintOf('npm', install, { cwd: join(folder, APP), signal });
	if (notInstalled !== null)
		throw new NotReadyError(`npm ci in app/ failed:\n${tailOf(notInstalled)}`, 'check that npm reaches its registry.');
	const file = join(folder, APP, 'Dockerfile');
	const build = ['build', '--quiet', '--file', file, '--build-arg', `NODE_IMAGE=${nodeImage}`, '--tag', tag, folder];
	const notBuilt = await complaintOf('docker', build, { env: { DOCKER_BUILDKIT: '0' }, signal });
	if (notBuilt !== null)
		throw new NotReadyError(`Building ${tag} failed:\n${tailOf(notBuilt)}`, 'fix the error above, then run this again.');
}

/**
 * Runs a command, within the limit of a build unless another is given.
 * @returns what it said when it failed, null when it did not
 */
async function complaintOf(
	file: string,
	args: string[],
	options: Partial<Pick<Bounds, 'cwd' | 'env' | 'limitMs' | 'signal'>>,
): Promise<string | null> {
	const begunMs = Date.now();
	const result = await runBounded(file, args, { limitMs: BUILD_LIMIT_MS, ...options });
	await removeUnfinished(result.all, begunMs);
	options.signal?.throwIfAborted();
	return result.failed ? result.all.trim() || result.shortMessage : null;
}

/** As the builder without BuildKit says it. */
const RUNS_IN = /^ ?---> Running in ([0-9a-f]{12,64})\s*$/gm;
/** By which the clock of another machine may be behind. */
const BEHIND_MS = 300_000;

/**
 * The builder without BuildKit leaves the container of a step that failed, and nothing on it says whose it is.
 * @param output of a build that has ended, with whatever its steps printed
 * @param begunMs when it began: a container of before is of somebody else
 */
export async function removeUnfinished(output: string, begunMs: number) {
	for (const [, id] of output.matchAll(RUNS_IN)) {
		const container = docker.getContainer(id);
		const found = await container.inspect().catch(() => null);
		const isOfBuild = found !== null && Date.parse(found.Created) >= begunMs - BEHIND_MS && !found.Config.Labels?.[PROJECT_LABEL];
		if (isOfBuild) await container.remove({ force: true, v: true }).catch(ignoreGone);
	}
}

const TAIL_LINES = 12;
const tailOf = (text: string) => text.trim().split('\n').slice(-TAIL_LINES).join('\n');
