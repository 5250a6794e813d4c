/**
 * What is tried of a system that names its remedies: changed systems, each of which somebody suspects.
 *
 * @import { Remedy } from '../catalog/project-schema.ts'
 * @import { Probe } from './probes.ts'
 */

/**
 * @param {Remedy[]} remedies
 * @param {string} cause   of most failures: its remedy is tried first
 * @returns {Probe[]}
 */
export const remediesOf = (remedies, cause) =>
	remedies
		.toSorted((one, other) => Number(other.causes.includes(cause)) - Number(one.causes.includes(cause)))
		.flatMap(({ system, change }) =>
			system === undefined ? [] : [{ id: system, kind: 'remedy', service: '', title: change, line: system, system, isRival: true }],
		);
