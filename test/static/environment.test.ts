/**
 * What a command can be told comes in by the command line alone: as options, read by their table.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { OPTIONS } from '../../lab/options/options.ts';
import { succeed } from './command.ts';

/** Who reads the environment, and why. */
const READERS: Record<string, string> = {
	'lab/cli/main.ts': 'the command line',
	'lab/base/paths.ts': 'where the command was given, and where reports are kept',
	'lab/docker/bounded.ts': 'what programs inherit that the lab starts, and what Compose files read',
	'lab/extras/pipeline/main.ts': 'a program of its own, which a job of a pipeline calls',
	'lab/extras/swarm/host-observer.ts': 'a program of its own, on another host',
};

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
	.split('\n')
	.filter((file) => /\.[jt]s$/.test(file) && !/\.test\.[jt]s$|\/fixtures\//.test(file));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('nothing reads the environment but the command line, and what hands it on', () => {
	assert.deepEqual(files.filter((file) => /\bprocess\.env\b/.test(read(file))).toSorted(), Object.keys(READERS).toSorted());
});

test('who hands the shell on looks for no option in it', () => {
	const found = files.flatMap((file) =>
		[...read(file).matchAll(/\bshell\.([A-Z_\d]+)/g)].flatMap(([, name]) => (name in OPTIONS ? `${file}: ${name}` : [])),
	);
	assert.deepEqual(found, []);
	for (const name of Object.keys(OPTIONS))
		for (const file of ['lab/base/paths.ts', 'lab/extras/swarm/host-observer.ts'])
			assert.doesNotMatch(read(file), new RegExp(`process\\.env\\.${name}\\b`), `${name} in ${file}`);
});

/** What says which options take part in something belongs into their scope. */
const NAMED_MOST = 4;

test('no list beside the table names several options', () => {
	const names = Object.keys(OPTIONS).join('|');
	const list = new RegExp(`(?:'(?:${names})',?\\s*){${NAMED_MOST + 1},}`);
	assert.deepEqual(
		files.filter((file) => list.test(read(file))),
		[],
	);
});
