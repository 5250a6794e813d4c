/**
 * The logs of services as templates: how often each was written, and when. Read where a finding asks for them, and bounded: lines, templates,
 * passes. Pure.
 */

import type { Phrase } from '../../adapters/hop-counts.ts';
import type { Mechanism } from '../../record/causes.ts';
import type { Raw } from '../read-raw.ts';
import { MASK, mask, maskedFigures, SHORT, shownTemplate, TEXT_MOST, VARYING } from './template.ts';

/** how what services say is read, by those who know what products write */
export type LogWords = {
	/** isAsked: of whole seconds */
	messagesIn: (log: string, isAsked: (t: number) => boolean) => Iterable<{ t: number; text: string }>;
	/** text: with its figures masked */
	phraseIn: (text: string) => Phrase | null;
	/** text: with its figures masked; whether it says that something failed, or where, and not why */
	isBare: (text: string) => boolean;
	statesIn: (log: string) => State[];
	/** text: as it is shown; whether with it a runtime begins to tell of an error that nobody caught. isHead: it says where, and the next line what */
	uncaughtIn: (text: string) => { isHead?: boolean } | null;
	/** of an error */
	codeMeaning: (protocol: string, code: string) => string | null;
	/** that it says by itself */
	codeCause: (protocol: string, code: string) => Mechanism | null;
};

/**
 * what was said once and held until then; to: infinite where nothing
 *  says that it is over
 */
export type State = { phrase: Phrase; text: string; quote?: string; from: number; to: number };

export type Template = {
	/** with its figures masked, as templates are told apart */
	text: string;
	/** the same with the short figures that all of its lines have; `withoutMasks` makes of it what is shown */
	quote: string;
	/** a known one that it has */
	phrase: Phrase | null;
	/** what was thrown, with its message, as far as it goes; null of other lines */
	thrown: string | null;
	/** it says that something failed, or where, and not why */
	isBare: boolean;
	/** seconds since 1970, in their order */
	times: number[];
};

