/**
 * A page for each claim, with an address of its own, from the data of the findings and of the claim's experiment. Pure.
 */
import { posix } from 'node:path';
import type { ClaimFinding, ClaimResult, ClaimTest, ExperimentFinding, Findings } from '../lab/record/types.js';
import { intervalText, onScale, wantedText } from '../lab/report/experiment/words.ts';
import { LEGEND, notesOf } from '../lab/report/findings.ts';
import { MISSING, moment, plural } from '../lab/report/format.ts';
import { Markdown, type MarkdownContent, markdown, markdownTable } from '../lab/report/html.ts';
import { blocksText, stamp } from '../lab/report/stamp.ts';
import { EXAMPLES_ADDRESS, LINK } from './pages.js';

export const CLAIMS = 'claims';
/** From there. */
const EXAMPLES = `../${EXAMPLES_ADDRESS}`;

/** Only what an address may hold is kept of the id. */
const nameOf = (id: string) => id.replace(/[^\w-]/g, '');
/** From any page: the generator puts the folder before it in which the site is. */
export const addressOf = (id: string) => `/${CLAIMS}/${nameOf(id)}`;

/** Of words that are Markdown already, or are shown as they are. */
const link = (words: MarkdownContent, address: string) =>
	new Markdown(`[${markdown`${words}`}](${address})${address.startsWith(EXAMPLES) ? '{target="_self"}' : ''}`);
const mark = (verdict: string) => new Markdown(stamp(verdict).text);

/** The generator's templates would take two braces for code. */
export const inert = (text: string) => text.replaceAll('{{', '&#123;&#123;');

const section = (title: string, ...parts: (string | null)[]) => {
	const said = parts.filter((part) => part !== null && part !== '');
	return said.length === 0 ? null : `## ${title}\n\n${said.join('\n\n')}`;
};

/**
 * @param judged the claims of each experiment as they were registered, by the address of its page below that of the examples
 * @returns Markdown by the name of a file below the site's source
 */
export function claimPages(findings: Findings, judged: Record<string, ClaimResult[]>): Record<string, string> {
	const notes = new Map(notesOf(findings).map((note) => [note.id, note]));
	const all = findings.experiments.flatMap((experiment) => experiment.claims.map((claim) => ({ claim, experiment })));
	const pages = all.map(({ claim, experiment }, index) => {
		const registered = judged[experiment.href ?? '']?.find(({ id }) => id === claim.id);
		const head = frontmatter({ claim, before: all[index - 1]?.claim, next: all[index + 1]?.claim });
		return [`${CLAIMS}/${nameOf(claim.id)}.md`, inert(`${head}${claimPage(claim, experiment, registered, notes.get(claim.id))}\n`)];
	});
	return { [`${CLAIMS}/index.md`]: inert(indexPage(findings)), ...Object.fromEntries(pages) };
}

/** The pages before and after are those of the claims beside it. */
function frontmatter({ claim, before, next }: { claim: ClaimFinding; before?: ClaimFinding; next?: ClaimFinding }) {
	const beside = (one?: ClaimFinding) => (one ? { text: `${one.id}: ${one.statement}`, link: addressOf(one.id) } : false);
	const settings = { description: `${claim.verdict}. ${claim.sentence ?? ''}`, prev: beside(before), next: beside(next) };
	return `---\n${Object.entries(settings)
		.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
		.join('\n')}\n---\n\n`;
}

function claimPage(
	claim: ClaimFinding,
	experiment: ExperimentFinding,
	judged: ClaimResult | undefined,
	note: ReturnType<typeof notesOf>[number] | undefined,
): string {
	const { id, own, statement, published, verdict, sentence, elsewhere } = claim;
	const registered = claim.registered?.verdict;
	const page = experiment.href === null ? null : `${EXAMPLES}${experiment.href}`;
	return [
		markdown`# ${id}: ${statement}`.text,
		markdown`${mark(verdict)}${registered && registered !== verdict && ` The rules fixed before the runs gave ${registered}.`}`.text,
		sentence === null ? null : markdown`**${sentence}**`.text,
		section(
			'What was claimed',
			markdown`${own ? 'This is a question of the lab itself. It was asked beside the claims of this source:' : 'Source:'} ${experiment.source}`
				.text,
			published.length > 0
				? markdownTable(
						['Published', 'Figure'],
						published.map(({ label, text }) => [label, text]),
					)
				: 'The source has no figure for it.',
		),
		section('What was measured', judged ? measuredTable(judged) : null),
		judged === undefined
			? null
			: section(
					'The test',
					'Test and thresholds were fixed before the first run. The table has the verdicts by them.',
					markdown`**Test**: ${judged.test}`.text,
					markdown`**Threshold**: ${judged.delta}`.text,
					testTable(judged.tests),
				),
		section(
			'Under other conditions',
			elsewhere.length === 0
				? null
				: markdownTable(
						['Load', 'CPU quotas', 'Verdict', 'Measured'],
						elsewhere.map(({ load, budget, verdict: other, text }) => [load, budget, mark(other), text]),
					),
		),
		section(
			'Notes',
			...(note?.sentences ?? []).map((text) => markdown`${text}`.text),
			note?.doubt ? markdown`**In doubt**: ${note.doubt}.`.text : null,
		),
		section('Evidence', page === null ? 'Nothing was measured.' : evidenceList(claim, experiment, judged)),
	]
		.filter((part) => part !== null)
		.join('\n\n');
}

