/**
 * What a command may do beside what it may by itself: what its flags say, and the variables of the shell that its user let the headers of this very
 * doubletake.yaml have before. That is kept on this machine, outside of the folder, which may come from others.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readIfThere } from '../base/bounded-file.ts';
import { allowPaths } from '../base/files.ts';
import { PERMITTED_FILE } from '../base/paths.ts';
import { jsonIn } from '../base/values.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { projectIn } from '../catalog/project-file.ts';
import { variablesOf } from '../catalog/project-problems.ts';
import { entryUrls, PROJECT_FILE } from '../catalog/project-schema.ts';
import type { Permission } from '../options/allowed.ts';
import { readAllowed } from '../options/allowed.ts';

/** Of files that were asked about; older ones are asked about anew. */
const KEPT_MOST = 200;

/**
 * @param given ask: the terminal, null where there is
 * none; memory: a file
 * @throws {import('../base/errors.ts').NotReadyError}
 */
export async function permissionOf(
	flags: Parameters<typeof readAllowed>[0],
	{ folder, ask, memory = PERMITTED_FILE }: { folder: string; ask: ((question: string) => Promise<boolean>) | null; memory?: string },
): Promise<Permission> {
	const { allowData, allowed } = readAllowed(flags, folder);
	allowPaths(allowed.paths);
	// What is wrong with it is told by whoever reads it for the command.
	const project = await projectIn(folder).catch(() => null);
	const named = project === null ? [] : variablesOf(project.load.headers);
	const open = named.filter(({ variable }) => !allowed.variables.includes(variable));
	if (project === null || open.length === 0) return { allowData, allowed };
	const key = keyOf(folder);
	const kept = keptIn(memory);
	const known = kept.find((one) => one.key === key)?.variables ?? [];
	const more = open.filter(({ variable }) => !known.includes(variable));
	if (more.length > 0 && ask !== null && (await ask(questionOf(more, entryUrls(project))))) {
		known.push(...more.map(({ variable }) => variable));
		await keep(memory, [...kept.filter((one) => one.key !== key), { key, variables: known }].slice(-KEPT_MOST));
	}
	return { allowData, allowed: { ...allowed, variables: [...new Set([...allowed.variables, ...known])] } };
}

function questionOf(named: ReturnType<typeof variablesOf>, entries: string[]): string {
	const each = named.map(({ header, variable }) => `  ${JSON.stringify(header)} takes the variable ${variable}`).join('\n');
	return `${PROJECT_FILE} sends values of this shell to ${entries.join(', ')} with each request:\n${each}\nMay it, now and until this file changes? [y/N] `;
}

/** Of the file as it is, where it is. */
const keyOf = (folder: string) =>
	createHash('sha256')
		.update(JSON.stringify([realpathSync(folder), readIfThere(join(folder, PROJECT_FILE))]))
		.digest('hex');

type Kept = { key: string; variables: string[] };

/** @returns none where it cannot be read */
function keptIn(memory: string): Kept[] {
	const kept = jsonIn(readIfThere(memory) ?? '');
	const isKept = (one: any) => typeof one?.key === 'string' && Array.isArray(one.variables);
	return Array.isArray(kept) ? kept.filter(isKept) : [];
}

async function keep(memory: string, kept: Kept[]) {
	mkdirSync(dirname(memory), { recursive: true, mode: 0o700 });
	await writeFileAtomic(memory, `${JSON.stringify(kept)}\n`);
}
