/**
 * Users who buy tickets.
 */
import { held } from '../../../k6/lib/shapes.js';

/** As the checkout was rebuilt before: enough for batches to gather. */
const CHECKOUT_USERS = 64;

/** @type {Record<string, (env: Record<string, string | undefined>) => import('../../../k6/lib/shapes.js').Shape>} */
export const shapes = {
	checkout: () => held(`${CHECKOUT_USERS} users who buy one ticket after the other, for 12 s`, CHECKOUT_USERS, 12, 4),
	'checkout-smoke': () => held(`${CHECKOUT_USERS} users who buy one ticket after the other, for 5 s`, CHECKOUT_USERS, 5, 3),
};
