/**
 * Whether a run can be believed, and which of its stages. Every rule grades an effect by its size; a reading that a rule
 * needs and that is missing is a doubt. The generator is the first suspect.
 */
import { sum } from '../../stats/numbers.js';
import { faultsNotPut } from './fault-doubts.js';
import { exhaustion, generatorRules } from './generator-doubts.js';
import { percent } from './grade.js';
import { busyBefore, clocksApart, machineRules } from './machine-doubts.js';
import { leftInQueue } from './queue-doubts.js';
import { incompleteness, irreconcilables, recordRules, unlistedRequests, unwrittenRequests } from './record-doubts.js';
import { eachStage, wholeLoad } from './span.js';
import { lostGenerators, startsApart } from './together-doubts.js';
import { wireApart } from './wire-doubts.js';

/** Share of the stages' requests that may lie in INVALID ones: beyond half, the run's rates and percentiles are theirs. */
const INVALID_STAGES_SHARE = 0.5;

/**
 * @typedef {object} ValidityInput
 * @property {import('../ledger/facts.js').Facts} facts
 * @property {import('../../record/result.js').Ledger} ledger
 * @property {import('../../record/result.js').Stage[]} stages
 * @property {Record<string, (number | null)[]>} cpu
 * @property {import('../../record/result.js').TimelineRow[]} timeline
 * @property {import('../../record/result.js').TimeLedger | null} timeLedger
 * @property {import('../../record/result.js').UserTime | null} userTime
 * @property {import('../../record/result.js').Wire | null} [wire]
 * @property {import('../time/standstill.js').Standstill | null} [standstill]  of the system: what follows of it is no doubt about the record
 * @property {number} [droppedInVain]  arrivals that found no user because all waited for it then
 */

/** Of a stage's target. */
const UNITS = { users: 'users', rps: 'requests a second', 'iterations/s': 'iterations a second' };

/** @typedef {import('./grade.js').Doubt} Doubt */
/** @typedef {import('../../record/result.js').Validity} Validity */

/** Asked of the whole load, and of each stage by itself. */
const RULES = [...generatorRules, ...recordRules, ...machineRules];

/**
 * The run is as doubtful as its worst doubt. A stage's doubt that the whole does not show makes the run SUSPECT; INVALID
 * stages make it INVALID when they hold more than half of the requests.
 * @param {ValidityInput} input
 * @returns {Validity}
 */
export function validityOf(input) {
  const { ofRun, ofStages } = doubtsOf(input);
  return {
    verdict: verdictOf(ofRun),
    reasons: reasonsOf(ofRun),
    stages: ofStages.map((doubts, index) => {
      const { target, from_s, to_s } = input.stages[index];
      return { target, from_s, to_s, verdict: verdictOf(doubts), reasons: reasonsOf(doubts) };
    }),
  };
}

/**
 * @param {ValidityInput} input
 * @returns {{ ofRun: Doubt[], ofStages: Doubt[][] }} ofStages: in their order; none where the run is incomplete
 */
export function doubtsOf(input) {
  const incomplete = incompleteness(input);
  if (incomplete.length > 0) return { ofRun: incomplete, ofStages: [] };
  const whole = wholeLoad(input.facts.window);
  const ofRun = [
    ...RULES.flatMap((rule) => rule(input, whole)),
    ...[
      exhaustion,
      irreconcilables,
      unlistedRequests,
      unwrittenRequests,
      busyBefore,
      clocksApart,
      faultsNotPut,
      leftInQueue,
      startsApart,
      lostGenerators,
      wireApart,
    ].flatMap((rule) => rule(input)),
  ];
  const ofStages = eachStage(input.stages).map((span) => RULES.flatMap((rule) => rule(input, span)));
  return { ofRun: [...ofRun, ...invalidStages(input.stages, ofStages), ...onlyInStages(ofRun, ofStages, input.stages)], ofStages };
}

/** @param {Doubt[]} doubts @returns {Validity['verdict']} */
function verdictOf(doubts) {
  if (doubts.some(({ grade }) => grade === 'INVALID')) return 'INVALID';
  return doubts.length > 0 ? 'SUSPECT' : 'VALID';
}

/** @param {Doubt[]} doubts */
const reasonsOf = (doubts) => doubts.map(({ reason }) => reason);

/** @typedef {import('../../record/result.js').Stage} Stage */

/** @type {(stages: Stage[], doubts: Doubt[][]) => Doubt[]} */
function invalidStages(stages, doubts) {
  const requests = stages.map(({ requests: all, throughput_rps: rps, from_s, to_s }) => all ?? (rps ?? 0) * (to_s - from_s));
  const invalid = sum(requests.filter((_, index) => verdictOf(doubts[index]) === 'INVALID'));
  const share = invalid / Math.max(1, sum(requests));
  if (share <= INVALID_STAGES_SHARE) return [];
  return [
    {
      rule: 'stages',
      grade: 'INVALID',
      reason: `INVALID stages hold ${percent(share)} of the requests; the limit is ${percent(INVALID_STAGES_SHARE)}`,
    },
  ];
}

/**
 * One doubt for each rule that some stage fails and the whole load does not, or not as badly: that of the worst stage.
 * @type {(ofRun: Doubt[], ofStages: Doubt[][], stages: Stage[]) => Doubt[]}
 */
function onlyInStages(ofRun, ofStages, stages) {
  const all = ofStages.flatMap((doubts, index) => doubts.map((doubt) => ({ ...doubt, stage: stages[index] })));
  return [...new Set(all.map(({ rule }) => rule))].flatMap((rule) => {
    const own = all.filter((doubt) => doubt.rule === rule);
    const invalid = own.filter(({ grade }) => grade === 'INVALID');
    const [worst] = (invalid.length > 0 ? invalid : own).toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0));
    const known = ofRun.find((doubt) => doubt.rule === rule);
    if (known && (known.grade === 'INVALID' || worst.grade === 'SUSPECT')) return [];
    const others = own.length > 1 ? ', the worst stage for it' : '';
    return [{ rule, grade: 'SUSPECT', reason: `${nameOf(worst.stage)}${others}, ${worst.reason}` }];
  });
}

/** @param {Stage} stage */
function nameOf({ from_s, to_s, target, unit, held }) {
  const load = `${target.toLocaleString('en-US')} ${UNITS[unit]}`;
  return `in seconds ${from_s} to ${to_s} (${held ? 'held at' : 'to'} ${load})`;
}
