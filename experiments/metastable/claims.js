/**
 * What "Metastable Failures in the Wild" found with a MongoDB replica set and clients that try again at once: whether a service comes
 * back from a cut in CPU hangs on a few per cent of depth, of length or of load. Tests and thresholds were fixed before the first
 * run; the rate was found by trying beforehand (experiments.js), as it is not published.
 */
import { ownQuestion } from '../../lab/define/own-question.js';

const SOURCE =
  'Huang et al., "Metastable Failures in the Wild", OSDI 2022, https://www.usenix.org/conference/osdi22/presentation/huang-lexiang';
const OWN = ownQuestion(SOURCE);
/** Good answers a second 30 to 60 s after the cut, of those before it. Between the two neither is said. */
const [CAME_BACK, STAYED_DOWN] = [0.9, 0.5];
const TRIGGER = 'to-20-10s';
/** Twice as long as the published one, which lies at the edge: without a remedy all runs have to stay down, for a remedy to show. */
const LONGER = 'to-20-20s';

/** @typedef {import('../../lab/define/claims.js').Claim} Claim */

/** @type {(arm: string, comesBack: boolean) => import('../../lab/define/claims.js').OutcomeTest} */
const outcome = (arm, comesBack) => ({
  kind: 'outcome',
  label: comesBack ? `runs of ${arm} that came back` : `runs of ${arm} that stayed down`,
  metric: 'came_back_share',
  arm,
  wanted: comesBack ? 'at least' : 'at most',
  threshold: comesBack ? CAME_BACK : STAYED_DOWN,
  published: null,
});

const RUNS = 'in at least three of four runs, and in more than half by the whole interval';
const TEST = {
  back: `30 to 60 s after the cut at least ${CAME_BACK} of the good answers a second before it are there again, ${RUNS}.`,
  down: `30 to 60 s after the cut at most ${STAYED_DOWN} of the good answers a second before it are there, ${RUNS}.`,
};
const CHANGED =
  'It was judged by the share of runs alone; now by its interval too, as every other test. That is stricter: whatever holds by it held before.';

/** @type {(id: string, arm: string, comesBack: boolean, words: { statement: string, published: string, cut: string }) => Claim} */
const trigger = (id, arm, comesBack, { statement, published, cut }) => ({
  id,
  experiment: 'metastable',
  statement,
  source: SOURCE,
  published: [{ label: 'outcome', text: published }],
  test: comesBack ? TEST.back : TEST.down,
  delta: 'three of four runs',
  changed: CHANGED,
  tests: [outcome(arm, comesBack)],
  relief: null,
  shown: [`after ${cut}: {came_back_share@${arm}} of the good answers a second before it`],
  quotes: {
    HOLDS: `Service ${comesBack ? 'came back' : 'stayed down'} after ${cut}, in {test 1} of the runs.`,
    REFUTED: `Service ${comesBack ? 'stayed down' : 'came back'} after ${cut}: {test 1} of the runs came out as published.`,
    INCONCLUSIVE: `Too close to call: after ${cut} service ${comesBack ? 'came back' : 'stayed down'} in {test 1} of the runs.`,
  },
});

/** @type {(id: string, arm: string, words: { statement: string, remedy: string, reworded?: string }) => Claim} */
const cure = (id, arm, { statement, remedy, reworded }) => ({
  id,
  experiment: 'metastable-cures',
  statement,
  source: OWN,
  own: true,
  published: [{ label: 'outcome', text: 'said to help in general; not measured with this trigger' }],
  test: `${TEST.back} Without the remedy: ${TEST.down}`,
  delta: 'three of four runs',
  changed: [CHANGED, reworded].filter(Boolean).join(' '),
  tests: [outcome(LONGER, false), outcome(arm, true)],
  relief: null,
  remarks: ['Without the change service stayed down in {test 1} of the runs.'],
  shown: [
    `${remedy}: {came_back_share@${arm}} of the good answers a second before it`,
    `without: {came_back_share@${LONGER}}`,
    `failed ${remedy}: {failure_rate@${arm}}, without: {failure_rate@${LONGER}}`,
  ],
  quotes: {
    HOLDS: `Service came back ${remedy}, in {test 2} of the runs.`,
    REFUTED: `Service does not come back ${remedy}: it did in {test 2} of the runs.`,
    INCONCLUSIVE: `Too close to call: service came back ${remedy} in {test 2} of the runs.`,
  },
});

