import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	choice,
	formatCommand,
	formatProjectCommand,
	integer,
	launcherOf,
	oneOf,
	RATE,
	SWITCH,
	shareIn,
	shellWord,
	withVariable,
} from './format-command.ts';
import { instead, nearest } from './nearest.ts';

/** Each as make has it, and as the lab itself does. */
const COMMANDS: [string[], string[], string, string][] = [
	[['run', '2a'], ['LOAD=smoke', 'SEED=1'], 'make run-2a LOAD=smoke SEED=1', 'LOAD=smoke SEED=1 doubletake run 2a'],
	[['experiment', 'doubling'], ['REPEATS=8'], 'make experiment-doubling REPEATS=8', 'REPEATS=8 doubletake experiment doubling'],
	[['compare'], ['A=a', "B='a b'"], "make compare A=a B='a b'", "A=a B='a b' doubletake compare"],
	[['report', 'reports/x'], [], 'make report RUN=reports/x', 'doubletake report reports/x'],
	[['open', 'x'], [], 'make open RUN=x', 'doubletake open x'],
	[['excerpt', 'x', 'y'], [], 'make excerpt RUN=x INTO=y', 'doubletake excerpt x y'],
	[['plan', 'x'], ['TARGET_RPS=500'], 'make plan RUN=x TARGET_RPS=500', 'TARGET_RPS=500 doubletake plan x'],
	[['findings'], [], 'make findings', 'doubletake findings'],
	[['list'], [], 'make list', 'doubletake list'],
];

test('a command is spelt with make where there is a Makefile, and by the name of the lab where there is none', () => {
	for (const [words, variables, make, doubletake] of COMMANDS) {
		assert.equal(formatCommand(words, variables, 'make'), make);
		assert.equal(formatCommand(words, variables, 'doubletake'), doubletake);
	}
});

test('in the checkout it is spelt with make, and for a user’s own system by the name of the lab there too', () => {
	assert.equal(formatCommand(['list']), 'make list');
	assert.equal(formatProjectCommand(['run'], ['SEED=7']), 'SEED=7 doubletake run');
});

test('a command says by which door it comes in, and takes one more variable where a shell takes it', () => {
	for (const [words, variables] of COMMANDS)
		for (const launcher of ['make', 'doubletake'] as const) assert.equal(launcherOf(formatCommand(words, variables, launcher)), launcher);
	assert.equal(withVariable('make run-a SEED=1', "EXPECT='x<1'"), "make run-a SEED=1 EXPECT='x<1'");
	assert.equal(withVariable('SEED=1 doubletake run a', "EXPECT='x<1'"), "EXPECT='x<1' SEED=1 doubletake run a");
});

test('a plain text stands as it is, and any other in quotes that a shell takes away again', () => {
	assert.equal(shellWord('crud:WORKERS=10'), 'crud:WORKERS=10');
	assert.equal(shellWord('rev:HEAD~1'), "'rev:HEAD~1'");
	assert.equal(shellWord('NAME=two words'), "'NAME=two words'");
	assert.equal(shellWord("it's"), "'it'\\''s'");
	assert.equal(shellWord(undefined), '');
});

test('a slip of the keys leads to the word that was meant', () => {
	const known = ['compose', 'entry', 'services', 'edges', 'load'];
	assert.equal(nearest('entyr', known), 'entry');
	assert.equal(nearest('service', known), 'services');
	assert.equal(nearest('Load', known), 'load');
	assert.equal(nearest('loadbalancer', ['app', 'load-balancer']), 'load-balancer');
});

test('a word that is like none leads to none', () => {
	assert.equal(nearest('replicas', ['tier', 'product', 'watch']), null);
	assert.equal(nearest('x', ['y']), null);
	assert.equal(nearest('x', []), null);
});

test('a part of a longer word leads to the first that has it', () => {
	const known = ['failure_rate', 'latency_ms_p95_ok', 'latency_ms_p95_all'];
	assert.equal(nearest('p95', known), 'latency_ms_p95_ok');
	assert.equal(nearest('P95', known), 'latency_ms_p95_ok');
	assert.equal(nearest('p9', known), null);
});

test('what to do names the word that was meant, where there is one', () => {
	assert.equal(instead('smok', ['ramp', 'smoke'], 'use one of them.'), 'write "smoke" instead of "smok".');
	assert.equal(instead('tsunami', ['ramp', 'smoke'], 'use one of them.'), 'use one of them.');
});

test('a whole number within its range is read, and any other text is refused with the range', () => {
	const kind = integer(1, 64);
	assert.equal(kind.format?.(kind.parse('N', '08')), '8');
	for (const text of ['0', '65', '1.5', 'abc', 'Infinity'])
		assert.throws(() => kind.parse('N', text), new RegExp(`^NotReadyError: N: expected a whole number from 1 to 64; found "${text}"`));
});

test('a switch is on or off', () => {
	assert.deepEqual([SWITCH.parse('S', '1'), SWITCH.parse('S', '0')], [true, false]);
	assert.deepEqual(
		[true, false].map((value) => SWITCH.format?.(value)),
		['1', '0'],
	);
	assert.throws(() => SWITCH.parse('S', 'yes'), /S: expected a whole number from 0 to 1; found "yes"/);
});

test('of a choice a word that is near is reported, and the list is named only where it has the words', () => {
	const kind = choice(['refuse', 'allow']);
	assert.equal(kind.parse('BUSY', 'allow'), 'allow');
	assert.throws(() => kind.parse('BUSY', 'alow'), /To do: write "allow" instead of "alow"\.$/);
	assert.throws(() => oneOf('experiment', 'doublin', ['doubling', 'queue']), /To do: write "doubling" instead of "doublin"\.$/);
	assert.throws(() => oneOf('experiment', 'x', ['doubling', 'queue']), /To do: use one of them; ".* list" says what each is\.$/);
	assert.throws(() => oneOf('BUSY', 'maybe', ['refuse', 'allow']), /To do: use one of them\.$/);
});

test('a percentage is a share, and nothing else is', () => {
	assert.deepEqual(['150%', '0.5%', '100%'].map(shareIn), [1.5, 0.005, 1]);
	assert.deepEqual(['150', '%', '-5%', '1e2%', '', undefined].map(shareIn), [null, null, null, null, null, null]);
});

test('a rate is one a second, or a share of what is served, and is written as it is read', () => {
	for (const text of ['250', '33%', '150%', '29%', '0.5%', '33.333%']) assert.equal(RATE.format?.(RATE.parse('RATE', text)), text);
	assert.throws(() => RATE.parse('RATE', '0%'), /^NotReadyError: RATE: expected above 0% and at most 1000%; found "0%"/);
	assert.throws(() => RATE.parse('RATE', '0'), /RATE: expected a whole number from 1 to 100000; found "0"/);
});
