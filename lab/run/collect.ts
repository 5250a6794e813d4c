/** Ends a run in an order that lets the counts add up, and keeps what its containers said of it, without what users said. */
import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { withoutContent } from '../adapters/log-content.ts';
import { adapterOf, everyAdapter } from '../adapters/registry.ts';
import { writing } from '../base/errors.ts';
import { makePrivate, openPrivate, readPrivate, streamTo, writeFileAtomic, writePrivate } from '../base/files.ts';
import { RAW, requestLogOf, SERVICE_RECORD } from '../base/paths.ts';
import type { Service, System } from '../docker/containers.ts';
import { listStates } from '../docker/containers.ts';
import { containerById, readLog } from '../docker/docker.ts';
import { keptLog } from '../docker/log-stream.ts';
import { placesIn, takeWritten } from '../docker/scratch.ts';
import { pathTemplate } from '../wire/templates.ts';
import { endRestarts } from './restarts.ts';
import { counted, whyRotated } from './rotated-log.ts';

/*
 * Packs a file of the record: a log line for each request shrinks to a fifteenth.
 */

/**
 * Leaves the file with `.gz` after its name in its place, or the file as it was: never half of it.
 * @param path of a file that may not be there
 */
async function compress(path: string) {
	// Opened first: the packed one would be there, empty, after the other was not found.
	const opened = openPrivate(path);
	if (opened === null) return;
	const part = `${path}.gz.part`;
	try {
		await pipeline(createReadStream('', { fd: opened }), createGzip({ level: 6 }), streamTo(part));
		await rename(part, `${path}.gz`);
		await rm(path);
	} catch (error) {
		await rm(part, { force: true });
		throw writing(error, part);
	}
}

/*
 * What of the generator's log the record keeps: the lab's own lines, and the generator's without what was asked. What a user's script prints is
 * the user's.
 */

/** With which lines of the lab begin (k6/lib). */
const OWN = /^\{"(?:event|t|acknowledged|check_failed|requests|warm)":/;
const ASKED = /^(\{"event":"first-failed","method":"[A-Z]*","url":")((?:[^"\\]|\\.)*)"/;

/** @param generators each of several has a folder there */
async function redactGeneratorLog(rawFolder: string, generators: string[]) {
	for (const path of ['', ...generators].map((name) => join(rawFolder, name, RAW.k6Log))) {
		const text = readPrivate(path);
		if (text !== null) await writeFileAtomic(path, String(text).split('\n').flatMap(keptLine).join('\n'));
	}
}

/** @returns none, or one */
function keptLine(line: string): string[] {
	if (line === '') return [line];
	try {
		const said = JSON.parse(line);
		const { msg, source, ...rest } = said;
		if (OWN.test(msg)) return [ASKED.test(msg) ? JSON.stringify({ ...said, msg: msg.replace(ASKED, withTemplate) }) : line];
		return source === 'console' ? [] : [JSON.stringify({ level: rest.level, msg: withoutContent(String(msg)), time: rest.time })];
	} catch {
		// It was killed within a line.
		return [];
	}
}

function withTemplate(_whole: string, before: string, url: string) {
	const origin = /^[a-z]+:\/\/[^/]*/i.exec(url)?.[0] ?? '';
	return `${before}${origin}${pathTemplate(url)}"`;
}

/** compose/base.yaml gives a node as long as this to finish. */
const STOP_LIMIT_S = 12;
/**
 * Of a program that keeps no record for the lab: its log is there as it is written. Who is the first process of a container and does not ask for
 * the signal never gets it, so that a longer wait is a wait for nothing. The lab's own choice.
 */
const UNREAD_STOP_LIMIT_S = 2;
/** The level from which on a user's own keeps one; a shipped one, which has no product, always does. */
const READ_WITHIN = 2;
/** Compose keeps 5 MB of a container's output; this is all of it. */
const LOG_LINES = 50_000;

/** @returns a sentence for each thing that is not on record, or that failed beside the way of requests */
export async function collect({
	system,
	services,
	groups,
	folder,
	sinceS = 0,
	onRotated = () => {},
}: {
	system: System;
	services: Service[];
	/** the members of each stop together, one group after the other */
	groups: Service[][];
	/** of the run */
	folder: string;
	/** when the load began, in seconds of the epoch */
	sinceS?: number;
	/** called for each container whose log may lack lines of the load */
	onRotated?: (name: string) => void;
}): Promise<string[]> {
	const { rawFolder, writtenFolder } = placesIn(folder);
	const states = await listStates(system);
	// How each stood when the load had ended is on record: one that is not running then died by itself. From here on none comes up again.
	await endRestarts(services);
	await stopInOrder(groups);
	await writePrivate(join(rawFolder, RAW.finalStates), JSON.stringify(states, null, 1));
	const missing = [...aboutFailedJobs(states, services), ...(await keepLogs(services, rawFolder, { sinceS, onRotated }))];
	await keepUnread(services, rawFolder);
	missing.push(...((await system.deployment?.fetch(writtenFolder)) ?? []), ...(await takeWritten(folder)));
	const generators = services.filter(({ tier }) => tier === 'generator').map(({ name }) => name);
	await redactGeneratorLog(rawFolder, generators);
	const requestLogs = services.map(({ name }) => requestLogOf(name));
	const large = everyAdapter.flatMap(({ packed = [] }) => packed);
	await Promise.all([...large, ...requestLogs].map((file) => compress(join(rawFolder, file))));
	return missing;
}

