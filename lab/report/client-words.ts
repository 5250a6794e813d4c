/** What users did who try again or give up early, and what they got: the same in the report, the terminal and Markdown. */

import type { Result } from '../record/types.js';
import { count, figure, milliseconds, percent } from './format.ts';

/** @returns null where they only wait */
export function clientText({ client }: Pick<Result, 'client'>): string | null {
	if (client === null) return null;
	const { timeout_ms: timeout, retries, requests, gave_up: gaveUp, amplification, latency_ms_ok: latency } = client;
	const patience = timeout === null ? [] : [`wait for ${milliseconds(timeout)}`];
	const again = retries === 0 ? [] : [retriesText(client)];
	const got = `Of their ${count(requests)} requests ${percent(requests === 0 ? null : 1 - gaveUp / requests)} succeeded, at ${figure(amplification)} ${amplification === 1 ? 'attempt' : 'attempts'} each; p95 ${milliseconds(latency.p95)}, all attempts together.`;
	return `Users ${[...patience, ...again].join(' and ')}. ${got}`;
}

function retriesText({ retries, backoff_ms: backoff, budget_percent: budget, retry_after: heeds }: NonNullable<Result['client']>) {
	const pause = backoff === 0 ? 'at once' : `after ${milliseconds(backoff)} and twice as long each time, of which they wait a random part`;
	return [
		`try again up to ${count(retries)} times, ${pause}`,
		...(heeds ? ['as long as Retry-After says'] : []),
		...(budget === null ? [] : [`${figure(budget)} % of their requests at most`]),
	].join(', ');
}
