import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { NotReadyError } from '../base/errors.ts';
import { OPTION_NAMES } from '../options/accepted-options.ts';
import { endsAtOnce, flagOf, hintFor, isSwept, refuseMisspelt, TYPED, takeOptions } from './command-line.ts';

test('an option is taken wherever it stands, with all that comes after its first equals sign', () => {
	assert.deepEqual(takeOptions(['SEED=', 'run', 'LOAD=smoke', 'a', 'EXPECT=failure_rate<=0,x=1\n'], []), {
		words: ['run', 'a'],
		given: { SEED: '', LOAD: 'smoke', EXPECT: 'failure_rate<=0,x=1\n' },
	});
});

test('a flag is the same option, its value behind it or behind an equals sign', () => {
	const given = { LOAD: 'smoke', RETRY_BUDGET: '10', EXPECT: 'failure_rate<=0', SEED: '' };
	const words = ['--load', 'smoke', 'run', '--retry-budget=10', 'a', '--expect', 'failure_rate<=0', '--seed='];
	assert.deepEqual(takeOptions(words, []), { words: ['run', 'a'], given });
	for (const name of OPTION_NAMES) assert.deepEqual(takeOptions([`${flagOf(name)}=1`], []).given, { [name]: '1' });
});

test('what is a list is added to by each of its flags', () =>
	assert.deepEqual(takeOptions(['compare', '--fail-on', 'worse', 'FAIL_ON=inconclusive'], []).given, { FAIL_ON: 'worse,inconclusive' }));

test('a switch is on by its flag alone, and any other flag without a value is told', () => {
	assert.deepEqual(takeOptions(['run', '--integrity', 'a', '--capture', '0'], []), {
		words: ['run', 'a'],
		given: { INTEGRITY: '1', CAPTURE: '0' },
	});
	for (const words of [
		['run', '--load'],
		['run', '--load', '--json'],
	])
		assert.throws(
			() => takeOptions(words, []),
			/--load: expected a value behind it; found none\.\n {2}To do: write --load \.\.\., or LOAD=/,
		);
});

test('what a command’s own flag is given stays its own', () => {
	for (const words of [
		['compare', '--a', 'LOAD=smoke', '--b', '--load'],
		['compare', '--a=LOAD=smoke', '--b'],
	])
		assert.deepEqual(takeOptions(words, ['--a', '--b']), { words, given: {} });
});

test('any other word stays, an option that the lab does not know too, so that it is refused', () => {
	const words = ['run', 'a', 'LOD=smoke', 'LOAD', 'LOADS', '--json', '--lod', '=x', ''];
	assert.deepEqual(takeOptions(words, []), { words, given: {} });
});

test('the folders that commands read and what holds for the machine are variables too', () => {
	for (const name of ['RUN', 'INTO', 'IMAGES', 'BUSY', 'A', 'WORKERS']) assert.ok(OPTION_NAMES.includes(name), name);
});

/** what is said of a variable */
function refusal({
	words = [],
	valued = [],
	env = {},
}: {
	words?: string[];
	valued?: string[];
	env?: Record<string, string>;
}): string | null {
	try {
		refuseMisspelt({ words, valued, env });
		return null;
	} catch (error) {
		assert.ok(error instanceof NotReadyError, String(error));
		return error.message;
	}
}

test('a misspelt variable behind the command is refused with the one that was meant, and with what it was given', () => {
	assert.equal(
		refusal({ words: ['run', 'a', 'LOADS=smoke'] }),
		'LOADS: expected an option of Doubletake; found none of that name.\n  To do: write LOAD=smoke instead of LOADS=.',
	);
	assert.match(String(refusal({ words: ['run', 'BUGDET=fair'] })), /write BUDGET=fair instead of BUGDET=/);
	assert.match(String(refusal({ words: ['run', 'EXPCT=a<1,b<2'] })), /write EXPECT=\.\.\. instead of EXPCT=/);
	assert.match(String(refusal({ words: ['run', 'FOO=1'] })), /^FOO: .*\n {2}To do: leave it out; .*FOO=\.\.\. doubletake run/);
});

test('what an option is given, and what is no variable, is nobody’s misspelling', () => {
	assert.equal(refusal({ words: ['compare', '--a', 'LOADS=8', 'reports/a=b', 'a:DELAY=5', '--json'], valued: ['--a'] }), null);
});

test('a misspelt variable that was typed to make is refused, whatever its value holds', () => {
	const typed = (text: string) => refusal({ env: { [TYPED]: text } });
	assert.match(String(typed('LOADS=smoke')), /write LOAD=smoke instead of LOADS=/);
	assert.match(String(typed('load:=smoke SEED=1')), /write LOAD=smoke instead of load=/);
	assert.equal(typed('FAULT=kill\\ app-1@3s;\\ LOADS=x EXPECT=a<1'), null);
	assert.match(String(typed('FAULT=kill\\ app-1@3s REPEAT=2')), /write REPEATS=2 instead of REPEAT=/);
	assert.match(String(typed('FOO=1')), /^FOO: /);
});

