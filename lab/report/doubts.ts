/** What of a run is in doubt and what stands, in words, and the mark that stands beside each figure that a doubt can move. */

import { grouped, inWords } from '../base/values.ts';
import type { StatementKind } from '../record/touches.ts';
import { ALL_STATEMENTS, doubtsAbout, placedOf, STATEMENTS, statementsIn, statementsOf, wordOf } from '../record/touches.ts';
import type { Result, RunDoubt } from '../record/types.js';
import { plural } from './format.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';

export type { StatementKind, RunDoubt };

/** What is no news beside something else that is in doubt: times by hop beside latencies. */
const IMPLIED: [StatementKind, StatementKind][] = [
	['hop-times', 'latencies'],
	['resources', 'rates'],
	['completions', 'rates'],
	['timed-placements', 'placements'],
];
/** Of all that stands, what is named: the rest is as good. */
const NAMED: StatementKind[] = ['counts', 'placements'];

/**
 * What a reader is told of a run that is not VALID.
 * @returns sentence: what is in doubt, and behind
 * it what stands; gravest: for which its figures decide nothing, or all where none does
 */
export function doubtWords(result: Result): { word: ReturnType<typeof wordOf>; sentence: string; gravest: RunDoubt[]; others: RunDoubt[] } {
	const { validity } = result;
	const word = wordOf(validity);
	const invalid = validity.doubts.filter(({ grade }) => grade === 'INVALID');
	const gravest = invalid.length > 0 ? invalid : validity.doubts;
	const others = validity.doubts.filter((doubt) => !gravest.includes(doubt));
	return { word, sentence: sentenceOf(result, word, gravest), gravest, others };
}

function sentenceOf(result: Result, word: ReturnType<typeof wordOf>, gravest: RunDoubt[]): string {
	if (word === 'VALID') return 'You can trust all measured figures: no doubt was found.';
	if (word === 'INVALID') return 'Trust nothing here: this run says nothing about the system.';
	const moved = new Set(gravest.flatMap(({ touches }) => touches));
	const kinds = statementsIn(result, ALL_STATEMENTS);
	if (kinds.every((kind) => moved.has(kind))) return doubtedText(word, ['every figure', 'the service and cause of every failure']);
	const doubted = kinds.filter((kind) => moved.has(kind) && !IMPLIED.some(([one, by]) => one === kind && moved.has(by)));
	const standing = kinds.filter(
		(kind) => !moved.has(kind) && (NAMED.includes(kind) || (kind === 'writes' && (result.gone_writes?.count ?? 0) > 0)),
	);
	const { steady, moved: unsteady } = placedOf(result);
	// Of those that a lack of time may have made, why they failed is in doubt.
	const isPartly = moved.has('timed-placements') && unsteady > 0;
	const namesOf = (kind: StatementKind) => {
		if (kind === 'counts') return ['counts', 'status codes'];
		if (kind === 'timed-placements') return [`the cause of ${plural(unsteady, steady > 0 ? 'other failure' : 'failure')}`];
		if (kind !== 'placements') return [STATEMENTS[kind]];
		if (!isPartly) return ['the service and cause of each failure'];
		return ['the service of each failure', ...(steady > 0 ? [`the cause of ${plural(steady, 'failure')}`] : [])];
	};
	const stands = standing.flatMap(namesOf);
	const first = doubted.length === 0 ? 'No figure here is in doubt.' : doubtedText(word, doubted.flatMap(namesOf));
	return stands.length === 0 ? first : `You can trust ${inWords(stands)}. ${first}`;
}

/** Of a small doubt a reader is warned alone. */
const doubtedText = (word: ReturnType<typeof wordOf>, names: string[]) =>
	word === 'SUSPECT' ? `Take ${inWords(names)} with care.` : `Do not trust ${inWords(names)}.`;

/** Words of a reason beside a figure: all of it stands at the top of the page. */
const REASON_WORDS_MOST = 9;

/** Of its reason, without what was measured beside what. */
export const firstClause = ({ reason }: RunDoubt) => reason.split(/[;:(]/)[0].trim();

/** Of each figure the same few words. */
function shortReasons(doubts: RunDoubt[]): string {
	const words = firstClause(doubts[0]).split(/\s+/);
	const shown = words.length > REASON_WORDS_MOST ? `${words.slice(0, REASON_WORDS_MOST).join(' ')} …` : words.join(' ');
	return `In doubt: ${shown}.${doubts.length > 1 ? ` ${plural(doubts.length - 1, 'more reason')} at the top.` : ''}`;
}

/**
 * A mark beside a figure or a sentence that a doubt can move, with why; to those who do not see it too.
 * @param kinds of what it stands beside
 * @param of the run's validity, or a stage's
 * @returns null where nothing can move it
 */
export function doubtMark(result: Result, kinds: StatementKind[], of: { doubts: RunDoubt[] } = result.validity): Html | null {
	const doubts = doubtsAbout(of, statementsIn(result, kinds));
	if (doubts.length === 0) return null;
	const text = shortReasons(doubts);
	return html` <a class="in-doubt" href="#doubts" title="${text}"><span aria-hidden="true">in doubt</span><span class="hidden">${text}</span></a>`;
}

/** The same beside the figure of a metric. */
export const metricMark: (result: Result, metric: string) => ReturnType<typeof doubtMark> = (result, metric) =>
	doubtMark(result, statementsOf(metric));

/** `a-lb, 2a: 8 of 8 runs SUSPECT: ...`. Arms that are in doubt in the same words are named together; others are left out. */
export function armDoubts(arms: { id: string; doubt: { text: string } | null }[]): string[] {
	const alike = grouped(
		arms.flatMap(({ id, doubt }) => (doubt ? [{ id, text: doubt.text }] : [])),
		({ text }) => text,
	);
	return [...alike].map(([text, own]) => `${own.map(({ id }) => id).join(', ')}: ${text}`);
}

/** A sentence for a verdict's end; empty without doubts. */
export const armDoubtSentence = (doubts: string[]) => (doubts.length === 0 ? '' : `In doubt: ${doubts.join('; ')}.`);
