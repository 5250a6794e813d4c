/**
 * All runs by block, each with its validity and a link to its own report; then how to do it again, and on what it was done.
 *
 * @typedef {import('../../record/comparison.js').ArmRun} ArmRun
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 */
import { bytes, count, MISSING, moment, percent, rate } from '../format.js';
import { html } from '../html.js';
import { badge, copyButton, factList, localLink, section } from '../sections/parts.js';
import { numeric, table } from '../table.js';
import { armName } from './parts.js';
import { SIDES } from './sides.js';

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

/** @type {(arm: import('../../record/comparison.js').Arm, block: number) => import('../html.js').Html | string} */
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
  const { command, id, seed, load, budget, started, ended, machine, notes } = comparison;
  return section('repeat', 'Repeat it', [
    html`<p class="repeat" data-copied><code class="command">${command}</code> ${copyButton('the command')}</p>`,
    notes.length > 0 &&
      html`<div class="finding doubts"><p><b>Doubts about the data</b></p><ul>${notes.map((text) => html`<li>${text}</li>`)}</ul></div>`,
    html`<div class="columns"><div><h3>Comparison</h3>${factList([
      ['folder', `reports/${id}`],
      ['seed', `${seed}, of the order of the runs`],
      ['load', load],
      ['budget', budget],
      ['started', moment(started)],
      ['ended', moment(ended)],
    ])}</div><div><h3>Machine</h3>${factList([
      ['machine', machine.text],
      ['processor', `${machine.cpu_model}, ${count(machine.cores)} cores`],
      ['memory', bytes(machine.memory_bytes)],
      ['system', machine.os],
    ])}</div></div>`,
    html`<p class="links">In this folder: <a href="compare.json">compare.json</a> <a href="compare.md">compare.md</a></p>`,
  ]);
}
