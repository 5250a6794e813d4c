/**
 * The findings as a single file: how many claims stood, and a table of all of them by experiment, each with its verdict, a
 * sentence to quote and a link to its evidence; below it numbered notes.
 */

import { FINDINGS_RECORD } from '../record/findings.ts';
import type { ClaimFinding, ExperimentFinding, Findings, VerdictCounts } from '../record/types.js';
import { commandHtml } from './commands.ts';
import { count, MISSING, moment } from './format.ts';
import { type Html, html } from './html.ts';
import { asset, renderPage } from './page.ts';
import { localLink, SEPARATOR, section } from './sections/parts.ts';
import { blocksText, claimAnchor, stamp } from './stamp.ts';

/**
 * Notes below the table of findings, numbered: how a claim was registered and why it is read otherwise, what decided it, and which runs are
 * in doubt. The table's cells keep the verdict and one sentence.
 */
type Note = {
	/** from 1 */
	number: number;
	/** of the claim */
	id: string;
	sentences: string[];
	doubt: string | null;
};

/** What the words mean. */
export const LEGEND =
	'HOLDS, REFUTED: the whole 95 % interval is on that side of the claim’s threshold. DEPENDS: it comes out otherwise under another load or CPU quota that was measured. DOES NOT CARRY OVER: another bottleneck than the source’s was measured, so that it counts neither for the claim nor against it. INCONCLUSIVE: the runs do not decide. The notes say what was registered before the runs, and why it is read otherwise.';

/** @returns in the order of the table */
export const notesOf = ({ experiments }: Findings): Note[] =>
	experiments
		.flatMap(({ claims }) => claims)
		.map((claim) => ({ id: claim.id, sentences: sentencesOf(claim), doubt: claim.doubt }))
		.filter(({ sentences, doubt }) => sentences.length > 0 || doubt !== null)
		.map((note, index) => ({ number: index + 1, ...note }));

function sentencesOf(claim: ClaimFinding): string[] {
	const { registered, deviation, remarks, elsewhere } = claim;
	const stood = registered !== null && (deviation !== null || isReadOtherwise(claim)) ? [registeredText(claim, registered)] : [];
	return [
		...stood,
		...(deviation === null ? [] : [`After the runs, a deviation: ${deviation}`]),
		...elsewhere.flatMap(({ load, budget, instead }) => (instead === null ? [] : [`Under ${conditionText({ load, budget })} ${instead}.`])),
		...remarks,
	];
}

/** Whether the verdict, or what it is a verdict on, is another one than was registered. */
export const isReadOtherwise = ({ verdict, statement, registered }: ClaimFinding) =>
	registered !== null && (verdict !== registered.verdict || statement !== registered.statement);

function registeredText(claim: ClaimFinding, { verdict, statement, sentence }: NonNullable<ClaimFinding['registered']>): string {
	const of = statement === claim.statement ? '' : `, as “${statement.replace(/\.$/, '')}”`;
	return `Registered before the runs${of}: ${verdict}.${isReadOtherwise(claim) ? ` “${sentence}”` : ''}`;
}

export const conditionText = ({ load, budget }: { load: string; budget: string }) => `load ${load}, budget ${budget}:`;

const STYLES = ['stamp', 'findings'];
export const COLUMNS = ['Claim', 'Published', 'Verdict', 'In one sentence', 'Evidence'];

/** @returns findings.html, for the folder that holds findings.json */
export function renderFindings(findings: Findings): string {
	const { index } = findings;
	return renderPage({
		title: 'Findings: Doubletake',
		styles: STYLES.map((name) => asset(`${name}.css`)),
		trail: html`<b>Doubletake</b> ${index && localLink(index, 'all runs')} <span>findings</span>`,
		body: html`${headline(findings)}${section('claims', 'The claims', claimTable(findings))}${notes(findings)}${questions(findings)}${repeat(findings)}`,
	});
}

function headline({ headline: sentence, counts, started, ended, machines }: Findings) {
	const when = started && ended && [moment(started), moment(ended)];
	return html`<section id="finding" aria-label="Finding">
<h1>${sentence}</h1>
${tally('Publications’ claims', counts.publications)}${tally('The lab’s own', counts.own)}
<p class="basis">${machines.map((machine) => html`${machine}${SEPARATOR}`)}${when ? html`measured from ${when[0]} to ${when[1]}` : 'nothing was measured'}</p>
</section>
`;
}

/** nothing where there are none */
function tally(label: string, counts: VerdictCounts): Html | null {
	const found = Object.entries(counts).filter(([, times]) => times > 0);
	if (found.length === 0) return null;
	return html`<ul class="counts"><li class="label">${label}</li>${found.map(([verdict, times]) => html`<li><b>${count(times)}</b> ${stamp(verdict)}</li>`)}</ul>`;
}

function claimTable(findings: Findings) {
	const numbers = new Map(notesOf(findings).map(({ id, number }) => [id, number]));
	const { experiments } = findings;
	return html`<table class="findings"><thead><tr>${COLUMNS.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
${experiments.map((experiment) => experimentRows(experiment, numbers))}</table>`;
}

