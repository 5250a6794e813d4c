/**
 * How what services say is read: the messages of their logs, the phrases that are known, and the codes of their errors. The engine is handed
 * these and knows no product's words.
 */

import { grouped } from '../base/values.ts';
import type { LogWords, State } from '../diagnose/waiting/logs.ts';
import { isBare } from './bare-lines.ts';
import { codeCause, codeMeaning } from './codes.ts';
import { type Phrase, phrases } from './hop-counts.ts';
import { messagesIn } from './log-messages.ts';
import { uncaughtIn } from './phrases/uncaught.ts';

/** Each with its place in the table. */
const byWord = grouped(
	phrases.map((phrase, place) => ({ phrase, place })),
	({ phrase: { word } }) => word,
);

const WORD = /[a-z_]{4,}/g;

/**
 * Few lines have a word of any phrase.
 * @param text with its figures masked
 */
function phraseIn(text: string): Phrase | null {
	let found = null;
	for (const word of text.toLowerCase().match(WORD) ?? [])
		for (const row of byWord.get(word) ?? []) if ((found === null || row.place < found.place) && row.phrase.pattern.test(text)) found = row;
	return found?.phrase ?? null;
}

/** What a service says once, and what is so until it says that it is over, before the load too. */
function statesIn(log: string): State[] {
	const lasting = phrases.filter(({ lasts, word }) => lasts && new RegExp(word, 'i').test(log));
	const states: State[] = [];
	for (const { t, text } of lasting.length === 0 ? [] : messagesIn(log, () => true))
		for (const phrase of lasting) {
			const open = states.find((one) => one.phrase === phrase && one.to === Number.POSITIVE_INFINITY);
			if (open === undefined && phrase.pattern.test(text)) states.push({ phrase, text, from: t, to: Number.POSITIVE_INFINITY });
			else if (open && phrase.ends?.test(text)) open.to = t;
		}
	return states;
}

export const logWords: LogWords = Object.freeze({ messagesIn, phraseIn, isBare, statesIn, uncaughtIn, codeMeaning, codeCause });
