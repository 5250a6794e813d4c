/** What is said of a user's own system: its services, and its load. */

import { LEVELS, LOAD_DEFAULTS, type Project, type ProjectLoad } from '../catalog/project-schema.ts';
import { shapes } from '../catalog/scenarios.ts';
import type { Row } from './list.ts';

/** Of a list of requests; the rest is counted. */
const SHOWN_MOST = 3;

/** @returns by service: its tier, its product and how far it is watched */
export const aboutServices = (services: Project['services']): Row[] =>
	Object.entries(services).map(([name, { tier, product, watch }]) => [name, `${tier}, ${product}, watch ${watch}: ${LEVELS[watch]}`]);

/** @returns its name, and how many users ask what */
export function aboutLoad({ urls = [], openapi, script, ...given }: ProjectLoad): Row {
	if (script !== undefined) return ['script', `${script}, with options of its own`];
	const { shape, users, think_ms: thinkMs } = { ...LOAD_DEFAULTS, ...given };
	const asked = openapi === undefined ? urlsOf(urls) : `what ${openapi} describes`;
	return [shape, `${shapes[shape]({ USERS: String(users) }).title}, who think for ${thinkMs} ms: ${asked}`];
}

/** Without bodies, which may be long. */
function urlsOf(urls: string[]) {
	const shown = urls.slice(0, SHOWN_MOST).map((text) => /^(\d+x )?\S+ \S+/.exec(text)?.[0] ?? text);
	const more = urls.length - shown.length;
	return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
