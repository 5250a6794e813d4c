import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../fixtures/reporter.ts';
import { typical } from './freeze.ts';

async function give(commit: string, ids: string[], failing?: string) {
	const done: string[] = [];
	const execute = async (command: string, words: string[], { env = {} }: any) => {
		done.push([...Object.entries<any>(env).map(([name, value]) => `${name}=${value}`), command, ...words].join(' '));
		if (words.includes(failing ?? '')) throw new Error('it failed');
	};
	const { reporter } = listen();
	const code = await typical(commit, ids, {}, reporter, execute).catch((error) => error.message);
	return {
		code,
		done: done.map((line) => line.replaceAll(/\/\S+doubletake-at-\w+/g, 'TREE').replace(/REPORTS=\S*\/reports\//, 'REPORTS=')),
	};
}

test('one run of each arm is made with the lab of that commit, and its tree is taken away', async () => {
	const { code, done } = await give('v0.1', ['queue', 'doubling']);
	assert.equal(code, 0);
	assert.deepEqual(done, [
		'git worktree add --detach TREE v0.1',
		'REPEATS=1 DOUBLETAKE_REPORTS=at-v0.1 lab/doubletake experiment queue',
		'REPEATS=1 DOUBLETAKE_REPORTS=at-v0.1 lab/doubletake experiment doubling',
		'git worktree remove --force TREE',
	]);
});

test('unless some are named, all that are stored', async () => {
	const { done } = await give('v0.1', []);
	assert.ok(done.some((line) => line.endsWith('experiment doubling')));
});

test('the tree goes where an experiment fails', async () => {
	const { code, done } = await give('v0.1', ['queue', 'doubling'], 'queue');
	assert.equal(code, 'it failed');
	assert.deepEqual(done.slice(2), ['git worktree remove --force TREE']);
});

test('what is no commit and what is no experiment is refused before anything is made', async () => {
	for (const [commit, id] of [
		['--help', 'queue'],
		['v0.1', 'queues'],
	]) {
		const { code, done } = await give(commit, [id]);
		assert.match(String(code), /^typical: expected /);
		assert.deepEqual(done, []);
	}
});
