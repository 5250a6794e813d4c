/**
 * All runs, by block and arm, each with its validity and a link to its own report: nothing that was measured is hidden.
 *
 * @typedef {import('../../record/comparison.js').ArmRun} ArmRun
 * @typedef {import('../../record/experiment-result.js').ExperimentArm} ExperimentArm
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 */
import { count, MISSING, percent, plural, rate } from '../format.js';
import { html } from '../html.js';
import { badge, localLink, section } from '../sections/parts.js';
import { numeric, table } from '../table.js';

/** @param {ExperimentResult} result */
export function runsSection({ arms }) {
  const blocks = [...new Set(arms.flatMap((arm) => arm.all_runs.map(({ block }) => block)))].sort((one, other) => one - other);
  const total = arms.reduce((sum, arm) => sum + arm.all_runs.length, 0);
  return section(
    'runs',
    'All runs',
    html`<details class="all-runs"><summary>${plural(total, 'run')} in ${plural(blocks.length, 'block')}</summary>
<p class="lead">Goodput and failed share of each run. A run that was repeated stands there twice, and what does not count is struck through.</p>
${table(
  'All runs by block and arm',
  [numeric('Block'), ...arms.map(({ id }) => ({ title: id }))],
  blocks.map((block) => [count(block), ...arms.map((arm) => cell(arm, block))]),
)}</details>`,
  );
}

/** @type {(arm: ExperimentArm, block: number) => import('../html.js').Html | string} */
function cell(arm, block) {
  const runs = arm.all_runs.filter((run) => run.block === block);
  return runs.length === 0 ? MISSING : html`<ul class="run-list">${runs.map((run) => html`<li>${runLine(arm, run)}</li>`)}</ul>`;
}

/** @type {(arm: ExperimentArm, run: ArmRun) => import('../html.js').Html} */
function runLine({ id }, { block, href, validity, counts, metrics }) {
  const figures = `${rate(metrics.goodput_rps)}, ${percent(metrics.failure_rate)} failed`;
  const left = html`<span class="hidden">${id}, block ${count(block)}: </span>${counts ? figures : html`<s>${figures}</s>`}`;
  return html`${href === null ? html`<span class="figures-only">${left}</span>` : localLink(href, left)} <span title="${validity.reasons.join(' ')}">${badge(validity.verdict)}</span>${!counts && validity.verdict !== 'INVALID' && html` <span class="fine">left out</span>`}`;
}
