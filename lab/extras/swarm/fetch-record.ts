/** Brings what containers of another host wrote into the record: a file as it grows, and everything at the end. */

import { createWriteStream } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import type { Engine } from './engines.ts';
import { RECORD_FOLDER } from './helpers.ts';

const FETCH_LIMIT_MS = 120_000;

/**
 * @param keeper id of a container that has the record's volume
 * @param given file: below the record's folder, which may not be there yet; path: on this machine
 * @returns ends it
 */
export async function mirrorFile(
	{ connection }: Engine,
	keeper: string,
	{ file, path }: { file: string; path: string },
): Promise<() => void> {
	const exec = await connection.getContainer(keeper).exec({
		Cmd: ['tail', '--bytes=+1', '--follow=name', '--retry', `${RECORD_FOLDER}/${file}`],
		AttachStdout: true,
		AttachStderr: false,
	});
	const stream = await exec.start({});
	const output = new PassThrough();
	connection.modem.demuxStream(stream, output, new PassThrough().resume());
	// Broken off, the end of the run brings the whole of it.
	pipeline(output, createWriteStream(path)).catch(() => {});
	stream.on('error', () => {});
	return () => {
		stream.destroy();
		output.end();
	};
}

/** @param into taken: names of files that other hosts gave, which those of this one add to */
export async function fetchRecord({ connection }: Engine, keeper: string, { rawFolder, taken }: { rawFolder: string; taken: Set<string> }) {
	const folder = await mkdtemp(join(dirname(rawFolder), 'fetched-'));
	try {
		const archive = await connection.getContainer(keeper).getArchive({ path: RECORD_FOLDER });
		await execa('tar', ['--extract', '--no-same-owner', '--strip-components=1', '--directory', folder], {
			input: archive as Readable,
			timeout: FETCH_LIMIT_MS,
		});
		const entries = await readdir(folder, { recursive: true, withFileTypes: true });
		for (const entry of entries.filter((one) => one.isFile())) {
			const from = join(entry.parentPath, entry.name);
			const name = relative(folder, from);
			const to = join(rawFolder, name);
			await mkdir(dirname(to), { recursive: true });
			if (taken.has(name)) await appendFile(to, await readFile(from));
			else await cp(from, to);
			taken.add(name);
		}
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
