/**
 * Whether lines of the load may be missing in the logs of services, because their engine keeps so much of each and no more: why requests failed
 * is looked for in what is left.
 */

/**
 * @param {Pick<import('./validity.ts').ValidityInput, 'facts'>} input
 * @returns {import('./grade.ts').Doubt[]} of the whole run; none where no request failed
 */
export function rotatedLogs({ facts: { raw, generator } }) {
	const names = /** @type {string[]} */ (raw.manifest.rotated_logs ?? []);
	if (generator.failed === 0) return [];
	return names.map((name) => ({
		rule: `unlogged ${name}`,
		grade: 'SUSPECT',
		reason: `the log of ${name} may lack lines of the load: the engine keeps no more of it`,
	}));
}
