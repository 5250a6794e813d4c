/**
 * Several k6 that make one load: each has a segment of its users and arrivals (https://grafana.com/docs/k6/latest/using-k6/k6-options/reference/#execution-segment),
 * a container and a folder of the record. They are started paused, and begin at one moment.
 */

import { chmod, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RunFailedError } from '../base/errors.ts';
import { makePrivate } from '../base/files.ts';
import { GENERATOR_NAME, RAW, ROOT } from '../base/paths.ts';
import { writePrivate } from '../base/private-file.ts';
import { scriptFolderOf } from '../catalog/scenarios.ts';
import type { Service } from '../docker/containers.ts';
import { executeToEnd } from '../docker/docker.ts';
import { giveToContainers, makeRunFolder } from '../docker/run-folder.ts';
import type { RunFolder } from '../docker/scratch.ts';
import type { AttachedService } from './compose-model.ts';
import { hashOf, slugOf } from './own-images.ts';
import { OPEN_TO_WRITERS } from './own-record.ts';

const PROFILE = 'load-parts';
/** The service that each extends (compose/base.yaml). */
const TEMPLATE = { file: join(ROOT, 'compose', 'base.yaml'), service: 'k6' };
/**
 * Each waits for the next multiple of so many seconds. The lab lets them go on just after one, so that they are told within the same
 * span; an engine takes a second for the last on a busy machine, and has four.
 */
const BEAT_S = 5;
const AFTER_BEAT_S = 1;
const POLL_MS = 1000;
/** k6's `paused before the run`: its users are prepared (execution/status in k6's sources). */
const PREPARED = /^status: 4$/m;

/** @returns names, which are their Compose services' too */
export const generatorNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `${GENERATOR_NAME}-${index + 1}`);

/**
 * What each of them is reported, beside what one is told that makes the load alone.
 * @param count at least two
 * @returns flags: of k6 run
 */
export function generatorParts(count: number): { name: string; flags: string[]; environment: Record<string, string> }[] {
	const cuts = Array.from({ length: count + 1 }, (_, at) => (at === 0 || at === count ? String(at / count) : `${at}/${count}`));
	return generatorNames(count).map((name, index) => ({
		name,
		flags: ['--paused', '--execution-segment', `${cuts[index]}:${cuts[index + 1]}`, '--execution-segment-sequence', cuts.join(',')],
		environment: {
			START_BEAT_S: String(BEAT_S),
			RECORD_FOLDER: `/raw/${name}`,
			K6_LOG_OUTPUT: `file=/raw/${name}/${RAW.k6Log},level=error`,
		},
	}));
}

/**
 * The Compose file that has them, beside the architecture's own.
 * @param count at least two
 */
function generatorsFile(count: number, scenario: string) {
	const services = generatorParts(count).map(({ name, flags, environment }) => [
		name,
		{
			extends: TEMPLATE,
			profiles: [PROFILE],
			labels: { 'doubletake.name': name },
			command: ['run', '--quiet', ...flags, `/scripts/${scriptFolderOf(scenario)}/${scenario}.js`],
			environment,
		},
	]);
	return { services: Object.fromEntries(services) };
}

/** @returns file: for Compose */
export async function prepareGenerators({
	count,
	scenario,
	rawFolder,
	writtenFolder,
}: {
	count: number;
	scenario: string;
	rawFolder: string;
	writtenFolder: string;
}): Promise<{ file: string; profiles: string[]; services: string[] }> {
	const services = generatorNames(count);
	await makeGeneratorFolders(count, writtenFolder);
	const file = join(rawFolder, RAW.generators);
	// JSON is YAML.
	await writePrivate(file, JSON.stringify(generatorsFile(count, scenario), null, 1));
	return { file, profiles: [PROFILE], services };
}

/** Each writes into one of its own. */
async function makeGeneratorFolders(count: number, writtenFolder: string) {
	for (const name of generatorNames(count)) {
		await mkdir(join(writtenFolder, name));
		await giveToContainers(join(writtenFolder, name));
	}
}

/**
 * Lets them go on when all have their users prepared.
 * @param options limitS: for all of them to be prepared
 * @throws {RunFailedError} when one is not prepared in time, or does not go on
 */
export async function beginTogether(generators: Service[], { limitS, signal }: { limitS: number; signal: AbortSignal }) {
	const endsAt = Date.now() + limitS * 1000;
	let waiting = generators;
	while (waiting.length > 0) {
		await wait(POLL_MS, undefined, { signal });
		const prepared = await Promise.all(waiting.map(({ id }) => isPrepared(id)));
		waiting = waiting.filter((_, index) => !prepared[index]);
		if (waiting.length > 0 && Date.now() > endsAt)
			throw new RunFailedError(`Expected every generator to have its users prepared in ${limitS} s; ${namesOf(waiting)} had not.`);
	}
	await wait(untilAfterStart(Date.now()), undefined, { signal });
	const reported = await Promise.all(generators.map(({ id }) => executeToEnd(id, ['k6', 'resume'])));
	const deaf = generators.filter((_, index) => reported[index].exitCode !== 0);
	if (deaf.length > 0) throw new RunFailedError(`${namesOf(deaf)} did not go on: ${reported.map(({ output }) => output.trim()).join(' ')}`);
}

/** @param id of its container */
async function isPrepared(id: string) {
	const { output } = await executeToEnd(id, ['k6', 'status']).catch(() => ({ output: '' }));
	return PREPARED.test(output);
}

/**
 * @param nowMs since 1970
 * @returns milliseconds until they may be told
 */
export function untilAfterStart(nowMs: number): number {
	const since = (nowMs / 1000) % BEAT_S;
	const until = since <= AFTER_BEAT_S ? AFTER_BEAT_S - since : BEAT_S - since + AFTER_BEAT_S;
	return until * 1000;
}

const namesOf = (generators: Service[]) => generators.map(({ name }) => name).join(', ');

export async function makeProjectRecord(
	run: RunFolder,
	{
		services,
		generators,
		folders,
	}: {
		/** each gets a folder of its own, which the lab alone writes into */
		services: string[];
		/** that make the load together */
		generators: number;
		/** into which services write */
		folders: string[];
	},
) {
	await makeRunFolder(run);
	if (generators > 1) await makeGeneratorFolders(generators, run.writtenFolder);
	for (const service of services) await makePrivate(join(run.rawFolder, service));
	for (const folder of folders) {
		await mkdir(folder, { recursive: true, mode: 0o700 });
		// Whatever the umask of the lab is.
		await chmod(folder, OPEN_TO_WRITERS);
	}
}

/**
 * @param folder of doubletake.yaml
 * @param arm of a comparison
 * @returns by service
 */
export function projectImages(models: AttachedService[], folder: string, arm?: string): Record<string, string> {
	const prefix = `doubletake-own/${slugOf(basename(folder))}${arm === undefined ? '' : `-${hashOf(arm)}`}`;
	const nameOf = (service: string) => `${prefix}-${slugOf(service)}`;
	const built = models.filter(({ isBuilt }) => isBuilt);
	const images = built.map(({ service }) => [service, nameOf(service)]);
	// What runs the image of another service has to run that of the run.
	const others = models.flatMap(({ service, isBuilt, image }) => {
		const source = isBuilt ? undefined : built.find((other) => other.image !== '' && other.image === image);
		return source ? [[service, nameOf(source.service)]] : [];
	});
	return Object.fromEntries([...images, ...others]);
}
