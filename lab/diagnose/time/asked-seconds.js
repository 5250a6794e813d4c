/**
 * What users asked in each second of the load, and what came of it.
 *
 * @typedef {object} AskedSecond
 * @property {number} t_s      that it ends
 * @property {number} good     answers, with those by which the app says that it has not got what was asked for (409 when all is sold)
 * @property {number} failed
 * @property {number} begun    requests that were sent
 * @property {number} waiting  that waited for an answer at its end
 * @property {number} users    there at its end
 * @property {number} demand   arrivals that were meant to come, or where users wait for answers how many of them were there
 */
import { arrivalsBy } from '../../../k6/lib/arrivals.js';
import { scenarios } from '../../catalog/scenarios.js';
import { aggregateOf, countOf } from '../../record/k6-record.js';
import { sum } from '../../stats/numbers.js';
import { secondsOf } from './seconds.js';

/**
 * @param {Pick<import('../ledger/facts.js').Facts, 'raw' | 'snapshots' | 'window'>} facts
 * @returns {AskedSecond[] | null} in the order of time, those after the load's end too; a second in which k6 itself stood still is none of
 *   them. null where the record tells no single request
 */
export function askedSeconds({ raw, snapshots, window }) {
  if (raw.written === null) return null;
  const { shape, scenario } = raw.manifest;
  const refusals = Object.keys(scenarios[scenario]?.refusals ?? {}).map((status) => `lab_failed_status_${status}`);
  let waiting = 0;
  return secondsOf(snapshots, window).flatMap((t_s, index) => {
    if (t_s < 1) return [];
    const snapshot = snapshots[index];
    const [begun, finished] = [countOf(snapshot, 'lab_begun'), countOf(snapshot, 'lab_finished')];
    waiting = Math.max(0, waiting + begun - finished);
    const users = aggregateOf(snapshot, 'vus', 'value') ?? 0;
    const demand = shape.unit !== 'users' ? arrivalsBy(shape, t_s) - arrivalsBy(shape, t_s - 1) : Math.max(users, finished > 0 ? 1 : 0);
    const refused = sum(refusals.map((counter) => countOf(snapshot, counter)));
    const [good, failed] = [countOf(snapshot, 'lab_ok') + refused, countOf(snapshot, 'lab_failed') - refused];
    return [{ t_s, good, failed, begun, waiting, users, demand }];
  });
}
