/** The first thing that a reader sees: whether to trust the run, what failed, where, why, how sure that is, and what to do. */

import { capital } from '../../diagnose/waiting/text.ts';
import { knownCommand } from '../../options/known-command.ts';
import { causes } from '../../record/causes.ts';
import { bearsOut, isElsewhere, RUN_ALONE } from '../../record/proof.ts';
import { SURENESS, surenessOf } from '../../record/sureness.ts';
import { doubtsAbout, placedOf, wordOf } from '../../record/touches.ts';
import type { ProofProbe, Result } from '../../record/types.js';
import { variableTexts } from '../calibration.ts';
import { commandHtml, knownSteps } from '../commands.ts';
import type { RunDoubt } from '../doubts.ts';
import { doubtWords, firstClause } from '../doubts.ts';
import { duration, moment, percent, plural, sentencesOf, tierTitle, tryWords } from '../format.ts';
import type { Html, Piece } from '../html.ts';
import { html } from '../html.ts';
import { overTime } from './over-time.ts';
import { badge, failureAnchor, proofOf, quotedLine } from './parts.ts';

export function verdictSection(result: Result) {
	const { heading, rest } = headline(result);
	const chart = overTime(result);
	return html`<section id="verdict" aria-label="Verdict">
<p class="run-line">${runLine(result)}</p>
${trust(result)}
<div class="verdict"><div>${heading}${sureness(result)}</div>${chart}</div>
${result.load_end && html`<p class="fine">${result.load_end.text}</p>`}
${result.interrupted && html`<p class="doubt">The load was interrupted. The page shows the measurements until then.</p>`}
<ul class="try">${keep(result)}${steps(result)}${rest}${proof(result)}${furtherSteps(result)}</ul>
</section>
`;
}

/** What stands, what does not, and why; a doubt that alone would make no run INVALID stands apart. */
function trust(result: Result) {
	const { word, sentence, gravest, others } = doubtWords(result);
	const [first, ...rest] = sentencesOf(sentence);
	const isLeftOut = result.validity.verdict === 'INVALID';
	const why = html`${reasons(gravest)}
${others.length > 0 && html`<p class="less">Minor doubts:</p>${reasons(others)}`}
${isLeftOut && html`<p class="less">Comparisons between runs do not use this run.</p>`}`;
	const shown = html`${badge(word)} <b>${first}</b> ${rest.join(' ')}`;
	return html`<aside class="trusted ${word.toLowerCase().replace(' ', '-')}"${isLeftOut && html` role="alert"`} aria-label="Trust">${gravest.length > 0 ? html`<details><summary>${shown} <span class="why">Why: ${whyText(gravest)}</span></summary><div id="doubts">${why}</div></details>` : shown}</aside>`;
}

/** The first reason; the others are behind it. */
const whyText = ([first, ...others]: RunDoubt[]) =>
	`${firstClause(first)}${others.length > 0 ? `, and ${plural(others.length, 'more reason')}` : ''}`;

const reasons = (doubts: RunDoubt[]) =>
	doubts.length > 0 && html`<ul class="reasons">${doubts.map(({ reason }) => html`<li>${reason}</li>`)}</ul>`;

/** Of two sentences, in characters: what failed, from when and under which load; where and why. The rest stands below, smaller. */
const HEADLINE_MOST = 240;
const UNEXPLAINED = /^No bottleneck named: no limit that Doubletake watches explains /;
/** What is not torn from its figure at the end of a line. */
const UNIT = /(?<=\d) (?=%|(?:ms|s|MiB|GiB)\b)/g;

/** Of the doubts that leave nothing standing, those that a reader can do something about. */
const FIRST_TO_SAY = ['lost-generator', 'incomplete'];

