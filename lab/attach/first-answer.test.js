import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../define/errors.js';
import { waysOf } from './entry-way.js';
import { lastingNote, noteOf, refuseOtherScheme, waitFor } from './first-answer.js';
import { partsOfEntry } from './project-schema.js';

const ENTRY = 'http://web:8080/';
const signal = new AbortController().signal;
const times = { limitMs: 60_000, behindMs: 60_000, brokenMs: 60_000, lookMs: 0, againMs: 0 };

/** @type {(status: number, more?: object) => import('../measure/http-answer.js').Answer} */
const answer = (status, more = {}) => ({ status, location: '', error: status === 0 ? 'connect ECONNREFUSED' : '', ...more });

/** Gives one after the other, and the last of them again and again. @template T @param {T[]} values */
function inTurn(values) {
  let asked = 0;
  return async () => {
    asked += 1;
    return values[Math.min(asked, values.length) - 1];
  };
}

/** @type {(given: { answers: number[][] | null, looks?: boolean[], times?: object }) => Promise<{ found: number[] | undefined, said: string[] }>} */
async function waited({ answers, looks = [true], times: own = {} }) {
  const said = /** @type {string[]} */ ([]);
  const ask = answers === null ? null : inTurn(answers.map((statuses) => statuses.map((status) => answer(status))));
  const say = (/** @type {string} */ text) => said.push(text);
  const found = await waitFor({ ask, entry: ENTRY, look: inTurn(looks), steadyMs: 0, say, signal, times: { ...times, ...own } });
  return { found: found?.map(({ status }) => status), said };
}

test('a service that is slow is waited for, and so is one behind a proxy that is there already', async () => {
  const { found, said } = await waited({ answers: [[0], [0], [502], [503], [200]] });
  assert.deepEqual(found, [200]);
  assert.deepEqual(said, ['waiting until http://web:8080/ answers well (connect ECONNREFUSED)']);
});

test('what breaks after its first good answer is waited for until it answers well three times in a row', async () => {
  const asked = inTurn([200, 200, 0, 500, 200, 200, 200, 404].map((status) => [answer(status)]));
  let count = 0;
  const ask = async () => {
    count += 1;
    return asked();
  };
  await waitFor({ ask, entry: ENTRY, look: inTurn([true]), steadyMs: 0, say: () => {}, signal, times });
  assert.equal(count, 7);
});

test('an error of the server is waited out, but not as long as a service that is not there', async () => {
  assert.deepEqual((await waited({ answers: [[500], [200]] })).found, [200]);
  assert.deepEqual((await waited({ answers: [[500]], times: { brokenMs: 0 } })).found, [500]);
  assert.deepEqual((await waited({ answers: [[500, 200]], times: { brokenMs: 0 } })).found, [500, 200]);
});

test('what answers at once is not waited for, whatever it answers but errors', async () => {
  for (const status of [200, 302, 404, 429]) assert.deepEqual((await waited({ answers: [[status]] })).said, []);
});

test('where one path is there and another is not yet, both are waited for', async () => {
  assert.deepEqual(
    (
      await waited({
        answers: [
          [200, 502],
          [200, 200],
        ],
      })
    ).found,
    [200, 200],
  );
});

test('an entry that never answers is refused, with what was found and what to look at', async () => {
  await assert.rejects(waited({ answers: [[0]], times: { limitMs: 0 } }), (error) => {
    assert.ok(error instanceof NotReadyError);
    assert.match(error.message, /expected an HTTP answer of http:\/\/web:8080\/ within 0 s; found none: connect ECONNREFUSED/);
    assert.match(error.message, /0\.0\.0\.0/);
    return true;
  });
});

test('a proxy that goes on saying that nothing is behind it is taken at its word', async () => {
  assert.deepEqual((await waited({ answers: [[503]], times: { behindMs: 0 } })).found, [503]);
});

test('a status that the load expects is not waited out, whatever proxies say by it', async () => {
  const ask = async () => [{ ...answer(503), expect: [503] }];
  const found = await waitFor({ ask, entry: ENTRY, look: inTurn([true]), steadyMs: 0, say: () => assert.fail('it waits'), signal, times });
  assert.deepEqual(
    found?.map(({ status }) => status),
    [503],
  );
});

