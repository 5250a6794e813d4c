/**
 * A card for each claim: what was claimed and by whom, what was measured, the verdict as a stamp, how it came about, and one
 * sentence to quote.
 */

import type { ClaimResult, ClaimTest, ExperimentResult, Range, Relief, ReliefRow } from '../../record/types.js';
import { count, MISSING, numeric, percent, plural } from '../format.ts';
import type { Html, Piece } from '../html.ts';
import { html } from '../html.ts';
import { copyButton, localLink, section, tierChip } from '../sections/parts.ts';
import { claimAnchor, stamp } from '../stamp.ts';
import type { Domain } from '../table.ts';
import { dataTable, differenceDomain, doubtNote, intervalAxis, intervalTicks, ratioDomain, shareDomain } from '../table.ts';
import type { Otherwise } from './finding.ts';
import { extremes, intervalText, onScale, wantedText } from './words.ts';

/**
 * The parts of a claim's test, drawn: the interval that was measured against the threshold that was fixed, and the published
 * figure beside them.
 *
 */

const DOMAINS = { ratio: ratioDomain, difference: differenceDomain, share: shareDomain };
/** How the interval is drawn, beside the stamp that says it. */
const TONES = { HOLDS: 'better', REFUTED: 'worse', INCONCLUSIVE: 'open' } as const;

function testsFigure(claimId: string, tests: ClaimTest[]) {
	const hasPublished = tests.some(({ published }) => published !== null);
	return html`<figure class="tests">
<figcaption><b>The test.</b> The claim holds on the shaded side: a figure has to lie there with its whole interval, a share of runs by itself.${hasPublished && ' The published figure is marked with a diamond.'}</figcaption>
<div class="test-rows">${tests.map((test) => testRow(test, tests))}</div>
${dataTable(
	`The test of ${claimId}`,
	['Test', ...['Wanted', 'Measured', '95 % interval', 'Repetitions', 'Published'].map(numeric), 'Verdict'],
	tests.map((test) => [
		test.label,
		wantedText(test),
		onScale(test.scale, test.estimate),
		intervalText(test),
		count(test.blocks),
		onScale(test.scale, test.published),
		stamp(test.verdict),
	]),
)}
</figure>
`;
}

function testRow(test: ClaimTest, all: ClaimTest[]): Html {
	const { label, scale, estimate, verdict, blocks } = test;
	const interval = intervalText(test);
	const rests =
		test.basis === 'published'
			? 'in the published file'
			: `${interval === MISSING ? 'no interval' : interval}, ${plural(blocks, 'repetition')}`;
	return html`<div class="test"><p class="what"><b>${label}</b> <span>wanted: ${wantedText(test)}</span></p>
<div class="axis">${drawn(test, domainOf(scale, all))}</div>
<p class="came"><b>${onScale(scale, estimate)}</b> <span class="spread">${rests}</span> ${stamp(verdict)}</p></div>`;
}

function drawn(test: ClaimTest, domain: Domain): Html {
	const { scale, estimate, threshold, wanted, published, label, verdict } = test;
	const row = intervalAxis({
		scale,
		row: test,
		domain,
		shade: wanted === 'at least' ? { low: threshold, high: domain.high } : { low: domain.low, high: threshold },
		marks: [
			{ value: threshold, label: wantedText(test), kind: 'threshold' },
			...(published === null ? [] : [{ value: published, label: `published ${onScale(scale, published)}`, kind: 'published' as const }]),
		],
		label: `${label}: ${onScale(scale, estimate)}, 95 % interval ${intervalText(test)}; wanted ${wantedText(test)}; ${verdict}`,
		tone: TONES[verdict],
	});
	return html`${row}${intervalTicks({ scale, domain })}`;
}

/** Tests of a claim that are on one scale share an axis, so that they can be compared by eye. */
function domainOf(scale: ClaimTest['scale'], tests: ClaimTest[]): Domain {
	const alike = tests.filter((test) => test.scale === scale);
	const marks = alike.flatMap(({ threshold, published }) => (published === null ? [threshold] : [threshold, published]));
	return DOMAINS[scale](alike, marks);
}

/**
 * The relief as a small two-by-two: the accused tier and its rival, each relieved, and whether the failures went away. An
 * accusation whose failures stay when the accused is relieved has to be withdrawn.
 *
 */

/** Filled as much as of the failures is left. */
const SIGNS = { gone: '□', fewer: '◧', stay: '■', more: '▲', INCONCLUSIVE: '?' };

function reliefTable(claimId: string, { sentence, before, before_arm, rows }: Relief) {
	const most = Math.max(0, before.median ?? 0, ...rows.map(({ after }) => after.median ?? 0));
	return html`<div class="relief"><h4>Remedy: do failures stop when the suspected tier gets one?</h4>
<table aria-label="Remedies of ${claimId}">
<thead><tr><td></td><th scope="col">Before <span class="arm">${before_arm}</span></th><th scope="col">After</th></tr></thead>
<tbody>${rows.map((row) => reliefRow(row, before, most))}</tbody></table>
<p class="sentence">${sentence}</p></div>`;
}

