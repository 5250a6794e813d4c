/**
 * Stamps: a verdict as one sees it from afar. Sign, border and filling differ as well as colour, so that a print in grey
 * and an eye that does not tell red from green lose nothing.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { CAPACITY_RECORD } from '../base/paths.ts';
import { secrets } from '../base/secrets.ts';
import type { Blocks as BlocksOfTypes, CapacityPlan, FindingVerdict, Verdict } from '../record/types.js';
import { capacityCurveSection, capacityTitle, demandsSection, modelSection, numbersSection, tiersSection } from './capacity/words.ts';
import { commandHtml } from './commands.ts';
import { count, moment, plural, rate } from './format.ts';
import { Html, html } from './html.ts';
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

/*
 * What every page is made of: one file that asks nothing of any network, with its styles, scripts and data inside.
 */

/** Nothing is fetched, whatever a page may contain; what the page brings itself is inline. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

export function renderPage({
	title,
	styles,
	trail,
	body,
	data = null,
	script = null,
	isServed = false,
}: {
	title: string;
	/** besides those that all pages share */
	styles: Html[];
	/** what stands at the top left: where the reader is */
	trail: Html;
	body: Html;
	/** for the script */
	data?: Html | null;
	script?: Html | null;
	/** it may ask the server that it came from */
	isServed?: boolean;
}): string {
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(isServed ? `${POLICY}; connect-src 'self'` : POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${MARK}">
<title>${secrets.without(title)}</title>
<style>${smallest([asset('base.css'), asset('hidden.css'), ...styles])}</style>
<script>${asset('theme.js')}</script>
</head>
<body>
<header class="top"><p class="trail"><span class="mark" aria-hidden="true">${asset('mark.svg')}</span>${withoutSecrets(trail)}</p><button type="button" class="theme" id="theme" aria-label="Switch between light and dark">◐</button></header>
<main>
${withoutSecrets(body)}
</main>
${data && html`<script type="application/json" id="result">${withoutSecrets(data)}</script>`}
${script && html`<script>${script}</script>`}
</body>
</html>
`;
	return page.text;
}

/** Styles and scripts have none, and words in them are no values. */
const withoutSecrets = ({ text }: Html) => new Html(secrets.without(text));

/** a program that renders many reports does it once */
const small: Map<string, Html> = new Map();

/** @returns the same rules without comments and what the reader does not see */
function smallest(styles: Html[]): Html {
	const text = styles.map((style) => style.text).join('\n');
	const known = small.get(text) ?? new Html(transformSync(text, { loader: 'css', minify: true, charset: 'utf8' }).code.trim());
	small.set(text, known);
	return known;
}

/** A file of assets/, to be put into a page without its indentation. */
export const asset = (name: string) =>
	new Html(readFileSync(fileURLToPath(new URL(`assets/${name}`, import.meta.url)), 'utf8').replaceAll(/^[ \t]+/gm, ''));

/** The product's own, in colours that are seen on light and on dark. */
const MARK = `data:image/svg+xml,${encodeURIComponent(asset('mark.svg').text.trim())}`;

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
