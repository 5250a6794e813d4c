/**
 * Asks before hours of runs that nobody may have meant: in a folder without a system of its own the self-test is that of the lab's own
 * diagnosis.
 */

import { NotReadyError } from '../../base/errors.ts';
import { formatProjectCommand } from '../../base/format-command.ts';
import type { Ask } from './targets.ts';

/** The option that says yes. */
const YES = '--yes';
const MINUTE_S = 60;
const HOUR_MINUTES = 60;

/**
 * @param wanted that are to be made, and how long they take together
 * @throws {NotReadyError} when the runs are not wanted, or nobody can say so
 */
export async function consentTo({ runs: count, seconds }: { runs: number; seconds: number }, ask: Ask, folder: string) {
	const runs = `${count} ${count === 1 ? 'run' : 'runs'} of systems that Doubletake brings along, about ${lengthOf(seconds)}`;
	if (ask !== null && (await ask(`There is no doubletake.yaml in ${folder}: this tests Doubletake itself, with ${runs}. Begin? [y/N] `)))
		return;
	throw new NotReadyError(
		`selftest: expected doubletake.yaml in ${folder}, or a yes to ${runs}; found neither.`,
		`to test Doubletake itself say ${formatProjectCommand(['selftest', YES])} (FAULTS=short makes fewer runs); to test your own system run "doubletake init" in its folder first.`,
	);
}

function lengthOf(seconds: number) {
	const minutes = Math.ceil(seconds / MINUTE_S);
	if (minutes < HOUR_MINUTES) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
	const [hours, rest] = [Math.floor(minutes / HOUR_MINUTES), minutes % HOUR_MINUTES];
	return `${hours} h${rest === 0 ? '' : ` ${rest} min`}`;
}