function headline(result: Result) {
	const { heading, rest } = measuredHeadline(result);
	if (wordOf(result.validity) !== 'INVALID') return { heading: html`<h1>${heading}</h1>`, rest };
	const { gravest } = doubtWords(result);
	const isFirst = ({ rule }: RunDoubt) => FIRST_TO_SAY.some((name) => rule.startsWith(name));
	const [first] = [...gravest.filter(isFirst), ...gravest];
	return {
		heading: html`<h1>This run says nothing about the system${first && `: ${first.reason.split(';')[0]}`}.</h1>`,
		rest: html`<li class="rest"><span class="label">Recorded, not to be trusted</span> ${heading}</li>${rest}`,
	};
}

function measuredHeadline(result: Result) {
	const { proof } = result;
	// What a proof came to stands below.
	const all = sentencesOf(
		result.headline
			.replace(proof?.sentence ?? '', '')
			.replace(RUN_ALONE, '')
			.trim(),
	).map((sentence) => sentence.replace(UNIT, '\u00a0'));
	const isCalm = result.metrics.failures === 0;
	// Where nothing failed, it is no news that nothing explains the rate; what is nearest to its limit is said.
	const sentences = all.filter((sentence) => !SURENESS.test(sentence) && !(isCalm && UNEXPLAINED.test(sentence)));
	const proved = proof && isElsewhere(proof) ? proofSentence(sentencesOf(proof.sentence)[0]) : null;
	// What of them is in doubt, the line above says by name.
	const marked = (some: string[]) => some.join(' ');
	const [what = '', where = '', ...others] =
		proved === null ? sentences : [sentences[0], proved, `${RUN_ALONE}${sentences[1] ?? ''}`, ...sentences.slice(2)];
	const room = HEADLINE_MOST - what.length;
	const isLong = where.length > room;
	const shown = isLong ? where.slice(0, Math.max(0, room)).replace(/\s+\S*$/, ' …') : where.replace(/;$/, '.');
	// Of several causes the others stand below, and a long one in full.
	const rest = isLong ? [where, ...others] : others;
	return {
		heading: marked([what, shown].filter(Boolean)),
		rest: rest.length > 0 && html`<li class="rest"><span class="label">${isLong ? 'In full' : 'Also'}</span> ${capital(marked(rest))}</li>`,
	};
}

/** How sure place and cause are. What a proof showed is surer than what the run did. */
function sureness(result: Result) {
	const { proof, ledger, metrics } = result;
	const known = surenessOf(ledger.failures, metrics.failures);
	if (known === null || wordOf(result.validity) === 'INVALID') return null;
	const change = provedChange(result);
	const isBorneOut = proof !== undefined && bearsOut(proof);
	const doubted = doubtsAbout(result.validity, ['timed-placements']);
	// Copies with a change and without it, made in turns, met the same machine.
	const { steady, moved } = placedOf(result);
	const isDoubted = doubted.length > 0 && !isBorneOut && moved > 0 && wordOf(result.validity) !== 'SUSPECT';
	const isAllDoubted = isDoubted && steady === 0;
	const byRecord = isAllDoubted ? 'in doubt: the doubts named above may explain these failures' : known.cause;
	const ofSome =
		isDoubted && !isAllDoubted
			? [html`The cause is <b>in doubt</b> for ${plural(moved, 'failure')}: the doubts named above may explain them.`]
			: [];
	const effect = change?.puts_off ? 'delays the failures' : 'ends the failures';
	const cause = isBorneOut ? `proved: the change below ${effect}` : byRecord;
	const ofRun =
		cause === known.place
			? [html`The named service and cause are ${graded(cause)}.`, ...ofSome]
			: [html`The named service is ${graded(known.place)}.`, html`The named cause is ${graded(cause)}.`, ...ofSome];
	const shown = proof && isElsewhere(proof) ? [] : ofRun;
	const ofProof = change && !isBorneOut && html`It is <b>proved</b> that the change below ${effect}. `;
	return html`<p class="sure"><span class="label">Diagnosis</span> ${ofProof}${shown.map((text) => html`${text} `)}<a href="#evidence">Evidence</a></p>`;
}

/** The grade before its reason. */
function graded(text: string) {
	const [, grade, rest] = /^([^:]*)(.*)$/s.exec(text.replace(UNIT, '\u00a0')) ?? [];
	return html`<b>${grade}</b>${rest}`;
}

