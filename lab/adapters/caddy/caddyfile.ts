/**
 * Reads a Caddyfile as far as the lab must know it: the lines of its blocks at the top, and what stands in each.
 * https://caddyserver.com/docs/caddyfile/concepts#structure
 */

import type { Block } from './config.ts';

type Caddyfile = {
	lines: string[];
	blocks: Block[];
	/** index of the last line of addresses, where the file is one site without braces */
	bare: number | null;
	/** of that site */
	directives: string[];
};

/** Stands for the mark that an earlier line has begun, so that it is taken for no directive. */
const CONTINUED = '"';

export function readCaddyfile(text: string): Caddyfile {
	const lines = text.split('\n');
	const words = wordsByLine(lines);
	const blocks = blocksOf(words);
	const inBlock = (index: number) => blocks.some(({ first, last }) => index >= first && index <= last);
	// The first line at the top that opens no block: addresses, and the rest of the file is what they are for.
	const at = words.findIndex((own, index) => own.length > 0 && !inBlock(index) && own[0] !== 'import' && own.at(-1) !== '{');
	if (at < 0) return { lines, blocks, bare: null, directives: [] };
	const bare = lastOfAddresses(words, at);
	// Addresses over several lines may lead to a block, whose first line has the last of them.
	if (inBlock(bare)) return { lines, blocks, bare: null, directives: [] };
	const before = blocks.filter(({ last }) => last < at);
	return { lines, blocks: before, bare, directives: directivesIn(words, bare + 1, words.length) };
}

/**
 * Addresses go on in the next line after a comma.
 * @returns index of their last line
 */
function lastOfAddresses(words: string[][], from: number): number {
	let at = from;
	while (at + 1 < words.length && (words[at].length === 0 || words[at].at(-1)?.endsWith(',') === true)) at += 1;
	return at;
}

/**
 * @param words by line
 * @returns at the top, in their order
 */
function blocksOf(words: string[][]): Block[] {
	const blocks: Block[] = [];
	let depth = 0;
	let first = 0;
	for (const [index, own] of words.entries()) {
		if (own[0] === '}') {
			depth -= 1;
			if (depth === 0) blocks.push(blockOf(words, first, index));
		} else if (own.at(-1) === '{') {
			if (depth === 0) first = index;
			depth += 1;
		}
	}
	return blocks;
}

function blockOf(words: string[][], first: number, last: number): Block {
	const name = words[first].slice(0, -1).join(' ');
	const kind = name === '' ? 'options' : /^&?\(/.test(name) ? 'snippet' : 'site';
	return { kind, name, first, last, directives: directivesIn(words, first + 1, last) };
}

function directivesIn(words: string[][], from: number, to: number): string[] {
	const found = [];
	let depth = 0;
	for (const own of words.slice(from, to)) {
		if (own[0] === '}') depth -= 1;
		else if (depth === 0 && own.length > 0 && own[0] !== CONTINUED) found.push(own[0]);
		if (own[0] !== '}' && own.at(-1) === '{') depth += 1;
	}
	return found;
}

/** The words of each line. A word in quotes may go on over several lines, and so may a heredoc: what lies within has none of its own. */
function wordsByLine(lines: string[]): string[][] {
	let quote = '';
	let heredoc = '';
	return lines.map((line) => {
		if (heredoc !== '') {
			if (line.trim() === heredoc) heredoc = '';
			return [];
		}
		const continued = quote !== '';
		const { words, open } = wordsOf(line, quote);
		quote = open;
		heredoc = /^<<([A-Za-z0-9_-]+)$/.exec(words.at(-1) ?? '')?.[1] ?? '';
		return continued ? [CONTINUED, ...words.slice(1)] : words;
	});
}

/**
 * @param inside the quote that an earlier line has opened; else empty
 * @returns open: the quote that is open at the line's end
 */
function wordsOf(line: string, inside: string): { words: string[]; open: string } {
	const words: string[] = [];
	let open = inside;
	let word = '';
	for (let at = 0; at < line.length; at += 1) {
		const letter = line[at];
		if (open !== '') {
			if (letter === '\\' && open === '"') at += 1;
			else if (letter === open) open = '';
			// A word in quotes is never a brace that opens or closes.
			word += open === '' ? '' : '_';
		} else if (/\s/.test(letter)) {
			if (word !== '') words.push(word);
			word = '';
		} else if (word === '' && letter === '#') return { words, open };
		else if (word === '' && (letter === '"' || letter === '`')) {
			open = letter;
			word = '_';
		} else word += letter;
	}
	if (word !== '' && open === '') words.push(word);
	return { words, open };
}
