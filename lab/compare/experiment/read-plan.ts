/** Reads the plan of an experiment from its folder, and takes up one that was interrupted or that needs more blocks. */

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { NotReadyError, toGivenError } from '../../base/errors.ts';
import { recordAt } from '../../base/files.ts';
import { formatCommand, launcherOf, shellWord } from '../../base/format-command.ts';
import { RECORD, REPORTS } from '../../base/paths.ts';
import { isRow, ownOf } from '../../base/values.ts';
import { architectures, nameOfFolder } from '../../catalog/architectures.ts';
import type { Claim } from '../../catalog/claims.ts';
import { describeMachine } from '../../docker/lock.ts';
import { acceptedBy, readOption, refuseAllBut } from '../../options/accepted-options.ts';
import { NO_PERMISSION, type Permission } from '../../options/allowed.ts';
import { readRecord } from '../../record/excerpt-file.ts';
import { readCommit } from '../../run/components.ts';
import { createRandom } from '../../stats/random.ts';
import { type Plan, planOfToday } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';

/**
 * The order of an experiment's runs, and which of them are still to be made.
 *
 */

/** An INVALID run is made once more, at once, so that its block stays one moment of the machine. */
const ATTEMPTS_MOST = 2;

/**
 * Who allows a busy machine wants its runs as they come: made again at once, one would be INVALID again.
 * @param busy the variable BUSY
 * @returns how often a run is made at most
 */
export const attemptsMost = (busy: string | undefined): number => (busy === 'allow' ? 1 : ATTEMPTS_MOST);

/**
 * Blocks, each with all arms. The order is drawn for every second block; the one after it has the same backwards, so that
 * of any two arms each comes first equally often, and what the first run of a block leaves behind favours neither.
 */
export function scheduleOf(arms: string[], repeats: number, seed: number): string[][] {
	const random = createRandom(seed);
	const pairs = Array.from({ length: Math.ceil(repeats / 2) }, () => random.shuffle(arms));
	return pairs.flatMap((order) => [order, order.toReversed()]).slice(0, repeats);
}

/** @returns SHA-256, or null when there are none */
export const hashOf = (claims: Claim[]): string | null => (claims.length === 0 ? null : sha256(claims));

/** @returns SHA-256, or null when there is none */
export const hashOfRecord = (record: Plan['definition'] | Plan['stopping']): string | null => (record ? sha256(record) : null);

/** @param value of its JSON */
const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** The runs that are still to be made, in order. */
export function remainingOf({ schedule, attempts, attempts_most: most = ATTEMPTS_MOST }: Plan): { block: number; arm: string }[] {
	return schedule.flatMap((arms, index) =>
		arms
			.filter((arm) => {
				const made = attempts.filter((attempt) => attempt.block === index + 1 && attempt.arm === arm);
				return made.length < most && made.every(({ validity }) => validity === 'INVALID');
			})
			.map((arm) => ({ block: index + 1, arm })),
	);
}

/** What a plan has settled already. */
const SETTLED = [...new Set([...acceptedBy('compare'), ...acceptedBy('experiment')])].filter(
	(name) => !['RESUME', 'REPEATS', 'FAIL_ON'].includes(name),
);

/**
 * @param name of the variable that holds the path, for errors
 * @param path of the experiment's folder
 * @throws {NotReadyError} when there is no plan, or its claims or its definition are not those that their hashes were made of
 */
export async function readPlan(name: string, path: string): Promise<Plan> {
	const plan = await readRecord(recordAt(name, path), RECORD.manifest);
	if (!plan?.schedule)
		throw new NotReadyError(
			`${name}: expected the folder of an experiment or a comparison; found ${plan === null ? 'no manifest.json' : 'the manifest of a single run'} in ${path}.`,
			'give the folder that was named when it began, such as reports/compare/...',
		);
	const whole = fitting(plan, path);
	if (hashOf(plan.claims) !== plan.claims_hash)
		throw new NotReadyError(
			`${name}: expected the claims that were fixed before the first run (SHA-256 ${plan.claims_hash}); those in ${path} are others.`,
			'take back what was changed in its manifest.json.',
		);
	for (const [what, key] of [
		['definition', 'definition'],
		['rule for stopping', 'stopping'],
	])
		if (hashOfRecord(plan[key]) !== (plan[`${key}_hash`] ?? null))
			throw new NotReadyError(
				`${name}: expected the ${what} that was fixed before the first run (SHA-256 ${plan[`${key}_hash`]}); that in ${path} is another.`,
				'take back what was changed in its manifest.json.',
			);
	return whole;
}

