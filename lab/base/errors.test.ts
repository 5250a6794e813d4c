import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
	becauseOf,
	EXIT,
	errorRecord,
	NotInjectedError,
	NotReadyError,
	RunFailedError,
	toUserError,
	UnreadyMachineError,
	writing,
} from './errors.ts';
import { oneOf } from './format-command.ts';

const refused = (code: string, more: object = {}) => Object.assign(new Error(`${code}: the system says why`), { code, ...more });

test('a full disk is reported with its folder, how much is free and what to do, whatever was being written', () => {
	const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-errors-'));
	try {
		const path = join(folder, 'not-there', 'report.html');
		const reported = toUserError(writing(refused('ENOSPC'), path));
		assert.ok(reported instanceof UnreadyMachineError);
		const free = String.raw`\d+\.\d [GM]iB free`;
		assert.match(
			reported.problem.replace(folder, 'FOLDER'),
			new RegExp(`^Expected to be able to write to FOLDER/not-there/report\\.html; found a full disk, with ${free} \\(ENOSPC: `),
		);
		assert.equal(reported.remedy.replaceAll(join(folder, 'not-there'), 'FOLDER').split(',')[0], 'free some space there (df -h FOLDER)');
		assert.match(String(toUserError(writing(refused('EDQUOT'), path))?.message), /found that this user may store no more there, with \d/);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

test('where the system does not say what was written, it is where the command was given', () => {
	const reported = toUserError(refused('ENOSPC'));
	assert.equal(reported?.exitCode, EXIT.notReady);
	assert.ok(reported?.message.startsWith(`Expected to be able to write to ${process.cwd()}; found a full disk, with `));
});

test('a place that may not be written to is reported with what to do, and what may not be read is none', () => {
	const path = '/reports/shop/result.json';
	assert.match(
		String(toUserError(refused('EROFS', { syscall: 'open', path }))?.message),
		/read only .*\n {2}To do: have \/reports\/shop mounted /,
	);
	for (const code of ['EACCES', 'EPERM', 'ENOTDIR']) {
		assert.match(
			String(toUserError(refused(code, { syscall: 'mkdir', path }))?.message),
			/^Expected to be able to write to \/reports\/shop\/result\.json; found (that this user may not|no place for it) .*\n {2}To do: (let this user write to \/reports\/shop|make what is missing.* \(ls -la \/\))/,
		);
		assert.equal(toUserError(refused(code, { syscall: 'open', path })), null);
		assert.equal(toUserError(writing(refused(code, { syscall: 'open', path }), path))?.exitCode, EXIT.notReady);
	}
});

test('what the lab tells stays as it is, and its own mistakes keep their trace', () => {
	const reported = new NotReadyError('Expected one.', 'give one.');
	assert.equal(toUserError(reported), reported);
	for (const mistake of [new TypeError('x is undefined'), Object.assign(new Error('no such file'), { code: 'ENOENT' }), 'text', undefined])
		assert.equal(toUserError(mistake), null);
});

const unready = () => Promise.reject(new NotReadyError('The stack did not start.', 'look at it'));
const fault = { id: 'db.small', title: 'small' };

test('a system that does not come up with a fault cannot take it', async () => {
	const expected = { name: 'NotInjectedError', message: 'the system does not come up with it: The stack did not start.' };
	await assert.rejects(becauseOf({ fault }, unready()), expected);
});

test('without a fault it is the system that is not ready, and any other error stays what it is', async () => {
	await assert.rejects(becauseOf({ fault: null }, unready()), NotReadyError);
	await assert.rejects(becauseOf({ fault }, Promise.reject(new TypeError('x'))), TypeError);
	await assert.rejects(
		becauseOf({ fault }, Promise.reject(new NotInjectedError('it names no server'))),
		/^NotInjectedError: it names no server$/,
	);
	assert.equal(await becauseOf({ fault }, Promise.resolve(7)), 7);
});

test('a refusal says what was expected, what was found and what to do, each by itself', () => {
	assert.throws(
		() => oneOf('LOAD', 'tsunami', ['ramp', 'smoke']),
		(error) => {
			assert.ok(error instanceof NotReadyError);
			const { message, expected, found, do: remedy } = errorRecord(error);
			assert.deepEqual(
				[message, expected, found],
				['LOAD: expected one of ramp, smoke; found "tsunami".', 'one of ramp, smoke', '"tsunami"'],
			);
			assert.ok(remedy && error.message.endsWith(`To do: ${remedy}`));
			return true;
		},
	);
});

test('what is found ends with its sentence, and not at a point inside of a word or a number', () => {
	for (const [problem, found] of [
		['memory: expected 2.5 GB; found 1.5 GB.', '1.5 GB'],
		['init: expected no doubletake.yaml in /shop; found one.', 'one'],
		['A: expected none; found "b". It stands in the way.', '"b"'],
	])
		assert.equal(errorRecord(new NotReadyError(problem, 'correct it.')).found, found);
});

test('an error that says neither has its message alone, and one that says what to do has that too', () => {
	assert.deepEqual(errorRecord(new RunFailedError('k6 ended.')), { message: 'k6 ended.' });
	assert.deepEqual(errorRecord(new TypeError('x is no function')), { message: 'x is no function' });
	assert.deepEqual(errorRecord(new NotReadyError('The disk is full.', 'free some space.')), {
		message: 'The disk is full.',
		do: 'free some space.',
	});
});
