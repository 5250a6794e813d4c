/**
 * The words that readers see: the second column of the table in docs/contributing.md is in no document, no table of the lab, none of its
 * messages and no comment. And the words of names: what the field has a term for has no other one in the code.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { succeed } from './command.ts';

const TABLE = 'docs/contributing.md';
/** What "…" in a phrase stands for. */
const WORDS_BETWEEN = 6;
/** Pages of stored runs: they say what the lab said when those were made. */
const STORED = /^reports\/|^docs\/diagnosis\.md$/;
/** Read by people who work on the lab, and nobody else. */
const OF_TESTS = /\.test\.[jt]s$|\/fixtures\/|^test\//;
/** A sentence of a comment may have it: a document's is easier without. */
const OF_DOCUMENTS = /^of which/;
/** Words of names, by what the field says: an identifier has none of these between its capitals. */
const NAMES: Record<string, string[]> = {
	'attribute, attribution; decisive; at fault': ['blame', 'blamed', 'blames', 'convict', 'convicting', 'acquittal', 'guilty', 'innocent'],
	'format; an interval': ['spell', 'spells'],
	'ejected, ejection; reinstated': ['benched', 'benches'],
	'reported, declared, parsed': ['told', 'untold'],
	'restart, downtime': ['death', 'deaths'],
	'request record': ['sighting', 'sightings'],
	exhaustion: ['shortage', 'shortages'],
	'action, fault action': ['deed', 'deeds'],
	'corrupt; addCost; break': ['spoil', 'burden'],
	unlogged: ['unlisted'],
	'increment, increments': ['gains'],
	heartbeat: ['pulse', 'pulses'],
	'wasted; failed': ['vain'],
	'entry point, published port, launcher': ['door', 'doors'],
	'target; what it is': ['subject', 'subjects'],
	remedy: ['reliefs'],
};
/** Keys of records and of files that users have: a converter would have to know them. */
const KEYS = new Set(['in_vain', 'time_untold', 'spoilt']);
/** By each of these words. */
const INSTEAD = new Map(Object.entries(NAMES).flatMap(([say, words]) => words.map((word) => [word, say] as const)));
/** The same in comments. */
const IN_COMMENTS: [string, RegExp][] = [
	['attribute to, account for, decide', /\b(?:blam(?:e|es|ed|ing)|convict(?:s|ed|ing)?|acquit(?:s|tal)?|guilty|innocent)\b/i],
	['an interval', /\b(?:a|the|each|every) spell\b/i],
	['the command line', /\bfront door\b/i],
	['fault action', /\bdeeds?\b/i],
];
/** A line of a comment. */
const COMMENT = /^\s*(\*|\/\/|\/\*|#(?!:))/;

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard'])).split('\n').filter(Boolean);
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const patternOf = (phrase: string) =>
	new RegExp(
		`\\b${phrase
			.split(/\s*…\s*/)
			.join(`(?:\\s+[^\\s.|]+){0,${WORDS_BETWEEN}}\\s+`)
			.replaceAll(' ', '\\s+')}\\b`,
		'i',
	);

/** Each with what to say instead. */
const phrases: { say: string; not: string; pattern: RegExp }[] = [...read(TABLE).matchAll(/^\| ([^|`]+) \| (`[^|]+`) \|$/gm)].flatMap(
	([, say, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, not]) => ({ say, not, pattern: patternOf(not) })),
);

/** @returns what is in it and should not be, with what to say */
const found = (text: string): string[] =>
	phrases.filter(({ pattern }) => pattern.test(text)).map(({ say, not }) => `"${not}"; say: ${say}`);

/** The table itself names what it forbids. */
const withoutTable = (text: string) => text.replace(/^\|.*$/gm, '');

/** @param text of a program or a table */
const withoutComments = (text: string) =>
	text
		.split('\n')
		.filter((line) => !COMMENT.test(line))
		.join('\n');

test('the table of words can be read, and a phrase is found wherever its line breaks', () => {
	assert.ok(phrases.length > 20, `${phrases.length} phrases`);
	for (const text of [
		'the rules were mended',
		'every request is held\nagainst its cause',
		'Holds each pair against each other',
		'killed for want of memory',
	])
		assert.equal(found(text).length, 1, text);
	for (const text of ['an amendment', 'it holds. Against that', 'what the tier holds', 'a run, which the lab made'])
		assert.deepEqual(found(text), [], text);
});

for (const file of files.filter((name) => name.endsWith('.md') && !STORED.test(name))) {
	test(`${file} says it in plain words`, () => assert.deepEqual(found(file === TABLE ? withoutTable(read(file)) : read(file)), []));
}

/**
 * What stands in comments, and the identifiers of what stands outside of comments and strings. A regular expression is known by what comes
 * before it.
 * @param text of a module
 */
function partsOf(text: string) {
	const token =
		/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=(?:^|[(,=:[!&|?{};>]|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/\w*|`(?:\\[\s\S]|\$\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[^`\\])*`/gm;
	const comments: string[] = [];
	const inside = /\$\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}/g;
	const codeOf: (text: string) => string = (text) =>
		text.replace(token, (found) => {
			if (found.startsWith('/*') || found.startsWith('//')) comments.push(found);
			return found.startsWith('`') ? codeOf([...found.matchAll(inside)].map(([, code]) => code).join(' ; ')) : ' ';
		});
	const code = codeOf(text);
	return { comments: comments.join('\n'), identifiers: new Set(code.match(/[A-Za-z_$][\w$]*/g)) };
}

/** The words between an identifier's capitals and underscores. */
const wordsOf = (identifier: string) =>
	identifier
		.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
		.toLowerCase()
		.split(/[_$]+/);

/** @param text of a module */
function problemsIn(text: string): string[] {
	const { comments, identifiers } = partsOf(text);
	const named = [...identifiers]
		.filter((identifier) => !KEYS.has(identifier))
		.flatMap((identifier) =>
			[...new Set(wordsOf(identifier).flatMap((word) => INSTEAD.get(word) ?? []))].map((say) => `${identifier}; say: ${say}`),
		);
	const plain = comments.replace(/\n[ \t]*(?:\*|\/\/)[ \t]?/g, '\n');
	const said = phrases
		.filter(({ not, pattern }) => !OF_DOCUMENTS.test(not) && pattern.test(plain))
		.map(({ say, not }) => `"${not}" in a comment; say: ${say}`);
	const worded = IN_COMMENTS.flatMap(([say, not]) => {
		const word = not.exec(plain)?.[0];
		return word === undefined ? [] : [`"${word}" in a comment; say: ${say}`];
	});
	return [...named, ...said, ...worded];
}

test('a name is read by its words, a comment by its sentences, and strings by neither', () => {
	const text = '// it was held\n// against it\nconst toldTimes = `$'.concat(
		'{blamed} doors`; /** The deed. */ const x = "spell", r = /door/;',
	);
	assert.deepEqual(
		problemsIn(text).map((problem) => problem.split(';')[0]),
		['toldTimes', 'blamed', '"held … against" in a comment', '"deed" in a comment'],
	);
	assert.deepEqual(problemsIn('const { in_vain: wasted, indoors } = loop;'), []);
});

test('names and comments of the code have the terms of the field', () => {
	const code = files.filter(
		(file) => /^(lab|k6|app|compose|experiments|test|site)\/.*\.(m?js|ts)$/.test(file) && file !== 'test/static/words.test.ts',
	);
	assert.ok(code.includes('lab/diagnose/result.ts') && code.includes('k6/lib/requests.js'));
	assert.deepEqual(
		code.flatMap((file) => problemsIn(read(file)).map((problem) => `${file}: ${problem}`)),
		[],
	);
});

test('the tables and messages of the lab say it in plain words', () => {
	const own = files.filter((file) => /^(lab|k6|app|compose)\/.*\.([jt]s|mjs|sh|yaml)$|^Makefile$/.test(file) && !OF_TESTS.test(file));
	assert.ok(own.includes('lab/record/causes.ts') && own.includes('compose/2a/doubletake.yaml') && own.includes('Makefile'));
	assert.deepEqual(
		own.flatMap((file) => found(withoutComments(read(file))).map((problem) => `${file}: ${problem}`)),
		[],
	);
});
