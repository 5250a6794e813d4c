/**
 * Imports go one way: a room of the lab uses those before it. What only types name is no import.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { succeed } from './command.ts';

/** What each room may import beside itself and its parts. Where a part is named, it may less than its room. */
const MAY_IMPORT: Record<string, string[]> = {
	base: [],
	wire: ['base'],
	record: ['base'],
	stats: [],
	catalog: ['base', 'record'],
	options: ['base', 'catalog'],
	adapters: ['base', 'wire', 'options'],
	docker: ['base', 'catalog', 'adapters'],
	target: ['base', 'catalog', 'options', 'adapters', 'docker'],
	load: ['base', 'record', 'catalog', 'options', 'adapters', 'docker', 'target'],
	run: ['base', 'wire', 'record', 'catalog', 'options', 'adapters', 'docker', 'target', 'load'],
	'diagnose/joins': ['base', 'wire', 'stats'],
	'diagnose/waiting': ['base', 'wire', 'record/causes.ts', 'stats', 'diagnose/joins', 'diagnose/rule.ts'],
	diagnose: ['base', 'wire', 'record', 'stats', 'catalog', 'options', 'adapters'],
	report: ['base', 'record', 'catalog', 'options', 'adapters', 'diagnose'],
	compare: ['base', 'record', 'stats', 'catalog', 'options', 'docker', 'target', 'load', 'run', 'diagnose', 'report'],
	capacity: ['base', 'record', 'stats', 'catalog', 'options', 'report', 'compare'],
	prove: ['base', 'stats', 'record', 'catalog', 'options', 'adapters', 'docker', 'target', 'load', 'run', 'diagnose', 'report', 'compare'],
	limit: ['base', 'record', 'stats', 'catalog', 'options', 'docker', 'target', 'run', 'diagnose', 'report', 'compare'],
	verify: ['base', 'record', 'stats', 'catalog', 'options', 'adapters', 'docker', 'target', 'load', 'run', 'diagnose', 'report', 'compare'],
	'extras/swarm': ['base', 'catalog', 'docker', 'run'],
	'extras/watch': ['report'],
	cli: [
		'base',
		'record',
		'catalog',
		'options',
		'docker',
		'target',
		'run',
		'diagnose',
		'report',
		'compare',
		'prove',
		'verify',
		'extras/swarm',
		'extras/watch',
	],
	'extras/export': ['base', 'record'],
	'extras/kubernetes': ['base', 'catalog', 'options', 'docker'],
	'extras/pipeline': ['base', 'catalog', 'record', 'report'],
};

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
	.split('\n')
	.filter((file) => /\.[jt]s$/.test(file) && !/\.test\.[jt]s$|\/fixtures\//.test(file));

/** What a text imports, below lab/. */
const importsOf = (file: string, text: string) =>
	[...text.matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)'/gm)]
		.map(([, path]) => posix.relative('lab', posix.join(posix.dirname(file), path)))
		.filter((path) => !path.startsWith('..'));

/** The room or the named part of one that a file is in. */
const roomOf = (file: string) =>
	[2, 1]
		.map((parts) =>
			file
				.split('/')
				.slice(1, 1 + parts)
				.join('/'),
		)
		.find((room) => room in MAY_IMPORT) ?? '';

/** @returns imports that its room may not have */
function wrongIn(file: string, text: string): string[] {
	const room = roomOf(file);
	const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
	return importsOf(file, text).filter((path) => !allowed.some((own) => path === own || path.startsWith(`${own}/`)));
}

test('an import is seen, whatever stands before it, and one of a later room is wrong', () => {
	const text = "import { a } from '../base/a.js';\nimport {\n  b,\n} from '../../run/b.js';\nexport { c } from './c.js';\n";
	assert.deepEqual(importsOf('lab/diagnose/ledger/x.js', text), ['diagnose/base/a.js', 'run/b.js', 'diagnose/ledger/c.js']);
	assert.deepEqual(wrongIn('lab/diagnose/ledger/x.js', text), ['run/b.js']);
	assert.deepEqual(wrongIn('lab/diagnose/joins/x.js', "import { b } from '../result.js';\n"), ['diagnose/result.ts']);
	assert.deepEqual(wrongIn('lab/base/x.js', "import { b } from '../diagnose/b.js';\n"), ['diagnose/b.js']);
});

test('every file is in a room that the list has', () => {
	assert.deepEqual(
		files.filter((file) => roomOf(file) === ''),
		[],
	);
});

for (const room of Object.keys(MAY_IMPORT)) {
	test(`lab/${room} imports only from rooms before it`, () => {
		const own = files.filter((file) => file.startsWith(`lab/${room}/`));
		assert.ok(own.length > 0, 'there is such a room');
		const wrong = own.flatMap((file) => wrongIn(file, readFileSync(join(ROOT, file), 'utf8')).map((path) => `${file}: ${path}`));
		assert.deepEqual(wrong, []);
	});
}

/** What a file loads before anything of it runs, below lab/. */
function loadedBy(entry: string): Set<string> {
	const loaded = new Set([entry]);
	for (const path of loaded)
		for (const wanted of importsOf(join('lab', path), readFileSync(join(ROOT, 'lab', path), 'utf8'))) loaded.add(wanted);
	return loaded;
}

for (const entry of ['cli/main.ts', 'cli/commands.ts', 'run/project/init-command.ts'])
	test(`lab/${entry}, which refuses what cannot be done, loads neither the diagnosis nor the pages`, () => {
		const loaded = [...loadedBy(entry)];
		assert.ok(loaded.includes('options/options.ts'), 'what it loads is found');
		assert.deepEqual(
			loaded.filter((path) => /^(diagnose|report)\//.test(path)),
			[],
		);
	});
