/**
 * Closed-loop workers, as many for each database as WORKERS says.
 *
 * @import { Shape } from '../../../k6/lib/shapes.js'
 */
import { held } from '../../../k6/lib/shapes.js';
import { DATABASES } from './crud-user.js';

/** @type {(duration_s: number, warmup_s: number) => (env: Record<string, string | undefined>) => Shape} */
const workers = (duration_s, warmup_s) => (env) =>
	held(
		`${env.WORKERS || 'some'} closed-loop workers for each of ${DATABASES.length} databases, for ${duration_s} s`,
		DATABASES.length * Number(env.WORKERS || 0),
		duration_s,
		warmup_s,
	);

/** @type {Record<string, (env: Record<string, string | undefined>) => Shape>} */
export const shapes = {
	workers: workers(300, 10),
	'workers-brief': workers(12, 4),
	'workers-smoke': workers(5, 3),
};
