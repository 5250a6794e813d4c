/**
 * The documents: what is generated is fresh, no link is dead, every command that they name can be given, and the README stays short.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { generatedPages } from '../../lab/cli/write-docs.ts';
import { anchorOf } from '../../site/pages.js';
import { callsIn, callsInLine, problemOf } from './calls.ts';
import { succeed } from './command.ts';

const README_LINES_MOST = 110;
const README_BYTES_MOST = 8.5 * 1024;
const WRONG = [
	'make fly',
	'make run-3z',
	'make run-2a LOAD=tsunami',
	'make run-a WORKERS=3',
	'make run-2a SPEED=3',
	"make run-2a FAULT='kill nobody@3s'",
	'make run-a make test',
	'make experiment-flight',
	'make experiment-doubling ARMS=z',
	'make compare A=a B=9z',
	'make selftest FAULTS=lightning',
	"make report RUN=reports/latest/2a EXPECT='speed>3'",
	'lab/doubletake juggle',
	'doubletake run 9z',
	'doubletake compare --c POOL=8',
	"FAULT='jump web-1@3s' doubletake run",
	'docker compose --profile arch-9z up',
];
const RIGHT = [
	'make run-<architecture>   # of any',
	"make run-2a-slots FAULT='kill app-2@30s+5s; pause mongo@55s+3s'",
	'make experiment-doubling LOAD=patient ARMS=a,2a',
	'make compare A=a B=a:DELAY=5 LOAD=calm',
	'make selftest FAULTS=table-64,again',
	'doubletake compare --a POOL=8 --b rev:HEAD',
	"SHOP=1 FAULT='kill web-1@20s+5s' ../../lab/doubletake run",
	'lab/doubletake run 2a || status=$?',
];

/** What is in the repository, or is to be: a page that the lab renders may be on this machine and nowhere else. */
const tracked = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard'])).split('\n').filter(Boolean);
const files = tracked.filter((file) => file.endsWith('.md') && existsSync(join(ROOT, file)));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
/** Pages that people write. */
const documents = files.filter((file) => !file.startsWith('reports/examples/') || file === 'reports/examples/README.md');

test('the pages that are made from tables are fresh', async () => {
	for (const [file, text] of Object.entries(await generatedPages())) assert.equal(read(file), text, `${file} is stale: make docs`);
});

test('the README is at most 110 lines and 8.5 KB', () => {
	const text = read('README.md');
	const lines = text.trimEnd().split('\n').length;
	assert.ok(lines <= README_LINES_MOST, `${lines} lines`);
	assert.ok(Buffer.byteLength(text) <= README_BYTES_MOST, `${Buffer.byteLength(text)} bytes`);
});

test('the README begins with the command that runs the first architecture and the one that tests', () => {
	const blocks = [...read('README.md').matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].slice(0, 2).map(([, text]) => text);
	const commands = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/^\$ |\s+#.*$/g, '').trim());
	for (const command of ['make run-a', 'make test']) assert.ok(commands.includes(command), `${command} is among:\n${commands.join('\n')}`);
});

/** A file, or a folder with one in it. */
const isTracked = (target: string) =>
	existsSync(join(ROOT, target)) &&
	(target === '' || tracked.some((file) => `${file}/`.startsWith(target.endsWith('/') ? target : `${target}/`)));

const anchorsIn = (file: string) =>
	file.endsWith('.md')
		? [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading))
		: [...read(file).matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);

// Links of the site's own pages are followed on the site.
for (const file of files.filter((one) => !one.startsWith('site/'))) {
	test(`no link in ${file} is dead`, () => {
		const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link));
		for (const link of links) {
			const [path, anchor] = link.split('#');
			const target = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path));
			assert.ok(isTracked(target), `${link}: ${target} is not in the repository`);
			if (anchor) assert.ok(anchorsIn(target).includes(anchor), `${link}: ${target} has no such heading`);
		}
	});
}

test('a command that is not there, or a variable that it refuses, is a problem, and one that can be given is none', () => {
	const problems = (line: string) => callsInLine(line).map(problemOf);
	for (const line of WRONG) assert.match(String(problems(line)), /expected|takes|found/, line);
	for (const line of RIGHT) assert.deepEqual(problems(line), [null], line);
	assert.deepEqual(problems('npm run lint'), []);
});

for (const file of documents) {
	test(`every command in ${file} names what there is`, () => {
		for (const call of callsIn(read(file))) assert.equal(problemOf(call), null, call.text);
	});
}