function runLine(result: Result) {
	const { architecture, architecture_title, load, budget, started, duration_s } = result;
	const variables = variableTexts(result).map((text) => html` <b class="variable">${text}</b>`);
	const put =
		result.faults.length > 0 &&
		html`\u00a0<span class="sep">·</span> <a href="#faults">${result.faults.map(({ text }) => text).join(', ')}</a>`;
	return html`<b>${architecture}</b> ${architecture_title}${variables}\u00a0<span class="sep">·</span> load <b>${load}</b>${put}\u00a0<span class="sep">·</span> ${budget === 'none' ? 'no CPU budget' : html`CPU budget <b>${budget}</b>`}\u00a0<span class="sep">·</span> <time datetime="${started}">${moment(started)}</time>\u00a0<span class="sep">·</span> ${duration(duration_s)}`;
}

/** What would have kept the writes that are gone. */
const keep = ({ gone_writes: gone }: Result) => gone?.to_do.map((text) => html`<li><span class="label">Writes gone</span> ${text}</li>`);

const step: (label: string, content: Piece) => Html = (label, content) => html`<li><span class="label">${label}</span> ${content}</li>`;

/** What is to be done first; what helps against the cause of most failures, where that is something else. */
function steps(result: Result) {
	const remedy = remedyOf(result);
	const next = nextOf(result);
	return [
		html`<li class="next"><span class="label">Next</span> ${next ?? remedy ?? moreLoad(result)}</li>`,
		next !== null && remedy !== null && provedChange(result) === undefined && step('Remedy', remedy),
		result.proof && step('Proof', html`${proofSentence(result.proof.sentence)} <a href="#relief">All changes</a>`),
	];
}

/** Of a run in which nothing failed. */
function moreLoad({ command, bottleneck }: Result) {
	if (bottleneck?.tier === 'machine') return 'Lower the load, or take a larger machine: the machine itself was at its limit.';
	if (bottleneck)
		return `Raise the limit that ${bottleneck.service || `the ${tierTitle(bottleneck.tier)}`} reached, or lower the load to see where latency rises.`;
	const higher = command.replace(/(?<=\bLOAD=)calm\b/, 'ramp');
	const known = higher === command ? null : knownCommand(higher);
	return known === null
		? 'Raise the load: nothing failed, and a higher load shows what gives way first.'
		: html`Run ${commandHtml(known)}: nothing failed, and this higher load shows what gives way first.`;
}

/** A command is run, a line of a file is written; what has to be done before stands first. */
function instruction({ command, why }: { command: string; why: string }) {
	const [, again, first] = /^(again[^;]*)(?:; first (.+))?$/s.exec(why) ?? [];
	if (again) return html`${first ? `First ${first}. Then run` : 'Run'} <code class="command">${command}</code> ${again}.`;
	const verb = / in doubletake\.yaml$/.test(command) ? 'Set' : 'Run';
	return html`${verb} <code class="command">${command}</code>: ${/^(?:changes|relieves) /.test(why) && 'it '}${why.replace(UNIT, '\u00a0')}.`;
}

const advised = ({ try_next: advice }: Result) => knownSteps(advice);
/** Of those that are another command. */
const others = (result: Result) => advised(result).filter((one) => !isAgain(one, result));
/** Records of before do not mark it. */
const isAgain = ({ command, again }: Result['try_next'][number], result: Result) => again === true || command === result.command;

/** Whether doubts may have moved what the page says of the failures: then nothing else comes first. */
const isAgainFirst = (result: Result) =>
	result.validity.verdict === 'INVALID' &&
	advised(result)
		.slice(0, 1)
		.some((first) => isAgain(first, result));

