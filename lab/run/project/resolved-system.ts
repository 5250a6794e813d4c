/**
 * The Compose project of a run, made of what Compose has made of the user's files. Whatever is built, got and started afterwards needs no file of
 * variables any more. Compose takes what a folder's `.env` says into its own environment, and programs that it starts obey it: with GIT_SSH_COMMAND or BASH_ENV
 * of a stranger's `.env` a build would run a command of theirs on this machine.
 */

import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readIfThere } from '../../base/bounded-file.ts';
import { shell } from '../../docker/bounded.ts';
import type { System } from '../../docker/containers.ts';
import { projectSystem } from '../../docker/containers.ts';
import type { Supplies } from '../../target/supplied-config.ts';

/** Of the user alone: it may hold secrets. */
const PRIVATE = 0o600;
const READABLE = 0o644;
/** https://docs.docker.com/reference/cli/docker/compose/#options: in the place of the folder's `.env`. */
const NO_VARIABLES = ['--env-file', '/dev/null'];

export async function resolvedSystem({
	resolved,
	supplies,
	project,
	folder,
	files,
	overlay,
	scratch,
	env = {},
}: {
	/** as Compose has resolved the files under the run's own project name */
	resolved: any;
	project: string;
	/** what Compose was given beside the files */
	supplies: Pick<Supplies, 'flags' | 'env'>;
	folder: string;
	/** as seen from it */
	files: string[];
	/** that is laid over them */
	overlay: string;
	/** folder that is removed after the run */
	scratch: string;
	/** that the user gave for them */
	env?: Record<string, string>;
}): Promise<System> {
	const place = dirname(resolve(folder, files[0] ?? ''));
	const [, other = '.env'] = supplies.flags;
	const own = parseEnv(readIfThere(resolve(place, other)) ?? '');
	const textOf = (name: string) => env[name] ?? (supplies.env[name] || (shell[name] === undefined ? own[name] : undefined));
	const file = join(scratch, 'resolved.json');
	await writeFile(file, JSON.stringify(startable(await withFiles(resolved, textOf, scratch))), { mode: PRIVATE });
	const system = projectSystem({ project, folder, files: [file, overlay] });
	return { ...system, flags: [...NO_VARIABLES, '--project-directory', place, ...system.flags] };
}

/** Its profiles have been chosen, and what of them is not there nobody waits for. Another program provides what has no image. */
function startable({ services = {}, ...rest }: any) {
	const all = Object.entries<any>(services).map(([service, { profiles: _, provider, depends_on: waits = {}, ...found }]) => {
		const there = Object.entries<any>(waits).filter(([other]) => Object.hasOwn(services, other));
		return [
			service,
			{ ...found, ...(provider ? { image: 'none' } : {}), ...(there.length > 0 ? { depends_on: Object.fromEntries(there) } : {}) },
		];
	});
	return { ...rest, services: Object.fromEntries(all) };
}

/**
 * Of secrets and configurations that are variables Compose would read the values only now. They are files instead: a variable of any name may be one that some
 * program obeys.
 */
async function withFiles(resolved: any, textOf: (name: string) => string | undefined, scratch: string): Promise<any> {
	const all = { ...resolved };
	for (const part of ['secrets', 'configs'])
		for (const [key, { environment: name, ...rest }] of Object.entries<any>(resolved[part] ?? {})) {
			const value = name === undefined ? undefined : textOf(name);
			if (value === undefined) continue;
			const file = join(scratch, `${part}-${Object.keys(resolved[part]).indexOf(key)}`);
			// In a folder of the user alone; a service reads it as whoever it runs as.
			await writeFile(file, value, { mode: READABLE });
			all[part] = { ...all[part], [key]: { ...rest, file } };
		}
	return all;
}
