/** A run as Markdown, for a job's summary or a pull request: what happened, whether to trust it, which thresholds were met. */

import { shellWord, withVariable } from '../base/format-command.ts';
import type { Judged } from '../diagnose/expectations.ts';
import { knownCommand } from '../options/known-command.ts';
import { doubtsAbout, statementsIn, statementsOf, wordOf } from '../record/touches.ts';
import type { Result } from '../record/types.js';
import {
	joinNotes,
	metricsOf,
	requestText,
	scenarioOf,
	THRESHOLD_COLUMNS,
	thresholdRows,
	URL_CAPTION,
	URL_COLUMNS,
	urlRows,
	variableTexts,
} from './calibration.ts';
import { clientText } from './client-words.ts';
import { commandMarkdown, knownSteps } from './commands.ts';
import { doubtWords } from './doubts.ts';
import { count, duration, FORMATS, faultSentence, moment, numeric, percent, tierTitle, tryWords, unsaid } from './format.ts';
import { escapeMarkdown, markdown, markdownCode, markdownTable } from './html.ts';
import { proofMarkdown } from './proof.ts';
import { breakdownRows } from './sections/parts.ts';
import { squeezeMarkdown } from './squeeze.ts';
import { followedNotes } from './waiting-texts.ts';
import {
	COMPARED_CAPTION,
	COMPARED_COLUMNS,
	comparedRows,
	ENDED_CAPTION,
	ENDED_COLUMNS,
	endedNotes,
	endedRows,
	OUTSIDE_CAPTION,
	OUTSIDE_COLUMNS,
	outsideRows,
	queueText,
} from './wire-beside-rows.ts';
import {
	STANDING_COLUMNS,
	STOOD_COLUMNS,
	standingRows,
	stoodRows,
	WIRE_CAPTION,
	WIRE_COLUMNS,
	wireNotes,
	wireRows,
	worstText,
} from './wire-rows.ts';

export function formatRunMarkdown({
	result,
	judged,
	since = null,
}: {
	result: Result;
	/** empty when no threshold was given */
	judged: Judged[];
	/** what is otherwise since the run before */
	since?: string | null;
}): string {
	return [
		heading(result),
		validity(result),
		...proofMarkdown(result),
		...squeezeMarkdown(result),
		...standing(result),
		...(judged.length > 0 ? [thresholds(judged)] : []),
		figures(result),
		...(since === null ? [] : [`${escapeMarkdown(since)}\n`]),
		...faults(result),
		...breakdowns(result),
		...losses(result),
		...wire(result),
		...urls(result),
		footer(result, judged),
	].join('\n');
}

function heading(result: Result) {
	const { architecture, architecture_title, load, budget, started, duration_s, headline, load_end: ended } = result;
	const word = wordOf(result.validity);
	const title = `${architecture}: ${architecture_title}${result.validity.verdict === 'INVALID' ? ` (${word})` : ''}`;
	const run = [...variableTexts(result), `load ${load}`, `budget ${budget}`, moment(started), duration(duration_s)]
		.map(escapeMarkdown)
		.join(' · ');
	return `## ${escapeMarkdown(title)}\n\n**${escapeMarkdown(headline)}**\n\n${run}\n${ended ? `\n${escapeMarkdown(ended.text)}\n` : ''}`;
}

function validity(result: Result) {
	const { word, sentence, gravest, others } = doubtWords(result);
	const isLeftOut = result.validity.verdict === 'INVALID';
	const texts = [...gravest.map(({ reason }) => reason), ...(result.interrupted ? ['The load was interrupted.'] : [])];
	return [
		`**${word}**: ${sentence}${isLeftOut ? ' Comparisons between runs do not use this run.' : ''}`,
		'',
		...bullets(texts),
		...(others.length > 0 ? ['Minor doubts:', '', ...bullets(others.map(({ reason }) => reason))] : []),
	].join('\n');
}

/** The busiest edges: the page has all. */
const WAITS_MOST = 8;

function standing({ wire: read, headline }: Result) {
	if (!read?.standing) return [];
	const { text, worst } = read.standing;
	return [
		'### Requests in flight, by service',
		'',
		escapeMarkdown(unsaid(text, headline)),
		'',
		...withTable(`${worstText(worst)}:`, STOOD_COLUMNS, stoodRows(read.standing)),
		...withTable('Calls waiting for a response:', STANDING_COLUMNS, standingRows(worst).slice(0, WAITS_MOST)),
	];
}

function thresholds(judged: Judged[]) {
	const met = judged.filter((one) => one.met).length;
	const rows = thresholdRows(judged).map(([text, verdict, reason]) => [
		markdownCode(text),
		verdict.startsWith('met') ? verdict : markdown`**${verdict}**`,
		reason,
	]);
	return `### Thresholds: ${count(met)} of ${count(judged.length)} met\n\n${markdownTable(THRESHOLD_COLUMNS, rows)}`;
}

/** Beside a figure that a doubt can move. */
const IN_DOUBT_MARK = '(in doubt)';