/** One thing: the change that a proof found; of a run in doubt the same without the doubts; else the command that is advised first. */
function nextOf(result: Result) {
	const change = provedChange(result);
	// A kind of request whose absence ends the failures shows who disturbs, and is no change that can stay.
	if (change?.kind === 'without-kind') return html`${remedyOf(result)} With ${change.title}, the failures ended.`;
	if (change) return changeSentence(change);
	const [first] = isAgainFirst(result) ? advised(result) : others(result);
	return first ? instruction(first) : null;
}

const provedChange = ({ proof: of }: Result) => of?.probes.find(({ verdict }) => verdict === 'proved');

/** `cpus of proxy at 0.48 instead of 0.06`. */
const SETTING = /^(?<what>.+) at (?<to>.+?)(?: instead of (?<from>.+))?$/s;

/** What ended the failures, as something to do. */
function changeSentence({ title, line, kind, puts_off: putsOff }: ProofProbe) {
	const effect = putsOff ? 'It delays the failures, and does not end them for good.' : 'This change ended the failures.';
	const { what, to, from } = SETTING.exec(title)?.groups ?? {};
	const where = line !== '' && html` in <code>${line}</code>`;
	if (kind === 'two-of-it') return html`Run ${title}${where}. ${effect}`;
	if (what === undefined) return html`Make this change${where}: ${title}. ${effect}`;
	return html`Set ${what}${where} to <b>${to}</b>${from && html`; it is ${from} now`}. ${effect}`;
}

/** Its label says what it is. */
function proofSentence(text: string) {
	const rest = text.replace(/^Proved by relief: /, '').replace(UNIT, '\u00a0');
	return capital(rest);
}

/** What helps against the cause of most failures. */
function remedyOf(result: Result) {
	const [most] = result.ledger.failures;
	const change = provedChange(result);
	const isChanged = change !== undefined && change.kind !== 'without-kind';
	const text = most === undefined || isChanged ? null : causes[most.cause]?.remedy;
	const places = [...new Set(result.ledger.failures.filter(({ cause }) => cause === most?.cause).map(({ service }) => service))];
	return text ? html`${places.join(', ')}: ${text}` : null;
}

/** What is advised beside the first, and the same once more. */
function furtherSteps(result: Result) {
	const next = others(result);
	const again = advised(result).find((one) => isAgain(one, result));
	const isFirst = !provedChange(result) && !isAgainFirst(result);
	return [
		...next.slice(isFirst ? 1 : 0).map((one) => step(tryWords(one.once_valid), instruction(one))),
		(isFirst || provedChange(result)) && step('Same run again', html`${commandHtml(again?.command ?? result.command)} ${again?.why}`),
	];
}

/** What most failures rest on; of a log line, of which of them where there are others. */
function proof(result: Result) {
	const { items, of } = proofOf(result);
	const [first] = items;
	if (first === undefined) return null;
	const rest = html`<a href="#${failureAnchor(of)}">All evidence</a>`;
	if (first.kind === 'log') {
		const most = result.ledger.failures[of];
		const ofSome = most.share < 1 && ` It stands for ${percent(most.share)} of the failures: ${most.cause_title}.`;
		return html`<li id="proof"><span class="label">Log</span> <code>${first.line}</code> ${plural(first.count, 'line')} in the ${first.source}${hiddenByDefault(first.line) && ', which its default level hides'}.${ofSome} ${rest}</li>`;
	}
	const { service } = result.ledger.failures[of];
	return items.map((item, index) => {
		if (item.kind !== 'reading') return null;
		const line = quotedLine(item.text, service);
		const text = line ? html`${line.of} logged this ${withoutCalm(line.often)}: <code>${line.line}</code>` : withoutCalm(item.text);
		return html`<li${index === 0 && html` id="proof"`}><span class="label">${line ? 'Log' : 'Evidence'}</span> ${text}${index === items.length - 1 && html` ${rest}`}</li>`;
	});
}

/** The evidence below explains its own word. */
const withoutCalm = (text: string) => text.replaceAll('calm seconds', 'seconds without a failing request');

/** What begins with its level in brackets is logged from level error on unless told otherwise. */
const hiddenByDefault = (line: string) => /^\[(debug|info|notice|warn)\]/.test(line);
