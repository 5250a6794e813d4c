/** What would tell more of a user's own system that lost nothing: where it gives way, which a run without failures does not know. */

import { formatProjectCommand } from '../base/format-command.ts';
import { knownCommand, withOption } from '../options/known-command.ts';
import { USERS_EACH_MOST } from '../options/options.ts';
import type { Result, TryNext } from '../record/types.js';
import { tierName } from '../stats/figure-words.ts';
import { GENERATOR, ruleName, STEPS } from './make-valid.ts';
import { isScript } from './time/load-end.ts';
import type { Doubts } from './validity/validity.ts';

/** Short faults, each once: minutes. */
const TRY_FAULTS = ['FAULTS=short', 'REPEATS=1'];
/** A command without a system's name. Those that have one are asked by experiments where they give way. */
const OF_FOLDER = /(?:^| )doubletake (?:run|swarm)$/;

/**
 * Of a run that was broken on purpose the next one is the user's to choose.
 * @param manifest with its command as it can be typed
 */
export function moreLoad(
	manifest: any,
	{
		doubts,
		result: { validity, metrics, bottleneck },
	}: {
		doubts: Doubts;
		result: Pick<Result, 'validity' | 'metrics' | 'bottleneck'>;
	},
): TryNext[] {
	const { shape, faults = [], fault, system, command } = manifest;
	const isHealthy = metrics.requests > 0 && metrics.failures === 0 && validity.verdict !== 'INVALID';
	// The generator, or the machine that both share, gives way before the system does.
	const isFull =
		['generator', 'machine'].includes(bottleneck?.tier ?? '') || doubts.ofRun.some(({ rule }) => STEPS[ruleName(rule)] === GENERATOR);
	if (!OF_FOLDER.test(command) || !isHealthy || isFull || faults.length > 0 || fault || system?.arm) return [];
	if (isScript(manifest))
		return [
			{
				command: formatProjectCommand(['selftest'], TRY_FAULTS),
				why: 'nothing failed, and how much is asked is the script’s to say: a copy is broken in known ways, and each report is to find it',
			},
		];
	const [name, most] = shape.model === 'open' ? ['RATE', 'requests'] : ['USERS', 'users'];
	const top = Math.max(...shape.stages.map(({ target }: { target: number }) => target));
	const reached = bottleneck === null ? 'no bottleneck could be named' : `${tierName(bottleneck.tier)} was at a limit`;
	const twice = withOption(command, name, String(2 * top));
	return knownCommand(twice) === null || 2 * top > mostUsers(command)
		? []
		: [{ command: twice, why: `nothing failed, and ${reached}: twice the ${most} show what gives way first` }];
}

/** That its generators have memory for. */
const mostUsers = (command: string) => USERS_EACH_MOST * Number(/(?:^| )GENERATORS=(\d+)/.exec(command)?.[1] ?? 1);
