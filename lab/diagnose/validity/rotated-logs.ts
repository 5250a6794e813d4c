/**
 * Whether lines of the load may be missing in the logs of services, because their engine keeps so much of each and no more: why requests failed
 * is looked for in what is left.
 */

import type { Doubt } from './grade.ts';
import type { ValidityInput } from './validity.ts';

/** @returns of the whole run; none where no request failed */
export function rotatedLogs({ facts: { raw, generator } }: Pick<ValidityInput, 'facts'>): Doubt[] {
	const names = (raw.manifest.rotated_logs ?? []) as string[];
	if (generator.failed === 0) return [];
	return names.map((name) => ({
		rule: `unlogged ${name}`,
		grade: 'SUSPECT',
		reason: `the log of ${name} may lack lines of the load: the engine keeps no more of it`,
	}));
}