export type ServiceLog = {
	templates: Template[];
	/** text: as it is shown */
	states: State[];
	/** whether lines of that moment were read */
	isRead: (t: number) => boolean;
	/** of the seconds of the load, one in so many was read */
	part: number;
};
/** In a single line a longer one may be somebody's. */
const IN_ONE_LINE = /^\d{1,3}(?:\.|$)/;
/** Each stands for one of them until it is known which are the same in all lines; the last for any other that is masked. */
const [FIRST_MARK, LAST_MARK, OTHER_MARK] = [0xe000, 0xe0ff, '\uf8ff'];
const MARKS = /[\ue000-\ue0ff]/g;
const ANY_MARKS = /[\ue000-\ue0ff\uf8ff]/g;
/** `7#7`: none of them tells anything alone. */
const MARKS_IN_A_ROW = /[\ue000-\ue0ff\uf8ff#]{2,}/g;
/** What a reader sees in place of what is masked. */
const SOME_FIGURE = 'n';
/** At its beginning, also behind its level: it tells nothing there. */
const MASKED_BEFORE =
	/^(\[\w+\]:?\s+|(?:error|err|warn|warning|info|notice|fatal|critical|crit|severe)\b:?\s+)?(?:[[(<*]?#[\])>]?[:,|-]*\s+)+(?=\S)/i;

/** @param quote of a template, or a part of it */
export const withoutMasks = (quote: string) => quote.replace(MASKED_BEFORE, '$1').replaceAll(MASK, SOME_FIGURE);

/**
 * A line as it is shown, with a mark for each of its short figures.
 * @param shown the same with all of them masked
 * @returns null where it is not the same line but for them
 */
function markedLine(text: string, shown: string, known?: RegExp): string | null {
	let at = FIRST_MARK;
	const marked = text
		.slice(0, TEXT_MOST)
		.replace(ANY_MARKS, '')
		.replace(VARYING, (value) => {
			const figure = SHORT.exec(value)?.[1];
			if (figure === undefined) return mask(value).replaceAll(MASK, OTHER_MARK);
			const mark = at > LAST_MARK ? OTHER_MARK : String.fromCharCode(at);
			at += 1;
			return value.replace(figure, mark);
		});
	const found = shownTemplate(marked.replace(MARKS_IN_A_ROW, OTHER_MARK).replace(/\s+/g, ' ').trim(), known);
	return found.replace(ANY_MARKS, MASK) === shown ? found : null;
}

/** @param figures by their marks; null: not the same in all lines */
const withFigures = (marked: string, figures: (string | null)[], lines: number) =>
	marked
		.replace(MARKS, (mark) => {
			const figure = figures[mark.charCodeAt(0) - FIRST_MARK] ?? MASK;
			return lines > 1 || IN_ONE_LINE.test(figure) ? figure : MASK;
		})
		.replaceAll(OTHER_MARK, MASK)
		.replace(/#{2,}/g, MASK);

/** A single line. */
function quoteOf(text: string, shown: string, known?: RegExp) {
	const figures: string[] = [];
	maskedFigures(text, figures);
	const marked = markedLine(text, shown, known);
	return marked === null ? shown : withFigures(marked, figures, 1);
}

/** What was thrown, with its message. */
export const THROWN = /(?:^|[\s(])[\w$.\\:]*(?:Error|Exception)\b: \S/;

/** @param masked by `maskedFigures` */
function thrownIn(masked: string) {
	const found = THROWN.exec(masked);
	return found === null ? null : masked.slice(found.index).replace(/^[\s(]/, '');
}

/** Below it a service is watched as a container alone (lab/adapters/contract.ts). */
const LEVEL_LEAST = 1;
/** Lines with words of one service. More take more time than an analysis should: then fewer seconds of the load are read. */
const LINES_MOST = 60_000;
/** Of one service at a time. The rarest are given up first: what is written for failures is frequent, or known. */
const TEMPLATES_MOST = 2_000;
/** Seconds that are read, or left out, together: a failure and its line are seldom in two. */
const TOGETHER_S = 4;
const PASSES_MOST = 4;

/**
 * @param span that is asked for
 * @returns null where its log is not on record, or not to be read
 */
export function logsOf(
	{ adapted, beside = [] }: Pick<Raw, 'adapted' | 'beside'>,
	words: LogWords,
	span: { from: number; to: number },
): (service: string) => ServiceLog | null {
	const read: Map<string, ServiceLog | null> = new Map();
	return (service) => {
		const known = read.get(service);
		if (known !== undefined) return known;
		const log = [...adapted, ...beside].find((one) => one.service === service && one.level >= LEVEL_LEAST)?.files.log ?? '';
		const found = log === '' ? null : readLog(log, words, span);
		read.set(service, found);
		return found;
	};
}

function readLog(log: string, words: LogWords, span: { from: number; to: number }): ServiceLog {
	const states = words.statesIn(log).map((state) => {
		const { pattern } = state.phrase;
		const text = shownTemplate(maskedFigures(state.text), pattern);
		return { ...state, text, quote: quoteOf(state.text, text, pattern) };
	});
	let part = 1;
	for (let pass = 1; ; pass += 1) {
		const isRead = partOf(part, span);
		const { templates, until } = templatesIn(log, words, isRead);
		if (until === null) return { templates, states, isRead, part };
		// What was read of it tells how much of it may be read.
		const enough = Math.ceil((span.to - span.from) / Math.max(until - span.from, 1));
		if (pass === PASSES_MOST) return { templates, states, isRead: (t) => t < until && isRead(t), part: part * enough };
		part *= Math.max(2, enough);
	}
}

const partOf =
	(part: number, { from, to }: { from: number; to: number }): ((t: number) => boolean) =>
	(t) =>
		t >= Math.floor(from) && t <= to && Math.floor((t - Math.floor(from)) / TOGETHER_S) % part === 0;

/** @returns until: null where all was read */
function templatesIn(
	log: string,
	{ messagesIn, phraseIn, isBare }: LogWords,
	isRead: (t: number) => boolean,
): { templates: Template[]; until: number | null } {
	const byText: Map<string, Gathered> = new Map();
	/** Different lines of one phrase are one. */
	const byPhrase: Map<Phrase, Gathered> = new Map();
	let count = 0;
	for (const { t, text } of messagesIn(log, isRead)) {
		if (count === LINES_MOST) return { templates: all(byText, byPhrase), until: t };
		count += 1;
		const figures: (string | null)[] = [];
		const key = maskedFigures(text, figures as string[]);
		let template = byText.get(key);
		if (template === undefined) {
			const phrase = phraseIn(key);
			const shown = shownTemplate(key, phrase?.pattern);
			template = (phrase && byPhrase.get(phrase)) ?? {
				text: shown,
				quote: '',
				key,
				marked: markedLine(text, shown, phrase?.pattern),
				figures,
				phrase,
				thrown: thrownIn(key),
				isBare: phrase === null && isBare(key),
				times: [],
			};
			if (phrase) byPhrase.set(phrase, template);
			if (byText.size >= TEMPLATES_MOST) giveUpRarest(byText);
			byText.set(key, template);
		}
		if (template.key !== key) template.figures.fill(null);
		else for (const [index, figure] of figures.entries()) if (template.figures[index] !== figure) template.figures[index] = null;
		template.times.push(t);
	}
	return { templates: all(byText, byPhrase), until: null };
}

/** key: of its first line; figures: of it, null where they are others in another line */
type Gathered = Template & { key: string; marked: string | null; figures: (string | null)[] };

function all(byText: Map<string, Gathered>, byPhrase: Map<Phrase, Gathered>): Template[] {
	const templates = [...new Set([...byPhrase.values(), ...byText.values()])];
	return templates.map(({ key: _, marked, figures, ...template }) => {
		template.times.sort((one, other) => one - other);
		return { ...template, quote: marked === null ? template.text : withFigures(marked, figures, template.times.length) };
	});
}

/** At least half of them at a time, so that each line costs the same. */
function giveUpRarest(byText: Map<string, Gathered>) {
	const enough = byText.size / 2;
	for (let rare = 1; byText.size > enough; rare *= 2)
		for (const [key, { times, phrase }] of byText) if (phrase !== null || times.length <= rare) byText.delete(key);
}
