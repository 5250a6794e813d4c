/** The command `plan`: reads an experiment over numbers of nodes, writes how many a rate wants, and says so. */
import { dirname, join, relative, sep } from 'node:path';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { recordAt } from '../base/files.ts';
import { formatCommand } from '../base/format-command.ts';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, REPORTS } from '../base/paths.ts';
import type { Reporter } from '../base/progress.ts';
import { experiments } from '../catalog/experiments.ts';
import { shownPath } from '../compare/experiment/command.ts';
import { EXPERIMENT_FILE } from '../compare/experiment/experiment-file.ts';
import { readRuns } from '../compare/experiment/judge.ts';
import { readPlan } from '../compare/experiment/read-plan.ts';
import { writeRecords } from '../compare/experiment/write-records.ts';
import { acceptedBy, formatOptions, readOption, refuseAllBut } from '../options/accepted-options.ts';
import { readRecord } from '../record/excerpt-file.ts';
import type { CapacityPlan } from '../record/types.js';
import { formatCapacityPlan } from '../report/capacity-terminal.ts';
import { readRecords, writeIndex } from '../report/reports.ts';
import { fitExperiment, planCapacity } from './capacity-plan.ts';
import { hasNodes } from './check.ts';

type Env = Record<string, string | undefined>;

/** What a plan is asked for in an example. */
const EXAMPLE = formatCommand(['plan'], ['TARGET_RPS=500', 'P95_MS=200']);
/** From a plan's folder to that of its experiment. */
const UP = '../../';

/**
 * @param path of the experiment's folder; the newest one over numbers of nodes unless given
 * @param env TARGET_RPS, P95_MS
 * @returns exit code: that of an INVALID run where the hold-out check fails
 * @throws {NotReadyError} when there is no such experiment, it does not carry a plan, or the target is outside of its data
 */
export async function planNodes(path: string | undefined, env: Env, reporter: Reporter): Promise<number> {
	refuseAllBut('a capacity plan', acceptedBy('plan'), env);
	const target = readTarget(env);
	const folder = path ? recordAt('plan', path) : join(REPORTS, await newestOverNodes());
	const plan = await readPlan('RUN', folder);
	if ((await readRecord(folder, EXPERIMENT_RECORD.result)) === null)
		throw new NotReadyError(
			`plan: expected an experiment that was judged; found no ${EXPERIMENT_RECORD.result} in ${shownPath(folder)}.`,
			`judge it: ${formatCommand(['report', shownPath(folder)])}`,
		);
	if (!hasNodes(plan))
		throw new NotReadyError(
			`plan: expected an experiment with goodput against numbers of nodes; found ${plan.experiment} in ${shownPath(folder)}.`,
			MEASURE_ONE,
		);
	const own = join(CAPACITY_RECORD.plans, nameOf(target));
	const isListed = `${folder}${sep}`.startsWith(`${REPORTS}${sep}`);
	const made = planCapacity(fitExperiment(plan, await readRuns(folder, plan)), {
		target,
		around: {
			id: `${plan.id}/${own}`,
			command: formatCommand(
				['plan', shownPath(folder)],
				formatOptions(acceptedBy('plan'), { target_rps: target.rps, p95_ms: target.p95_ms }),
			),
			index: isListed ? `${relative(join(folder, own), REPORTS).split(sep).join('/')}/index.html` : null,
			experiment: `${UP}${EXPERIMENT_RECORD.page}`,
		},
	});
	const page = await writeCapacityPlan(join(folder, own), made);
	await writeIndex();
	reporter.tell(formatCapacityPlan(made, shownPath(page)));
	reporter.give({ folder: shownPath(dirname(page)), report: shownPath(page), result: made });
	return made.verdict === 'HOLDS' ? EXIT.done : EXIT.failed;
}

/** The stored experiment that carries a plan: it is found by its curve. */
const [OVER_NODES] = Object.keys(experiments).filter((id) => hasNodes(experiments[id]));

const MEASURE_ONE = `measure one with "${formatCommand(['experiment', OVER_NODES])}", or of your own system one that has "nodes" in its ${EXPERIMENT_FILE}.`;

/** @throws {NotReadyError} */
function readTarget(env: Env): CapacityPlan['target'] {
	const rps = readOption('TARGET_RPS', env);
	if (rps === null)
		throw new NotReadyError('TARGET_RPS: expected the good requests a second to plan for; found none.', `say it: ${EXAMPLE}`);
	return { rps, p95_ms: readOption('P95_MS', env) };
}

/** One target has one plan: made again, it takes the place of the last. */
const nameOf = ({ rps, p95_ms: p95 }: CapacityPlan['target']) => (p95 === null ? `${rps}rps` : `${rps}rps-${p95}ms`);

/** @returns its folder below reports/ */
async function newestOverNodes(): Promise<string> {
	const found = (await readRecords(EXPERIMENT_RECORD.result)).filter(({ record }) => hasNodes(record));
	const [newest] = found.sort((one, other) => other.record.started.localeCompare(one.record.started));
	if (newest) return newest.path;
	throw new NotReadyError(
		'plan: expected an experiment with goodput against numbers of nodes below reports/; found none.',
		`${MEASURE_ONE} One that is elsewhere is given by its folder.`,
	);
}

/**
 * @param folder for the plan
 * @returns its page
 */
async function writeCapacityPlan(folder: string, made: CapacityPlan): Promise<string> {
	await writeRecords(folder, { [CAPACITY_RECORD.data]: made });
	return join(folder, CAPACITY_RECORD.page);
}
