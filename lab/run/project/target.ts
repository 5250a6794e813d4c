/**
 * A system as a target of a run, whichever. What makes its load its description says: a scenario of the lab is in the very Compose files, which are
 * taken as they stand; of requests or a script the generator is laid over them.
 */

import { checkHosts } from '../../options/fault-plan.ts';
import type { Target, TargetRun } from '../run-target.ts';
import { NO_INJECTION } from '../run-target.ts';
import { overlaidTarget } from './overlaid-target.ts';
import { scenarioTarget } from './scenario-target.ts';

/**
 * @throws {import('../../base/errors.ts').NotReadyError} when the files are at fault, or a fault names a host that there is not
 * @throws {import('../../base/errors.ts').NotInjectedError} when a fault cannot be put in
 */
export async function targetOf({ group, injection = NO_INJECTION, ...run }: TargetRun): Promise<Target> {
	const { hosts, settings } = run;
	const { scenario } = run.project.load;
	if (hosts) checkHosts(settings.faults, hosts.names);
	const given = { ...run, group: group ?? settings.architecture, injection };
	return scenario === undefined ? overlaidTarget(given) : scenarioTarget({ ...given, scenario });
}
