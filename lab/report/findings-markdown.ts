/**
 * The findings as Markdown, for a README or a pull request: the sentence that counts them, and the table. It leads to Markdown, which is
 * shown where it is shown, as pages are not.
 */

import type { ClaimFinding, ExperimentFinding, Findings } from '../record/types.js';
import { commandMarkdown } from './commands.ts';
import { COLUMNS, conditionText, isReadOtherwise, LEGEND, notesOf } from './findings.ts';
import { MISSING, moment } from './format.ts';
import { escapeMarkdown, Markdown, type MarkdownContent, markdown, markdownTable } from './html.ts';
import { blocksText } from './stamp.ts';

const QUESTION_HEADS = ['Question', 'In one sentence', 'Measured', 'Evidence'];
/** Between the parts of a cell, where no line can be broken. */
const THEN = '; ';

/** @returns findings.md, for the folder that holds findings.json */
export function formatFindingsMarkdown(findings: Findings): string {
	const { headline, registered, grading, machines, started, ended, command, unclaimed } = findings;
	const when = started && ended ? `measured from ${moment(started)} to ${moment(ended)}` : 'nothing was measured';
	return [
		markdown`## ${headline}\n`.text,
		...[registered, grading].flatMap((text) => (text === null ? [] : [`${escapeMarkdown(text)}\n`])),
		`${[...machines, when].map(escapeMarkdown).join(' · ')}\n`,
		`${escapeMarkdown(LEGEND)}\n`,
		findingsTable(findings),
		...findingsMarkdownNotes(findings),
		...(unclaimed.length > 0 ? [`### Without a claim\n\n${markdownTable(QUESTION_HEADS, unclaimed.map(questionRow))}`] : []),
		markdown`Repeat it: ${commandMarkdown(command)}\n`.text,
	].join('\n');
}

function findingsTable(findings: Findings) {
	const numbers = new Map(notesOf(findings).map(({ id, number }) => [id, number]));
	return markdownTable(
		COLUMNS,
		findings.experiments.flatMap((experiment) => [
			groupRow(experiment),
			...experiment.claims.map((claim) => findingsMarkdownClaimRow(claim, experiment, numbers.get(claim.id))),
		]),
	);
}

/** @returns none where no claim has any */
function findingsMarkdownNotes(findings: Findings): string[] {
	const items = notesOf(findings).map(
		({ number, id, sentences, doubt }) =>
			markdown`${number}. **${id}** ${[...sentences, ...(doubt === null ? [] : [`In doubt: ${doubt}.`])].join(' ')}\n`.text,
	);
	return items.length === 0 ? [] : [`### Notes\n\n${items.join('')}`];
}

/** A row of its own names the experiment: Markdown has no heads within a table. */
function groupRow(experiment: ExperimentFinding): MarkdownContent[] {
	const { title, markdown: href, source } = experiment;
	return [markdown`**${href === null ? title : link(title, href)}**`, source, '', basisOf(experiment), ''];
}

const basisOf = ({ blocks, load, budget, incomplete, grading }: ExperimentFinding) =>
	[blocks && blocksText(blocks), load && `load ${load}`, budget && `budget ${budget}`, incomplete, grading].filter(Boolean).join(THEN);

/** Of an experiment without claims. */
const questionRow = (experiment: ExperimentFinding): MarkdownContent[] => [
	markdown`**${experiment.title}** ${experiment.question}`,
	experiment.headline ?? MISSING,
	basisOf(experiment),
	experiment.markdown === null ? MISSING : link('evidence', experiment.markdown),
];

/** number: of its note */
function findingsMarkdownClaimRow(
	claim: ClaimFinding,
	{ markdown: evidence }: ExperimentFinding,
	number: number | undefined,
): MarkdownContent[] {
	const { id, own, statement, published, verdict, sentence, registered, elsewhere, href } = claim;
	const was = registered !== null && isReadOtherwise(claim) ? ` (registered: ${registered.verdict})` : '';
	return [
		markdown`**${id}** ${statement}${own && ' (the lab’s own question)'}`,
		published.map(({ label, text }) => `${label}: ${text}`).join(THEN) || MISSING,
		markdown`**${verdict}**${was}`,
		[sentence ?? MISSING, ...elsewhere.map(elsewhereText), ...(number === undefined ? [] : [`Note ${number}.`])].join(' '),
		href === null || evidence === null ? MISSING : link('evidence', evidence),
	];
}

const elsewhereText = ({ load, budget, verdict, text, instead }: ClaimFinding['elsewhere'][number]) =>
	`Under ${conditionText({ load, budget })} ${verdict}${instead === null ? '' : ' (other variants)'}, ${text}`;

/** It always stays a path from where the table is, whatever the text says. */
const link: (text: string, href: string) => Markdown = (text, href) =>
	new Markdown(
		`[${escapeMarkdown(text)}](./${encodeURI(href).replace(/[()'@]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`,
	);
