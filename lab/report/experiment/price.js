/**
 * What each arm takes, and what it leaves for later, beside what became of its requests.
 *
 * @typedef {import('../../record/experiment-result.js').ExperimentArm} ExperimentArm
 * @typedef {import('../../record/experiment-result.js').Price} Price
 */
import { count, MISSING, percent } from '../format.js';
import { html } from '../html.js';
import { byLoad, nameOf } from './by-load.js';
import { FORMATS } from './words.js';

const CPU = 'cpu_ms_per_good';
const P95 = 'latency_ms_p95_ok';
const THOUSAND = 1000;

/** @typedef {{ arm: ExperimentArm, price: Price }} Priced */

/** @type {{ title: string, text: (priced: Priced) => string }[]} */
const COLUMNS = [
  { title: 'p95 of successes', text: ({ arm }) => median(arm, P95) },
  { title: 'CPU per 1,000 done', text: ({ arm }) => median(arm, CPU, THOUSAND) },
  { title: 'Containers', text: ({ price }) => count(price.containers) },
  { title: 'Database connections', text: ({ price }) => count(price.database_connections) },
  { title: 'Left for later', text: ({ price }) => later(price) },
];

export const PRICE_BASIS =
  'Containers, connections and what was left for later are of the typical run; p95 and CPU of all tiers are medians over the runs.';

/**
 * @param {ExperimentArm[]} arms
 * @returns {{ titles: string[], rows: { arm: ExperimentArm, cells: string[] }[] } | null} null where fewer than two have one, as of
 *   results from before it was recorded
 */
export function pricesOf(arms) {
  const priced = arms.flatMap((arm) => (arm.price ? [{ arm, price: arm.price }] : []));
  if (priced.length < 2) return null;
  const isLate = priced.some(({ price }) => later(price) !== MISSING);
  const columns = COLUMNS.slice(0, isLate ? COLUMNS.length : -1);
  return {
    titles: columns.map(({ title }) => title),
    rows: priced.map((one) => ({ arm: one.arm, cells: columns.map(({ text }) => text(one)) })),
  };
}

/** @param {ExperimentArm[]} arms */
export function priceTable(arms) {
  const prices = pricesOf(arms);
  if (prices === null) return null;
  const { titles, rows } = prices;
  return html`<h3>The price</h3><p class="lead">${PRICE_BASIS}</p><div class="scroll"><table class="price"><thead><tr><th scope="col">Arm</th>${titles.map((title) => html`<th scope="col" class="number">${title}</th>`)}</tr></thead>
${byLoad(rows, titles.length + 1, ({ arm, cells }) => html`<tr><th scope="row">${nameOf(arm, arm.id)}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`)}</table></div>`;
}

/** @type {(arm: ExperimentArm, metric: string, times?: number) => string} */
function median({ metrics }, metric, times = 1) {
  const value = metrics[metric]?.median;
  return typeof value === 'number' ? FORMATS.ms(value * times) : MISSING;
}

/** @param {Price} price */
function later({ backlog, drained_after_s: drained, stale_share: stale }) {
  const parts = [
    ...(backlog === null ? [] : [`${count(backlog)} writes queued`]),
    ...(drained === null ? [] : [`${FORMATS.ms(drained * THOUSAND)} to drain`]),
    ...(stale === null ? [] : [`${percent(stale)} of reads stale`]),
  ];
  return parts.length === 0 ? MISSING : parts.join(', ');
}
