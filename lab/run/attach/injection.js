/**
 * What the self-test does to a run of a user's own system; an ordinary run has none of it.
 *
 * @typedef {Required<import('../run-target.js').Injection> & OfSystem} Injection
 *
 * @typedef {object} OfSystem
 * @property {{ id: string, title: string } | null} fault  as the manifest has it, which no rule reads; null: none
 * @property {(checked: import('./checked-system.js').CheckedSystem) => import('./checked-system.js').CheckedSystem} change  what is
 *   otherwise when the system comes up
 */
import { NotInjectedError, NotReadyError } from '../../base/errors.js';

/** @type {Injection} */
export const NO_INJECTION = { fault: null, change: (checked) => checked, whenUp: async () => {}, duringLoad: async () => {} };

/**
 * What is not ready though it was without the fault is so because of it.
 * @template T
 * @param {Pick<Injection, 'fault'>} injection
 * @param {Promise<T>} prepared
 * @returns {Promise<T>}
 * @throws {NotInjectedError}
 */
export async function becauseOf({ fault }, prepared) {
  try {
    return await prepared;
  } catch (error) {
    if (fault === null || !(error instanceof NotReadyError)) throw error;
    throw new NotInjectedError(`the system does not come up with it: ${error.message.split('\n')[0]}`);
  }
}
