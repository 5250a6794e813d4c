/**
 * What the lab knows to be secret, and texts without it. One set for the process, filled where values are met (the environment of services,
 * secrets of Compose, headers of the load) and asked wherever something is kept or printed: who writes need not know what is secret in it.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finderOf } from './secret-forms.ts';
import { sourcesIn } from './sources.ts';

/** In place of a value. It has no character that JSON, HTML, a URL or a shell's word would have to escape. */
const MARK = '*secret*';
/** A shorter one stands in words, ids and figures by chance: a record has millions of places where five characters may stand. */
const LEAST = 6;
/** A longer one is looked for in pieces: of a whole file the pattern would be too large. */
const PIECE = 48;
/** Of a value of several lines. */
const MOST = 65_536;
/** Of a system with more, such as one whose secret is a long list, the first ones. */
const VALUES_MOST = 2000;
/** A number that is not very long, a date, an address of the network: records are made of these. */
const FIGURE = /^(?!\d{12,}$)[\d\s.,:;/+-]+(?:ms|s|m|h|[kmg]i?b?)?$/i;
/** Where something is, and not who may come in. */
const PLACE = /^(?:~?\.{0,2}\/[\w.@-]+(?:\/[\w.@-]+)*\/?|[a-z][a-z\d+.-]*:\/\/[^\s@]*|[a-z][\w.-]*:\d{1,5}(?:\/\S*)?)$/i;
const QUERY_OR_TOKEN = /[?&][^=\s]+=|\/[A-Za-z0-9_-]{16,}/;
/** Said of settings, and of many things besides. */
const WORDS =
	'true false none null undefined default enabled disabled optional required localhost production development staging testing example'.split(
		' ',
	);
/** Of the lab: what its records, messages and rules are written in stands there. */
const OWN_SOURCES = ['lab', 'k6'];

let sources: string | null = null;
const looked: Map<string, boolean> = new Map();
/** Of the lab's words none is longer. */
const WORD_MOST = 40;
/** @param value in small letters */
function isOwnWord(value: string) {
	if (value.length > WORD_MOST) return false;
	const known = looked.get(value) ?? isInSources(value);
	looked.set(value, known);
	return known;
}

function isInSources(value: string) {
	sources ??= OWN_SOURCES.map((name) => fileURLToPath(new URL(`../../${name}`, import.meta.url)))
		.filter((folder) => existsSync(folder))
		.flatMap((folder) => sourcesIn(folder).map((file) => readFileSync(join(folder, file), 'latin1').toLowerCase()))
		.join('\n');
	return sources.includes(value);
}

class Secrets {
	#values: Set<string> = new Set();
	/** In small letters. */
	#names: Set<string> = new Set();
	#find: ReturnType<typeof finderOf> | null = null;

	/** Whether there is nothing to be taken out of anything. */
	get isEmpty() {
		return this.#values.size === 0;
	}

	/** @param most that there are then */
	learn(values: Iterable<string>, most: number = VALUES_MOST) {
		for (const value of values) {
			for (const one of partsOf(value)) {
				if (this.#values.size >= most || this.#values.has(one)) continue;
				this.#values.add(one);
				this.#find = null;
			}
		}
	}

	/** What services, images and hosts are called is no secret, even where a password is the same. */
	exempt(names: Iterable<string>) {
		for (const name of names) {
			if (this.#names.has(name.toLowerCase())) continue;
			this.#names.add(name.toLowerCase());
			this.#find = null;
		}
	}

	/** Whether it would be taken out of a text. */
	hides(value: string) {
		return this.couldHide(value) && ![...this.#names].some((name) => name.includes(value.toLowerCase()));
	}

	/** The same if nothing were called so. */
	couldHide(value: string) {
		return value.length >= LEAST && isTelling(value) && !isOwnWord(value.toLowerCase());
	}

	/** @returns with MARK in the place of each value, in whatever form; as many lines as before */
	without(text: string): string {
		if (this.#values.size === 0 || text.length < LEAST) return text;
		this.#find ??= finderOf([...this.#values].filter((value) => this.hides(value)));
		const found = this.#find(text);
		if (found.length === 0) return text;
		const parts: string[] = [];
		let at = 0;
		for (const [from, to] of found) {
			// Pieces of one value stand beside each other.
			const mark = from === at && at > 0 ? '' : MARK;
			parts.push(text.slice(at, from), mark, text.slice(from, to).replace(/[^\n]+/g, ''));
			at = to;
		}
		return `${parts.join('')}${text.slice(at)}`;
	}
}

/** Of this process. */
export const secrets = new Secrets();

/** A value as a whole, and each line of one that has several. */
function partsOf(value: string): string[] {
	const whole = value.trim().slice(0, MOST);
	const lines = whole.split(/\r?\n/).map((line) => line.trim());
	const parts = lines.length === 1 || whole.length <= PIECE ? [whole, ...lines] : lines;
	return parts.filter((one) => one.length >= LEAST).flatMap(piecesOf);
}

/** They overlap at the end of it. */
function piecesOf(value: string): string[] {
	const characters = [...value];
	if (characters.length <= PIECE) return [value];
	const count = Math.ceil(characters.length / PIECE);
	return Array.from({ length: count }, (_, index) => {
		const from = Math.min(index * PIECE, characters.length - PIECE);
		return characters.slice(from, from + PIECE).join('');
	});
}

/** Whether it says so much that it stands nowhere by chance. */
function isTelling(value: string) {
	if (value.length < LEAST || FIGURE.test(value) || WORDS.includes(value.toLowerCase())) return false;
	if (new Set(value).size < 3) return false;
	return !PLACE.test(value) || QUERY_OR_TOKEN.test(value);
}
