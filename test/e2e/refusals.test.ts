/**
 * What the lab refuses, by its own program and by make: what is typed arrives there, and how it ended comes back. What is refused, and in
 * which words: lab/cli/main.test.ts and test/static/refusals.test.ts.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { architectures } from '../../lab/catalog/architectures.ts';
import { scenarios } from '../../lab/catalog/scenarios.ts';
import { doubletake, make } from './commands.ts';

const timeout = 60_000;
/** Nothing of them is measured, and each is one process. */
const concurrency = 2;

describe('before anything is brought up', { concurrency }, () => {
	test('a variable given to make reaches the lab', { timeout }, async () => {
		const { exitCode, output } = await make('run-a', 'BUDGET=lavish');
		assert.notEqual(exitCode, 0);
		assert.match(output, /BUDGET: .*"lavish"/);
	});

	for (const [args, name, what] of [
		[['calibrate'], 'LOAD', 'a calibration'],
		[['bench-overhead'], 'DELAY', 'bench-overhead'],
		[['experiment', 'doubling'], 'FAULTS', 'any arm of the experiment doubling'],
	] as const) {
		test(`${args.join(' ')} refuses ${name}, which would change nothing about it`, { timeout }, async () => {
			const { exitCode, output } = await doubletake([...args], { [name]: '3' });
			assert.equal(exitCode, EXIT.notReady, output);
			assert.ok(output.includes(`error: ${name}: expected none, because it changes nothing about ${what}; found "3".`), output);
		});
	}

	test(
		'a variable that the lab does not know is refused by make with the one that was meant, and so is a target without a name',
		{ timeout },
		async () => {
			const { exitCode, output } = await make('run-2a', 'LOADS=smoke');
			assert.notEqual(exitCode, 0);
			assert.match(output, /error: LOADS: expected an option of Doubletake.*\n.*write LOAD=smoke/);
			const nameless = await make('run-');
			assert.match(nameless.output, /expected doubletake\.yaml in .*, or the name of an architecture; found neither/);
		},
	);

	test('a threshold given to make reaches the lab, signs and all', { timeout }, async () => {
		const { exitCode, output } = await make('run-a', 'LOAD=smoke', 'EXPECT=failure_rate<101%');
		assert.notEqual(exitCode, 0);
		assert.match(output, /EXPECT: .*found "101%" in "failure_rate<101%"/);
	});

	test('a fault that cannot be put in is refused', { timeout }, async () => {
		const { exitCode, output } = await make('run-a', 'LOAD=calm', 'FAULT=kill app-2@3s');
		assert.notEqual(exitCode, EXIT.done);
		assert.match(output, /FAULT: expected one of mongo, app-1 in "kill app-2@3s"; found "app-2"/);
	});

	test('a run that is not there cannot be reported again, and that ends with 2', { timeout }, async () => {
		const { exitCode, output } = await doubletake(['report', 'a/nowhere']);
		assert.equal(exitCode, EXIT.notReady, output);
		assert.match(output, /nowhere/);
	});

	test('make without a target says what there is', { timeout }, async () => {
		const { exitCode, output } = await make();
		assert.equal(exitCode, 0, output);
		for (const word of ['make run-', 'make list', 'make help-all', 'lab/doubletake init']) assert.ok(output.includes(word), word);
	});

	test('the list names every architecture and every load, and what holds for the machine is refused by nobody', { timeout }, async () => {
		const { exitCode, output } = await make('list', 'IMAGES=local', 'BUSY=allow', 'LOAD=smoke');
		assert.equal(exitCode, 0, output);
		for (const id of [...Object.keys(architectures), ...Object.values(scenarios).flatMap(({ loads }) => Object.keys(loads))])
			assert.ok(output.includes(id), id);
	});
});
