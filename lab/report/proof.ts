/**
 * A proof by intervention on the page of its run, in Markdown and on the terminal.
 *
 * @typedef {Proof['probes'][number]} Probe
 *
 * @import { Proof } from '../record/types.js'
 */

import { count, duration, percent } from './format.ts';
import { escapeMarkdown, html, markdownTable } from './html.ts';
import { section } from './sections/parts.ts';
import { table } from './table.ts';

/** @type {Record<Probe['verdict'], string>} */
const VERDICTS = {
	proved: 'proved',
	acquitted: 'no effect',
	partly: 'fewer failures',
	moved: 'failures at another place',
	undecided: 'not decided',
	refused: 'could not be measured',
	untried: 'not tried',
};

/** @param {Pick<Probe['copies'][number], 'failed' | 'requests'>} copy */
const copyText = ({ failed, requests }) => `${count(failed)} of ${count(requests)} (${percent(requests === 0 ? 0 : failed / requests)})`;

/** @param {Probe['copies']} copies */
const copiesText = (copies) => (copies.length === 0 ? '–' : copies.map(copyText).join(', '));

/** @param {Proof} proof */
const columnsOf = ({ trouble }) => [
	'Change',
	'Result',
	trouble.slow_ms === undefined ? 'Failed requests in each copy' : `Slow seconds (p95 from ${count(trouble.slow_ms)} ms on) in each copy`,
	'Successful requests per second',
];

/** @param {Probe['copies']} copies */
const goodText = (copies) => (copies.length === 0 ? '–' : copies.map(({ good_rps: good }) => count(Math.round(good))).join(', '));

/** @param {Proof} proof @returns {string[][]} */
const rowsOf = ({ as_it_was: asWas, probes }) => [
	['none (unchanged)', '', copiesText(asWas), goodText(asWas)],
	...probes.filter(wasTried).map((probe) => [changeText(probe), verdictText(probe), copiesText(probe.copies), goodText(probe.copies)]),
];

/** @param {Probe} probe */
const wasTried = ({ verdict }) => verdict !== 'untried';

/** @param {Proof} proof @returns {string} a sentence, or none */
function untriedText({ probes, outcome }) {
	const left = probes.filter((probe) => !wasTried(probe));
	if (left.length === 0) return '';
	return `Changes that were not tried, because ${outcome === 'proved' ? 'the answer was clear' : 'time ran out'}: ${left.map(({ title }) => title).join('; ')}.`;
}

/** @param {Proof} proof @returns {string} sentences, or none */
const besideText = ({ probes }) =>
	probes
		.filter(({ verdict, beside = [] }) => verdict === 'proved' && beside.length > 0)
		.map(({ title, beside = [] }) => `With ${title}, this changed as well: ${beside.join('; ')}.`)
		.join(' ');

/** @param {Probe} probe */
const changeText = ({ title, line }) => (line === '' ? title : `${title} (${line})`);

/** @param {Probe} probe */
const verdictText = ({ verdict, text }) =>
	verdict === 'refused' ? `${VERDICTS.refused}: ${text}` : verdict === 'moved' ? `${VERDICTS.moved}: ${text}` : VERDICTS[verdict];

/** @param {Proof} proof */
const caption = ({ trouble, rule, took_s: took }) =>
	`Each copy is a fresh one of the whole system, ${trouble.load}. A change is proved if ${rule.as_was} unchanged copies fail and ${rule.relieved} changed copies keep at most ${percent(rule.cured)} of the ${trouble.slow_ms === undefined ? 'failures' : 'slow seconds'}. The changed copies must serve as many requests successfully. After another change was tried, ${rule.relieved + rule.relieved_later} changed copies are needed. The proof took ${duration(took)}.`;

/** @param {{ proof?: Proof }} result */
export const proofSection = ({ proof }) =>
	proof !== undefined &&
	section(
		'relief',
		'Changes that were tried',
		html`${table('What each change did', columnsOf(proof), rowsOf(proof), { isCards: true })}<p class="fine">${[besideText(proof), untriedText(proof), caption(proof)].filter(Boolean).join(' ')}</p>`,
	);

/** @param {{ proof?: Proof }} result @returns {string[]} */
export const proofMarkdown = ({ proof }) =>
	proof === undefined
		? []
		: [
				'### Changes that were tried\n',
				markdownTable(
					columnsOf(proof),
					rowsOf(proof).map((row) => row.map(escapeMarkdown)),
				),
				`\n${escapeMarkdown([besideText(proof), untriedText(proof), caption(proof)].filter(Boolean).join(' '))}\n`,
			];

/** @param {Proof} proof @returns {string[]} what came of it, then a line for each change that was tried */
export const proofLines = (proof) => [
	proof.sentence,
	...proof.probes
		.filter(({ verdict }) => verdict !== 'untried')
		.map(
			(probe) =>
				`${VERDICTS[probe.verdict].padEnd(28)} ${changeText(probe)}${probe.verdict === 'refused' ? `: ${probe.text}` : `: ${copiesText(probe.copies)}`}`,
		),
];