/** Anybody may have written the file. */
function fitting(plan: any, path: string): Plan {
	const missing = ['schedule', 'claims', 'arms', 'attempts'].filter((name) => !Array.isArray(plan[name]));
	if (missing.length > 0)
		throw new NotReadyError(
			`${join(path, RECORD.manifest)}: expected a plan as Doubletake writes it; found no list of ${missing.join(', ')}.`,
			'take back what was changed in it.',
		);
	return planOfToday(plan);
}

/**
 * @param path of the experiment's folder
 * @param env REPEATS: more blocks than were planned
 * @param permission of this command: what the plan has is a file's word
 * @returns of which runs are missing
 * @throws {NotReadyError} when it cannot be gone on with here, or has all its runs
 */
export const planToResume: typeof resumed = (...given) =>
	resumed(...given).catch((error) => {
		throw toGivenError('RESUME', error);
	});

async function resumed(
	path: string,
	env: Record<string, string | undefined>,
	{ allowData, allowed }: Permission = NO_PERMISSION,
): Promise<Plan> {
	const plan = await readPlan('RESUME', path);
	const systems = systemsOf(plan);
	const given = SETTLED.filter((name) => env[name] && systems.isSettled(name));
	if (given.length > 0)
		throw new NotReadyError(
			`RESUME: expected no ${given.join(', ')}: the plan has settled that.`,
			'leave it out; REPEATS may be given, to add repetitions.',
		);
	refuseAllBut('what is resumed', systems.takenAgain(), env);
	if (resolve(path) !== join(REPORTS, plan.id))
		throw new NotReadyError(
			`RESUME: expected the experiment where it was begun, ${join('reports', plan.id)}; found it in ${path}.`,
			'put it back there.',
		);
	refuseOthers(plan);
	await refuseAnotherMachine(plan);
	Object.assign(plan, { allow_data: allowData, allowed });
	plan.busy = readOption('BUSY', env);
	plan.attempts_most = attemptsMost(plan.busy);
	addBlocks(plan, readOption('REPEATS', env));
	if (remainingOf(plan).length === 0)
		throw new NotReadyError(
			`Nothing to resume: ${path} is complete.`,
			`"${formatCommand(['report', shellWord(path)], [], launcherOf(plan.command))}" judges it again; REPEATS=${plan.repeats + 2} adds two repetitions.`,
		);
	await noteWhatChanged(plan);
	return plan;
}

/** What is named leads to folders, and to what is kept of a load. */
function refuseOthers({ arms, load: ofAll, loads, schedule }: Plan) {
	const own = nameOfFolder(process.cwd());
	const known = arms.filter(({ architecture, resolved, load = ofAll }) =>
		resolved ? architecture === own && isRow(ownOf(loads ?? {}, load)) : !loads && Object.hasOwn(architectures, architecture),
	);
	if (known.length === arms.length && schedule.flat().every((id) => known.some((arm) => arm.id === id))) return;
	throw new NotReadyError(
		`RESUME: expected arms of ${own}, the system of this folder, with their loads, or of architectures; found others.`,
		'take back what was changed in its manifest.json.',
	);
}

async function refuseAnotherMachine({ machine: { cpu_model: model, cores } }: Plan) {
	const here = await describeMachine();
	if (here.cpu_model === model && here.cores === cores) return;
	throw new NotReadyError(
		`RESUME: expected the machine on which it was begun, ${cores} cores ${model}; this one has ${here.cores} cores ${here.cpu_model}.`,
		'go on there, or begin anew here.',
	);
}

/** @throws {NotReadyError} when that is fewer than were planned */
function addBlocks(plan: Plan, repeats: number | null) {
	if (repeats === null || repeats === plan.repeats) return;
	if (repeats < plan.repeats)
		throw new NotReadyError(
			`REPEATS: expected ${plan.repeats} or more, as planned when it began; found "${repeats}".`,
			'leave it out: what was planned stays planned.',
		);
	const ids = plan.schedule[0];
	// An order of their own: the blocks that are there stay as they are.
	plan.schedule.push(...scheduleOf(ids, repeats - plan.repeats, plan.seed + plan.schedule.length));
	plan.notes.push(
		`planned for ${plan.repeats} repetitions, and extended to ${repeats} afterwards${plan.stopping ? ', as STOP=early allows' : ''}`,
	);
	plan.repeats = repeats;
}

async function noteWhatChanged(plan: Plan) {
	const now = await readCommit();
	if (now?.commit !== plan.git?.commit) plan.notes.push(`resumed at commit ${now?.commit}, begun at ${plan.git?.commit}`);
	const split = plan.schedule.findIndex((arms, index) => {
		const made = new Set(plan.attempts.filter(({ block }) => block === index + 1).map(({ arm }) => arm));
		return made.size > 0 && made.size < arms.length;
	});
	if (split >= 0) plan.notes.push(`interrupted within repetition ${split + 1}, whose runs are not of one moment`);
}
