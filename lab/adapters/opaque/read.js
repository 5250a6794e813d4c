/**
 * What is known of a service whose product the lab does not know: from its output only what has a common form.
 */
import { bareRecord } from '../bare-record.js';
import { withAccess } from './access-log.js';
import { readWorkers } from './workers.js';

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log }, about) {
  const { service, level, window } = about;
  const floor = `${service} runs a product that the lab does not know: it sees the container (CPU, memory, sockets, ends), not single requests`;
  const messages = level === 0 ? [] : readWorkers(log, window);
  return withAccess({ ...bareRecord(about, 'opaque'), uncovered: [floor], messages }, log, about);
}
