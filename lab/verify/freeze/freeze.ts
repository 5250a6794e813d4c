/**
 * The commands that leave records for `replay`. `freeze` makes a fixture of a run's record, small enough to be stored, with the result that it has
 * today; of a self-test's record one for each of its faults. `typical` measures one run of each arm of stored experiments with the lab as it was at a
 * commit, for records that are too large to be stored.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { inRecord, recordAt } from '../../base/files.ts';
import { formatCommand } from '../../base/format-command.ts';
import { EXAMPLES, FROZEN, IS_CHECKOUT, RECORD, REPORTS, ROOT } from '../../base/paths.ts';
import { readPrivate } from '../../base/private-file.ts';
import type { Reporter } from '../../base/progress.ts';
import { experiments } from '../../catalog/experiments.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { resultOf } from '../../diagnose/result.ts';
import { refuseAllBut } from '../../options/accepted-options.ts';
import type { PackedFiles } from './archive.ts';
import { choose } from './choose.ts';
import { condensed } from './condensed.ts';
import type { Group } from './files.ts';
import { readFiles, writeFrozen } from './files.ts';

type Execute = (command: string, words: string[], options: { cwd: string; env?: Record<string, string> }) => Promise<unknown>;

/** What a self-test leaves (lab/verify/selftest/selftest.ts). */
const SELFTEST_RECORD = 'record.json';
/** A group, and a name in it. */
const NAME = /^([a-z][\w-]*)\/([\w-]+)$/i;

/**
 * @param from folder of a run, or of a self-test's record
 * @param into `<group>/<name>`; of a self-test `<group>`
 * @param folder of all that is frozen
 * @returns exit code
 */
export async function freeze(
	from: string | undefined,
	into: string | undefined,
	env: Record<string, string | undefined>,
	reporter: Reporter,
	folder: string = FROZEN,
): Promise<number> {
	refuseAllBut('freeze', [], env);
	if (!IS_CHECKOUT && folder === FROZEN) throw new NotReadyError('freeze: expected a checkout; found a package.', 'clone the repository.');
	const { group, runs } = await runsIn(from, into);
	const records: Record<string, PackedFiles> = {};
	const results: Group = {};
	const frozen = [];
	for (const [name, run] of runs) {
		reporter.progress.say(`${group}/${name}: ${relative(process.cwd(), run)}`);
		const { packed, bytes, raw, placed, left } = await choose(await readFiles(run), await readRaw(run));
		records[name] = packed;
		results[name] = { result: condensed(JSON.parse(JSON.stringify(resultOf(raw)))), placed, left };
		const moved = left.moved.map((sentence) => `  not as in the whole record: ${sentence}\n`).join('');
		reporter.tell(`${group}/${name}: ${bytes} bytes by itself. ${left.sentence}\n${moved}`);
		frozen.push({ name: `${group}/${name}`, bytes, ...left });
	}
	await writeFrozen(folder, group, results, records);
	reporter.give({ result: { frozen } });
	return EXIT.done;
}

/** their folders, by the names that they get */
type Runs = Map<string, string>;

/** @throws {NotReadyError} */
async function runsIn(from: string | undefined, into: string | undefined): Promise<{ group: string; runs: Runs }> {
	const folder = recordAt('freeze', from ?? '');
	const has = (name: string) => existsSync(join(folder, name));
	if (from && has(RECORD.manifest) && has(RECORD.raw)) {
		const [, group, name] = NAME.exec(into ?? '') ?? [];
		if (group) return { group, runs: new Map([[name, folder]]) };
		throw new NotReadyError(
			`freeze: expected a name such as cases/php-fpm; found "${into ?? ''}".`,
			`${formatCommand(['freeze', from, 'cases/php-fpm'])}.`,
		);
	}
	if (from && has(SELFTEST_RECORD)) return { group: into ?? 'faults', runs: await faultsIn(folder) };
	throw new NotReadyError(
		`freeze: expected the folder of a run, with its raw record, or of a self-test's record; found ${from ? `neither in ${from}` : 'none named'}.`,
		`${formatCommand(['freeze', 'reports/selftest', 'faults'])}, or a run with a name: ${formatCommand(['freeze', 'reports/latest/2a', 'systems/2a'])}.`,
	);
}

/** Of each fault the first run of which the raw record is there. */
async function faultsIn(folder: string) {
	const { scores } = JSON.parse(String(readPrivate(join(folder, SELFTEST_RECORD))));
	const runs: Runs = new Map();
	for (const { fault, run } of scores) {
		const places = run ? ['..', '../..'].map((above) => inRecord(join(folder, above), run)) : [];
		const found = places.find((place) => existsSync(join(place, RECORD.raw)));
		if (found && !runs.has(fault)) runs.set(fault, found);
	}
	return runs;
}

/** One run of each arm tells as much as eight of them where a rule changes. */
const REPEATS = '1';
/** Also what git takes for a branch or a tag; nothing that it takes for an option. */
const COMMIT = /^[\w][\w./-]*$/;

const shown: Execute = (command, words, options) => execa(command, words, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });

/**
 * @param ids of experiments; all that are stored unless given
 * @returns exit code
 * @throws {NotReadyError} where there is no such experiment, or no commit is named
 */
export async function typical(
	commit: string,
	ids: string[],
	env: Record<string, string | undefined>,
	reporter: Reporter,
	execute: Execute = shown,
): Promise<number> {
	refuseAllBut('typical', [], env);
	if (!COMMIT.test(commit)) throw new NotReadyError(`typical: expected a commit; found "${commit}".`, '"git log --oneline" names them.');
	const stored = Object.keys(experiments).filter((id) => existsSync(join(EXAMPLES, id)));
	const unknown = ids.find((id) => !Object.hasOwn(experiments, id));
	if (unknown !== undefined)
		throw new NotReadyError(`typical: expected experiments; found "${unknown}".`, `stored are ${stored.join(', ')}.`);
	const into = join(REPORTS, `at-${commit.replaceAll('/', '-')}`);
	const tree = await mkdtemp(join(os.tmpdir(), 'doubletake-at-'));
	try {
		await execute('git', ['worktree', 'add', '--detach', tree, commit], { cwd: ROOT });
		for (const id of ids.length > 0 ? ids : stored)
			await execute('lab/doubletake', ['experiment', id], { cwd: tree, env: { REPEATS, DOUBLETAKE_REPORTS: into } });
	} finally {
		await execute('git', ['worktree', 'remove', '--force', tree], { cwd: ROOT }).catch(() => {});
		await rm(tree, { recursive: true, force: true });
	}
	const folder = relative(process.cwd(), into);
	reporter.tell(`${formatCommand(['replay', folder])} says what the lab of today says otherwise.\n`);
	reporter.give({ result: { folder } });
	return EXIT.done;
}
