/**
 * What `doubletake init` says to somebody in a hurry, in at most fifteen lines: what was found, what was decided and is worth knowing, what to
 * type next. The rest is said by `--explain` (init.js).
 *
 * @typedef {import('./detect.js').Detections} Detections
 * @typedef {import('../catalog/project-schema.js').Project} Project
 */

import { PROJECT_TIERS } from '../catalog/project-schema.js';
import { inColumns } from './columns.js';
import { OPAQUE } from './detect.js';
import { moreText } from './entry.js';

export const LINES_MOST = 15;
const EXPLAIN = 'doubletake init --explain';
const UNSAID = 'the file does not say; "doubletake init --observe" brings a copy up, and sees it';
/** Of who asks whom, in its line. */
const EDGES_MOST = 8;
const NAMES_MOST = 12;

/**
 * @param {object} options
 * @param {Detections} options.detections
 * @param {Project} options.project  as written
 * @param {string[]} [options.load]    what is to be said of the load that was chosen, a sentence each; doubts begin with a question mark
 * @param {string[]} [options.notes]   what is worth knowing before a run, a sentence each, what keeps it from being done first
 * @param {string[]} [options.doubts]  of Compose, a sentence each
 * @param {string} options.end         what was done, and what to type next
 * @returns {string} for a terminal, with the end of its last line
 */
export function summariseProject({ detections, project, load = [], notes = [], doubts = [], end }) {
  const { entry, more, edges } = detections;
  const questions = [...detections.doubts, ...doubts].map((doubt) => `? ${doubt}`);
  const isDoubt = (/** @type {string} */ text) => text.startsWith('?');
  const asked = listed(
    edges.map(({ from, to }) => `${from} asks ${to}`),
    EDGES_MOST,
    '; ',
  );
  const found = [
    `${project.compose.join(', ')}: requests enter at ${entry?.url} (${entry?.reason})${moreText(more)}`,
    ...inColumns([
      ...tierRows(detections, project),
      ...(detections.services.length > 1 ? [['who asks whom', asked || UNSAID]] : []),
      ...load.filter((text) => !isDoubt(text)).map((text) => ['load', text]),
    ]),
  ];
  const worth = [...notes, ...load.filter(isDoubt), ...questions];
  const room = LINES_MOST - found.length - 1;
  const said = worth.length <= room ? worth : [...worth.slice(0, room - 1), `and ${worth.length - room + 1} more: ${EXPLAIN}`];
  return `${[...found, ...said.map((text) => `  ${text}`), `${end} (why: ${EXPLAIN})`].join('\n')}\n`;
}

/** @param {Detections} detections @param {Project} project @returns {[string, string][]} */
function tierRows({ services }, project) {
  const named = (/** @type {import('./detect.js').Detected} */ { service, product }) =>
    product === OPAQUE || service.includes(product) ? service : `${service} (${product})`;
  return PROJECT_TIERS.flatMap((tier) => {
    const own = services.filter(({ service }) => project.services[service].tier === tier);
    const beside = tier === 'other' ? `: no request passes ${own.length === 1 ? 'it' : 'them'}` : '';
    return own.length === 0 ? [] : [/** @type {[string, string]} */ ([tier, `${listed(own.map(named), NAMES_MOST)}${beside}`])];
  });
}

/** @param {string[]} texts @param {number} most */
const listed = (texts, most, separator = ', ') =>
  texts.length <= most ? texts.join(separator) : `${texts.slice(0, most).join(separator)}${separator}and ${texts.length - most} more`;

/**
 * What is worth knowing before a run, in one line each: what keeps it from being done first.
 * @param {{ dangers: import('./dangers.js').Danger[], differs: string[], fresh: string[], place: string[] }} found  differs: in what a run's copy is
 *   another system, a sentence each
 * @returns {string[]}
 */
export function notesOf({ dangers, differs, fresh, place }) {
  const of = (/** @type {import('./dangers.js').Danger['severity']} */ wanted) => dangers.filter(({ severity }) => severity === wanted);
  return [
    ...of('refuse').map(({ service, what, remedy }) => `! ${service} ${what}: refused without --allow; to avoid it: ${remedy}`),
    ...of('warn').map(({ service, what, why }) => `note: ${service} ${what}: ${why}`),
    ...differs,
    ...(fresh.length === 0 ? [] : [`new and empty in each run: ${fresh.join(', ')}`]),
    ...place,
  ];
}
