/**
 * The templates of a record, each written once. A word of a path may be a name of somebody (`/users/alice`), which no pattern tells from
 * one of the program's (`/users/search`); their number does: where many words follow one beginning, they are values.
 */

import { secrets } from '../base/secrets.ts';

/** Routes of a program that follow one beginning are fewer, as a rule; names of users, products and files are more. */
const WORDS_MOST = 40;
/** A record with more has values in its templates all the same, and they are worth nothing. */
const TEMPLATES_MOST = 20_000;
const WORD = ':word';
/** In place of those that are too many. */
const REST = '…';

export class TemplateBook {
	#numbers: Map<string, number> = new Map();

	/** @returns by which it is found in `texts` */
	numberOf(template: string): number {
		const known = this.#numbers.get(template);
		if (known !== undefined) return known;
		if (this.#numbers.size >= TEMPLATES_MOST) return TEMPLATES_MOST;
		const number = this.#numbers.size;
		this.#numbers.set(template, number);
		return number;
	}

	/**
	 * When all are known.
	 * @returns by their numbers
	 */
	texts(): string[] {
		const paths = [...this.#numbers.keys()].map((template) => (template.startsWith('/') ? template.split('/') : null));
		const longest = paths.reduce((most, path) => Math.max(most, path?.length ?? 0), 0);
		for (let place = 1; place < longest; place += 1) maskAt(place, paths);
		const texts = [...this.#numbers.keys()].map((template, index) => paths[index]?.join('/') ?? template);
		const kept = texts.map((text) => secrets.without(text));
		return texts.length < TEMPLATES_MOST ? kept : [...kept, REST];
	}
}

/**
 * @param place of a path's parts
 * @param paths are changed
 */
function maskAt(place: number, paths: (string[] | null)[]) {
	const words: Map<string, Set<string>> = new Map();
	const here = paths.filter((path) => path !== null).filter((path) => path.length > place && isWord(path[place]));
	const beginningOf = (path: string[]) => path.slice(0, place).join('/');
	for (const path of here) {
		const beginning = beginningOf(path);
		words.set(beginning, (words.get(beginning) ?? new Set()).add(path[place]));
	}
	const many = new Set([...words].filter(([, found]) => found.size > WORDS_MOST).map(([beginning]) => beginning));
	for (const path of here) if (many.has(beginningOf(path))) path[place] = WORD;
}

const isWord = (part: string) => part !== '' && !part.startsWith(':');
