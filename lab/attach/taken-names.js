/**
 * Names that a service cannot have beside the lab's own in a run's record.
 */
import { NotReadyError } from '../define/errors.js';
import { GENERATOR_NAME, RAW, RECORD } from '../define/paths.js';

/** Beside it, names that a folder in `raw/` cannot have. */
const TAKEN = [GENERATOR_NAME, ...Object.values(RAW), RECORD.k6Report, '.', '..'];

/**
 * @param {{ service: string }[]} models
 * @throws {NotReadyError}
 */
export function refuseTakenNames(models) {
  const taken = models.find(({ service }) => TAKEN.includes(service));
  if (taken === undefined) return;
  const why = taken.service === GENERATOR_NAME ? 'which is the load generator’s name in the record' : 'which the record has a file for';
  throw new NotReadyError(`The Compose file: expected no service "${taken.service}", ${why}.`, 'rename it, or leave its profile out.');
}
