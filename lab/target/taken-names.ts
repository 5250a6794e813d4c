/** Names that a service cannot have beside the lab's own in a run's record. */

import { NotReadyError } from '../base/errors.ts';
import { GENERATOR_NAME, RAW, RECORD } from '../base/paths.ts';
import { generatorNames } from './generators.ts';

/** Beside it, names that a folder in `raw/` cannot have. */
const TAKEN = [...Object.values(RAW), RECORD.k6Report, '.', '..'];

/**
 * @param generators that make the load
 * @throws {NotReadyError}
 */
export function refuseTakenNames(models: { service: string }[], generators: number) {
	const ofGenerators = [GENERATOR_NAME, ...(generators > 1 ? generatorNames(generators) : [])];
	const taken = models.find(({ service }) => [...ofGenerators, ...TAKEN].includes(service));
	if (taken === undefined) return;
	const why = ofGenerators.includes(taken.service) ? 'which is the load generator’s name in the record' : 'which the record has a file for';
	throw new NotReadyError(`The Compose file: expected no service "${taken.service}", ${why}.`, 'rename it, or leave its profile out.');
}