/** What services without a product wrote, which no adapter reads. */
async function keepUnread(services: Service[], rawFolder: string): Promise<void> {
	const keep = async ({ id, name }: Service) => {
		const text = await readLog(id, LOG_LINES).catch(() => '');
		if (text !== '') await writePrivate(join(rawFolder, `${name}.log`), text);
	};
	await Promise.all(services.filter(({ product, tier }) => product === null && tier !== 'generator').map(keep));
}

/** What is down already answers with an error; there is nothing to stop. */
async function stopInOrder(groups: Service[][]) {
	for (const group of groups)
		await Promise.all(
			group.map(({ id, product, watch }) =>
				containerById(id)
					.stop({ t: product !== null && watch < READ_WITHIN ? UNREAD_STOP_LIMIT_S : STOP_LIMIT_S })
					.catch(() => {}),
			),
		);
}

/**
 * What no request passes, and failed while the load went on: no placement tells of it.
 * @param states when the load had ended
 * @returns a sentence each
 */
const aboutFailedJobs = (
	states: { name: string; running: boolean; exit_code: number }[],
	services: Pick<Service, 'name' | 'tier'>[],
): string[] =>
	states
		.filter(
			({ name, running, exit_code: code }) =>
				!running && code !== 0 && services.some((one) => one.name === name && one.tier === 'observer'),
		)
		.map(({ name, exit_code: code }) => `${name} ended with code ${code} while the load went on; no request passes it.`);

/*
 * Keeps the log of a container, without what users and services said, in a file of the record, for the adapter of its product.
 */

/** A line for each of a million requests. More would fill a small disk in a few runs. */
const LOG_MOST_BYTES = 200_000_000;
/** The engine reads 10 MB a second at least. */
const LOG_LIMIT_MS = 60_000;

/**
 * Each into the folder of its service. Of what is watched as a container alone there is none.
 * @param containers that have ended
 * @param about as of collect
 * @returns a sentence for each log that is not whole
 */
async function keepLogs(
	containers: Pick<Service, 'id' | 'name' | 'product' | 'watch'>[],
	rawFolder: string,
	{ sinceS, onRotated }: { sinceS: number; onRotated: (name: string) => void },
): Promise<string[]> {
	const missing = await Promise.all(
		containers.map(async ({ id, name, product, watch }) => {
			if (watch === 0) return [];
			const folder = join(rawFolder, name);
			await makePrivate(folder);
			const { redact = (line: string) => withoutContent(line) } = (product === null ? null : adapterOf(product)) ?? {};
			const { missing, isRotated } = await keepLog({ id, path: join(folder, SERVICE_RECORD.log), redact, sinceS });
			if (isRotated) onRotated(name);
			return missing.map((lost) => `${name}: its log ${lost}`);
		}),
	);
	return missing.flat();
}

/**
 * @returns missing: what of it is not on record, each as the end of a sentence that begins with
 * "its log"; isRotated: the engine may have thrown away lines of the load
 */
async function keepLog({
	id,
	path,
	redact,
	sinceS,
}: {
	/** of a container that has ended */
	id: string;
	/** of the file */
	path: string;
	redact: (line: string) => string;
	sinceS: number;
}): Promise<{ missing: string[]; isRotated: boolean }> {
	const missing: string[] = [];
	const onCut = () => missing.push(`is longer than ${LOG_MOST_BYTES / 1e6} MB; the rest of it is not on record`);
	let rotated = null as string | null;
	try {
		const container = containerById(id);
		const { Config: config, HostConfig: host } = await container.inspect();
		// The engine gives a log as a stream only to those who follow it; of a container that has ended it then comes to its end.
		const sent = await container.logs({ stdout: true, stderr: true, timestamps: true, follow: true });
		const limit = setTimeout(() => (sent as Readable).destroy(new Error(`took more than ${LOG_LIMIT_MS / 1000} s`)), LOG_LIMIT_MS);
		try {
			const seen = { bytes: 0, firstS: null as number | null };
			const kept = keptLog(counted(sent as any, seen), { isFramed: !config.Tty, redact, mostBytes: LOG_MOST_BYTES, onCut });
			await pipeline(Readable.from(kept), streamTo(path));
			rotated = whyRotated(seen, { logging: host?.LogConfig, sinceS });
		} finally {
			clearTimeout(limit);
		}
	} catch (error) {
		missing.push(`could not be read to its end (${error instanceof Error ? error.message : error})`);
	}
	return { missing: [...missing, ...(rotated === null ? [] : [rotated])], isRotated: rotated !== null };
}
