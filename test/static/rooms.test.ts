/**
 * Imports go one way: a room of the lab uses those before it. Types do too, but for those that UPWARD has.
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
	catalog: ['base', 'record', 'stats'],
	options: ['base', 'stats', 'catalog'],
	adapters: ['base', 'wire', 'options'],
	docker: ['base', 'catalog', 'adapters'],
	target: ['base', 'catalog', 'options', 'adapters', 'docker'],
	load: ['base', 'record', 'catalog', 'options', 'adapters', 'docker', 'target'],
	run: ['base', 'wire', 'record', 'catalog', 'options', 'adapters', 'docker', 'target', 'load'],
	'diagnose/joins': ['base', 'wire', 'stats'],
	'diagnose/waiting': ['base', 'wire', 'record/causes.ts', 'stats', 'diagnose/joins', 'diagnose/rule.ts'],
	diagnose: ['base', 'wire', 'record', 'stats', 'catalog', 'options', 'adapters'],
	report: ['base', 'record', 'stats', 'catalog', 'options', 'adapters', 'diagnose'],
	compare: ['base', 'record', 'stats', 'catalog', 'options', 'docker', 'target', 'load', 'run', 'diagnose', 'report'],
	capacity: ['base', 'record', 'stats', 'catalog', 'options', 'report', 'compare'],
	prove: ['base', 'stats', 'record', 'catalog', 'options', 'adapters', 'docker', 'target', 'load', 'run', 'diagnose', 'report', 'compare'],
	limit: ['base', 'record', 'stats', 'catalog', 'options', 'docker', 'target', 'run', 'diagnose', 'report', 'compare'],
	verify: [
		'base',
		'wire',
		'record',
		'stats',
		'catalog',
		'options',
		'adapters',
		'docker',
		'target',
		'load',
		'run',
		'diagnose',
		'report',
		'compare',
	],
	'extras/swarm': ['base', 'catalog', 'options', 'docker', 'run'],
	'extras/watch': ['base', 'docker', 'report'],
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
	'extras/kubernetes': ['base', 'catalog', 'options', 'docker', 'extras/swarm'],
	'extras/pipeline': ['base', 'catalog', 'record', 'report'],
};

/** Shapes that a room before their own names. Each would be better off in the earlier one. */
const UPWARD = [
	'adapters/codes.ts: record/causes.ts',
	'adapters/hop-counts.ts: record/causes.ts',
	'adapters/log-words.ts: diagnose/waiting/logs.ts',
	'catalog/budgets.ts: compare/plan.ts',
	'catalog/experiments.ts: options/arms.ts',
	'diagnose/waiting/logs.ts: adapters/hop-counts.ts',
	'diagnose/waiting/logs.ts: diagnose/read-raw.ts',
	'diagnose/waiting/readings.ts: diagnose/read-raw.ts',
	'diagnose/waiting/waiting.ts: diagnose/read-raw.ts',
	'load/generator.ts: run/project/checked-system.ts',
	'record/selftest-total.ts: adapters/faults.ts',
	'record/selftest-total.ts: diagnose/ledger/ledger.ts',
	'record/selftest-total.ts: diagnose/ledger/place.ts',
];

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
	.split('\n')
	.filter((file) => /\.[jt]s$/.test(file) && !/\.test\.[jt]s$|\/fixtures\//.test(file));

const importedBy = (file: string, text: string, pattern: RegExp) =>
	[...text.matchAll(pattern)]
		.map(([, path]) => posix.relative('lab', posix.join(posix.dirname(file), path)))
		.filter((path) => !path.startsWith('..'));

/** What a text imports to run, below lab/. */
const importsOf = (file: string, text: string) => importedBy(file, text, /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm);
/** What it imports for types alone. Those of lab/record are made from the schemas, which are everybody's. */
const typesOf = (file: string, text: string) =>
	importedBy(file, text, /^(?:import|export) type [^;]*?from '(\.[^']+)'/gm).filter((path) => path !== 'record/types.js');

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
function wrongIn(file: string, text: string, read = importsOf): string[] {
	const room = roomOf(file);
	const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
	return read(file, text).filter((path) => !allowed.some((own) => path === own || path.startsWith(`${own}/`)));
}

test('an import is seen, whatever stands before it, and one of a later room is wrong', () => {
	const text = "import { a } from '../base/a.js';\nimport {\n  b,\n} from '../../run/b.js';\nexport { c } from './c.js';\n";
	assert.deepEqual(importsOf('lab/diagnose/ledger/x.js', text), ['diagnose/base/a.js', 'run/b.js', 'diagnose/ledger/c.js']);
	assert.deepEqual(wrongIn('lab/diagnose/ledger/x.js', text), ['run/b.js']);
	assert.deepEqual(wrongIn('lab/diagnose/joins/x.js', "import { b } from '../result.js';\n"), ['diagnose/result.js']);
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

test('a type is of an earlier room, but for those of the list', () => {
	const wrong = files.flatMap((file) =>
		wrongIn(file, readFileSync(join(ROOT, file), 'utf8'), typesOf).map((path) => `${file.slice(4)}: ${path}`),
	);
	assert.deepEqual(wrong.sort(), UPWARD);
});

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
