/**
 * Whether the record is whole, and whether what it says fits together.
 */
import { scenarios } from '../../catalog/scenarios.js';
import { significant } from '../../stats/figure-words.js';
import { mean, present } from '../../stats/numbers.js';
import { stoodIn } from '../time/standstill.js';
import { generatorLateMs } from './generator-late.js';
import { count, graded, NEVER, notRecorded, percent, seconds } from './grade.js';
import { longestGap } from './span.js';

/** @typedef {import('./validity.js').ValidityInput} ValidityInput */
/** @typedef {import('./span.js').Span} Span */
/** @typedef {import('./grade.js').Doubt} Doubt */

/** Counts that differ by more than 0.1 % do not reconcile; beyond 1 % nothing rests on them. */
const RECONCILE_INVALID = 0.01;
/**
 * Share of a good answer's time that no tier had it and that may be the generator's: a tenth is what clocks may miss, a quarter is as much
 * as a tier. The lab's own choice. Between the generator and the first tier requests also wait in the first tier's sockets, unread, and
 * on the network: that is the system's own, and so is what lies beyond the time by which the generator itself is late.
 */
const TIME_GAP = { suspect: 0.1, invalid: 0.25 };
/** The shipped balancer tells times in milliseconds ($request_time of its log): less than one is no gap. */
const TIME_RESOLUTION_MS = 1;
/** k6's record has every second. Where its users wrote it, all but those in which k6 itself stood still. */
const RECORD_GAP_S = 3;
/** A held stage is one condition: its last third is as fast as its first. The lab's own choice, and the least that thirds of 3 s can tell. */
const DRIFT = { suspect: 0.1, invalid: NEVER };
const LEAST_THIRD_S = 3;

/** Of the requests that k6 counted and its users did not write down. One is a doubt; from 1 % on nothing rests on the run, as for counts. */
const UNWRITTEN = { suspect: 0, invalid: RECONCILE_INVALID };
/** Of a node's requests that its log lacks: the same thousandth and hundredth that counts may differ by. */
const UNLISTED = { suspect: 0.001, invalid: RECONCILE_INVALID };

/** @type {((input: ValidityInput, span: Span) => Doubt[])[]} */
export const recordRules = [recordGaps, timeGap, drift];

/** What makes every other doubt idle. @param {ValidityInput} input @returns {Doubt[]} of the whole run */
export function incompleteness({ facts }) {
  const invalid = (/** @type {string} */ reason) => [{ rule: 'incomplete', grade: /** @type {const} */ ('INVALID'), reason }];
  // Users who were interrupted did not come to write what they had last.
  if (facts.raw.manifest.interrupted) return invalid('the run was interrupted before its load had ended');
  if (facts.generator.finished === 0) return invalid('no request was finished');
  if (facts.raw.summary === null && facts.raw.program === null) return invalid('the generator left no summary');
  return [];
}

/** @param {ValidityInput} input @returns {Doubt[]} of the whole run */
export function irreconcilables({ ledger }) {
  return ledger.checks
    .filter(({ holds }) => !holds)
    .map(({ statement, left, right, may_differ: mayDiffer = 0, exact }) => ({
      rule: `count: ${statement}`,
      grade: exact || Math.abs(left - right) / Math.max(1, left, right) > RECONCILE_INVALID ? 'INVALID' : 'SUSPECT',
      reason: `counts do not reconcile: ${statement}; ${count(left)} against ${count(right)}${mayDiffer > 0 ? `, and they may differ by ${count(mayDiffer)}` : ''}`,
    }));
}

/** @param {ValidityInput} input @returns {Doubt[]} of the whole run */
export const unlistedRequests = ({ facts }) =>
  facts.unlisted.flatMap(({ name, share }) =>
    graded(`unlisted: ${name}`, share, UNLISTED, `${name} received ${percent(share)} of its requests without a line in its log`),
  );

