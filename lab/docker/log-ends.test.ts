import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endsOf } from './log-ends.ts';

/** As Node 24 writes it. */
const NODE = `node:internal/modules/cjs/loader:1424
  throw err;
  ^

Error: Cannot find module 'express'
Require stack:
- /app/server.js
${Array.from({ length: 12 }, (_, index) => `    at Module.load (node:internal/modules/cjs/loader:${index})`).join('\n')}
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/app/server.js' ]
}

Node.js v24.21.0
`;
const NUMBERED = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

test('a stack trace is quoted with the line that says what it is about', () => {
	const { what, text } = endsOf(`listening\n${NODE}`);
	assert.equal(what, 'first and last lines');
	assert.match(text, /^ {4}Error: Cannot find module 'express'\n {4}Require stack:\n {4}- \/app\/server\.js\n/);
	assert.match(text, /\n {4}Node\.js v24\.21\.0$/);
});

test('where nothing looks like a failure its last three lines are quoted, without empty ones', () => {
	assert.deepEqual(endsOf(`${NUMBERED.join('\n\n')}\n\n`), { what: 'last lines', text: '    line 38\n    line 39\n    line 40' });
});

test('of several failures the last counts, and a short log is quoted whole', () => {
	const twice = [...NUMBERED.slice(0, 5), 'panic: first', ...NUMBERED.slice(0, 10), 'panic: second', ...NUMBERED.slice(0, 20)].join('\n');
	assert.match(endsOf(twice).text, /^ {4}panic: second\n/);
	assert.deepEqual(endsOf('one\ntwo\n'), { what: 'last lines', text: '    one\n    two' });
});
