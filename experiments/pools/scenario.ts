/**
 * Work that waits, or computes, in a pool of threads or without one.
 */

import type { ExperimentScenario, Figure } from '../../lab/catalog/scenarios.ts';
import { shapes } from './k6/shapes.js';

const latency: (id: string, label: string) => Figure = (id, label) => ({ id, label, unit: 'ms', better: null, success_only: true });

export const scenario: ExperimentScenario = {
	id: 'pools',
	request: 'GET /: waits for 100 ms, or computes a hash, and answers',
	noun: 'requests',
	driver: 'k6',
	load: 'connections',
	loads: { connections: 'connections', smoke: 'connections-smoke' },
	think_time_s: 0,
	calibrated: false,
	refusals: {},
	timed: false,
	written: null,
	figures: [
		latency('latency_ms_p2_5_ok', 'p2.5 of successes'),
		latency('latency_ms_p97_5_ok', 'p97.5 of successes'),
		latency('latency_ms_mean_ok', 'mean of successes'),
	],
	shapes,
};
