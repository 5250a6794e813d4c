import type { Facts } from '../../lab/diagnose/ledger/facts.ts';
import type { ScenarioFigures } from '../../lab/diagnose/scenario-figures.ts';

/**
 * The figures of the pools scenario: the percentiles of autocannon's table, so that they stand beside the published ones.
 */
const LATENCY = 'lab_latency_ok';

/** The table's rows, by the keys of k6's summary, in autocannon's order. */
const ROWS: [string, string][] = [
	['p2.5', 'p(2.5)'],
	['p50', 'med'],
	['p97.5', 'p(97.5)'],
	['p99', 'p(99)'],
	['mean', 'avg'],
	['max', 'max'],
];

/** @returns null for what k6 left no figure of, because it was killed or nothing succeeded */
export function figuresOf({ raw }: Pick<Facts, 'raw'>): ScenarioFigures {
	const values = raw.summary?.metrics[LATENCY]?.values ?? {};
	const read = (key: string) => (values[key] ?? null) as number | null;
	return {
		figures: {
			latency_ms_p2_5_ok: read('p(2.5)'),
			latency_ms_p97_5_ok: read('p(97.5)'),
			latency_ms_mean_ok: read('avg'),
		},
		breakdowns: [
			{
				title: 'Latency of successes',
				caption:
					'The work itself takes 100 ms of sleep, or some 70 ms of a core where it is a hash; what is above that is waiting for a turn.',
				rows_label: 'percentile',
				columns: [{ id: 'latency_ms_ok', label: 'latency', unit: 'ms' }],
				rows: ROWS.map(([name, key]) => ({ name, values: [read(key)] })),
			},
		],
		checks: [],
	};
}
