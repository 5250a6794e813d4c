/**
 * Lines of a log without what varies from one to the next or is a user's: figures, times, ids, addresses, paths, values. What stays are the
 * words of the program. Each mask is bounded and begins where a word does, so that the time is linear in the line.
 */

import { HANDED_ON, OF_SYSTEM } from '../../base/values.ts';

/** More of a line says no more. */
export const TEXT_MOST = 1_000;
const SHOWN_MOST = 160;
export const MASK = '#';
const HIDDEN = '…';

/** First match wins, from left to right. */
export const VARYING = new RegExp(
	[
		String.raw`(?<![\w.+-])[\w.+-]+@[\w.-]+`, // a mail address
		String.raw`:\/\/[^\s"'<>]+`, // an address, behind its scheme
		String.raw`"[A-Z]{3,9} (?:\/|\*|[a-z]+:\/\/)[^"]*"`, // a request line
		String.raw`(?<![\w\/.#)\]])\/[^\s"'<>(),;:\]]+`, // a path
		String.raw`(?<=\w)=(?:\([^)]{0,200}\)|"[^"]{0,200}"|'[^']{0,200}'|[^\s,;)\]}"'(]+)`, // a value, behind its key
		String.raw`(?<![\w-])[\w-]{8,}(?![\w-])`, // an id, or a long word
		String.raw`\d+(?:[.,:]\d+)*`, // a figure, a time, an address
	].join('|'),
	'g',
);
/** A hexadecimal number, and a long mixture of letters and figures. */
const HEXADECIMAL = /^(?:0x)?(?=[a-f-]*\d)[\da-f-]+$/i;
const MIXED_LENGTH = 16;
const MIXED_FIGURES = 2;
const FIGURES = /0x[\da-f]+|\d+/gi;

/** Values in quotes; an apostrophe is none. */
const QUOTED = /"[^"]*"|(?<!\w)'[^']*'(?!\w)|`[^`]*`/g;

/**
 * Its words, with what is quoted in them.
 * @param text a line, without its time
 */
export const maskedFigures = (text: string, figures: string[] = []) =>
	text
		.slice(0, TEXT_MOST)
		.replace(VARYING, (value) => {
			const figure = SHORT.exec(value)?.[1];
			if (figure !== undefined) figures.push(figure);
			return mask(value);
		})
		.replace(/#{2,}/g, MASK)
		.replace(/\s+/g, ' ')
		.trim();

/** A count, a status, a port, a time-out. It may stand behind its key. */
export const SHORT = /^=?(\d{1,5}(?:\.\d{1,3})?)$/;

export function mask(value: string) {
	if (value.startsWith('://')) return `://${MASK}`;
	if (value.startsWith('"')) return `"${MASK}"`;
	if (value.startsWith('/')) return `/${MASK}`;
	if (value.startsWith('=')) return `=${MASK}`;
	return value.includes('@') || HEXADECIMAL.test(value) || isMixed(value)
		? MASK
		: value.replace(/^\d[\d.,:]*$/, MASK).replace(FIGURES, MASK);
}

const isMixed = (value: string) =>
	value.length >= MIXED_LENGTH && /[a-z]/i.test(value) && (value.match(/\d+/g)?.length ?? 0) >= MIXED_FIGURES;

const maskedQuotes = (text: string, isKept: (quoted: string) => boolean = () => false): string =>
	text.replace(QUOTED, (quoted, at) => {
		if (isKept(quoted) || OF_SYSTEM.test(quoted.slice(1, -1))) return quoted;
		const isHandedOn = HANDED_ON.test(text.slice(Math.max(0, at - HANDING_READ), at));
		return quoted[0] + (isHandedOn ? maskedQuotes(quoted.slice(1, -1)) : HIDDEN) + quoted[0];
	});
/** Words before a quote. */
const HANDING_READ = 40;

/**
 * As it is shown: without what is quoted, but for the words of a known phrase.
 * @param masked by `maskedFigures`
 */
export function shownTemplate(masked: string, known?: RegExp) {
	const found = known?.exec(masked);
	if (!known || !found) return cut(maskedQuotes(masked));
	// Of what the phrase itself quotes, its own words.
	const phrase = maskedQuotes(found[0], (quoted) => known.source.includes(quoted.slice(1, -1)));
	const [before, after] = [masked.slice(0, found.index), masked.slice(found.index + found[0].length)];
	const quoted = maskedQuotes(before);
	// A quote that is open where the phrase begins hides what stands in it before.
	const isOpen = quoted.split('"').length % 2 === 0;
	const words = isOpen ? `${quoted.slice(0, quoted.lastIndexOf('"') + 1)}${HIDDEN}` : quoted;
	const start = words.length + phrase.length > SHOWN_MOST ? HIDDEN : words;
	return cut(`${start}${phrase}${maskedQuotes(after)}`);
}

const cut = (text: string) => (text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST - 1)}${HIDDEN}` : text);
