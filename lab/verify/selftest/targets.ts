/**
 * The self-test of whatever is asked for: each of the faults that can be put into it on its own, and how right the diagnosis of its run is.
 */

import { join } from 'node:path';
import { CONTROL, type Demand, type PlannedFault } from '../../adapters/faults.ts';
import { NotInjectedError, NotReadyError } from '../../base/errors.ts';
import { readInRecord } from '../../base/files.ts';
import { formatCommand, formatProjectCommand } from '../../base/format-command.ts';
import { instead } from '../../base/nearest.ts';
import { RECORD } from '../../base/paths.ts';
import type { Around } from '../../base/progress.ts';
import { nameOfFolder, scenarioOf } from '../../catalog/architectures.ts';
import { DEFAULT_BUDGET } from '../../catalog/budgets.ts';
import { hasProject } from '../../catalog/project-file.ts';
import { shapeOf, shapes } from '../../catalog/scenarios.ts';
import { type Measurable, measurable } from '../../compare/systems.ts';
import { readManifest } from '../../diagnose/read-raw.ts';
import { analyseRun } from '../../diagnose/result.ts';
import type { Service } from '../../docker/containers.ts';
import { acceptedBy, readOption, readVariables, refuseAllBut, refuseIdle } from '../../options/accepted-options.ts';
import { formatAllowed, type Permission } from '../../options/allowed.ts';
import { secondsOfRun } from '../../options/run-length.ts';
import { readSettings } from '../../options/settings.ts';
import { describedFaults, type Score, skippedScore } from '../../record/selftest-total.ts';
import type { Result } from '../../record/types.js';
import { finishRun } from '../../report/reports.ts';
import { NO_FAULTS, namedFaults } from '../../run/faults/planned-faults.ts';
import { describedAs, describedIn } from '../../target/described.ts';
import { consentTo } from './consent.ts';
import { injectionOf, obstacleTo } from './injection.ts';
import { ALL } from './record.ts';
import { scoreRecord } from './score-record.ts';
import { AGAIN, adviceOf, REST, type SelftestTarget, testDiagnosis, toContainerNames } from './selftest.ts';

/** what the faults are put into */
export type Tested = {
	system: SelftestTarget['system'];
	budget: string;
	/** runs of each fault, where all are tried and nothing else is asked for */
	repeatsOfAll: number;
	/** by id, the control first */
	plan: Map<string, PlannedFault>;
	/** that a fault is put into */
	systemOf: (id: string, budget: string) => Measurable;
	/** of such a run */
	read: (folder: string) => Promise<Result>;
	/** about so long runs of these take; null where the folder says that they are meant */
	secondsOf: ((ids: string[]) => number) | null;
};

/** null: nobody can be asked */
export type Ask = ((question: string) => Promise<boolean>) | null;

type Env = Record<string, string | undefined>;

/** folder: of doubletake.yaml */
type Asked = { folder: string; permission: Permission };

/** Those that run with the tests. */
const SHORT = 'short';
/** Runs of each of the lab's own faults, as the result page is made; some of them are tried once. */
const REPEATS_OF_ALL = 3;
/** Below reports/: out of the list of runs, which are of the system as it is. */
const GROUP = 'selftest/runs';

/**
 * @param folder of doubletake.yaml, where there is one; else the lab itself is tested, where that is meant
 * @param env FAULTS: `all` (default), `short`, ids with commas between, `rest` or `again`; REPEATS: runs of
 * each
 * @param options ask: whether the lab itself is meant; it is where there
 * is none
 * @returns exit code: 0 when every fault that could be put in is diagnosed rightly
 * @throws {NotReadyError} when the system cannot be measured at all
 */
export const selftest = async (
	folder: string,
	env: Record<string, string | undefined>,
	{ permission, ask, ...around }: { permission: Permission; ask?: Ask } & Around,
): Promise<number> => testDiagnosis(targetOf(await openTested({ folder, permission }, env), { folder, ask }), env, around);

/**
 * The system of the folder, where one is described there, else those that the lab's own faults name.
 * @param env FAULTS, BUDGET; REPEATS: runs of each
 * @throws {NotReadyError} when the system cannot be measured at all, or naming what changes nothing about the test
 */
const openTested = async (asked: Asked, env: Env): Promise<Tested> => (hasProject(asked.folder) ? testedIn(asked, env) : testedLab(env));

function testedLab(env: Env): Tested {
	const wanted = readOption('FAULTS', env);
	// The dose of a fault is its own, and what is gone on with was settled when it began.
	const isNew = wanted !== AGAIN && wanted !== REST;
	refuseAllBut(`the self-test with FAULTS=${wanted}`, isNew ? acceptedBy('selftest') : ['FAULTS'], env);
	const plan = namedFaults();
	const on = (id: string) => plan.get(id)?.on as NonNullable<PlannedFault['on']>;
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

/** By a fault. */
const systemNamed: (on: NonNullable<PlannedFault['on']>, env: Env) => Measurable = ({ architecture, load }, env) =>
	measurable({ ...describedAs(architecture), settings: readSettings(architecture, { ...env, LOAD: load }) });

async function testedIn({ folder, permission }: Asked, env: Env): Promise<Tested> {
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

/** @param asked ask: whether its runs are meant */
export function targetOf(
	{ plan, system, budget, repeatsOfAll, systemOf, read, secondsOf }: Tested,
	{ folder: at, ask }: { folder: string; ask?: Ask },
): SelftestTarget {
	const faultIn = (id: string) => plan.get(id) as PlannedFault;
	const short = [...plan.values()].filter(({ isShort }) => isShort).map(({ id }) => id);
	/** Found out when the system was up in the control. */
	const obstacles: Map<string, string> = new Map();
	return {
		...{ system, budget, repeatsOfAll },
		choose: (wanted) => chooseFaults(wanted, [...plan.keys()], short),
		titleOf: (id) => plan.get(id)?.title,
		cannot: (id) => faultIn(id).cannot ?? obstacles.get(id) ?? null,
		measure: async (id, { budget: asked, ...run }) => {
			const fault = faultIn(id);
			const whenUp = async (stack: Service[]) => {
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
 * @param short of these
 * @returns ids, in the order in which they are to be run
 * @throws {NotReadyError} naming what is not known
 */
function chooseFaults(wanted: string, known: string[], short: string[] = []): string[] {
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

async function scoreFault({ id, demand }: Pick<PlannedFault, 'id' | 'demand'>, folder: string, result: Result): Promise<Score> {
	const { services } = await readManifest(join(folder, RECORD.manifest));
	return scoreRecord({ id, fault: toContainerNames(demand, services), folder, result, marksOf: async (all) => readMarks(folder, all) });
}

/** What the lab's own nodes wrote of the faults that they committed; the diagnosis does not read it. */
function readMarks(folder: string, services: { name: string; tier: string }[]) {
	const marks: Map<string, Set<string>> = new Map();
	for (const { name } of services.filter(({ tier }) => tier === 'app')) {
		const text = String(readInRecord(folder, join(RECORD.raw, `${name}.log`)) ?? '');
		for (const [, id, mark] of text.matchAll(/^fault (\S+) (\w+)$/gm)) marks.set(id, (marks.get(id) ?? new Set()).add(mark));
	}
	return marks;
}

/** Whether the system bore the fault, so that the ledger has nothing to say. */
const survived = ({ expected = [], least = 1, near_misses: misses }: Demand, failures: number) =>
	expected.length > 0 && misses === undefined && failures < least;
