/**
 * A card for each stored experiment and comparison: what was asked, what was found, and where its pages are. Pure.
 */
import { posix } from 'node:path';
import type { Comparison, ExperimentResult, Findings } from '../lab/record/types.js';
import { plural } from '../lab/report/format.ts';
import { type Html, html } from '../lab/report/html.ts';
import { blocksText, stamp } from '../lab/report/stamp.ts';
import { addressOf, inert } from './claims.ts';
import { EXAMPLES_ADDRESS } from './pages.js';

/** A stored experiment or comparison, by what it left. */
export type Stored = {
	/** below that of the examples */
	folder: string;
	/** its own */
	page: string;
	experiment: ExperimentResult | null;
	comparison: Comparison | null;
	/** of the reports of runs that are stored with it, by their addresses below its folder */
	headlines: Record<string, string>;
};

/** What a card shows, whatever it is of. */
type Card = {
	title: string;
	question: string | null;
	found: string;
	/** of claims, or of comparisons where there are none */
	verdicts: { word: string; of: string | null }[];
	basis: string;
	runs: { name: string; href: string; headline: string }[];
};

const hrefOf = (path: string) => `./${EXAMPLES_ADDRESS}${path}`;

/** @returns Markdown */
export function galleryPage(stored: Stored[], findings: Findings): string {
	const order = [...findings.experiments, ...findings.unclaimed].map(({ href }) => posix.dirname(href ?? ''));
	const placed = stored.toSorted((one, other) => placeOf(one, order) - placeOf(other, order));
	const total = stored.reduce((sum, { headlines }) => sum + Object.keys(headlines).length, 0);
	const groups = Object.entries({
		Experiments: placed.filter(({ experiment }) => experiment !== null),
		Comparisons: placed.filter(({ experiment }) => experiment === null),
	}).map(
		([title, ones]) => `## ${title}\n\n${html`<div class="gallery">${ones.map((one) => cardOf(one, cardData(one, findings)))}</div>`}\n`,
	);
	const said = `These are real pages, made from ${plural(stored.length, 'stored record')}. They have ${plural(total, 'report')} of single runs.`;
	return inert(
		`---\naside: false\n---\n\n# Gallery\n\n${said}\nThe verdicts are those of today; [each claim](/claims/) has a page of its own.\n\n${groups.join('\n')}`,
	);
}

/** What the findings do not name comes last. */
function placeOf({ folder }: Stored, order: string[]) {
	const place = order.indexOf(folder);
	return place === -1 ? order.length : place;
}

function cardData({ folder, experiment, comparison, headlines }: Stored, findings: Findings): Card {
	if (experiment === null) {
		const { title, verdict, blocks, load } = comparison as Comparison;
		const runs = Object.entries(headlines).map(([href, headline]) => ({ name: 'a run', href, headline }));
		const basis = `${plural(blocks.complete, 'block')}; load ${load}`;
		return { title, question: null, found: verdict.sentence, verdicts: [{ word: verdict.word, of: null }], basis, runs };
	}
	const { title, question, headline, claims, pairs, blocks, load, budget, arms } = experiment;
	// One record speaks for an experiment, and is read by the rules of today.
	const today = findings.experiments.find(({ href }) => posix.dirname(href ?? '') === folder);
	const known = findings.experiments.some((one) => one.id === experiment.experiment);
	return {
		title,
		question,
		found: today?.reported ?? headline,
		verdicts:
			claims.length > 0
				? (today?.claims ?? claims).map(({ id, verdict }) => ({ word: verdict, of: known ? id : null }))
				: pairs.map(({ verdict }) => ({ word: verdict.word, of: null })),
		basis: `${blocksText(blocks)}; load ${load}; CPU quotas ${budget}`,
		runs: arms.flatMap(({ id, typical_run: href }) =>
			href !== null && href in headlines ? [{ name: id, href, headline: headlines[href] }] : [],
		),
	};
}

function cardOf({ folder, page }: Stored, { title, question, found, verdicts, basis, runs }: Card): Html {
	const words = [...new Set(verdicts.map(({ word }) => word))];
	const codes = (word: string) => verdicts.flatMap((one) => (one.word === word && one.of !== null ? [one.of] : []));
	return html`<article class="card"><h3><a href="${hrefOf(`${folder}/${page}`)}" target="_self">${title}</a></h3>${question && html`<p class="question">${question}</p>`}<p>${found}</p><ul class="counts">${words.map(
		(word) =>
			html`<li><b>${verdicts.filter((one) => one.word === word).length}</b> ${stamp(word)} ${codes(word).map((id) => html`<a href=".${addressOf(id)}.html">${id}</a> `)}</li>`,
	)}</ul><p class="basis">${basis}</p>${
		runs.length > 0 &&
		html`<details><summary>${plural(runs.length, 'report')} of single runs</summary><ul>${runs.map(
			({ name, href, headline }) => html`<li><a href="${hrefOf(`${folder}/${href}`)}" target="_self">${name}</a>: ${headline}</li>`,
		)}</ul></details>`
	}</article>`;
}
