/**
 * The table of phrases: what products and runtimes write into their logs when a cause that is known has come about.
 *
 * @typedef {import('./phrases/phrase.js').Phrase} Phrase
 */
import { pools } from './phrases/pools.js';
import { proxies } from './phrases/proxies.js';
import { runtimes } from './phrases/runtimes.js';
import { servers } from './phrases/servers.js';
import { stores } from './phrases/stores.js';

/** First match wins: what names its product before what any program says. @type {Phrase[]} */
export const phrases = [...pools, ...servers, ...stores, ...proxies, ...runtimes];

/** Each with its place in the table. @type {Map<string, { phrase: Phrase, place: number }[]>} */
const byWord = new Map();
for (const [place, phrase] of phrases.entries()) byWord.set(phrase.word, [...(byWord.get(phrase.word) ?? []), { phrase, place }]);

const WORD = /[a-z_]{4,}/g;

/** Few lines have a word of any phrase. @param {string} text with its figures masked @returns {Phrase | null} */
export function phraseIn(text) {
  let found = null;
  for (const word of text.toLowerCase().match(WORD) ?? [])
    for (const row of byWord.get(word) ?? []) if ((found === null || row.place < found.place) && row.phrase.pattern.test(text)) found = row;
  return found?.phrase ?? null;
}
