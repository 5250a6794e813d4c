/**
 * Stamps: a verdict as one sees it from afar. Sign, border and filling differ as well as colour, so that a print in grey
 * and an eye that does not tell red from green lose nothing.
 */

import { CAPACITY_RECORD } from '../base/paths.ts';
import type { Blocks as BlocksOfTypes, CapacityPlan, FindingVerdict, Verdict } from '../record/types.js';
import { capacityCurveSection } from './capacity/curve.ts';
import { demandsSection, modelSection, numbersSection, tiersSection } from './capacity/tables.ts';
import { capacityTitle } from './capacity/words.ts';
import { commandHtml } from './commands.ts';
import { count, moment, plural, rate } from './format.ts';
import { html } from './html.ts';
import { asset, renderPage } from './page.ts';
import { badge, localLink, SEPARATOR, section } from './sections/parts.ts';

type ClaimVerdict = FindingVerdict;

type PairWord = Verdict['word'];

const SIGNS: Record<string, string> = {
	HOLDS: '✓',
	REFUTED: '✕',
	INCONCLUSIVE: '?',
	DEPENDS: '↔',
	'DOES NOT CARRY OVER': '≠',
	better: '▲',
	worse: '▼',
	same: '=',
	mixed: '◆',
};

export function stamp(word: ClaimVerdict | PairWord | (string & {}), size: 'large' | 'small' = 'small') {
	const kind = word in SIGNS ? word.toLowerCase().replaceAll(' ', '-') : 'other';
	return html`<span class="stamp ${kind} ${size}">${word in SIGNS && html`<span aria-hidden="true">${SIGNS[word]}</span> `}${word}</span>`;
}

/**
 * Where a claim's card is. Only what a fragment may hold is kept of the id.
 * @param id of a claim
 */
export const claimAnchor = (id: string) => `claim-${id.replace(/[^\w-]/g, '')}`;

/**
 * The page of a capacity plan as a single file. It answers in this order: how many nodes, whether the plan is to be trusted, on which
 * curve it rests, what every number of nodes gives, what saturates next, what was measured, what is assumed.
 *
 */

const STYLES = ['report', 'charts', 'stamp', 'experiment', 'experiment-curve', 'experiment-narrow', 'capacity'];

/** @returns plan.html, for the folder that holds plan.json */
export function renderCapacityPlan(plan: CapacityPlan): string {
	return renderPage({
		title: `${capacityTitle(plan.target)}: Doubletake`,
		styles: STYLES.map((name) => asset(`${name}.css`)),
		trail: html`<b>Doubletake</b> ${plan.index && localLink(plan.index, 'all runs')} ${localLink(plan.experiment.href, 'the experiment')} <span class="run">${plan.id}</span>`,
		body: html`${finding(plan)}${capacityCurveSection(plan)}${numbersSection(plan)}${tiersSection(plan)}${demandsSection(plan)}${modelSection(plan)}${assumptions(plan)}${repeat(plan)}`,
	});
}

function finding({ target, headline, verdict, experiment, hold_out: check, doubt, most, most_rps: mostRps, machine }: CapacityPlan) {
	return html`<section id="finding" aria-label="Finding">
<p class="run-line"><b>${capacityTitle(target)}</b>${SEPARATOR}${experiment.title}</p>
<h1>${headline}</h1>
<p class="hold-out">${stamp(verdict, 'large')} <span><b>Hold-out check.</b> ${check.sentence} ${count(check.runs_inside)} of its ${plural(check.runs, 'run')} are inside.</span></p>
${doubt && html`<p class="hold-out">${badge('SUSPECT')} <span><b>In doubt.</b> ${doubt.text}. ${doubt.without}</span></p>`}
<p class="basis">answered up to <b>${rate(mostRps)}</b> and <b>${plural(most.reach, 'node')}</b>${SEPARATOR}${plural(experiment.runs, 'run')}, ${count(experiment.left_out)} INVALID left out${SEPARATOR}load <b>${experiment.load}</b>, ${experiment.load_title}${SEPARATOR}budget <b>${experiment.budget}</b>${SEPARATOR}<time datetime="${experiment.started}">${moment(experiment.started)}</time>${SEPARATOR}${machine.text}</p>
</section>
`;
}

const assumptions = ({ assumptions: all }: CapacityPlan) =>
	section('assumptions', 'Assumptions', html`<ul class="assumptions">${all.map((text) => html`<li>${text}</li>`)}</ul>`);

const repeat = ({ command, experiment }: CapacityPlan) =>
	section(
		'repeat',
		'Repeat it',
		html`<p>${commandHtml(command)}</p>
<p class="fine">In this folder: ${localLink(CAPACITY_RECORD.data, CAPACITY_RECORD.data)}; its runs: ${localLink(experiment.href, experiment.id)}</p>`,
	);

/** How many repetitions a finding rests on, in words. */
type Blocks = Pick<BlocksOfTypes, 'complete' | 'wanted' | 'least'>;

export const blocksText = ({ complete, wanted }: Blocks) => `${count(complete)} of ${plural(wanted, 'repetition')} complete`;

/** The same as a sentence, with the runs that are left out, and those that are in doubt. */
export function repetitionsText(
	{ complete, wanted, left_out: leftOut }: Blocks & { left_out: unknown[] },
	doubts: ({ suspect: number; runs: number } | null)[],
): string {
	const made =
		complete >= wanted
			? `All ${plural(wanted, 'repetition')} are complete`
			: `${count(complete)} of ${plural(wanted, 'repetition')} are complete`;
	const left = leftOut.length > 0 ? `, ${plural(leftOut.length, 'INVALID run')} left out` : '';
	const suspect = doubts.reduce((all, doubt) => all + (doubt?.suspect ?? 0), 0);
	return `${made}${left}.${suspect > 0 ? ` ${plural(suspect, 'run')} ${suspect === 1 ? 'has' : 'have'} small doubts (SUSPECT).` : ''}`;
}

export const tooFewText = ({ least }: Blocks) => `A verdict needs ${count(least)}.`;
