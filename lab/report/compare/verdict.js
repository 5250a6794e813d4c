/**
 * The first thing that a reader sees: which of the two is better, on how much that rests, and what was left out.
 *
 * @typedef {import('../../record/types.js').Comparison} Comparison
 */

import { count, MISSING, moment, numeric, percent, rate } from '../format.js';
import { html } from '../html.js';
import { isMeasured } from '../panels.js';
import {
  badge,
  copyButton,
  dataDoubts,
  factList,
  leftOut,
  localLink,
  machineFacts,
  madeFacts,
  SEPARATOR,
  section,
} from '../sections/parts.js';
import { chartFigure } from '../sections/time-ledger.js';
import { blocksText, stamp, tooFewText } from '../stamp.js';
import { doubtNote, table } from '../table.js';
import { comparePanels, SIDES } from './arms.js';
import { armName } from './parts.js';

/** @param {Comparison} comparison */
export function verdictSection(comparison) {
  const { verdict, base, other, blocks } = comparison;
  return html`<section id="verdict" aria-label="Verdict">
<p class="run-line"><b>${comparison.title}</b>${SEPARATOR}${basis(comparison)}</p>
<div class="verdict"><h1>${verdict.sentence}</h1>
<div class="trust">${stamp(verdict.word, 'large')}<p class="blocks"><b>${blocksText(blocks)}.</b> ${blocks.complete < blocks.least && html`<span class="too-few">${tooFewText(blocks)}</span>`}</p></div></div>
<p class="sides">${armName('base', base.id)} ${base.title}, baseline ${doubtNote(base.doubt)}${SEPARATOR}${armName('other', other.id)} ${other.title}, candidate ${doubtNote(other.doubt)}</p>
<div class="disclosures">${leftOut(blocks)}${reasons(comparison)}</div>
</section>
`;
}

/** @param {Comparison} comparison */
function basis({ load, load_title, budget, started }) {
  return html`load <b>${load}</b>, ${load_title}${SEPARATOR}budget <b>${budget}</b>${SEPARATOR}<time datetime="${started}">${moment(started)}</time>`;
}

/** @param {Comparison} comparison */
function reasons({ verdict }) {
  if (verdict.reasons.length === 0) return null;
  return html`<details><summary>Why, metric by metric</summary><ul>${verdict.reasons.map((text) => html`<li>${text}</li>`)}</ul></details>`;
}

/**
 * All runs by block, each with its validity and a link to its own report; then how to do it again, and on what it was done.
 *
 * @typedef {import('../../record/types.js').ArmRun} ArmRun
 */

/** @param {Comparison} comparison */
export function runsSection(comparison) {
  const { base, other } = comparison;
  const blocks = [...new Set([...base.runs, ...other.runs].map(({ block }) => block))].sort((one, two) => one - two);
  if (blocks.length === 0) return section('runs', 'All runs', html`<p class="fine">There are none.</p>`);
  return section('runs', 'All runs', [
    html`<p class="lead">Goodput and failed share, with a link to the report of each run. What does not count is struck through.</p>`,
    table(
      'All runs by block and arm',
      [numeric('Block'), ...SIDES.map((side) => ({ title: armName(side, comparison[side].id) }))],
      blocks.map((block) => [count(block), ...SIDES.map((side) => cell(comparison[side], block))]),
    ),
  ]);
}

/** @type {(arm: import('../../record/types.js').Arm, block: number) => import('../html.js').Html | string} */
function cell({ id, runs }, block) {
  const found = runs.filter((run) => run.block === block);
  return found.length === 0 ? MISSING : html`<ul class="run-list">${found.map((run) => html`<li>${runLine(id, run)}</li>`)}</ul>`;
}

/** @type {(arm: string, run: ArmRun) => import('../html.js').Html} */
function runLine(arm, { block, href, validity, counts, metrics }) {
  const figures = html`${rate(metrics.goodput_rps)}, ${percent(metrics.failure_rate)} failed`;
  const words = html`<span class="hidden">${arm}, block ${count(block)}: </span>${counts ? figures : html`<s>${figures}</s>`}`;
  const link = href === null ? words : localLink(href, words);
  const reasons = validity.reasons.join(' ');
  return html`${link} ${badge(validity.verdict)}${!counts && validity.verdict !== 'INVALID' && html` <span class="fine">its partner is INVALID</span>`}${reasons && html`<span class="service">${reasons}</span>`}`;
}

/** @param {Comparison} comparison */
export function repeatSection(comparison) {
  const { command, seed, machine, notes } = comparison;
  return section('repeat', 'Repeat it', [
    html`<p class="repeat" data-copied><code class="command">${command}</code> ${copyButton('the command')}</p>`,
    dataDoubts(notes),
    html`<div class="columns"><div><h3>Comparison</h3>${factList(madeFacts(comparison, `${seed}, of the order of the runs`))}</div><div><h3>Machine</h3>${factList(machineFacts(machine))}</div></div>`,
    html`<p class="links">In this folder: <a href="compare.json">compare.json</a> <a href="compare.md">compare.md</a></p>`,
  ]);
}

/*
 * Both arms on one time axis.
 */

/** @param {Comparison} comparison */
export function timelineSection(comparison) {
  const panels = comparePanels(comparison);
  // Where a program made the load, nothing is known of its seconds.
  if (!panels.some(({ series }) => series.some(isMeasured))) return null;
  return section(
    'timeline',
    'One time axis',
    html`<p class="lead">Seconds from the start of the load. Lines: the median over the runs that count, ${comparison.base.id} dashed, ${comparison.other.id} solid. Bands: the least and the most. The cursor moves in all panels at once.</p>
${panels.map(chartFigure)}`,
  );
}
