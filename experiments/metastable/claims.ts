/**
 * What "Metastable Failures in the Wild" found with a MongoDB replica set and clients that try again at once: whether a service comes
 * back from a cut in CPU hangs on a few per cent of depth, of length or of load. Tests and thresholds were fixed before the first
 * run; the rate was found by trying beforehand (experiment.ts), as it is not published.
 */

import type { OutcomeTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { labQuestion } from '../../lab/catalog/published.ts';

const SOURCE =
	'Huang et al., "Metastable Failures in the Wild", OSDI 2022, https://www.usenix.org/conference/osdi22/presentation/huang-lexiang';
/** Of what the lab asks beyond it. */
export const OWN = labQuestion(SOURCE);
/** Good answers a second 30 to 60 s after the cut, of those before it. Between the two neither is said. */
const [CAME_BACK, STAYED_DOWN] = [0.9, 0.5];
const TRIGGER = 'to-20-10s';

export const outcome: (arm: string, comesBack: boolean) => OutcomeTest = (arm, comesBack) => ({
	kind: 'outcome',
	label: comesBack ? `runs of ${arm} that came back` : `runs of ${arm} that stayed down`,
	metric: 'came_back_share',
	arm,
	wanted: comesBack ? 'at least' : 'at most',
	threshold: comesBack ? CAME_BACK : STAYED_DOWN,
	published: null,
});

const RUNS = 'in at least three of four runs, and in more than half by the whole interval';
/** In words. */
export const TEST = {
	back: `30 to 60 s after the cut at least ${CAME_BACK} of the good answers a second before it are there again, ${RUNS}.`,
	down: `30 to 60 s after the cut at most ${STAYED_DOWN} of the good answers a second before it are there, ${RUNS}.`,
};
/** Of all claims with that test. */
export const CHANGED =
	'It was judged by the share of runs alone; now by its interval too, as every other test. That is stricter: whatever holds by it held before.';

const trigger: (id: string, arm: string, comesBack: boolean, words: { statement: string; published: string; cut: string }) => WrittenClaim =
	(id, arm, comesBack, { statement, published, cut }) => ({
		id,
		statement,
		source: SOURCE,
		published: [{ label: 'outcome', text: published }],
		test: comesBack ? TEST.back : TEST.down,
		delta: 'three of four runs',
		changed: CHANGED,
		tests: [outcome(arm, comesBack)],
		shown: [`after ${cut}: {came_back_share@${arm}} of the good answers a second before it`],
		quotes: {
			HOLDS: `Service ${comesBack ? 'came back' : 'stayed down'} after ${cut}, in {test 1} of the runs.`,
			REFUTED: `Service ${comesBack ? 'stayed down' : 'came back'} after ${cut}: {test 1} of the runs came out as published.`,
			INCONCLUSIVE: `The runs do not decide whether service comes back. After ${cut}, service ${comesBack ? 'came back' : 'stayed down'} in {test 1} of the runs.`,
		},
	});

export const claims: WrittenClaim[] = [
	trigger('R1a', TRIGGER, false, {
		statement: 'Ten seconds at a fifth of its CPU put a database down for good.',
		published: 'at 0.40 of 2 vCPU (-80 %) for 10 s it never comes back',
		cut: 'the database’s CPU was cut to 20 % for 10 s',
	}),
	trigger('R1b', 'to-22.5-10s', true, {
		statement: 'From a cut that is a little less deep it comes back.',
		published: 'at 0.45 of 2 vCPU (-78 %) for 10 s it comes back',
		cut: 'the database’s CPU was cut to 22.5 % for 10 s',
	}),
	trigger('R1c', 'to-20-9s', true, {
		statement: 'From a cut that is a second shorter it comes back.',
		published: 'at 0.40 of 2 vCPU (-80 %) for 9 s it comes back',
		cut: 'the database’s CPU was cut to 20 % for 9 s',
	}),
	trigger('R1d', 'less-load', true, {
		statement: 'With a quarter less load it comes back.',
		published: 'at 0.40 of 2 vCPU (-80 %) for 10 s with a quarter to 30 % less load it comes back',
		cut: 'the database’s CPU was cut to 20 % for 10 s, under a quarter less load',
	}),
];
