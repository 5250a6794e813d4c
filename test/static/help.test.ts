import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { tokenizer } from 'acorn';
import { execa } from 'execa';
import { ROOT } from '../../lab/base/paths.ts';
import { examplesHelp, startHelp } from '../../lab/cli/help.ts';
import { optionsHelp } from '../../lab/cli/option-help.ts';
import { callsInLine, problemOf } from './calls.ts';

const LIMIT_MS = 60_000;
const main = readFileSync(join(ROOT, 'lab/cli/main.ts'), 'utf8');
const [forUsers, forMakers] = main.split("commandsGroup('Develop Doubletake itself:')");
const namesIn = (text: string) => [...text.matchAll(/^\s+\.command\('([\w-]+)/gm)].map(([, name]) => name);

const say = async (...args: string[]) =>
	(await execa(process.execPath, [join(ROOT, 'lab/cli/start.ts'), ...args], { timeout: LIMIT_MS })).stdout;
const make = async (target: string) => (await execa('make', ['-s', '-C', ROOT, target], { timeout: LIMIT_MS })).stdout;

test('the help begins with six commands, the first for one’s own system, and ends with those for who works on Doubletake', async () => {
	const lines = (await say('--help')).split('\n');
	assert.match(lines[0], /^Doubletake measures your Compose system under load\.$/);
	const start = lines.flatMap((line, index) => (/^ {2}doubletake (\w+)/.test(line) && index < 10 ? [line.trim().split(' ')[1]] : []));
	assert.deepEqual(start, ['init', 'run', 'open', 'prove', 'compare', 'run']);
	const after = lines.slice(lines.indexOf('Develop Doubletake itself:') + 1).map((line) => line.trim().split(' ')[0]);
	assert.deepEqual(after, namesIn(forMakers));
	assert.deepEqual(namesIn(forMakers).sort(), ['docs', 'examples', 'excerpt', 'freeze', 'replay', 'simulate', 'typical']);
	assert.ok(lines.every((line) => line.length <= 80 || line.includes(ROOT)));
});

test('each command for users has examples, and each of them can be given', async () => {
	for (const name of namesIn(forUsers)) assert.match(examplesHelp(name), /Examples:\n {2}\S/, name);
	for (const text of [startHelp(), ...namesIn(forUsers).map(examplesHelp)])
		for (const call of text.split('\n').flatMap(callsInLine)) assert.equal(problemOf(call), null, call.text);
	assert.match(await say('run', '--help'), /^Examples:\n {2}doubletake run {2,}the system/m);
});

test('make help has ten lines and names where the variables are, which help-all has', async () => {
	const short = await make('help');
	assert.equal(short.split('\n').length, 10);
	assert.match(short, /lab\/doubletake init[\s\S]*make help-all .*docs\/reference\.md/);
	const all = await make('help-all');
	assert.ok(all.startsWith(short));
	for (const name of ['LOAD', 'BUSY']) assert.match(all, new RegExp(`^ {2}${name}=`, 'm'));
});

test('nobody has to know what the lab is', async () => {
	const strings = main.replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, '');
	for (const text of [
		strings,
		startHelp(),
		...namesIn(main).flatMap((name) => [examplesHelp(name), optionsHelp(name)]),
		await make('help-all'),
	])
		assert.doesNotMatch(text, /\bthe lab\b/i);
});

/** Of the shipped experiments and their publications, and of tools for who works on Doubletake. */
const OF_MAKERS = [
	...[
		'lab/adapters/shipped-faults.ts',
		'lab/catalog/published.ts',
		'lab/compare/findings.ts',
		'lab/report/findings.ts',
		'lab/report/findings-markdown.ts',
	],
	'lab/verify/freeze/freeze.ts',
];
/** What a user with a system of his own reads. */
const PAGES = ['own-system', 'pipelines', 'reading-a-report', 'reference', 'swarm', 'kubernetes', 'tutorial'].map(
	(name) => `docs/${name}.md`,
);

/** Strings and templates of a module. */
const wordsIn = (text: string): string[] =>
	[...(tokenizer(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module' }) as Iterable<any>)].flatMap(
		({ type, value }) => (['string', 'template'].includes(type.label) ? [String(value)] : []),
	);

test('strings of a module are found, and none of its comments', () => {
	assert.deepEqual(wordsIn("// the lab\nsay(`a`, 'b', /'/); /* 'the lab' */"), ['a', 'b']);
});

test('messages and pages say Doubletake too', async () => {
	const modules = (await execa('git', ['ls-files', 'lab/*.ts'], { cwd: ROOT })).stdout
		.split('\n')
		.filter((file) => !/\.test\.[jt]s$|\/fixtures\//.test(file) && !OF_MAKERS.includes(file));
	assert.ok(modules.length > 300, `${modules.length} modules`);
	const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
	for (const file of modules) for (const words of wordsIn(read(file))) assert.doesNotMatch(words, /\bthe lab\b/i, file);
	for (const file of [...PAGES, 'action.yml', 'templates/doubletake.yml', 'examples/shop/README.md', 'SECURITY.md'])
		assert.doesNotMatch(read(file).replaceAll(/^\s*#.*$/gm, ''), /\bthe lab\b/i, file);
});