/** @type {Claim} */
const shorterDeadline = {
  id: 'R1i',
  experiment: 'metastable-deadline',
  statement: 'A deadline lets it come back where it is shorter than the time-out.',
  source: OWN,
  own: true,
  changed: CHANGED,
  published: [{ label: 'outcome', text: 'said to help in general; not measured with this trigger' }],
  test: `${TEST.back} With a deadline as long as the time-out: ${TEST.down}`,
  delta: 'three of four runs',
  tests: [outcome('deadline-3s', false), outcome('deadline-1s', true)],
  relief: null,
  remarks: ['With a deadline of 3 s, as long as the time-out, it stayed down in {test 1} of the runs.'],
  shown: [
    'with a deadline of 1 s: {came_back_share@deadline-1s} of the good answers a second before it',
    'with one of 3 s: {came_back_share@deadline-3s}',
    'failed with a deadline of 1 s: {failure_rate@deadline-1s}, with one of 3 s: {failure_rate@deadline-3s}',
  ],
  quotes: {
    HOLDS: 'Service came back with a deadline of 1 s, in {test 2} of the runs.',
    REFUTED:
      'A shorter deadline is not shown to help: service stayed down with one of 3 s in {test 1} of the runs, and came back with one of 1 s in {test 2}.',
    INCONCLUSIVE:
      'With a deadline of 3 s service stayed down in {test 1} of the runs, and with one of 1 s it came back in {test 2}: neither the rule nor the exception.',
  },
};

/** @type {Claim[]} */
export const metastableClaims = [
  trigger('R1a', TRIGGER, false, {
    statement: 'Ten seconds at a fifth of its CPU put a database down for good.',
    published: 'at 0.40 of 2 vCPU (-80 %) for 10 s it never comes back',
    cut: '10 s at 20 % of the CPU',
  }),
  trigger('R1b', 'to-22.5-10s', true, {
    statement: 'From a cut that is a little less deep it comes back.',
    published: 'at 0.45 of 2 vCPU (-78 %) for 10 s it comes back',
    cut: '10 s at 22.5 % of the CPU',
  }),
  trigger('R1c', 'to-20-9s', true, {
    statement: 'From a cut that is a second shorter it comes back.',
    published: 'at 0.40 of 2 vCPU (-80 %) for 9 s it comes back',
    cut: '9 s at 20 % of the CPU',
  }),
  trigger('R1d', 'less-load', true, {
    statement: 'With a quarter less load it comes back.',
    published: 'at 0.40 of 2 vCPU (-80 %) for 10 s with a quarter to 30 % less load it comes back',
    cut: '10 s at 20 % of the CPU under a quarter less load',
  }),
  cure('R1e', 'no-retries', { statement: 'Users who do not try again let it come back.', remedy: 'without retries' }),
  cure('R1f', 'retry-budget', { statement: 'A retry budget of 10 % lets it come back.', remedy: 'with a retry budget of 10 %' }),
  cure('R1g', 'deadline', {
    statement: 'A node that drops what has waited as long as its users’ time-out lets it come back.',
    remedy: 'with a deadline as long as the time-out of 3 s',
    reworded:
      'The statement spoke of dropping what nobody waits for any more; what was tested is one deadline, as long as the time-out. A shorter one is R1i.',
  }),
  cure('R1h', 'shedding', {
    statement: 'A node that refuses what is too much for it lets it come back.',
    remedy: 'with a node that works on 200 requests at most',
  }),
  shorterDeadline,
];
