/**
 * Documents that are read, created, updated and deleted.
 */

import type { ExperimentScenario, Figure } from '../../lab/catalog/scenarios.ts';
import { shapes } from './k6/shapes.js';

const latency: (id: string, label: string) => Figure = (id, label) => ({ id, label, unit: 'ms', better: 'lower', success_only: true });

export const scenario: ExperimentScenario = {
	id: 'crud',
	request: 'one read, create, update or delete of a document',
	noun: 'operations',
	driver: 'k6',
	load: 'workers',
	loads: { workers: 'workers', brief: 'workers-brief', smoke: 'workers-smoke' },
	think_time_s: 0,
	calibrated: false,
	refusals: { 404: 'not-there', 409: 'taken' },
	delayed: true,
	timed: false,
	written: {
		observer: { WRITTEN: 'db1.documents,db2.documents,db3.documents' },
		created: 'lab_created',
		deleted: 'lab_deleted',
	},
	figures: [
		...['read', 'create', 'update', 'delete'].map((operation) => latency(`latency_ms_p95_${operation}`, `p95 of ${operation}s`)),
		{ id: 'database_spread', label: 'spread over the databases', unit: 'share', better: null, success_only: false },
		{ id: 'journal_mb_per_s', label: 'journal written', unit: 'mb_per_s', better: null, success_only: false },
	],
	shapes,
};
