/** What is said to help against a metastable failure in general, tried on a trigger from which service does not come back by itself. */

import type { WrittenClaim } from '../../lab/catalog/claims.ts';
import { CHANGED, OWN, outcome, TEST } from '../metastable/claims.ts';

/** Twice as long as the published one, which lies at the edge: without a remedy all runs have to stay down, for a remedy to show. */
const LONGER = 'to-20-20s';

const cure: (id: string, arm: string, words: { statement: string; remedy: string; reworded?: string }) => WrittenClaim = (
	id,
	arm,
	{ statement, remedy, reworded },
) => ({
	id,
	statement,
	source: OWN,
	own: true,
	published: [{ label: 'outcome', text: 'said to help in general; not measured with this trigger' }],
	test: `${TEST.back} Without the remedy: ${TEST.down}`,
	delta: 'three of four runs',
	changed: [CHANGED, reworded].filter(Boolean).join(' '),
	tests: [outcome(LONGER, false), outcome(arm, true)],
	remarks: ['Without the change service stayed down in {test 1} of the runs.'],
	shown: [
		`${remedy}: {came_back_share@${arm}} of the good answers a second before it`,
		`without: {came_back_share@${LONGER}}`,
		`failed ${remedy}: {failure_rate@${arm}}, without: {failure_rate@${LONGER}}`,
	],
	quotes: {
		HOLDS: `Service came back ${remedy}, in {test 2} of the runs.`,
		REFUTED: `Service does not come back ${remedy}: it did in {test 2} of the runs.`,
		INCONCLUSIVE: `The runs are inconclusive. Service came back ${remedy} in {test 2} of the runs.`,
	},
});

export const claims: WrittenClaim[] = [
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
];
