/** The page of the self-test as a single file. */

import { causes } from '../record/causes.ts';
import {
	confusions,
	type DescribedFault,
	labelOf,
	NOTHING,
	RIGHT_LEAST,
	type Score,
	type SelftestRecord,
	totalByCause,
	totalByFault,
	totalOf,
	UNATTRIBUTED,
} from '../record/selftest-total.ts';
import { basisText } from './basis.ts';
import { commandHtml } from './commands.ts';
import { BASES, count, MISSING, moment, numeric, percent, plural } from './format.ts';
import { html } from './html.ts';
import { asset, renderPage } from './page.ts';
import { section } from './sections/parts.ts';
import { table } from './table.ts';

/**
 * What the page of the self-test says, as text and tables; HTML and Markdown are made of it alike. Pure: the same record
 * gives the same page.
 */
/** isCards: it has more columns than a narrow screen */
type Part = {
	id: string;
	title: string;
	text: string;
	columns: (string | { title: string; numeric: boolean })[];
	rows: string[][];
	isCards?: boolean;
};

/** command: that makes it */
type SelftestContent = { headline: string; basis: string[]; doubts: string[]; parts: Part[]; command: string };

export function selftestContent(record: SelftestRecord): SelftestContent {
	const { scores, system } = record;
	const beside = system.is_document ? [leftOutPart(system.left_out)] : [runPart(scores)];
	return {
		command: system.command,
		headline: headlineOf(record),
		basis: basisOf(record),
		doubts: record.complete ? [] : ['Not every fault was tried as often as planned.'],
		parts: [
			summaryPart(record),
			faultPart(record),
			tierPart(scores),
			confusionPart(scores),
			causePart(scores),
			rulePart(),
			...skippedParts(record),
			...beside,
		],
	};
}

function headlineOf({ scores }: SelftestRecord) {
	const { faults: all, passed, failures, right_share: share } = totalOf(scores);
	const requests =
		share === null
			? 'No request failed'
			: `The report gave the right tier and cause for ${percent(share)} of ${count(failures)} failed requests`;
	const wrong = totalByFault(scores).filter((one) => !one.passed);
	// A share of the failed requests says nothing about those.
	const calm =
		wrong.length > 0 && wrong.every(({ failures: failed }) => failed === 0)
			? `. The remaining ${all - passed === 1 ? 'fault makes' : `${count(all - passed)} make`} no request fail`
			: '';
	return `${count(passed)} of ${plural(all, 'known fault')} ${all === 1 ? 'was' : 'were'} diagnosed rightly${calm}. ${requests}.`;
}

function basisOf({ started, ended, commit, machine, repeats, budget, system }: SelftestRecord) {
	return [
		...(system.name === '' ? [] : [`system ${system.name}`]),
		`measured from ${moment(started)} to ${moment(ended)}`,
		machine,
		`budget ${budget}`,
		`${plural(repeats, 'run')} of each fault`,
		`judged by commit ${commit}`,
	];
}

function summaryPart({ scores, system }: SelftestRecord): Part {
	const total = totalOf(scores);
	const shareOf = (shares: Record<string, number>) => BASES.map((basis) => `${basis} ${percent(shares[basis])}`).join(', ');
	return {
		id: 'summary',
		title: 'Over all',
		text: `Each fault is put into ${system.into}. The diagnosis sees the record alone, never the fault. Every failed request is then compared with the causes that the fault is known to have. A fault passes if the report gives the right tier and cause for at least ${percent(RIGHT_LEAST)} of its failed requests. The report must also say all else that the fault should show: near misses, bottleneck, doubts about the run.`,
		columns: ['What', 'Figure'],
		rows: [
			['Faults that passed', `${count(total.passed)} of ${count(total.faults)}`],
			['Runs', count(total.runs)],
			['Requests', count(total.requests)],
			['Failed requests that were judged', count(total.failures)],
			['On the right tier', percent(total.right_tier_share)],
			['On the right tier and cause', percent(total.right_share)],
			['The same, each fault counted alike', percent(total.right_share_by_fault)],
			['Unattributed', percent(total.unattributed_share)],
			['How the place is known', shareOf(total.where)],
			['How the cause is known', shareOf(total.why)],
		],
	};
}

