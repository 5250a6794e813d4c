import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { LISTED } from '../catalog/scenarios.ts';
import {
	aboutOption,
	acceptedBy,
	acceptedForAll,
	effectOf,
	formatOptions,
	OPTION_NAMES,
	REFUSABLE,
	readOption,
	readOptions,
	readVariables,
	refuseAllBut,
} from './accepted-options.ts';

function refusalOf(what: string, taken: string[], env: Record<string, string>): string {
	try {
		refuseAllBut(what, taken, env);
	} catch (error) {
		assert.ok(error instanceof NotReadyError);
		return error.message;
	}
	return '';
}

test('a refusal says what would make it have an effect, and how to be rid of one that is another program’s', () => {
	const taken = acceptedBy('run', 'a');
	const message = refusalOf('a', taken, { WORKERS: '3' });
	assert.match(message, /^WORKERS: expected none, because it changes nothing about a; found "3"\./);
	assert.match(message, /To do: leave it out; it has an effect on crud\. .* give it empty: WORKERS=$/);
	assert.match(refusalOf('a', taken, { STOCK: '3' }), /on tickets-1, tickets-2, tickets-3\. /);
	assert.match(refusalOf('a', taken, { REPEATS: '3' }), /on make compare, make experiment-<id>, /);
});

test('what is empty is not given, and what is switched off has no effect to miss, unless a user’s own system has it on', () => {
	const off = { DELAY: '0', INTEGRITY: '0', DASHBOARD: '0', PARTS: '0', RETRIES: '0' };
	assert.equal(refusalOf('a', [], { ...Object.fromEntries(REFUSABLE.map((name) => [name, ''])), ...off }), '');
	for (const [name, text] of Object.entries({ DELAY: '1', REPEATS: '0', CAPTURE: '0' }))
		assert.match(refusalOf('a', [], { [name]: text }), new RegExp(`^${name}: expected none`));
});

test('what other programs have, what is of the machine and the folders that are read are never refused', () => {
	const foreign = { USER: 'ada', SHELL: 'sh', MAKEFLAGS: 'j2', MAKELEVEL: '1', CI: 'true', NODE_OPTIONS: '-x', HOME: '/', PWD: '/' };
	const others = OPTION_NAMES.filter((name) => !REFUSABLE.includes(name));
	assert.deepEqual(others, ['RUN', 'INTO', 'IMAGES', 'BUSY']);
	assert.equal(refusalOf('a', [], { ...foreign, ...Object.fromEntries(others.map((name) => [name, 'x'])) }), '');
});

test('a user’s own system may have a variable that is called like one of an architecture', () => {
	assert.ok(acceptedBy('run', 'shop').includes('WORKERS'));
	assert.ok(!acceptedBy('run', 'shop').includes('DELAY'));
});

test('what a job sets for all runs of a user’s own system is taken by all that compare runs', () => {
	for (const command of ['run', 'limit', 'compare', 'experiment'] as const)
		assert.ok(acceptedBy(command, 'shop').includes('CAPTURE'), command);
	assert.ok(acceptedForAll('own').includes('CAPTURE'));
});

test('a value is read, or its standard, which may be another for a user’s own system', () => {
	assert.deepEqual([readOption('GENERATORS', {}), readOption('GENERATORS', { GENERATORS: '2' })], [1, 2]);
	assert.deepEqual([readOption('CAPTURE', {}), readOption('CAPTURE', {}, LISTED)], [false, true]);
	assert.deepEqual([readOption('SEED', { SEED: '' }), readOption('EXPECT', {})], [null, null]);
	assert.deepEqual([readOptions({ THINK: '0' }, 'ramp', LISTED).THINK, readOption('USERS', { USERS: '1' }, LISTED)], [0, 1]);
	assert.throws(() => readOptions({ RATE: '50', THINK: '5' }, 'open', LISTED), /LOAD=open has its own[\s\S]*use LOAD=steps/);
	assert.throws(() => readOptions({ THINK: '5' }, 'ramp'), /THINK: expected none, because LOAD=ramp has its own; found "5"/);
});

test('an architecture has all of its own options and no others, whatever the environment holds', () => {
	assert.deepEqual(readVariables('a', { WORKERS: '3' }), {});
	assert.deepEqual(readVariables('tokyo', { THREADS: '08', FILES: '' }), { THREADS: '8', FILES: '1' });
	assert.throws(() => readVariables('tokyo', { THREADS: '0' }), /THREADS: expected a whole number from 1 to 64; found "0"/);
	assert.throws(() => readVariables('pools', { VARIANT: 'fast' }), /VARIANT: expected one of async-unpooled, .*; found "fast"/);
});

test('what was given is written as a shell takes it, and what is as it would be anyway is left out', () => {
	const settings = { seed: 7, delay: 0, capture: true, variables: { FILES: '1' }, faults: [{ text: 'kill app-2@30s' }] };
	const names = ['SEED', 'DELAY', 'CAPTURE', 'FAULT', 'FILES'];
	assert.deepEqual(formatOptions(names, settings), ['SEED=7', 'CAPTURE=1', "FAULT='kill app-2@30s'", 'FILES=1']);
	assert.deepEqual(formatOptions(['CAPTURE'], { capture: true }, LISTED), []);
	assert.deepEqual(formatOptions(['CAPTURE'], { capture: false }, LISTED), ['CAPTURE=0']);
});

test('an option is reported with what it is unless given, and with what takes it', () => {
	assert.match(aboutOption('GENERATORS'), /; `1` unless given$/);
	assert.match(aboutOption('CAPTURE'), /; `0` for an architecture and `1` for your own system, unless given$/);
	assert.match(aboutOption('WORKERS'), /\(1 to 200; 10 unless given\)$/);
	assert.doesNotMatch(aboutOption('PARTS'), /unless given/);
	assert.match(
		effectOf('RATE'),
		/of systems of the scenario documents, under LOAD=open, LOAD=surge and LOAD=constant, and on doubletake run, doubletake swarm, doubletake compare and doubletake limit$/,
	);
	assert.match(effectOf('BACKOFF'), /, with RETRIES, and on doubletake run, doubletake swarm, doubletake compare and doubletake limit$/);
	assert.match(
		effectOf('THINK'),
		/, and on doubletake run, doubletake swarm, doubletake compare and doubletake limit, there under LOAD=steps, .*, and of your own system as load\.think_ms/,
	);
	assert.match(effectOf('FAULT'), /, and on doubletake run and doubletake swarm$/);
});
