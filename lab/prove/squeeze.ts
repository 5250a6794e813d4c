/**
 * The command `squeeze`: holds the load of a run on a copy, freezes each service of it in short turns, and says on which the throughput depends most.
 */

import { join, relative } from 'node:path';
import { EXIT, NotReadyError, RunFailedError } from '../base/errors.ts';
import { makePrivate } from '../base/files.ts';
import { newFolderName, RECORD, REPORTS } from '../base/paths.ts';
import type { Around } from '../base/progress.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { quietly } from '../compare/plan.ts';
import { readManifest } from '../diagnose/read-raw.ts';
import { analyseRun } from '../diagnose/result.ts';
import { takeLock } from '../docker/lock.ts';
import type { Permission } from '../options/allowed.ts';
import { optionsOfCommand } from '../options/known-command.ts';
import { readSettings } from '../options/settings.ts';
import { SQUEEZE_FILE } from '../record/squeeze.ts';
import type { Result, Squeeze } from '../record/types.js';
import { finishRun, writeIndex } from '../report/reports.ts';
import { runFolderOf } from '../report/run-folder.ts';
import { squeezeLines } from '../report/squeeze.ts';
import type { SlowedTurn } from '../run/faults/slowing.ts';
import { count } from '../stats/figure-words.ts';
import { describedAgain } from '../target/described.ts';
import { eachLoadRequest } from './load-requests.ts';
import { isWhole } from './prove.ts';
import { dependencesOf, groupsOf, heldUsers, measuredIn, SQUEEZE, squeezeFinding, stemOf, turnsOf } from './squeeze-turns.ts';
import { trialOf } from './trial.ts';

/** Of the quota's periods, in which it held a container back: then it makes up for a short standstill. The rule's own choice. */
const HELD_BACK = 0.3;
/** The order of the turns. */
const SEED = 1;

/**
 * @param path of the run's folder; the last one of the folder's system unless given
 * @param around folder: of doubletake.yaml
 * @returns exit code: 6 where no service is named
 * @throws {NotReadyError} when the load of the run cannot be held
 */
export async function squeeze(
	path: string | undefined,
	env: Record<string, string | undefined>,
	{ folder, permission, reporter, signal }: { folder: string; permission: Permission } & Around,
): Promise<number> {
	const { say } = reporter.progress;
	const runFolder = await runFolderOf('squeeze', path, folder);
	const manifest = await readManifest(join(runFolder, RECORD.manifest));
	const result = await analyseRun(runFolder, 'squeeze');
	const described = await describedAgain(result.architecture, folder);
	const isScript = described.project.load.script !== undefined;
	const held = heldUsers(result.stages, { thinkS: thinkOf(result), isScript });
	const { BUSY, IMAGES } = env;
	const settings = readSettings(result.architecture, { ...optionsOfCommand(manifest.command), BUSY: BUSY || 'allow', IMAGES }, permission);
	if (held === null)
		throw new NotReadyError(
			`squeeze: expected a run under a number of users that can be held, of which few requests failed; found ${described.project.load.script ?? result.load}.`,
			'measure the system under users: urls or openapi under load in doubletake.yaml, or a script with one scenario of users.',
		);
	const { users, until_s: untilS } = held;
	// A script is held at what it has come to by then.
	const begun = isScript ? untilS : 0;
	const groups = groupsOf(described.project.services);
	const { turns, seconds } = turnsOf(groups, SEED, begun);
	const load = `with ${count(users)} users held`;
	say(
		`${load} for ${Math.round(seconds)} s; ${groups.map(({ group }) => group).join(', ')} are slowed by ${Math.round(100 * SQUEEZE.share)} % in turns of ${SQUEEZE.turn_s} s`,
	);
	const release = await takeLock(say);
	const squeezeFolder = join(REPORTS, result.architecture, 'proofs', newFolderName());
	try {
		await makePrivate(squeezeFolder);
		const form = begun > 0 ? { cut_s: begun, users: null, hold_s: seconds } : { cut_s: seconds, users };
		const throttled = Object.keys(result.resources).filter((name) => (result.resources[name].cpu_throttled_fraction ?? 0) >= HELD_BACK);
		const slowing = { share: SQUEEZE.share, period_s: SQUEEZE.period_s, turns, throttled };
		const copy = await trialOf(null, {
			...{ described, form, proofFolder: squeezeFolder, isUnanswered: manifest.unanswered_before_load === true },
			settings: { ...settings, trial: { slowing } },
		});
		const made = await copy.measure({ group: relative(REPORTS, squeezeFolder), progress: quietly(reporter.progress, new Set()), signal });
		if (made.interrupted) return EXIT.interrupted;
		const measured = await finishRun(made.folder);
		if (!isWhole(measured)) throw new RunFailedError('The load of the copy, or its record, is not whole.');
		const squeezed = await readSqueeze(made.folder, { result, measured, load });
		await writeFileAtomic(join(runFolder, SQUEEZE_FILE), `${JSON.stringify(squeezed, null, 1)}\n`);
		await finishRun(runFolder);
		await writeIndex();
		const report = relative(process.cwd(), join(runFolder, RECORD.report));
		reporter.tell([...squeezeLines(squeezed), `report: ${report}`].map((line) => `  ${line}\n`).join(''));
		reporter.give({ folder: relative(process.cwd(), runFolder), report, sentence: squeezed.sentence, result: squeezed });
		return squeezed.first.length > 0 ? EXIT.done : EXIT.inconclusive;
	} finally {
		await release();
	}
}

/** Seconds of a user between two requests, as measured. */
const thinkOf = ({ user_time: time, metrics }: Result) =>
	(time?.parts.find(({ id }) => id === 'thinking')?.seconds ?? 0) / Math.max(1, metrics.requests);

/** @param folder of the copy */
async function readSqueeze(
	folder: string,
	{ result, measured, load }: { result: Result; measured: Result; load: string },
): Promise<Squeeze> {
	const manifest = (await readManifest(join(folder, RECORD.manifest))) as any;
	const { slowed = [] } = manifest;
	const ends: number[] = [];
	eachLoadRequest(folder, manifest, ({ isGood, ended }) => {
		if (isGood) ends.push(ended);
	});
	const turns = (slowed as SlowedTurn[]).map((turn) => ({ ...turn, group: turn.group && labelOf(turn.names) }));
	const named = [
		...new Map(turns.filter(({ group }) => group !== '').map(({ group, names }) => [group, { group, services: names }])).values(),
	];
	const {
		resources,
		machine: { cores: all },
	} = measured;
	const usedBy = (names: string[]) => names.reduce((sum, name) => sum + (resources[name]?.cpu_cores.mean ?? 0), 0);
	const machine = { cores: all, used: usedBy(Object.keys(resources)) };
	const cores = Object.fromEntries(named.map(({ group, services }) => [group, usedBy(services)]));
	const services = dependencesOf(measuredIn(turns, ends), { groups: named, cores, machine });
	return {
		...{ schema: 1, run: result.run, copy: measured.run, started: new Date().toISOString(), load },
		...{ ...squeezeFinding(services, load), services, machine_cores: all, machine_used: machine.used, rule: { ...SQUEEZE } },
	};
}

/** What containers that are slowed together are called. */
const labelOf = (names: string[]) => (names.length > 1 ? stemOf(names[0]) : names[0]);
