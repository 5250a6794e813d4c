import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../base/errors.js';
import { listen } from '../fixtures/reporter.js';

const refusal = new NotReadyError('LOAD: expected a load; found "x".', 'use one.');

test('with --json standard output has the result alone, and the words are on standard error', () => {
  const { reporter, out, err, result } = listen();
  reporter.progress.say('bringing the stack up');
  reporter.tell('\n  failed 3 %\n');
  reporter.give({ report: 'reports/a/1/report.html' });
  assert.equal(out(), '');
  assert.deepEqual(result(), { report: 'reports/a/1/report.html' });
  assert.equal(err(), '  bringing the stack up\n\n  failed 3 %\n');
});

test('without it the words are on standard output, and no JSON is', () => {
  const { reporter, out, err } = listen({ json: false });
  reporter.progress.say('bringing the stack up');
  reporter.tell('failed 3 %\n');
  reporter.give({ report: 'reports/a/1/report.html' });
  reporter.end(EXIT.done);
  assert.deepEqual([out(), err()], ['  bringing the stack up\nfailed 3 %\n', '']);
});

test('an error takes the place of what was found, and is said in words too', () => {
  const { reporter, err, result } = listen();
  reporter.give({ report: 'page' });
  reporter.fail(refusal);
  assert.deepEqual(result(EXIT.notReady), {
    error: { message: 'LOAD: expected a load; found "x".', expected: 'a load', found: '"x"', do: 'use one.' },
  });
  assert.equal(err(), 'error: LOAD: expected a load; found "x".\n  To do: use one.\n');
});

test('an error is on standard error without --json, and standard output stays as it is', () => {
  const { reporter, out, err } = listen({ json: false });
  reporter.fail(refusal);
  reporter.end(EXIT.notReady);
  assert.deepEqual([out(), err()], ['', 'error: LOAD: expected a load; found "x".\n  To do: use one.\n']);
});

test('of what is found on the way the last counts, and an interruption keeps it', () => {
  const { reporter, result } = listen();
  reporter.give({ result: 1 });
  reporter.give({ result: 2 });
  assert.deepEqual(result(EXIT.interrupted), { result: 2 });
});

test('where nothing was found yet an interruption says so, and a command that finds nothing gives an empty object', () => {
  assert.deepEqual(listen().result(EXIT.interrupted), { error: { message: 'interrupted' } });
  assert.deepEqual(listen().result(EXIT.done), {});
});
