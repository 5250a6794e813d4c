/**
 * The self-test of whatever is asked for: each of the faults that can be put into it on its own, and how right the diagnosis of its run is.
 *
 *
 * @typedef {object} Tested         what the faults are put into
 * @property {SelftestTarget['system']} system
 * @property {string} budget
 * @property {number} repeatsOfAll  runs of each fault, where all are tried and nothing else is asked for
 * @property {Map<string, PlannedFault>} plan  by id, the control first
 * @property {(id: string, budget: string) => Measurable} systemOf  that a fault is put into
 * @property {(folder: string) => Promise<Result>} read  of such a run
 * @property {((ids: string[]) => number) | null} secondsOf  about so long runs of these take; null where the folder says that they are meant
 *
 * @typedef {((question: string) => Promise<boolean>) | null} Ask  null: nobody can be asked
 * @typedef {Record<string, string | undefined>} Env
 * @typedef {{ folder: string, permission: Permission }} Asked  folder: of doubletake.yaml
 *
 * @import { Demand, PlannedFault } from '../../adapters/faults.ts'
 * @import { Around } from '../../cli/reporter.ts'
 * @import { Measurable } from '../../compare/systems.ts'
 * @import { Service } from '../../docker/containers.ts'
 * @import { Permission } from '../../options/allowed.ts'
 * @import { Score } from '../../record/selftest-total.ts'
 * @import { Result } from '../../record/types.js'
 * @import { SelftestTarget } from './selftest.ts'
 */
import { join } from 'node:path';
import { CONTROL } from '../../adapters/faults.ts';
import { NotInjectedError, NotReadyError } from '../../base/errors.ts';
import { readInRecord } from '../../base/files.ts';
import { formatCommand, formatProjectCommand, instead } from '../../base/format-command.ts';
import { RECORD } from '../../base/paths.ts';
import { nameOfFolder, scenarioOf } from '../../catalog/architectures.ts';
import { DEFAULT_BUDGET } from '../../catalog/budgets.ts';
import { hasProject } from '../../catalog/project-file.ts';
import { shapeOf, shapes } from '../../catalog/scenarios.ts';
import { measurable } from '../../compare/systems.ts';
import { readManifest } from '../../diagnose/read-raw.ts';
import { analyseRun } from '../../diagnose/result.ts';
import { acceptedBy, readOption, readVariables, refuseAllBut, refuseIdle } from '../../options/accepted-options.ts';
import { formatAllowed } from '../../options/allowed.ts';
import { secondsOfRun } from '../../options/calibration.ts';
import { readSettings } from '../../options/settings.ts';
import { describedFaults, skippedScore } from '../../record/selftest-total.ts';
import { finishRun } from '../../report/reports.ts';
import { NO_FAULTS, namedFaults } from '../../run/faults/planned-faults.ts';
import { describedAs, describedIn } from '../../target/described.ts';
import { injectionOf, obstacleTo } from './injection.ts';
import { AGAIN, ALL, adviceOf, REST, scoreRecord, testDiagnosis, toContainerNames } from './selftest.ts';

/** Those that run with the tests. */
const SHORT = 'short';
/** Runs of each of the lab's own faults, as the result page is made; some of them are tried once. */
const REPEATS_OF_ALL = 3;
/** Below reports/: out of the list of runs, which are of the system as it is. */
const GROUP = 'selftest/runs';

/**
 * @param {string} folder  of doubletake.yaml, where there is one; else the lab itself is tested, where that is meant
 * @param {Record<string, string | undefined>} env  FAULTS: `all` (default), `short`, ids with commas between, `rest` or `again`; REPEATS: runs of
 *   each
 * @param {{ permission: Permission, ask?: Ask } & Around} options  ask: whether the lab itself is meant; it is where there
 *   is none
 * @returns {Promise<number>} exit code: 0 when every fault that could be put in is diagnosed rightly
 * @throws {NotReadyError} when the system cannot be measured at all
 */
export const selftest = async (folder, env, { permission, ask, ...around }) =>
	testDiagnosis(targetOf(await openTested({ folder, permission }, env), { folder, ask }), env, around);

/**
 * The system of the folder, where one is described there, else those that the lab's own faults name.
 * @param {Asked} asked
 * @param {Env} env  FAULTS, BUDGET; REPEATS: runs of each
 * @returns {Promise<Tested>}
 * @throws {NotReadyError} when the system cannot be measured at all, or naming what changes nothing about the test
 */
const openTested = async (asked, env) => (hasProject(asked.folder) ? testedIn(asked, env) : testedLab(env));

