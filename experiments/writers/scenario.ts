/**
 * Records that a program inserts into a store, as fast as it can.
 */

import type { Shape } from '../../k6/lib/shapes.js';
import type { ExperimentScenario } from '../../lab/catalog/scenarios.ts';

/** Published. */
const INSERTS = 4_000_000;

const program: (inserts: number, expected_s: number) => () => Shape = (inserts, expected_s) => () => ({
	title: `${inserts.toLocaleString('en-US')} inserts in all, as fast as they go`,
	model: 'program',
	unit: 'users',
	warmup_s: 0,
	stages: [],
	inserts,
	expected_s,
});

export const scenario: ExperimentScenario = {
	id: 'inserts',
	request: 'one record inserted into the store',
	noun: 'inserts',
	driver: 'program',
	load: 'inserts',
	loads: { inserts: 'inserts', smoke: 'inserts-smoke' },
	think_time_s: 0,
	calibrated: false,
	refusals: {},
	timed: false,
	written: null,
	figures: [],
	shapes: {
		inserts: program(INSERTS, 20),
		'inserts-smoke': program(INSERTS / 20, 2),
	},
};
