/**
 * What a load asked for, as the manifest says: where its requests come from, which they are, and how long its users think.
 *
 * @import { Result } from '../record/types.js'
 * @import { Raw } from './read-raw.js'
 */

import { ownOf } from '../base/values.js';
import { scenarios } from '../catalog/scenarios.js';

/** More than a reader takes in; the manifest has all. */
const REQUESTS_MOST = 30;

/** @param {Raw['manifest']} manifest @returns {NonNullable<Result['load_facts']>} */
export function loadFactsOf({ scenario, script, openapi, system, target, think_time_s: think, shape }) {
	const own = ownOf(scenarios, scenario);
	/** @type {{ method: string, path: string, weight?: number, target?: string }[]} */
	const listed = Array.isArray(system?.requests) ? system.requests : [];
	const isThinking = script === undefined && shape.model === 'closed';
	return {
		source: sourceOf({ script, openapi, isListed: listed.length > 0, request: own?.request }),
		entry: target ?? null,
		think_time_s: isThinking ? (think ?? own?.think_time_s ?? null) : null,
		requests: listed.slice(0, REQUESTS_MOST).map(requestText),
		more: Math.max(0, listed.length - REQUESTS_MOST),
	};
}

/** @param {{ script?: string, openapi?: string, isListed: boolean, request?: string }} from */
function sourceOf({ script, openapi, isListed, request }) {
	if (script !== undefined) return `k6 script ${script}`;
	if (openapi !== undefined) return `OpenAPI file ${openapi}`;
	return isListed ? 'list of URLs in doubletake.yaml' : (request ?? 'not on record');
}

/** @param {{ method: string, path: string, weight?: number, target?: string }} request */
const requestText = ({ method, path, weight = 1, target = '' }) => `${weight === 1 ? '' : `${weight}x `}${method} ${target}${path}`;
