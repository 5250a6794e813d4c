/**
 * A shipped architecture and a user's own system are one thing: a folder with its Compose files and what doubletake.yaml says of it. Nobody asks whose
 * it is. What differs follows from what is said there, and is asked where it matters.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { succeed } from './command.ts';

/** How a module would ask whose it is: of the scenario of what an option is given for, and of a record. */
const ASKING = [/\bisShipped\b|[!=]== LISTED\b/, /\bmanifest\.system\b|\brecord\.system\b/];
/**
 * The same of a plan, of its arms, by what it keeps of them, and of a description; elsewhere what is a service's or a request's own is called so
 * too.
 */
const ASKING_THERE = [
	/\b(plan|arm|stored)\??\.own\b|\b(resolved|loads) [!=]== undefined/,
	/\bif \(own\) return (own|format)|\bif \(system\)|\bsystem \? /,
];
const THERE = /^lab\/(cli|compare|diagnose|report|verify)\//;

/**
 * Two ways to bring a system up, by what makes its load: a scenario of the lab is in the very Compose files, with the labels and mounts by which
 * anybody can bring it up by hand, so that nothing is left to be laid over them; of requests or a script a file of the lab's own is. Who wants a
 * target asks the one module that reads that in the description.
 */
const WAYS = ['lab/run/project/overlaid-target.ts', 'lab/run/project/scenario-target.ts'];
const READS_WAY = 'lab/run/project/target.ts';

/** Who looks up whether the catalog has a system of a name, and what for. */
const LOOK_UP: Record<string, string> = {
	'lab/catalog/architectures.ts': 'the scenario of a system by its name, and the name of one in a folder',
	'lab/cli/command-line.ts': 'what a word was meant as that is no command',
	'lab/compare/experiment/command.ts': 'whether arms are said by names or by what differs in a folder',
	'lab/compare/experiment/read-plan.ts': 'whether a plan from elsewhere names a system that there is',
	'lab/options/settings.ts': 'the services that a fault may name, and by which words a run is repeated',
	'lab/target/described.ts': 'the description of a system by its name',
};

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
	.split('\n')
	.filter((file) => /\.[jt]s$/.test(file) && !/\.test\.[jt]s$|\/fixtures\//.test(file));

/** Without what only readers read. */
const codeOf = (file: string) =>
	readFileSync(join(ROOT, file), 'utf8')
		.replace(/\/\*[\s\S]*?\*\//g, '')
		.replace(/^\s*\/\/.*$/gm, '');

const asks = (file: string, code: string) =>
	(THERE.test(file) ? [...ASKING, ...ASKING_THERE] : ASKING).some((pattern) => pattern.test(code));

test('such questions are found', () => {
	assert.ok(asks('lab/run/x.js', 'if (scenarioOf(name) === LISTED) return null;'));
	assert.ok(asks('lab/compare/x.js', 'arms.filter(({ resolved }) => resolved === undefined)'));
	assert.ok(!asks('lab/run/x.js', 'project.load.script === undefined'));
});

test('nobody asks whether a system is the lab’s or a user’s', () => {
	assert.deepEqual(
		files.filter((file) => asks(file, codeOf(file))),
		[],
	);
});

test('in which way a system is brought up one module reads in its description, and nobody else knows the ways', () => {
	const importsWay = (file: string) =>
		[...codeOf(file).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].some(([, path]) => WAYS.includes(posix.join(posix.dirname(file), path)));
	assert.deepEqual(files.filter(importsWay), [READS_WAY]);
});

test('few look a name up in the catalog, each for what is said of it there', () => {
	const found = files.filter((file) => /\bhasOwn\(architectures\b|\bin architectures\b/.test(codeOf(file)));
	assert.deepEqual(found.toSorted(), Object.keys(LOOK_UP).toSorted());
});
