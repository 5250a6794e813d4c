/** The record of a service of which nothing is known yet; an adapter adds what its product told. */

import type { About, HopRecord } from './contract.ts';

export const bareRecord = ({ service, tier }: About, product: string): HopRecord => ({
	service,
	tier,
	product,
	coverage: { requests: 'none', reasons: 'none', limits: 'none' },
	uncovered: [],
	source: '',
	received: null,
	answered_ok: null,
	answered_error: null,
	aborted: null,
	requestRecords: [],
	messages: [],
	counters: {},
	limits: [],
});
