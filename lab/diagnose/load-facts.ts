/** What a load asked for, as the manifest says: where its requests come from, which they are, and how long its users think. */

import { ownOf } from '../base/values.ts';
import { scenarios } from '../catalog/scenarios.ts';
import type { Result } from '../record/types.js';
import type { Raw } from './read-raw.ts';

/** More than a reader takes in; the manifest has all. */
const REQUESTS_MOST = 30;

export function loadFactsOf({
	scenario,
	script,
	openapi,
	system,
	think_time_s: think,
	shape,
}: Raw['manifest']): NonNullable<Result['load_facts']> {
	const own = ownOf(scenarios, scenario);
	const listed: { method: string; path: string; weight?: number; target?: string }[] = Array.isArray(system?.requests)
		? system.requests
		: [];
	const texts = listed.map(({ method, path, weight = 1, target = '' }) => `${weight === 1 ? '' : `${weight}x `}${method} ${target}${path}`);
	const list = openapi === undefined ? 'list of URLs in doubletake.yaml' : `OpenAPI file ${openapi}`;
	return {
		source: script ? `k6 script ${script}` : listed.length > 0 ? list : (own?.request ?? 'not on record'),
		// A script has its own.
		think_time_s: script || shape.model !== 'closed' ? null : (think ?? own?.think_time_s ?? null),
		requests: texts.length > REQUESTS_MOST ? [...texts.slice(0, REQUESTS_MOST), `${texts.length - REQUESTS_MOST} more`] : texts,
	};
}
