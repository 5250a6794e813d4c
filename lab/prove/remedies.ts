/** What is tried of a system that names its remedies: changed systems, each of which somebody suspects. */

import type { Remedy } from '../catalog/project-schema.ts';
import type { Probe } from './probes.ts';

/** @param cause of most failures: its remedy is tried first */
export const remediesOf = (remedies: Remedy[], cause: string): Probe[] =>
	remedies
		.toSorted((one, other) => Number(other.causes.includes(cause)) - Number(one.causes.includes(cause)))
		.flatMap(({ system, change }) =>
			system === undefined ? [] : [{ id: system, kind: 'remedy', service: '', title: change, line: system, system, isRival: true }],
		);