function faultPart({ scores, system }: SelftestRecord): Part {
	return {
		id: 'faults',
		title: 'Faults',
		text: 'A cause in brackets need not occur. Misses are what should have been said and was not, and what would tell more.',
		isCards: true,
		columns: [
			'Fault put in',
			'Causes of its failures',
			numeric('Runs'),
			numeric('Failed'),
			numeric('Right tier'),
			numeric('Right'),
			'How it is known',
			'Verdict',
			'Misses',
		],
		rows: totalByFault(scores).map(({ fault, runs, failures, right_tier: tier, right, where, why, misses, advice, passed }) => {
			const about = system.faults[fault];
			const share = (part: number) => (failures === 0 ? MISSING : percent(part / failures));
			return [
				`${fault}: ${about?.title ?? 'no longer in the table'}`,
				expectedText(about),
				count(runs),
				count(failures),
				share(tier),
				share(right),
				failures === 0 ? MISSING : `where ${basisText(where, failures)}; why ${basisText(why, failures)}`,
				passed ? '✓ right' : '✗ wrong',
				[...misses, ...(passed ? [] : advice)].join('; ') || MISSING,
			];
		}),
	};
}

function expectedText(fault: DescribedFault | undefined) {
	if (!fault) return MISSING;
	if (!fault.expected) return 'not asked';
	if (fault.expected.length === 0) return 'nothing fails';
	return fault.expected.map((one) => (one.may ? `(${labelOf(one)})` : labelOf(one))).join(', ');
}

function tierPart(scores: Score[]): Part {
	const pairs = scores.flatMap((score) => score.pairs);
	const tierOf = (label: string) => label.split(':')[0];
	const are = [...new Set(pairs.map(({ expected }) => tierOf(expected)))];
	const found = [...new Set([...are.filter((tier) => tier !== NOTHING), ...pairs.map((pair) => tierOf(pair.found))])];
	const sum = (one: string, other: string) =>
		pairs.filter((pair) => tierOf(pair.expected) === one && tierOf(pair.found) === other).reduce((total, pair) => total + pair.count, 0);
	return {
		id: 'matrix',
		title: 'Matrix of tiers',
		text: `Failed requests: a row for the tier at which they failed, a column for the tier that the diagnosis names. ${NOTHING}: should not have failed.`,
		columns: ['Lost at', ...found.map(numeric)],
		rows: are.map((one) => [one, ...found.map((other) => count(sum(one, other)))]),
	};
}

function confusionPart(scores: Score[]): Part {
	const wrong = confusions(scores);
	return {
		id: 'confusions',
		title: 'What was taken for something else',
		text: wrong.length === 0 ? 'Nothing.' : 'All that lies off the diagonal of the matrix of causes.',
		columns: ['Is', 'Was taken for', numeric('Failed requests')],
		rows: wrong.map(({ expected, found, count: times }) => [expected, found, count(times)]),
	};
}

function causePart(scores: Score[]): Part {
	return {
		id: 'causes',
		title: 'Causes',
		text: 'Precision: the share of the failed requests placed there that belong there. Recall: the share of those that belong there that were placed there.',
		columns: ['Tier and cause', numeric('Are'), numeric('Found'), numeric('Precision'), numeric('Recall')],
		rows: totalByCause(scores)
			.filter(({ label }) => label !== NOTHING && label !== UNATTRIBUTED)
			.map(({ label, are, found, precision, recall }) => [label, count(are), count(found), percent(precision), percent(recall)]),
	};
}

export const RULES_PART = 'rules';

function rulePart(): Part {
	return {
		id: RULES_PART,
		title: 'Rules',
		text: 'Every cause that the diagnosis knows, and how a failed request comes to be placed there.',
		columns: ['Cause', 'In words', 'Rule'],
		rows: Object.entries(causes).map(([id, { title, rule }]) => [id, title, rule]),
	};
}

function leftOutPart(leftOut: SelftestRecord['system']['left_out']): Part {
	return {
		id: 'left-out',
		title: 'Not put in',
		text: 'Causes that no fault here produces, and what is known to happen and is not tried.',
		columns: ['What', 'Why not'],
		rows: Object.entries(leftOut),
	};
}

