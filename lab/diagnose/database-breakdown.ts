/** How evenly the load's documents are spread, where there are several databases. */

import type { Breakdown } from '../record/types.js';
import { ratio, sum } from '../stats/numbers.ts';
import type { Facts } from './ledger/facts.ts';

/** @returns none where there is one database */
export function databaseBreakdown({ databases }: Pick<Facts, 'databases'>): Breakdown[] {
	// Copies are not spread.
	if (databases.length < 2 || databases.some(({ set }) => set !== null)) return [];
	const counts = databases.map(({ documents }) => documents);
	const all = counts.includes(null) ? null : sum(counts);
	return [
		{
			title: 'By database',
			caption: `Documents that the load left in each; an even split is ${(100 / databases.length).toFixed(1)} %.`,
			rows_label: 'database',
			columns: [
				{ id: 'documents', label: 'documents', unit: 'count' },
				{ id: 'share', label: 'share', unit: 'share' },
				{ id: 'operations', label: 'operations', unit: 'count' },
			],
			rows: databases.map(({ name, documents, operations }) => ({
				name: name ?? 'database',
				values: [documents, ratio(documents, all), operations],
			})),
		},
	];
}
