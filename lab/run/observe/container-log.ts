/** Keeps the log of a container, without what users and services said, in a file of the record, for the adapter of its product. */

import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { withoutContent } from '../../adapters/log-content.ts';
import { adapterOf } from '../../adapters/registry.ts';
import { makePrivate, streamTo } from '../../base/files.ts';
import { SERVICE_RECORD } from '../../base/paths.ts';
import type { Service } from '../../docker/containers.ts';
import { containerById } from '../../docker/docker.ts';
import { keptLog } from '../../docker/log-stream.ts';
import { counted, whyRotated } from '../rotated-log.ts';

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
export async function keepLogs(
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
