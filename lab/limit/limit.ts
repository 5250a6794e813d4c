/** The command `limit`: raises the load on copies of a user's own system until its thresholds break, and says how much it bears. */

import { join } from 'node:path';
import { LEVEL_SHAPE, loadDuration, shapes } from '../../k6/lib/shapes.js';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { formatProjectCommand, shellWord } from '../base/format-command.ts';
import { LIMIT_RECORD, newFolderName, REPORTS } from '../base/paths.ts';
import type { Around } from '../base/progress.ts';
import { nameOfFolder } from '../catalog/architectures.ts';
import { LOAD_DEFAULTS, PROJECT_FILE } from '../catalog/project-schema.ts';
import { LISTED } from '../catalog/scenarios.ts';
import { shownPath } from '../compare/experiment/command.ts';
import { minutes } from '../compare/experiment/run-experiment.ts';
import { writeRecords } from '../compare/experiment/write-records.ts';
import { quietly } from '../compare/plan.ts';
import { measurable } from '../compare/systems.ts';
import { describeMachine, takeLock } from '../docker/lock.ts';
import { acceptedBy, formatOptions, readOption, refuseIdle } from '../options/accepted-options.ts';
import type { Permission } from '../options/allowed.ts';
import { formatAllowed } from '../options/allowed.ts';
import { readExpect } from '../options/expect.ts';
import { USERS_EACH_MOST } from '../options/options.ts';
import { secondsOfRun } from '../options/run-length.ts';
import { readSettings } from '../options/settings.ts';
import type { LoadLimit } from '../record/types.js';
import { finishRun, writeIndex } from '../report/reports.ts';
import { initFirst } from '../run/project/init-command.ts';
import { describedIn } from '../target/described.ts';
import { findingOf, levelWords, readingOf, rowWords } from './finding.ts';
import { confidenceOf, RATIO, runSearch, runsOf } from './search.ts';

/** One failure in a hundred, and what an answer may take before users feel that they wait (Nielsen, Usability Engineering, 1993, chapter 5). */
const STANDARD = 'failure_rate<0.01,latency_ms_p95_ok<1000';
const REPEATS = 3;
/** Far beyond what a k6 makes on the machines that it was tried on. */
const RATE_MOST = 100_000;
/** Times as long as it is likely to take, after which no further run is begun. */
const LATE = 2;
const ENDS = { found: EXIT.done, 'all-held': EXIT.done, 'all-broke': EXIT.thresholdNotMet, undecided: EXIT.inconclusive };

/**
 * @param around folder: of doubletake.yaml
 * @returns exit code
 * @throws {NotReadyError} when the load cannot be made more or less
 */
