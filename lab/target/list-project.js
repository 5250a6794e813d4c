/**
 * What `doubletake list` says of a user's own system: its services, and its load.
 *
 * @typedef {[string, string]} Row  a name, and what is to be said of it
 */
import { shapes } from '../../k6/lib/shapes.js';
import { LEVELS, LOAD_DEFAULTS } from '../catalog/project-schema.js';

/** Of a list of requests; the rest is counted. */
const SHOWN_MOST = 3;

/**
 * @param {import('../catalog/project-schema.js').Project['services']} services
 * @returns {Row[]} by service: its tier, its product and how far it is watched
 */
export const aboutServices = (services) =>
  Object.entries(services).map(([name, { tier, product, watch }]) => [name, `${tier}, ${product}, watch ${watch}: ${LEVELS[watch]}`]);

/**
 * @param {import('../catalog/project-schema.js').ProjectLoad} load
 * @returns {Row} its name, and how many users ask what
 */
export function aboutLoad({ urls = [], openapi, script, ...given }) {
  if (script !== undefined) return ['script', `${script}, with options of its own`];
  const { shape, users, think_ms: thinkMs } = { ...LOAD_DEFAULTS, ...given };
  const asked = openapi === undefined ? listed(urls) : `what ${openapi} describes`;
  return [shape, `${shapes[shape]({ USERS: String(users) }).title}, who think for ${thinkMs} ms: ${asked}`];
}

/** Without bodies, which may be long. @param {string[]} urls */
function listed(urls) {
  const shown = urls.slice(0, SHOWN_MOST).map((text) => /^(\d+x )?\S+ \S+/.exec(text)?.[0] ?? text);
  const more = urls.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
