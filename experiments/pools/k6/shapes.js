/**
 * Connections that ask the pools node.
 */
import { held } from '../../../k6/lib/shapes.js';

/** Published: autocannon's default. */
const CONNECTIONS = 10;

/** @type {Record<string, (env: Record<string, string | undefined>) => import('../../../k6/lib/shapes.js').Shape>} */
export const shapes = {
	connections: () => held(`${CONNECTIONS} connections for 10 s`, CONNECTIONS, 10, 3),
	'connections-smoke': () => held(`${CONNECTIONS} connections for 5 s`, CONNECTIONS, 5, 2),
};
