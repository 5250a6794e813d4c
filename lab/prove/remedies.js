/**
 * What is tried of a shipped system: the changed systems that it names as its remedies, each of which somebody suspects.
 */

import { architectures } from '../catalog/architectures.js';

/**
 * @param {string} id      of an architecture
 * @param {string} cause   of most failures: its remedy is tried first
 * @returns {import('./probes.js').Probe[]}
 */
export const remediesOf = (id, cause) =>
	(architectures[id].remedies ?? [])
		.toSorted((one, other) => Number(other.causes.includes(cause)) - Number(one.causes.includes(cause)))
		.flatMap(({ system, change }) =>
			system === undefined ? [] : [{ id: system, kind: 'remedy', service: '', title: `${system}: ${change}`, system, isRival: true }],
		);
