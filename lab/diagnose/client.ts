/**
 * What users got in the end, where they try again what failed or give up early: a request is what a user wanted answered, an attempt what
 * was sent for it. The ledger and every rate count attempts, because each is work for the tiers.
 */

import type { Client } from '../record/types.js';
import { rounded } from '../stats/numbers.ts';
import type { Raw } from './read-raw.ts';

/** @returns null where users only wait for their answer, as published */
export function clientOf({ manifest, summary }: Pick<Raw, 'manifest' | 'summary'>): Client | null {
	const values = (metric: string) => summary?.metrics[metric]?.values;
	const [requests, attempts, gaveUp] = ['lab_requests', 'lab_finished', 'lab_gave_up'].map((metric) => values(metric)?.count);
	if (manifest.client === undefined || typeof requests !== 'number') return null;
	const { med, max, 'p(95)': p95, 'p(99)': p99 } = values('lab_latency_request_ok') ?? {};
	return {
		...manifest.client,
		requests,
		gave_up: gaveUp,
		attempts,
		amplification: requests === 0 ? null : rounded(attempts / requests),
		latency_ms_ok: { p50: rounded(med, 2), p95: rounded(p95, 2), p99: rounded(p99, 2), max: rounded(max, 2) },
	};
}
