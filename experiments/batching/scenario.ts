/**
 * Tickets that are sold until none is left.
 */

import type { ExperimentScenario } from '../../lab/catalog/scenarios.ts';
import { shapes } from './k6/shapes.js';

export const scenario: ExperimentScenario = {
	id: 'tickets',
	request: 'POST /tickets: sells one ticket; 409 when none is left',
	noun: 'requests',
	driver: 'k6',
	load: 'checkout',
	loads: { checkout: 'checkout', smoke: 'checkout-smoke' },
	think_time_s: 0,
	calibrated: false,
	refusals: { 409: 'sold-out' },
	delayed: true,
	timed: false,
	written: { observer: { WRITTEN: 'doubletake.orders', TICKETS: '1' }, created: 'lab_ok', file: 'tickets.txt' },
	figures: [{ id: 'batch_size_mean', label: 'mean batch', unit: 'count', better: null, success_only: false }],
	shapes,
};
