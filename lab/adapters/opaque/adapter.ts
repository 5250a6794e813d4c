/**
 * Any container: the floor under every service, for a product that no other adapter knows.
 */

import { type Adapter, AS_CONTAINER } from '../contract.ts';
import { faults } from './faults.ts';
import { read } from './read.ts';

export const adapter: Adapter = {
	product: 'opaque',
	title: 'Unknown product',
	// It takes what is left (../registry.ts), and so knows no tier.
	detect: () => null,
	watches: () => [
		AS_CONTAINER,
		{
			level: 1,
			gives: 'also requests by status, and workers that died',
			needs: 'an access log in the common or combined form on its output (gunicorn: --access-logfile -)',
		},
	],
	overlay: () => ({}),
	version: null,
	sample: null,
	read,
	faults,
};