test('what make is given for other programs is left alone', () => {
	for (const name of ['BOOTSTRAP', 'SHOTS', 'PATH', 'TMPDIR', 'NGINX_IMAGE', 'K6_IMAGE', 'DOCKER_HOST', 'HTTP_PROXY', 'DOUBLETAKE_REPORTS'])
		assert.equal(refusal({ env: { [TYPED]: `${name}=x` } }), null, name);
	assert.match(String(refusal({ env: { [TYPED]: 'RETRY_BUGDET=1' } })), /write RETRY_BUDGET=1/);
});

test('of the environment only what says twice that it is the lab’s is taken for a misspelling', () => {
	assert.match(String(refusal({ env: { load: 'smoke' } })), /write LOAD=smoke instead of load=/);
	assert.match(String(refusal({ env: { Busy: 'allow' } })), /write BUSY=allow instead of Busy=/);
	assert.match(String(refusal({ env: { LOADS: 'smoke' } })), /write LOAD=smoke instead of LOADS=/);
	assert.match(String(refusal({ env: { BUGDET: 'fair' } })), /write BUDGET=fair instead of BUGDET=/);
	for (const env of [
		{ load: '0.42' },
		{ LOADS: '8' },
		{ MODE: 'smoke' },
		{ LOADS: 'smoke', LOAD: 'ramp' },
		{ users: '10' },
		{ path: '/bin' },
		{ load: 'smoke', LOAD: 'ramp' },
		{ FOO: '1' },
	])
		assert.equal(refusal({ env: env as any }), null, JSON.stringify(env));
});

const program = new Command('doubletake').option('--json');
program.command('run [architecture]').option('--allow');
program.command('compare');

const hint: (name: string, found: string, ...words: string[]) => string = (name, found, ...words) =>
	hintFor(`commander.${name}`, `error: it is unknown '${found}'`, words, program);

test('a misspelt option leads to the one that was meant, of the command, of all or of the table', () => {
	assert.equal(hint('unknownOption', '--alow', 'run', '--alow'), 'write "--allow" instead of "--alow".');
	assert.equal(hint('unknownOption', '--jsn', 'compare', '--jsn'), 'write "--json" instead of "--jsn".');
	assert.equal(hint('unknownOption', '--lod', 'run', '--lod', 'smoke'), 'write "--load" instead of "--lod".');
	assert.equal(hint('unknownOption', '--LOAD=smoke', 'run', '--LOAD=smoke'), 'write "--load" instead of "--LOAD".');
	assert.equal(hint('unknownOption', '--retry_budget', 'run', '--retry_budget'), 'write "--retry-budget" instead of "--retry_budget".');
	assert.equal(hint('unknownOption', '--qwertyuiop', 'run', '--qwertyuiop'), '"doubletake run --help" says what it takes.');
});

test('a misspelt command leads to the one that was meant, an architecture to its run, and any other to the help', () => {
	assert.equal(hint('unknownCommand', 'rnu', 'rnu'), 'write "run" instead of "rnu".');
	assert.equal(hint('unknownCommand', '2a', '2a'), 'doubletake run 2a');
	assert.equal(hint('unknownCommand', 'frobnicate', 'frobnicate'), '"doubletake --help" names the commands.');
});

test('arguments too many lead to the help of their command', () => {
	assert.equal(hint('excessArguments', 'run', 'run', 'a', 'b'), '"doubletake run --help" says what it takes.');
});

test('several values of a variable are words of compare, also where an architecture has one of that name', () => {
	const words = ['compare', 'POOL=2,5', 'WORKERS=1,2', 'FAIL_ON=worse,inconclusive'];
	const taken = takeOptions(words, [], isSwept);
	assert.deepEqual(taken, { words: words.slice(0, 3), given: { FAIL_ON: 'worse,inconclusive' } });
	refuseMisspelt({ ...taken, valued: [], env: {}, isOwn: isSwept });
	assert.throws(() => refuseMisspelt({ ...taken, valued: [], env: {} }), /POOL: expected an option/);
});

test('what reads alone ends where it is interrupted, and what has a stack up takes that down first', () => {
	assert.deepEqual(
		['share x', '--json replay', 'report reports/a'].map((line) => endsAtOnce(line.split(' '))),
		[true, true, true],
	);
	assert.deepEqual(
		['run', 'prove', 'clean', 'RUN=share compare --a share', ''].map((line) => endsAtOnce(line.split(' '))),
		[...[false, false, false, false, false]],
	);
});