/** @param {ValidityInput} input @returns {Doubt[]} of the whole run */
export function unwrittenRequests({ facts: { raw } }) {
  if (raw.written === null || raw.summary === null) return [];
  const { written, counted } = raw.written;
  if (counted === null) return notRecorded('unwritten', "k6's count of the load's requests", 'whether its users wrote all of them down');
  const missing = counted - written;
  const reason =
    missing > 0
      ? `of the ${count(counted)} requests of the load that k6 counted its users did not write down ${count(missing)}`
      : `k6's users wrote down ${count(-missing)} requests more than the ${count(counted)} of the load that it counted`;
  return graded('unwritten', Math.abs(missing) / Math.max(1, counted), UNWRITTEN, reason);
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function recordGaps({ facts: { raw, snapshots, window } }, span) {
  if (raw.program) return [];
  const longest = longestGap(snapshots, window, span);
  return graded(
    'record-gap',
    longest,
    { suspect: RECORD_GAP_S, invalid: NEVER },
    `k6's own record has a gap of ${seconds(longest)}`,
    seconds,
  );
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function timeGap({ facts, timeLedger }, span) {
  const { stage } = span;
  if (!scenarios[facts.raw.manifest.scenario]?.timed || facts.generator.ok === 0) return [];
  if (timeLedger === null) return notRecorded('time-gap', "some tier's time", 'where the time of good answers went');
  const { measured, missing } = stage === null ? wholeGap(timeLedger) : stageGap(timeLedger.stages[stage]);
  // A stage without good answers has no time of theirs to account for.
  if (measured === null || missing === null || Math.abs(missing) <= TIME_RESOLUTION_MS) return [];
  if (missing < 0) {
    const longer = -missing / measured;
    return graded('time-gap', longer, TIME_GAP, `the tiers had good answers for ${percent(longer)} longer than users waited for them`);
  }
  const lateMs = generatorLateMs(facts, span);
  const share = Math.min(missing, lateMs ?? missing) / measured;
  const late =
    lateMs === null ? 'how late the generator was is not recorded' : `the generator was ${lateMs.toFixed(1)} ms late in the mean`;
  const reason = `the generator may have had good answers for ${percent(share)} of the time that users waited for them: no tier had them for ${missing.toFixed(1)} ms, and ${late}`;
  return graded('time-gap', share, TIME_GAP, reason);
}

/** @typedef {{ measured: number | null, missing: number | null }} TimeGap  milliseconds */

/** @param {import('../../record/result.js').TimeLedger} ledger @returns {TimeGap} */
const wholeGap = ({ check }) => ({ measured: check.measured_ms, missing: check.gap_fraction * check.measured_ms });

/** Of a stage it is the part between the client and the first tier. @param {import('../../record/result.js').TimeLedger['stages'][number] | undefined} stage @returns {TimeGap} */
const stageGap = (stage) => ({ measured: stage?.measured_ms || null, missing: stage?.parts.client ?? null });

/** A fault that the user put in, or a surge, before the end of a stage: that its rate changes is then what was asked for. @type {(manifest: any, window: import('../time/window.js').Window, until: { stage: number, to_s: number }) => boolean} */
const isDisturbed = ({ faults = [], shape }, { from }, { stage, to_s: to }) =>
  faults.some((/** @type {{ began_s: number | null }} */ { began_s: began }) => began !== null && began - from < to) ||
  shape.stages.slice(0, stage).some((/** @type {import('../../../k6/lib/shapes.js').Stage} */ { surge }) => surge === true);

/** A system that stands still changes its rate, and is told by that. @type {(input: ValidityInput, span: Span) => Doubt[]} */
function drift({ facts: { raw, window }, stages, timeline, standstill }, span) {
  const { stage, from_s, to_s } = span;
  const third = Math.floor((to_s - from_s) / 3);
  if (stoodIn(standstill, span)) return [];
  if (stage === null || !stages[stage].held || third < LEAST_THIRD_S || isDisturbed(raw.manifest, window, { stage, to_s })) return [];
  const rate = (/** @type {number} */ after, /** @type {number} */ until) =>
    mean(present(timeline.filter(({ t_s }) => t_s > after && t_s <= until).map(({ throughput_rps: rps }) => rps)));
  const [first, last] = [rate(from_s, from_s + third), rate(to_s - third, to_s)];
  // Seconds without a reading are gaps in k6's record, which are told there.
  if (first === null || last === null || Math.max(first, last) === 0) return [];
  const change = Math.abs(last - first) / Math.max(first, last);
  const reason = `its rate changed by ${percent(change)} from the first third to the last (${significant(first)} to ${significant(last)} a second)`;
  return graded('drift', change, DRIFT, reason);
}