export async function limit(
	env: Record<string, string | undefined>,
	{ folder, permission, reporter, signal }: { folder: string; permission: Permission } & Around,
): Promise<number> {
	const { progress } = reporter;
	const system = nameOfFolder(folder);
	refuseIdle('limit', system, env);
	const settings = readSettings(system, { ...env, LOAD: env.RATE ? 'constant' : 'hold' }, permission);
	if (settings.rate_share !== null)
		throw new NotReadyError(`RATE: expected requests a second, and no share; found "${env.RATE}".`, 'give a number, such as RATE=10.');
	const repeats = readOption('REPEATS', env) ?? REPEATS;
	await initFirst(folder, reporter, permission);
	const described = await describedIn(folder, { command: 'limit', or: 'the folder of your Compose file' });
	const { script, scenario, users = LOAD_DEFAULTS.users, think_ms: think = LOAD_DEFAULTS.think_ms } = described.project.load;
	if (script !== undefined || scenario !== undefined)
		throw new NotReadyError(
			`limit: expected urls or openapi under load in ${PROJECT_FILE}; found ${script ?? scenario}. A k6 script says itself who comes when, and is run as it is: its load cannot be raised from outside.`,
			'put urls or openapi in its place, or raise the load in scripts of your own, as loads of an experiment.',
		);
	const unit = settings.rate === null ? 'users' : 'rps';
	const expectations = settings.expect.length > 0 ? settings.expect : readExpect(STANDARD);
	const about = { expectations, repeats, unit: unit as LoadLimit['unit'], isBusy: settings.busy === 'allow' };
	const first = settings.rate ?? settings.users ?? users;
	const most = unit === 'rps' ? RATE_MOST : USERS_EACH_MOST * settings.generators;
	const shape = shapes[LEVEL_SHAPE]({ USERS: '1' });
	const likelyS = runsOf(repeats) * secondsOfRun(shape);
	const method = `Each level is a fresh copy, because what a broken one leaves behind would be the next one's: ${loadDuration(shape)} s after ${shape.warmup_s} s of warm-up that count for nothing${unit === 'users' ? `, of users who think for ${settings.think ?? think} ms` : ''}. It is doubled until ${expectations.map(({ text }) => text).join(' or ')} breaks${settings.expect.length > 0 ? '' : ' (the standard; EXPECT says otherwise)'} and bisected until both sides are ${Math.round(100 * (RATIO - 1))} % apart, or one; then either side is run ${repeats} times more, in turns. The interval is of these runs, and no formula stands for one: by chance (exact binomial) the level of which half of the runs break is in it with ${Math.round(100 * confidenceOf(repeats))} % confidence.`;
	const options = formatOptions(
		acceptedBy('limit', system).filter((name) => name !== 'EXPECT'),
		{ ...settings, load: '', repeats },
		LISTED,
	);
	const expect = env.EXPECT ? [`EXPECT=${shellWord(env.EXPECT)}`] : [];
	const command = formatProjectCommand(['limit', ...formatAllowed(permission)], [...options, ...expect]);
	const release = await takeLock(progress.say);
	try {
		const id = `${LIMIT_RECORD.group}/${newFolderName()}`;
		const place = join(REPORTS, id);
		progress.say(`from ${levelWords(unit, first)} on. ${method}`);
		progress.say(
			`about ${runsOf(repeats)} runs: ${minutes(likelyS)}; after ${minutes(LATE * likelyS)} no further one is begun; ${shownPath(place)}`,
		);
		const [started, began, said] = [new Date().toISOString(), performance.now(), new Set() as Set<string>];
		const secondsGone = () => (performance.now() - began) / 1000;
		const made = await runSearch({
			bounds: { first, most, repeats },
			isLate: () => secondsGone() > LATE * likelyS,
			measure: async (level, run) => {
				progress.say(`run ${run}: ${levelWords(unit, level)}`);
				const copy = measurable({ ...described, settings: { ...settings, strict: false, command, trial: { level } } });
				const found = await copy.measure({ group: `${id}/runs`, progress: quietly(progress, said), signal });
				if (found.interrupted) return null;
				const reading = readingOf(await finishRun(found.folder, { expectations, strict: false }), level, about);
				progress.say(`  ${rowWords(reading.row)}`);
				return reading;
			},
		});
		if (made.end === 'interrupted') {
			progress.say(`interrupted; the runs that were made are in ${shownPath(place)}`);
			return EXIT.interrupted;
		}
		const { cores, cpu_model: cpu, os } = await describeMachine();
		const result: LoadLimit = {
			...{ schema: 1, id, system, started, took_s: Math.round(secondsGone()), command, method },
			...{ ...findingOf(about, made), machine: `${cores} cores ${cpu}, ${os}` },
		};
		await writeRecords(place, { [LIMIT_RECORD.data]: result });
		await writeIndex();
		const report = shownPath(join(place, LIMIT_RECORD.page));
		reporter.tell(`\n  ${[result.sentence, ...result.notes.map((note) => `note: ${note}`), `report: ${report}`].join('\n  ')}\n\n`);
		reporter.give({ folder: shownPath(place), report, sentence: result.sentence, result });
		return ENDS[result.outcome];
	} finally {
		await release();
	}
}
