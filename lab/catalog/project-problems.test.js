import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.js';
import { filledHeaders, headerProblems, withGiven } from './project-problems.js';

const SECRET = 'Tr0ub4dor';
const TOKEN = `\${TOKEN}`;

/** The first thing that is wrong, without its remedy. @param {unknown} headers */
function wrongIn(headers) {
  const [{ at, expected, found }] = headerProblems(headers);
  return `${at.join('.')}: expected ${expected}; found ${found}`;
}

test('texts by the names of headers are taken, and a load may have none', () => {
  assert.deepEqual(headerProblems(undefined), []);
  assert.deepEqual(headerProblems({ Authorization: `Bearer ${TOKEN}`, 'X-Tenant': 'acme', Cookie: 'a=$1; b={}' }), []);
});

test('what is wrong is told by the header, and no value with it', () => {
  assert.match(wrongIn([SECRET]), /^load\.headers: expected headers by their names, such as .*; found a list$/);
  assert.match(wrongIn(SECRET), /; found a text$/);
  assert.match(wrongIn({}), /; found an empty mapping$/);
  assert.equal(wrongIn({ 'X-Tenant': 7 }), 'load.headers.X-Tenant: expected a text; found a number');
  assert.match(wrongIn({ 'X Tenant': SECRET }), /expected the name of a header; found other signs in it$/);
  assert.match(wrongIn({ Authorization: SECRET, authorization: SECRET }), /^load\.headers\.authorization: expected each header once/);
  assert.match(wrongIn({ 'x-request-id': SECRET }), /expected any header but x-request-id, by which the lab knows each request/);
  assert.match(wrongIn({ Authorization: `\${${SECRET} x}` }), /expected the name of an environment variable in \$\{NAME\}/);
  for (const wrong of [[SECRET], SECRET, { A: SECRET, a: SECRET }, { A: `\${${SECRET} x}` }])
    assert.ok(!JSON.stringify(headerProblems(wrong)).includes(SECRET));
});

test('a value is filled from the environment, each time that it names a variable', () => {
  const env = { TOKEN: SECRET, TENANT: '$&' };
  assert.deepEqual(filledHeaders({ Authorization: `Bearer ${TOKEN}`, Cookie: `a=${TOKEN}; b=\${TENANT}`, 'X-Fixed': 'as it is' }, env), {
    Authorization: `Bearer ${SECRET}`,
    Cookie: `a=${SECRET}; b=$&`,
    'X-Fixed': 'as it is',
  });
});

test('a variable that is not there, and a value that cannot be sent, are refused without telling the value', () => {
  /** @type {(env: Record<string, string>, reported: RegExp) => void} */
  const refused = (env, reported) =>
    assert.throws(
      () => filledHeaders({ Authorization: `Bearer ${TOKEN}` }, env),
      (error) => error instanceof NotReadyError && reported.test(error.message) && !error.message.includes(SECRET),
    );
  const missing = /^doubletake\.yaml, load\.headers\.Authorization: expected the environment variable TOKEN; found none\.\n.*export TOKEN=/;
  refused({}, missing);
  refused({ TOKEN: '' }, missing);
  refused({ TOKEN: `${SECRET}\n` }, /expected a value of one line .*; found other signs in it; part of it is from TOKEN\./);
});

test('a request has the names of what is given, in place of headers of the same name', () => {
  const request = { method: 'POST', path: '/', headers: { 'content-type': 'text/plain', 'X-Tenant': 'example' } };
  assert.deepEqual(withGiven(request, ['x-tenant', 'Authorization']), {
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'text/plain' },
    given: ['x-tenant', 'Authorization'],
  });
  assert.deepEqual(withGiven({ method: 'GET', path: '/' }, []), { method: 'GET', path: '/' });
});
