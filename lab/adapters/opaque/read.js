/**
 * What is known of a service whose product the lab does not know: from its output only what has a common form.
 */
import { bareRecord } from '../bare-record.js';
import { countAccess } from './access-log.js';
import { readWorkers } from './workers.js';

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log }, about) {
  const { service, level, window } = about;
  const counted = level === 0 ? null : countAccess(log, window);
  const record = bareRecord(about, 'opaque');
  const floor = `${service} runs a product that the lab does not know: it sees the container (CPU, memory, sockets, ends), not single requests`;
  if (counted === null) return { ...record, uncovered: [floor], messages: level === 0 ? [] : readWorkers(log, window) };
  const { received, answered_ok, answered_error } = counted;
  return {
    ...record,
    coverage: { ...record.coverage, requests: 'partial' },
    uncovered: [floor, 'its access log gives counts by status, with health checks among them, and no ids'],
    source: 'access log',
    received,
    answered_ok,
    answered_error,
    messages: readWorkers(log, window),
  };
}
