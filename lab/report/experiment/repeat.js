/**
 * How to do it again, and on what it was done: command, seed, hash of the claims, machine, versions, doubts.
 *
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 */
import { bytes, count, moment } from '../format.js';
import { html } from '../html.js';
import { copyButton, factList, section } from '../sections/parts.js';

/** @param {ExperimentResult} result */
export function repeatSection(result) {
  return section('repeat', 'Repeat it', [
    html`<p class="repeat" data-copied><code class="command">${result.command}</code>${copyButton('the command')}</p>`,
    doubts(result),
    html`<div class="columns"><div><h3>Experiment</h3>${factList(experimentFacts(result))}</div><div><h3>Machine</h3>${factList(machineFacts(result))}</div><div><h3>Versions</h3>${factList(Object.entries(result.versions))}</div></div>`,
    html`<p class="links">In this folder: <a href="experiment.json">experiment.json</a> <a href="experiment.md">experiment.md</a> <a href="manifest.json">manifest.json</a></p>`,
  ]);
}

/**
 * @param {ExperimentResult} result
 * @returns {[string, string][]}
 */
function experimentFacts({ id, seed, load, budget, claims_hash: hash, started, ended }) {
  return [
    ['folder', `reports/${id}`],
    ['seed', String(seed)],
    ['load', load],
    ['budget', budget],
    ['started', moment(started)],
    ['ended', moment(ended)],
    ['claims', hash === null ? 'none were judged' : `SHA-256 ${hash}, as they stood before the first run`],
  ];
}

/**
 * @param {ExperimentResult} result
 * @returns {[string, string][]}
 */
const machineFacts = ({ machine }) => [
  ['machine', machine.text],
  ['processor', `${machine.cpu_model}, ${count(machine.cores)} cores`],
  ['memory', bytes(machine.memory_bytes)],
  ['system', machine.os],
];

/** @param {ExperimentResult} result */
function doubts({ notes }) {
  if (notes.length === 0) return null;
  return html`<div class="finding doubts"><p><b>Doubts about the data</b></p><ul>${notes.map((text) => html`<li>${text}</li>`)}</ul></div>`;
}
