import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, inTurn } from '../../target/fixtures/answers.js';
import { aboutPinned, lastingNote, noteOf } from './about-answers.js';

const ENTRY = 'http://web:8080/';

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
  assert.match(noteFor(503), /Volumes are new in a run.* another Host than that of http:\/\/web:8080\/, name it under hosts/);
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
      /it leads away from the entry, to \S+\/cart\. Ask for \/cart if http:\/\/web:8080\/ serves it too; .*hosts\.$/,
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

test('where a name leads to one of several containers, it is said which way leads to all of them', async () => {
  const list = async () => [
    { service: 'edge', addresses: ['10.0.0.2'] },
    { service: 'edge', addresses: ['10.0.0.3'] },
    { service: 'web', addresses: ['10.0.0.4'] },
  ];
  const told = (/** @type {string[]} */ ...addresses) =>
    aboutPinned(
      addresses.map((address) => ({ method: 'GET', path: '/', address })),
      list,
    );
  assert.match((await told('10.0.0.3')).join(), /^edge has 2 containers .* all of the load goes to one of them\. Written under "hosts"/);
  assert.deepEqual([await told('10.0.0.4'), await told()], [[], []]);
});
