/**
 * What happened while requests stood: the first failure, when nobody was answered well any more, what ended, stood still and came back, and limits as they were reached.
 *
 * @typedef {import('../record/result.js').WireStanding} WireStanding
 * @typedef {import('./waiting/standing.js').Standing} Standing
 * @typedef {import('./ledger/facts.js').Facts} Facts
 * @typedef {import('./limits/saturations.js').Saturation} Saturation
 */

import { rounded } from '../stats/numbers.js';
import { sustained } from './limits/hurt.js';
import { HAD_ENDED } from './limits/saturations.js';

/** Of each kind; the first. */
const EVENTS_MOST = 12;
const LIMITS_MOST = 4;

/** @type {Record<string, string>} */
const HAPPENED = { die: 'ended', oom: 'out of memory', start: 'started', pause: 'paused', unpause: 'went on' };

/**
 * @param {Standing} standing
 * @param {Facts} facts
 * @param {{ saturations: Saturation[], timeline: import('../record/result.js').TimelineRow[], onset: import('../record/result.js').Onset | null }} reached
 *   saturations: on the timeline's seconds, each told at its end
 * @returns {WireStanding['marks']} in the order of time
 */
export function standingMarks(standing, facts, { saturations, timeline, onset }) {
  const seconds = timeline.map(({ t_s }) => t_s);
  return [...onsetMarks(standing, onset), ...eventMarks(facts), ...limitMarks(saturations, seconds)].toSorted(
    (one, other) => one.t_s - other.t_s,
  );
}

/**
 * The onset is the headline's, of whole seconds; a first failure within its second is that of the stop.
 * @type {(standing: Standing, onset: import('../record/result.js').Onset | null) => WireStanding['marks']}
 */
function onsetMarks({ step_s: step, failed }, onset) {
  const mark = (/** @type {number} */ t_s, /** @type {string} */ text) => ({ t_s, kind: /** @type {const} */ ('onset'), text });
  const first = failed.findIndex((count) => count > 0);
  const failing = first < 0 ? [] : [mark(first * step, 'first failure')];
  if (onset === null) return failing;
  const { from_s: from } = onset;
  if (first >= 0 && Math.abs(first * step - from) < 1) return [mark(from, 'first failure, no good answer from here')];
  return [...failing, mark(from, 'no good answer from here')];
}

/** @param {Facts} facts @returns {WireStanding['marks']} of the system alone */
function eventMarks({ raw, window, tiers, observers }) {
  const isOwn = (/** @type {string} */ name) => tiers.has(name) && tiers.get(name) !== 'generator' && !observers.includes(name);
  return raw.events
    .filter(({ t, name, action }) => action in HAPPENED && isOwn(name) && t >= window.from && t <= window.to)
    .slice(0, EVENTS_MOST)
    .map(({ t, name, action }) => ({ t_s: rounded(t - window.from, 1) ?? 0, kind: 'event', text: `${name} ${HAPPENED[action]}` }));
}

/** Of what ended the events tell. @param {Saturation[]} saturations @param {number[]} seconds @returns {WireStanding['marks']} */
function limitMarks(saturations, seconds) {
  return saturations
    .filter(({ what }) => what !== HAD_ENDED)
    .flatMap(({ name, what, reached }) => {
      const [at] = sustained([...reached.keys()].filter((index) => seconds[index] > 0 && reached[index] === true));
      return at === undefined ? [] : [/** @type {const} */ ({ t_s: seconds[at] - 1, kind: 'limit', text: `${name}: ${what}` })];
    })
    .toSorted((one, other) => one.t_s - other.t_s)
    .slice(0, LIMITS_MOST);
}