test('where it cannot be asked from here, only the containers are looked at', async () => {
  assert.deepEqual(await waited({ answers: null, looks: [false, true] }), { found: undefined, said: [] });
});

test('what will fail as it stands is told before the load', () => {
  const request = { method: 'GET', path: '/' };
  const noteFor = (/** @type {number} */ status, more = {}) => noteOf(request, answer(status, more), ENTRY).join();
  assert.equal(noteFor(200), '');
  assert.equal(noteFor(304), '');
  assert.match(noteFor(429), /a rate limiter\. All users of the load have one address/);
  assert.match(noteFor(401), /counts as a failure: list requests that need no log-in/);
  assert.match(noteFor(404), /list requests under load\.urls that it serves.* that of http:\/\/web:8080\//);
  assert.match(noteFor(400), /if that port speaks HTTPS, write https:\/\/ in the entry; else list requests/);
  assert.match(noteFor(500), /Volumes are new in a run: is what it needs in them\?$/);
  assert.match(noteFor(503), /Volumes are new in a run.* another Host than that of http:\/\/web:8080\/, give it under load\.headers/);
  assert.match(noteFor(0), /is not answered \(connect ECONNREFUSED\)/);
  assert.deepEqual(noteOf({ ...request, expect: [404] }, answer(404), ENTRY), []);
  assert.match(
    noteOf({ ...request, expect: [404] }, answer(200), ENTRY).join(),
    /GET \/ answers 200, which counts as a failure: load\.expect/,
  );
});

test('a redirect is told with what to ask for instead, and never with a place outside of the run', () => {
  const noteFor = (/** @type {string} */ location) => noteOf({ method: 'GET', path: '/' }, answer(302, { location }), ENTRY).join();
  const told = 'GET / is answered by a redirect, which the load does not follow:';
  assert.equal(noteFor('/login?next=%2F'), `${told} ask for /login instead.`);
  assert.equal(noteFor('http://WEB:8080/login/'), `${told} ask for /login/ instead.`);
  assert.equal(
    noteFor('https://web/'),
    `${told} it leads to https://web/. If the service listens there, write "https://web:443/" as the entry in doubletake.yaml.`,
  );
  for (const location of [
    'https://shop.example.com/cart?token=x',
    '//shop.example.com/cart',
    'http://localhost/cart',
    'HTTPS://[::1]/cart',
  ])
    assert.match(
      noteFor(location),
      /it leads away from the entry, to \S+\/cart\. Ask for \/cart if http:\/\/web:8080\/ serves it too; .*load\.headers\.$/,
    );
  assert.doesNotMatch(noteFor('https://shop.example.com/cart?token=x'), /token|instead/);
});

test('a request that fails now and then is not told as one that fails', async () => {
  const request = { method: 'GET', path: '/' };
  const noteAfter = (/** @type {number[]} */ statuses) =>
    lastingNote({ request, answer: answer(500), ask: inTurn(statuses.map((status) => answer(status))), entry: ENTRY });
  assert.deepEqual(await noteAfter([500, 200]), []);
  assert.match((await noteAfter([404])).join(), /answers 404/);
});

test('an entry has a port and a beginning of all paths, whether it names them or not', () => {
  assert.deepEqual(partsOfEntry('http://my_app:8000/api/'), { scheme: 'http', host: 'my_app', port: 8000, base: '/api' });
  assert.deepEqual(partsOfEntry('https://1.0'), { scheme: 'https', host: '1.0', port: 443, base: '' });
});

test('a script is refused where its entry speaks another scheme than the file says, with what to write', async () => {
  const ask = async (/** @type {{ target?: string }} */ { target = '' }) => answer(target.startsWith('https') ? 200 : 400);
  const ways = waysOf({ ask, addressOf: async () => undefined });
  refuseOtherScheme([ENTRY], ways);
  await ways.ask({ method: 'GET', path: '/' }, ENTRY);
  assert.throws(
    () => refuseOtherScheme([ENTRY], ways),
    /entry: expected http at http:\/\/web:8080\/.*found that https is spoken[\s\S]*write https:\/\/web:8080\/ as the entry/,
  );
});
