/** How to do it again, and on what it was done: command, seed, hash of the claims, machine, versions, doubts. */

import { knownCommand } from '../../options/known-command.ts';
import type { ExperimentResult } from '../../record/types.js';
import { commandHtml } from '../commands.ts';
import { html } from '../html.ts';
import { copyButton, dataDoubts, factList, machineFacts, madeFacts, section } from '../sections/parts.ts';

export function repeatSection(result: ExperimentResult) {
	return section('repeat', 'Repeat it', [
		html`<p class="repeat" data-copied>${commandHtml(result.command)}${knownCommand(result.command) !== null && copyButton('the command')}</p>`,
		dataDoubts(result.notes),
		html`<div class="columns"><div><h3>Experiment</h3>${factList(experimentFacts(result))}</div><div><h3>Machine</h3>${factList(machineFacts(result.machine))}</div><div><h3>Versions</h3>${factList(Object.entries(result.versions))}</div></div>`,
		html`<p class="links">In this folder: <a href="experiment.json">experiment.json</a> <a href="experiment.md">experiment.md</a> <a href="manifest.json">manifest.json</a></p>`,
	]);
}

const experimentFacts = ({ seed, claims_hash: hash, ...made }: ExperimentResult): [string, string][] => [
	...madeFacts(made, String(seed)),
	['claims', hash === null ? 'none were judged' : `SHA-256 ${hash}, as they stood before the first run`],
];
