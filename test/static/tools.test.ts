/**
 * Linters and type checks, each as one test.
 */
import { join } from 'node:path';
import { before, test } from 'node:test';
import { succeed } from './command.ts';

const bin = (name: string) => join('node_modules', '.bin', name);
const TYPE_PROJECTS = ['.', 'k6', 'lab/report/assets', 'test'];

test('the linter and formatter find nothing', async () => {
	await succeed(bin('biome'), ['check', '--error-on-warnings', '.']);
});

before(() => succeed(process.execPath, ['lab/cli/schema-types.ts']));

for (const project of TYPE_PROJECTS) {
	test(`the types of ${project === '.' ? 'the lab and the app' : project} hold`, async () => {
		await succeed(bin('tsc'), ['-p', project]);
	});
}

test('shellcheck finds nothing in any script', async () => {
	// Scripts are found by their first line: not all of them have an ending.
	const listed = await succeed('git', ['grep', '--untracked', '-lE', '^#!/.*\\b(ba)?sh$']);
	await succeed('shellcheck', listed.trim().split('\n'));
});