/** numbers: of the claims' notes */
function experimentRows(experiment: ExperimentFinding, numbers: Map<string, number>): Html {
	const { title, question, href, source, incomplete, grading, claims } = experiment;
	return html`<tbody><tr class="group"><th scope="rowgroup" colspan="${COLUMNS.length}"><b class="title">${href === null ? title : localLink(href, title)}</b> <span class="question">${question}</span>
<span class="basis">${source}${basis(experiment)}</span>${[incomplete, grading].map((text) => text && html`<span class="incomplete">${text}</span>`)}</th></tr>
${claims.map((claim) => claimRow(claim, numbers.get(claim.id), grading !== null))}</tbody>
`;
}

function basis({ blocks, load, budget, started }: ExperimentFinding) {
	return [
		blocks && blocksText(blocks),
		load && html`load <b>${load}</b>`,
		budget && html`budget <b>${budget}</b>`,
		started && html`<time datetime="${started}">${moment(started)}</time>`,
	].flatMap((part) => (part ? [SEPARATOR, part] : []));
}

/** number: of its note; isRegraded: by rules replaced since */
function claimRow(claim: ClaimFinding, number: number | undefined, isRegraded: boolean): Html {
	const { id, own, statement, published, verdict, sentence, elsewhere, href } = claim;
	// Each cell names its column too: on a narrow screen a row is a card, and the head is not shown.
	return html`<tr class="claim" id="${claimAnchor(id)}">
<th scope="row"><b class="id">${id}</b> ${statement}${own && html`<span class="own">the lab’s own question</span>`}</th>
<td data-column="${COLUMNS[1]}">${published.length > 0 ? html`<ul class="published">${published.map(({ label, text }) => html`<li><span class="label">${label}:</span> ${text}</li>`)}</ul>` : MISSING}</td>
<td data-column="${COLUMNS[2]}">${stamp(verdict)}${was(claim)}${isRegraded && html`<span class="graded">runs graded by earlier rules</span>`}</td>
<td data-column="${COLUMNS[3]}"><span class="sentence">${sentence ?? MISSING}</span>${elsewhere.length > 0 && html`<ul class="elsewhere">${elsewhere.map(elsewhereItem)}</ul>`}${number && html` <a class="note" href="#${noteAnchor(id)}">note ${number}<span class="hidden"> on ${id}</span></a>`}</td>
<td data-column="${COLUMNS[4]}">${href === null ? MISSING : localLink(href, html`evidence<span class="hidden"> on ${id}</span>`)}</td>
</tr>
`;
}

/** What was registered stays visible. */
function was(claim: ClaimFinding) {
	if (claim.registered === null || !isReadOtherwise(claim)) return null;
	const { verdict, statement } = claim.registered;
	return html`<span class="was">registered: ${verdict}${statement !== claim.statement && ', of another statement'}</span>`;
}

const elsewhereItem = ({ load, budget, verdict, text, instead }: ClaimFinding['elsewhere'][number]) =>
	html`<li>Under ${conditionText({ load, budget })} <b>${verdict}</b>${instead && ' (other variants)'}, ${text}</li>`;

const noteAnchor = (id: string) => claimAnchor(id).replace('claim-', 'note-');

function notes(findings: Findings) {
	const all = notesOf(findings);
	const { registered, grading } = findings;
	const about = [LEGEND, registered, grading].map((text) => text && html`<p class="registered">${text}</p>`);
	return section(
		'notes',
		'Notes',
		html`${about}<ol class="notes">${all.map(
			({ id, sentences, doubt }) =>
				html`<li id="${noteAnchor(id)}"><b class="id">${id}</b> ${sentences.map((text) => html`<p>${text}</p>`)}${doubt && html`<p class="doubt">In doubt: ${doubt}.</p>`}</li>`,
		)}</ol>`,
	);
}

function questions({ unclaimed }: Findings) {
	if (unclaimed.length === 0) return null;
	return section('questions', 'Without a claim', html`<ul class="questions">${unclaimed.map(questionItem)}</ul>`);
}

function questionItem(experiment: ExperimentFinding) {
	const { title, question, href, headline: found, incomplete } = experiment;
	return html`<li><b class="title">${href === null ? title : localLink(href, title)}</b> <span class="question">${question}</span>
<p>${found ?? MISSING}</p>
<p class="basis">${basis(experiment).slice(1)}</p>${incomplete && html`<p class="incomplete">${incomplete}</p>`}</li>
`;
}

function repeat({ command }: Findings) {
	return section(
		'repeat',
		'Repeat it',
		html`<p>${commandHtml(command)}</p>
<p class="fine">In this folder: ${localLink(FINDINGS_RECORD.data, FINDINGS_RECORD.data)} ${localLink(FINDINGS_RECORD.markdown, FINDINGS_RECORD.markdown)}</p>`,
	);
}
