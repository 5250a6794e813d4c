/**
 * Experiments as short tables for the documents: the findings with a row for each experiment, and the arms of one.
 *
 * @typedef {import('../record/experiment-result.js').ExperimentArm} ExperimentArm
 * @typedef {import('../record/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../record/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../record/findings.js').Findings} Findings
 */
import { pricesOf } from './experiment/price.js';
import { extremes, FORMATS } from './experiment/words.js';
import { count, MISSING } from './format.js';
import { escapeMarkdown, Markdown, markdown, markdownCode, markdownTable } from './markdown.js';
import { tierTitle } from './tiers.js';

/** @typedef {import('../catalog/metrics.js').Unit} Unit */

/** Of an arm. @type {{ title: string, metric: string, unit: Unit }[]} */
const FIGURES = [
  { title: 'good answers', metric: 'goodput_rps', unit: 'rps' },
  { title: 'failed', metric: 'failure_rate', unit: 'share' },
  { title: 'users’ time that failed', metric: 'failed_user_time_share', unit: 'share' },
  { title: 'p95 of good', metric: 'latency_ms_p95_ok', unit: 'ms' },
];

/** Of an arm whose load has a surge or a fault. @type {typeof FIGURES[number]} */
const CAME_BACK = { title: 'served 30 s after it, of before', metric: 'came_back_share', unit: 'share' };

/**
 * How many claims came out how; and of the experiments that were measured those of publications in rows, and below them the lab's own.
 * @param {Findings} findings
 * @param {string} base  path from the page to the folder of the findings, with a slash at its end
 * @returns {string}
 */
export function findingsRows({ headline, experiments }, base) {
  const measured = experiments.flatMap(({ title, markdown: page, claims, told, own }) =>
    page === null ? [] : [{ link: linked(title, `${base}${page}`), claims, told, own }],
  );
  const rows = measured.flatMap(({ link, claims, told, own }) => (own ? [] : [[link, verdictsOf(claims), told ?? 'not measured']]));
  const asked = measured.flatMap(({ link, claims, own }) => (own ? [markdown`${link} (${verdictsOf(claims)})`.text] : []));
  const below = asked.length === 0 ? '' : `\nAsked beside them: ${asked.join(', ')}.\n`;
  return `${escapeMarkdown(headline)}\n\n${markdownTable(['Experiment', 'Claims, as read today', 'In one sentence'], rows)}${below}`;
}

/**
 * @param {ExperimentResult} result
 * @returns {string}
 */
export const armRows = ({ arms }) =>
  markdownTable(
    ['', 'architecture', 'runs', ...FIGURES.map(({ title }) => ({ title, numeric: true })), 'lost where'],
    arms.map((arm) => [
      markdownCode(arm.id),
      arm.title,
      runsOf(arm),
      ...FIGURES.map((wanted) => rangeText(arm, wanted)),
      arm.ledger.map(({ tier, cause_title: cause, count: lost }) => `${count(lost)} at ${tierTitle(tier)}: ${cause}`).join('; ') || MISSING,
    ]),
  );

/**
 * What each remedy serves, and what it takes.
 * @param {ExperimentResult} result  of which at least two arms have a price
 * @returns {string}
 */
export function remedyRows({ arms }) {
  const { titles = [], rows = [] } = pricesOf(arms) ?? {};
  const isDisturbed = arms.some(({ metrics }) => typeof metrics[CAME_BACK.metric]?.median === 'number');
  const served = [...FIGURES.slice(0, 2), ...(isDisturbed ? [CAME_BACK] : [])];
  return markdownTable(
    ['', 'architecture', 'runs', ...[...served.map(({ title }) => title), ...titles].map((title) => ({ title, numeric: true }))],
    rows.map(({ arm, cells }) => [
      markdownCode(arm.id),
      arm.title,
      runsOf(arm),
      ...served.map((wanted) => rangeText(arm, wanted)),
      ...cells,
    ]),
  );
}

/** @type {(arm: ExperimentArm, figure: typeof FIGURES[number]) => string} */
function rangeText({ metrics }, { metric, unit }) {
  const measured = metrics[metric];
  if (typeof measured?.median !== 'number') return MISSING;
  return `${FORMATS[unit](measured.median)} (${extremes(measured, FORMATS[unit])})`;
}

/** @param {string} text @param {string} href */
const linked = (text, href) => new Markdown(`[${markdown`${text}`}](${href})`);

/** @param {ClaimFinding[]} claims */
const verdictsOf = (claims) => grouped(claims.map(({ id, verdict }) => [id, verdict]));

/** @param {[string, string][]} verdicts  claim and verdict */
function grouped(verdicts) {
  const found = [...new Set(verdicts.map(([, verdict]) => verdict))];
  return found.map((verdict) => `${verdicts.flatMap(([id, other]) => (other === verdict ? [id] : [])).join(', ')}: ${verdict}`).join('; ');
}

/** @param {ExperimentArm} arm */
const runsOf = ({ runs, suspect }) => (suspect === 0 ? String(runs) : `${runs}, ${suspect} of them SUSPECT`);