function figures(result: Result) {
	const { requests, failures } = result.metrics;
	const isMoved = (id: string) => doubtsAbout(result.validity, statementsIn(result, statementsOf(id))).length > 0;
	const rows = [
		[scenarioOf(result).noun, count(requests)],
		['failed', count(failures)],
		...metricsOf(result).map(({ id, label, unit, read }) => [
			label,
			`${FORMATS[unit](read(result))}${isMoved(id) ? ` ${IN_DOUBT_MARK}` : ''}`,
		]),
	];
	const table = markdownTable(['Figure', numeric('Value')], rows);
	const texts = [requestText(result), clientText(result), queueText(result)].flatMap((text) =>
		text === null ? [] : [escapeMarkdown(text)],
	);
	return `### Figures\n\n${texts.join(' ')}\n\n${table}`;
}

function faults(result: Result) {
	const put = result.faults.map(faultSentence);
	return put.length === 0 ? [] : ['### Faults and surges', '', ...bullets(put)];
}

const breakdowns = ({ breakdowns: tables = [] }: Pick<Result, 'breakdowns'>) =>
	tables.map((breakdown) => {
		const heads = [breakdown.rows_label, ...breakdown.columns.map(({ label }) => numeric(label))];
		return `${markdown`### ${breakdown.title}\n\n${breakdown.caption}`.text}\n\n${markdownTable(heads, breakdownRows(breakdown))}`;
	});

function losses(result: Result) {
	const { ledger } = result;
	const { failures } = result.metrics;
	const title = '### Failures by place and cause\n\n';
	if (failures === 0) return [`${title}None of the ${scenarioOf(result).noun} failed.\n`];
	const rows = ledger.failures.map(({ tier, service, cause_title: cause, count: times, share }) => [
		result.waiting ? service : tierTitle(tier),
		cause,
		count(times),
		percent(share),
	]);
	if (ledger.unattributed > 0)
		rows.push([tierTitle('unattributed'), 'unknown', count(ledger.unattributed), percent(ledger.unattributed / failures)]);
	const place = result.waiting ? 'Service' : 'Tier';
	const columns = [place, 'Cause', numeric('Count'), numeric('Share')];
	const read = ledger.failures.filter(({ evidence }) => evidence.some(({ kind }) => kind === 'reading'));
	return [
		`${title}${markdownTable(columns, rows)}`,
		...read.flatMap(({ service, cause_title: cause, evidence }) => [
			`#### ${escapeMarkdown(`${service}: ${cause}`)}`,
			'',
			...bullets(evidence.flatMap((one) => (one.kind === 'reading' ? [one.text] : []))),
		]),
		...bullets(followedNotes(result)),
	];
}

function wire({ wire: read }: Result) {
	if (!read) return [];
	return [
		'### Calls on the network',
		'',
		escapeMarkdown(WIRE_CAPTION),
		'',
		markdownTable(WIRE_COLUMNS, wireRows(read)),
		...withTable(`Hosts outside the stack. ${OUTSIDE_CAPTION}`, OUTSIDE_COLUMNS, outsideRows(read.outside ?? [])),
		...bullets(wireNotes(read)),
		...withTable(ENDED_CAPTION, ENDED_COLUMNS, endedRows(read)),
		...bullets(endedNotes(read)),
		...withTable(COMPARED_CAPTION, COMPARED_COLUMNS, comparedRows(read)),
		'',
	];
}

/** The most frequent: the page has all. */
const URLS_MOST = 10;

function urls({ wire: read }: Result) {
	if (!read?.urls || read.urls.length === 0) return [];
	return [
		'### Requests by URL',
		'',
		escapeMarkdown(URL_CAPTION),
		'',
		markdownTable(URL_COLUMNS, urlRows(read.urls.slice(0, URLS_MOST))),
		...bullets(joinNotes(read)),
		'',
	];
}

const withTable: (caption: string, columns: typeof WIRE_COLUMNS, rows: string[][]) => string[] = (caption, columns, rows) =>
	rows.length > 0 ? [escapeMarkdown(caption), '', markdownTable(columns, rows)] : [];

function footer({ command, run, gone_writes: gone, try_next }: Result, judged: Judged[]): string {
	const known = knownCommand(command);
	const isJudged = judged.length > 0 && known !== null;
	const again = isJudged ? withVariable(known, `EXPECT=${shellWord(judged.map(({ text }) => text).join(','))}`) : command;
	const steps = knownSteps(try_next);
	// What is advised of the same command stands beside it.
	const first = steps.find((advice) => advice.command === command);
	const next = steps
		.filter((advice) => advice !== first)
		.map(({ command: other, why, once_valid }) => markdown`- ${tryWords(once_valid)} ${markdownCode(other)}: ${why}`.text);
	const kept = (gone?.to_do ?? []).map((text) => markdown`- So that no write is gone: ${text}`.text);
	return [
		...kept,
		...next,
		markdown`- Repeat this run: ${commandMarkdown(again)}${first ? `: ${first.why}` : ''}`,
		markdown`- Report: ${markdownCode(`reports/${run}/report.html`)}`,
		'',
	].join('\n');
}

/** @returns with an empty line after them, or nothing */
const bullets = (texts: string[]): string[] => (texts.length > 0 ? [...texts.map((text) => `- ${escapeMarkdown(text)}`), ''] : []);