function measuredTable({ measured }: ClaimResult) {
	if (measured.length === 0) return null;
	const said = (holds: boolean | null) => (holds === null ? MISSING : holds ? 'yes' : 'no');
	return markdownTable(
		['Figure', 'Measured', 'Supports the claim'],
		measured.map(({ label, text, holds }) => [label, text, said(holds)]),
	);
}

const testTable = (tests: ClaimTest[]) =>
	tests.length === 0
		? null
		: markdownTable(
				['Figure', 'Wanted', 'Measured (95 % interval)', 'Verdict'],
				tests.map((test) => [test.label, wantedText(test), measuredText(test), mark(test.verdict)]),
			);

function measuredText(test: ClaimTest) {
	const interval = intervalText(test);
	const basis = test.basis === 'published' ? 'in the published file' : plural(test.blocks, 'block');
	const published = test.published === null ? '' : `; published: ${onScale(test.scale, test.published)}`;
	return `${onScale(test.scale, test.estimate)}${interval === MISSING ? '' : ` (${interval})`}, ${basis}${published}`;
}

function evidenceList(
	{ id, href }: ClaimFinding,
	{ title, href: page, load, budget, blocks, started, machine }: ExperimentFinding,
	judged?: ClaimResult,
) {
	const folder = posix.dirname(page ?? '');
	const basis = [
		blocks && blocksText(blocks),
		load && `load ${load}`,
		budget && `CPU quotas ${budget}`,
		started && moment(started),
		machine,
	];
	return [
		markdown`- Experiment: ${link(title, `${EXAMPLES}${href ?? page}`)}. It has ${id} with its chart, and all runs.`,
		...(judged?.evidence ?? []).map(({ label, href: of }) => markdown`- ${link(label, `${EXAMPLES}${folder}/${of}`)}`),
		markdown`- Basis: ${basis.filter(Boolean).join('; ')}`,
		markdown`- ${link('All claims', `/${CLAIMS}/`)}`,
	].join('\n');
}

function indexPage({ headline, experiments }: Findings): string {
	const of = (claims: ClaimFinding[]) =>
		markdownTable(
			['Claim', 'In one sentence'],
			claims.map(({ id, statement, verdict, sentence }) => [
				markdown`${link(markdown`**${id}**`, addressOf(id))} ${mark(verdict)} ${statement}`,
				sentence ?? MISSING,
			]),
		);
	return [
		'# All claims',
		markdown`${headline}`.text,
		`Each claim has a page of its own. The same on one page: ${link('the findings', `${EXAMPLES}findings.html`)}.`,
		...experiments.map(({ title, question, claims }) => section(markdown`${title}`.text, markdown`${question}`.text, of(claims))),
		section('What the verdicts mean', markdown`${LEGEND}`.text),
		'',
	].join('\n\n');
}

/** Parts of a document in which a code stays as it is: code, links, headings, tags and addresses. */
const KEPT = [/^```[\s\S]*?^```/, /`[^`\n]*`/, LINK, /^#+ .*$/, /<[^>\n]+>/, /https?:\S+/].map(({ source }) => source).join('|');

/**
 * @param text Markdown
 * @param ids of claims
 * @returns the same, in which each code of a claim leads to the page of the claim
 */
export function withClaimLinks(text: string, ids: string[]): string {
	const pattern = new RegExp(`${KEPT}|(?<claim>\\b(?:${ids.join('|')})\\b)`, 'gm');
	return text.replaceAll(pattern, (...found) => {
		const id: string | undefined = found.at(-1).claim;
		return id === undefined ? found[0] : `[${id}](${addressOf(id)})`;
	});
}

/**
 * A page of the lab where the site has it: the product's name leads to the first page of the site, and each code to its claim.
 * @param page HTML in which the code of a claim has the class `id`
 * @param depth folders below the one in which the site is
 */
export function asPageOfSite(page: string, depth: number, ids: string[]): string {
	const up = '../'.repeat(depth);
	return page
		.replace('<b>Doubletake</b>', `<b><a href="${up}index.html">Doubletake</a></b>`)
		.replaceAll(/(<(b|span) class="id">)([^<]+)(?=<\/\2>)/g, (whole, start, _, id) =>
			ids.includes(id) ? `${start}<a href="${up}${CLAIMS}/${nameOf(id)}.html">${id}</a>` : whole,
		);
}
