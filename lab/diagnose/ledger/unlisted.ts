/** Services whose log is not whole: it has fewer requests than the service counted. What is not in such a log may have been there. */

import type { Unlogged } from './traces.ts';

/** Of a service's requests; where more are not in its log, it says nothing that a request is not there. */
const UNLOGGED_SHARE = 0.01;

export const isGap = (unlogged: Unlogged[], service: string) =>
	unlogged.some(({ name, share }) => name === service && share > UNLOGGED_SHARE);