function reliefRow({ tier, accused, arm, relief, after, failures, doubt }: ReliefRow, before: Range, most: number): Html {
	return html`<tr><th scope="row"><span class="role">${accused ? 'suspected' : 'rival'}</span> ${tierChip(tier)} <span class="what">relieved: ${relief}</span></th>
<td>${rateCell('failures', before, most)}</td>
<td class="${failures.toLowerCase()}">${rateCell(html`<span aria-hidden="true">${SIGNS[failures]}</span> ${failures}`, after, most)}<span class="arm">${arm}</span>${doubtNote(doubt)}</td></tr>
`;
}

function rateCell(word: Piece, range: Range, most: number): Html {
	const width = most > 0 ? ((range.median ?? 0) / most) * 100 : 0;
	const spread = extremes(range, percent);
	return html`<b class="word">${word}</b> <span class="rate">${percent(range.median)}</span> <span class="spread">${spread !== percent(range.median) && `(${spread})`}</span><span class="amount"><span class="hatched" style="width: ${width.toFixed(1)}%; --c: var(--loss)"></span></span>`;
}

/** @param otherwise claims that come out otherwise today: a card has one verdict, today's, and below it what it was */
export function claimsSection({ claims }: ExperimentResult, otherwise: Otherwise[] = []) {
	if (claims.length === 0) return null;
	const later =
		otherwise.length > 0 && ' Where a test or a rule changed later, the card gives today’s verdict first, then why and what it was.';
	return section('claims', 'Claims', [
		html`<p class="lead">Tests, and the smallest differences that matter, were fixed before the first run.${later} A claim holds when all its tests hold, is refuted when one of them is refuted, and is inconclusive otherwise.</p>`,
		...claims.map((claim) =>
			claimCard(
				claim,
				otherwise.find(({ id }) => id === claim.id),
			),
		),
	]);
}

function claimCard(claim: ClaimResult, today?: Otherwise) {
	const { id, source, relief, evidence, published } = claim;
	const anchor = claimAnchor(id);
	const { verdict } = today ?? claim;
	const before = html`<div class="sides">${claimed(published)}${measured(claim)}</div>
${claim.tests.length > 0 && testsFigure(id, claim.tests)}
<dl class="fixed"><div><dt>Test, fixed before the run</dt><dd>${claim.test}</dd></div><div><dt>Smallest difference that matters, fixed before the run</dt><dd>${claim.delta}</dd></div></dl>
${doubts(claim)}`;
	return html`<article class="claim ${kindOf(verdict)}" id="${anchor}" aria-labelledby="${anchor}-title">
<header><h3 id="${anchor}-title"><span class="id">${id}</span> ${today?.statement ?? claim.statement}</h3>${stamp(verdict, 'large')}
<p class="source"><span class="label">Claimed in</span> ${source}</p></header>
${
	today
		? html`<p>${today.sentence}${today.changed && html` <span class="fine">${today.changed}</span>`}</p>
<details class="left-out"><summary>The verdict was ${claim.verdict} before: test and figures of then</summary>${today.statement && html`<p>The claim was: “${claim.statement}”</p>`}${before}<p>${claim.quote}</p></details>`
		: before
}${relief && reliefTable(id, relief)}
<div class="quote" data-copied><blockquote>${today?.sentence ?? claim.quote}</blockquote>${copyButton(`the sentence on ${id}`)}</div>
${evidence.length > 0 && html`<p class="proofs"><span class="label">Evidence</span> ${evidence.map(({ label, href }) => localLink(href, label))}</p>`}
</article>
`;
}

/** Of a style. */
const kindOf = (verdict: string) => verdict.toLowerCase().replaceAll(' ', '-');

/**
 * Figures of SUSPECT runs, and what the tests say without them.
 * @param claim one judged before claims knew of doubts has none
 */
function doubts({ doubts: arms, without_suspect: again }: ClaimResult) {
	if (arms === null || arms.length === 0) return null;
	return html`<div class="finding doubts"><p><b>In doubt</b></p>
<ul>${arms.map(({ arm, doubt }) => html`<li><b>${arm}</b>: ${doubt.text}</li>`)}</ul>
${
	again &&
	html`<p>Without what was SUSPECT: ${stamp(again.verdict)}</p>
<ul>${again.tests.map((test) => html`<li>${test.label}: ${test.over === null ? test.why : html`${onScale(test.scale, test.estimate)} (${intervalText(test)}), over ${test.over}`} ${stamp(test.verdict)}</li>`)}</ul>`
}</div>
`;
}

function claimed(published: ClaimResult['published']) {
	return html`<section><h4>Published</h4>
${published.length === 0 ? html`<p class="fine">No figure was published.</p>` : html`<dl class="figures">${published.map(({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>`}</section>`;
}

function measured({ measured: figures }: ClaimResult) {
	return html`<section><h4>Measured</h4>
${figures.length === 0 ? html`<p class="fine">Nothing was measured.</p>` : html`<dl class="figures">${figures.map(({ label, text, holds }) => html`<div><dt>${label}</dt><dd>${text}${holdsMark(holds)}</dd></div>`)}</dl>`}</section>`;
}

function holdsMark(holds: boolean | null) {
	if (holds === null) return null;
	return holds
		? html` <span class="mark for"><span aria-hidden="true">✓</span> for it</span>`
		: html` <span class="mark against"><span aria-hidden="true">✕</span> against it</span>`;
}
