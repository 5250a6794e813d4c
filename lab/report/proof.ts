/** A proof by intervention on the page of its run, in Markdown and on the terminal. */

import type { Proof } from '../record/types.js';
import { count, duration, percent } from './format.ts';
import { escapeMarkdown, html, markdownTable } from './html.ts';
import { section } from './sections/parts.ts';
import { table } from './table.ts';

type Probe = Proof['probes'][number];

const VERDICTS: Record<Probe['verdict'], string> = {
	proved: 'proved',
	acquitted: 'no effect',
	partly: 'fewer failures',
	moved: 'failures at another place',
	undecided: 'not decided',
	refused: 'could not be measured',
	untried: 'not tried',
};

const copyText = ({ failed, requests }: Pick<Probe['copies'][number], 'failed' | 'requests'>) =>
	`${count(failed)} of ${count(requests)} (${percent(requests === 0 ? 0 : failed / requests)})`;

const copiesText = (copies: Probe['copies']) => (copies.length === 0 ? '–' : copies.map(copyText).join(', '));

const columnsOf = ({ trouble }: Proof) => [
	'Change',
	'Result',
	trouble.slow_ms === undefined ? 'Failed requests in each copy' : `Slow seconds (p95 from ${count(trouble.slow_ms)} ms on) in each copy`,
	'Successful requests per second',
];

const goodText = (copies: Probe['copies']) =>
	copies.length === 0 ? '–' : copies.map(({ good_rps: good }) => count(Math.round(good))).join(', ');

const rowsOf = ({ as_it_was: asWas, probes }: Proof): string[][] => [
	['none (unchanged)', '', copiesText(asWas), goodText(asWas)],
	...probes.filter(wasTried).map((probe) => [changeText(probe), verdictText(probe), copiesText(probe.copies), goodText(probe.copies)]),
];

const wasTried = ({ verdict }: Probe) => verdict !== 'untried';

/** @returns a sentence, or none */
function untriedText({ probes, outcome }: Proof): string {
	const left = probes.filter((probe) => !wasTried(probe));
	if (left.length === 0) return '';
	return `Not tried, because ${outcome === 'proved' ? 'the answer was already clear' : 'time ran out'}: ${left.map(({ title }) => title).join('; ')}.`;
}

/** @returns sentences, or none */
const besideText = ({ probes }: Proof): string =>
	probes
		.filter(({ verdict, beside = [] }) => verdict === 'proved' && beside.length > 0)
		.map(({ title, beside = [] }) => `With ${title}, this changed as well: ${beside.join('; ')}.`)
		.join(' ');

const changeText = ({ title, line }: Probe) => (line === '' ? title : `${title} (${line})`);

const verdictText = ({ verdict, text }: Probe) =>
	verdict === 'refused' ? `${VERDICTS.refused}: ${text}` : verdict === 'moved' ? `${VERDICTS.moved}: ${text}` : VERDICTS[verdict];

const caption = ({ trouble, rule, took_s: took }: Proof) =>
	`Each copy is a new start of the whole system, ${trouble.load}. A change is proved if ${rule.as_was} unchanged copies fail and ${rule.relieved} changed copies keep at most ${percent(rule.cured)} of the ${trouble.slow_ms === undefined ? 'failures' : 'slow seconds'}. The changed copies must also reach ${percent(rule.served)} of the unchanged copies’ successful requests per second. If an earlier change was tried without success, ${rule.relieved + rule.relieved_later} changed copies are needed instead of ${rule.relieved}.${switchedRule(rule)} The proof took ${duration(took)}.`;

const switchedRule = ({ pairs }: Proof['rule']) =>
	pairs === undefined
		? ''
		: ` Some changes were also switched on and off ${pairs} times within one load, in random order. If the failures ended each time, one copy of each kind is enough.`;

const TURNS = ['Pair', 'Failed, change off', 'Failed, change on'];

/** What each turn showed of a change that was switched on and off. */
const turnsOf = ({ probes }: Proof) =>
	probes.flatMap(({ title, switched }) =>
		switched === undefined || switched.pairs.length === 0
			? []
			: [
					{
						title: `${title}, switched on and off within one load${switched.agree ? '' : ' (the turns do not agree)'}`,
						rows: switched.pairs.map(({ off, on }, index) => [String(index + 1), copyText(off), copyText(on)]),
					},
				],
	);

export const proofSection = ({ proof }: { proof?: Proof }) =>
	proof !== undefined &&
	section(
		'relief',
		'Changes that were tried',
		html`${table('What each change did', columnsOf(proof), rowsOf(proof), { isCards: true })}${turnsOf(proof).map(({ title, rows }) => html`<h3>${title}</h3>${table(title, TURNS, rows)}`)}<p class="fine">${[besideText(proof), untriedText(proof), caption(proof)].filter(Boolean).join(' ')}</p>`,
	);

export const proofMarkdown = ({ proof }: { proof?: Proof }): string[] =>
	proof === undefined
		? []
		: [
				'### Changes that were tried\n',
				markdownTable(
					columnsOf(proof),
					rowsOf(proof).map((row) => row.map(escapeMarkdown)),
				),
				...turnsOf(proof).flatMap(({ title, rows }) => [`\n${escapeMarkdown(title)}:\n`, markdownTable(TURNS, rows)]),
				`\n${escapeMarkdown([besideText(proof), untriedText(proof), caption(proof)].filter(Boolean).join(' '))}\n`,
			];

/** @returns what came of it, then a line for each change that was tried */
export const proofLines = (proof: Proof): string[] => [
	proof.sentence,
	...proof.probes
		.filter(({ verdict }) => verdict !== 'untried')
		.map(
			(probe) =>
				`${VERDICTS[probe.verdict].padEnd(28)} ${changeText(probe)}${probe.verdict === 'refused' ? `: ${probe.text}` : `: ${copiesText(probe.copies)}`}`,
		),
];
