/** Reads HAProxy's configuration as far as the lab must know it: its sections in their order, and whether a proxy speaks HTTP. */

import type { Section } from './http-line.ts';

/** Configuration manual, sections 2.7 to 4: words that open a section. */
const KINDS =
	'global defaults frontend backend listen userlist peers resolvers mailers cache program http-errors ring log-forward fcgi-app';
const OPENS = new RegExp(`^\\s*(${KINDS.split(' ').join('|')})(?:\\s|$)`);

/** @returns whose lines, put together, are the text */
export function sectionsOf(text: string): Section[] {
	const sections: Section[] = [{ kind: '', name: '', from: null, lines: [] }];
	for (const line of text.split('\n')) {
		if (OPENS.test(line)) {
			const words = wordsOf(line);
			const from = words.indexOf('from');
			const name = words[1] === 'from' ? '' : (words[1] ?? '');
			sections.push({ kind: words[0], name, from: from < 0 ? null : (words[from + 1] ?? null), lines: [] });
		}
		sections[sections.length - 1].lines.push(line);
	}
	return sections;
}

/** A line without its comment, as words. */
export const wordsOf = (line: string): string[] =>
	line
		.replace(/(^|\s)#.*$/, '')
		.trim()
		.split(/\s+/)
		.filter((word) => word !== '');

/**
 * Whether a proxy speaks HTTP: by its own `mode`, else by that of the defaults which it names or which stand nearest before it.
 * Without any it speaks TCP.
 */
export function speaksHttp(section: Section, sections: Section[]) {
	let current: Section | undefined = section;
	// Each step goes to a section of defaults that stands before, so there are no more steps than sections.
	for (let step = 0; current !== undefined && step < sections.length; step += 1) {
		const mode = ownMode(current);
		if (mode !== null) return mode === 'http';
		current = defaultsOf(current, sections);
	}
	return false;
}

/** @returns the last that is given counts */
function ownMode({ lines }: Section): string | null {
	const modes = lines.map(wordsOf).filter((words) => words[0] === 'mode');
	return modes.at(-1)?.[1] ?? null;
}

function defaultsOf(section: Section, sections: Section[]): Section | undefined {
	const before = sections.slice(0, sections.indexOf(section)).filter(({ kind }) => kind === 'defaults');
	if (section.from !== null) return before.findLast(({ name }) => name === section.from);
	// Defaults do not build upon those before them unless they say so.
	return section.kind === 'defaults' ? undefined : before.at(-1);
}