/** @returns none where all was judged */
function skippedParts({ scores, system }: SelftestRecord): Part[] {
	/** Of several runs the last says why. */
	const skipped: Map<string, string> = new Map();
	for (const { fault, skipped: why } of scores) if (why !== undefined) skipped.set(fault, why);
	if (skipped.size === 0) return [];
	return [
		{
			id: 'not-judged',
			title: 'Not judged',
			text: 'Runs by which the diagnosis could not be judged: the fault could not be put in, nothing came of it, or other machines took this one.',
			columns: ['Fault', 'Why not'],
			rows: [...skipped].map(([fault, why]) => [`${fault}: ${system.faults[fault]?.title ?? 'no longer in the table'}`, why]),
		},
	];
}

function runPart(scores: Score[]): Part {
	return {
		id: 'runs',
		title: 'Reports of the runs',
		text: 'Each run has a report of its own, below the folder of all reports.',
		columns: ['Fault', 'Report'],
		rows: scores.filter(({ run }) => run !== '').map(({ fault, run }) => [fault, `${run}/report.html`]),
	};
}

/** @returns index.html */
export function renderSelftest(record: SelftestRecord): string {
	const { headline, basis, doubts, parts, command } = selftestContent(record);
	return renderPage({
		title: 'Self-test: Doubletake',
		styles: [asset('selftest.css'), asset('cards.css')],
		trail: html`<b>Doubletake</b> <span>self-test of the diagnosis</span>`,
		body: html`<section id="finding" aria-label="Finding">
<h1>${headline}</h1>
<p class="basis">${basis.map((part, index) => html`${index > 0 && html` <span class="sep">·</span> `}${part}`)}</p>
${doubts.map((doubt) => html`<p class="doubt">${doubt}</p>`)}
</section>
${parts.map(({ id, title, text, columns, rows, isCards }) => section(id, title, html`<p class="lead">${text}</p>${rows.length > 0 && table(title, columns, rows, { isCards })}`))}
${section('repeat', 'Repeat it', html`<p>${commandHtml(command)}</p>`)}`,
	});
}

/**
 * The scores of a self-test as a table for a terminal: a line for each fault, and below it what was wrong.
 *
 */

const VERDICTS = { right: '✓ right', wrong: '✗ WRONG', skipped: '– skipped' };
const VERDICT_WIDTH = 9;
const NUMBER_WIDTH = 8;
const INDENT = '    ';

/**
 * @param ids of all faults of the table, of which these may be some
 * @returns lines, the head first
 */
export function scoreTable(scores: Score[], ids: string[] = scores.map(({ fault }) => fault)): string[] {
	const width = Math.max(...ids.map((id) => id.length), 'fault'.length);
	const line = (verdict: string, fault: string, numbers: string[], text: string) =>
		[verdict.padEnd(VERDICT_WIDTH), fault.padEnd(width), ...numbers.map((number) => number.padStart(NUMBER_WIDTH)), text]
			.join('  ')
			.trimEnd();
	const judged = totalByFault(scores).flatMap((total) => {
		const { fault, failures, right, unattributed, where, why, misses, advice, passed } = total;
		const share = failures === 0 ? MISSING : percent(right / failures);
		const known = failures === 0 ? '' : `where ${basisText(where, failures)}; why ${basisText(why, failures)}`;
		const wrong = confusions(scores.filter((score) => score.fault === fault)).map(
			({ expected, found, count: times }) => `${count(times)} of ${expected} taken for ${found}`,
		);
		return [
			line(passed ? VERDICTS.right : VERDICTS.wrong, fault, [count(failures), share, count(unattributed)], known),
			...[...wrong, ...misses, ...(passed ? [] : advice)].map((text) => `${INDENT}${text}`),
		];
	});
	const skipped = scores.flatMap(({ fault, skipped: why }) => (why === undefined ? [] : [line(VERDICTS.skipped, fault, [], why)]));
	return [line('', 'fault', ['failed', 'right', 'unattr.'], 'how it is known'), ...judged, ...new Set(skipped)];
}