/** @param {Env} env @returns {Tested} */
function testedLab(env) {
	const wanted = readOption('FAULTS', env);
	// The dose of a fault is its own, and what is gone on with was settled when it began.
	const isNew = wanted !== AGAIN && wanted !== REST;
	refuseAllBut(`the self-test with FAULTS=${wanted}`, isNew ? acceptedBy('selftest') : ['FAULTS'], env);
	const plan = namedFaults();
	const on = (/** @type {string} */ id) => /** @type {NonNullable<PlannedFault['on']>} */ (plan.get(id)?.on);
	return {
		plan,
		system: {
			...{ name: '', into: 'a small stack, one at a time, under load', command: formatCommand(['selftest']) },
			...{ left_out: NO_FAULTS, is_document: true, faults: describedFaults(plan.values()) },
		},
		budget: env.BUDGET || DEFAULT_BUDGET,
		repeatsOfAll: REPEATS_OF_ALL,
		systemOf: (id, budget) => systemNamed(on(id), { ...env, BUDGET: budget }),
		read: analyseRun,
		secondsOf: (ids) =>
			ids
				.map(on)
				.map(({ architecture, load }) => secondsOfRun(shapes[shapeOf(scenarioOf(architecture), load)](readVariables(architecture, {}))))
				.reduce((sum, seconds) => sum + seconds, 0),
	};
}

/** By a fault. @type {(on: NonNullable<PlannedFault['on']>, env: Env) => Measurable} */
const systemNamed = ({ architecture, load }, env) =>
	measurable({ ...describedAs(architecture), settings: readSettings(architecture, { ...env, LOAD: load }) });

/** @param {Asked} asked @param {Env} env @returns {Promise<Tested>} */
async function testedIn({ folder, permission }, env) {
	if (env.EXPECT)
		throw new NotReadyError(
			`EXPECT: expected none, because each fault says itself what is to be found; found "${env.EXPECT}".`,
			'leave it out.',
		);
	const name = nameOfFolder(folder);
	refuseIdle('selftest', name, env);
	const settings = readSettings(name, env, permission);
	const described = await describedIn(folder);
	const plan = (await measurable({ ...described, settings }).target()).faults();
	const { seed } = settings;
	return {
		plan,
		system: {
			...{ name, command: formatProjectCommand(['selftest']), left_out: {}, is_document: false, faults: describedFaults(plan.values()) },
			into: `a copy of ${name}, one at a time, under the load of its doubletake.yaml. The control is a run without a fault`,
		},
		budget: settings.budget,
		repeatsOfAll: 1,
		systemOf: (id, budget) => {
			const on = plan.get(id)?.on ?? null;
			if (on !== null) return systemNamed(on, { ...env, BUDGET: budget });
			const command = formatProjectCommand(['selftest', ...formatAllowed(permission)], [`FAULTS=${id}`, `SEED=${seed}`]);
			return measurable({ ...described, settings: { ...settings, command } });
		},
		read: finishRun,
		secondsOf: null,
	};
}

/**
 * @param {Tested} tested
 * @param {{ folder: string, ask?: Ask }} asked  ask: whether its runs are meant
 * @returns {SelftestTarget}
 */
export function targetOf({ plan, system, budget, repeatsOfAll, systemOf, read, secondsOf }, { folder: at, ask }) {
	const faultIn = (/** @type {string} */ id) => /** @type {PlannedFault} */ (plan.get(id));
	const short = [...plan.values()].filter(({ isShort }) => isShort).map(({ id }) => id);
	/** Found out when the system was up in the control. @type {Map<string, string>} */
	const obstacles = new Map();
	return {
		...{ system, budget, repeatsOfAll },
		choose: (wanted) => chooseFaults(wanted, [...plan.keys()], short),
		titleOf: (id) => plan.get(id)?.title,
		cannot: (id) => faultIn(id).cannot ?? obstacles.get(id) ?? null,
		measure: async (id, { budget: asked, ...run }) => {
			const fault = faultIn(id);
			const whenUp = async (/** @type {Service[]} */ stack) => {
				for (const one of fault.how === null ? plan.values() : [fault]) {
					const why = one.cannot ?? (await obstacleTo(one, stack));
					if (why !== null) obstacles.set(one.id, why);
				}
				const why = obstacles.get(id);
				if (why !== undefined) throw new NotInjectedError(why);
			};
			const { folder } = await systemOf(id, asked).measure({ group: GROUP, ...run, injection: injectionOf(fault, whenUp) });
			return folder;
		},
		score: async (id, folder) => {
			const fault = faultIn(id);
			const result = await read(folder);
			if (fault.mayBear && survived(fault.demand, result.metrics.failures))
				return skippedScore(id, 'no request failed of it, so that there was nothing to diagnose', result.run);
			const score = await scoreFault(fault, folder, result);
			const advice = adviceOf(score, result, fault);
			return advice.length > 0 ? { ...score, advice } : score;
		},
		mayRefuse: (id) => faultIn(id).mayRefuse,
		...(ask !== undefined && secondsOf !== null
			? { consent: (left) => consentTo({ runs: left.length, seconds: secondsOf(left) }, ask, at) }
			: {}),
	};
}

