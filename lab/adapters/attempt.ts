/** What a node recorded of a request. */

import type { RequestRecord } from './contract.ts';

/**
 * what a node logged of a request that it received. opener: id of the request whose failure made the node refuse this one, of a refusal that
 * says so; place: app, pool or database
 */
export type Attempt = Pick<RequestRecord, 'received' | 'ended' | 'outcome' | 'status' | 'error' | 'place'> & {
	node: string;
	opener?: string;
};