/**
 * A control comes first in any case: what fails without a fault is not the fault's.
 * @param {string} wanted
 * @param {string[]} known
 * @param {string[]} short  of these
 * @returns {string[]} ids, in the order in which they are to be run
 * @throws {NotReadyError} naming what is not known
 */
function chooseFaults(wanted, known, short = []) {
	if (wanted === ALL) return known;
	if (wanted === SHORT && short.length > 0) return short;
	const ids = wanted.split(',');
	const unknown = ids.filter((id) => !known.includes(id));
	if (unknown.length > 0)
		throw new NotReadyError(
			`FAULTS: expected ${[ALL, ...(short.length > 0 ? [SHORT] : []), REST, AGAIN].join(', ')} or some of ${known.join(', ')}; found "${unknown.join(', ')}".`,
			instead(unknown[0], known, 'use these names.'),
		);
	return known.includes(CONTROL) ? [CONTROL, ...ids.filter((id) => id !== CONTROL)] : ids;
}

/** @type {(fault: Pick<PlannedFault, 'id' | 'demand'>, folder: string, result: Result) => Promise<Score>} */
async function scoreFault({ id, demand }, folder, result) {
	const { services } = await readManifest(join(folder, RECORD.manifest));
	return scoreRecord({ id, fault: toContainerNames(demand, services), folder, result, marksOf: async (all) => readMarks(folder, all) });
}

/**
 * What the lab's own nodes wrote of the faults that they committed; the diagnosis does not read it.
 * @param {string} folder
 * @param {{ name: string, tier: string }[]} services
 */
function readMarks(folder, services) {
	/** @type {Map<string, Set<string>>} */
	const marks = new Map();
	for (const { name } of services.filter(({ tier }) => tier === 'app')) {
		const text = String(readInRecord(folder, join(RECORD.raw, `${name}.log`)) ?? '');
		for (const [, id, mark] of text.matchAll(/^fault (\S+) (\w+)$/gm)) marks.set(id, (marks.get(id) ?? new Set()).add(mark));
	}
	return marks;
}

/** Whether the system bore the fault, so that the ledger has nothing to say. @param {Demand} demand @param {number} failures */
const survived = ({ expected = [], least = 1, near_misses: misses }, failures) =>
	expected.length > 0 && misses === undefined && failures < least;

/*
 * Asks before hours of runs that nobody may have meant: in a folder without a system of its own the self-test is that of the lab's own
 * diagnosis.
 */

/** The option that says yes. */
const YES = '--yes';
const MINUTE_S = 60;
const HOUR_MINUTES = 60;

/**
 * @param {{ runs: number, seconds: number }} wanted  that are to be made, and how long they take together
 * @param {Ask} ask
 * @param {string} folder
 * @throws {NotReadyError} when the runs are not wanted, or nobody can say so
 */
async function consentTo({ runs: count, seconds }, ask, folder) {
	const runs = `${count} ${count === 1 ? 'run' : 'runs'} of systems that Doubletake brings along, about ${lengthOf(seconds)}`;
	if (ask !== null && (await ask(`There is no doubletake.yaml in ${folder}: this tests Doubletake itself, with ${runs}. Begin? [y/N] `)))
		return;
	throw new NotReadyError(
		`selftest: expected doubletake.yaml in ${folder}, or a yes to ${runs}; found neither.`,
		`to test Doubletake itself say ${formatProjectCommand(['selftest', YES])} (FAULTS=short makes fewer runs); to test your own system run "doubletake init" in its folder first.`,
	);
}

/** @param {number} seconds */
function lengthOf(seconds) {
	const minutes = Math.ceil(seconds / MINUTE_S);
	if (minutes < HOUR_MINUTES) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
	const [hours, rest] = [Math.floor(minutes / HOUR_MINUTES), minutes % HOUR_MINUTES];
	return `${hours} h${rest === 0 ? '' : ` ${rest} min`}`;
}
