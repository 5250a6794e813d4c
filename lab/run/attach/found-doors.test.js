import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeholderFor } from '../../catalog/project-schema.js';
import { foundDoors, movedPlaceholder, urlOfPage, withDoors } from './found-doors.js';

const EDGE = 'http://edge:80/';
const SECURED = 'https://edge:443/';
const ADMIN = 'http://admin:8080/';

/** @param {Partial<import('./settle-load.js').Door>} [given] */
const door = (given = {}) => ({ entry: EDGE, host: '', target: EDGE, headers: {}, isAway: false, ...given });
/** @param {string | string[]} entry @param {Record<string, string>} [hosts] @returns {any} */
const project = (entry, hosts) => ({ entry, hosts, load: placeholderFor({ entry, hosts }) });

test('an entry that speaks TLS elsewhere is written so, with what its hosts lead to', () => {
  const before = project([EDGE, ADMIN], { 'a.test': EDGE, 'b.test': EDGE });
  const doors = ['a.test', 'b.test'].map((host) => door({ host, target: SECURED }));
  const found = foundDoors(before, [...doors, door({ entry: ADMIN, target: ADMIN })]);
  assert.deepEqual(found, { entries: { [EDGE]: SECURED }, hosts: {}, headers: {} });
  const after = withDoors(before, found);
  assert.deepEqual([after.entry, after.hosts], [[SECURED, ADMIN], { 'a.test': SECURED, 'b.test': SECURED }]);
  assert.deepEqual(movedPlaceholder(before, after), ['GET /', 'GET https://b.test/', `GET ${ADMIN}`]);
  assert.deepEqual(movedPlaceholder(before, before), []);
});

test('hosts of one entry that speak differently leave it as it is', () => {
  const found = foundDoors(project(EDGE, { 'a.test': EDGE, 'b.test': EDGE }), [
    door({ host: 'a.test', target: SECURED }),
    door({ host: 'b.test' }),
  ]);
  assert.deepEqual(found.entries, {});
});

test('a host that a redirect gave is written, and so is the word of a proxy that all of it needs', () => {
  const headers = { Host: 'a.test', 'X-Forwarded-Proto': 'https' };
  const found = foundDoors(project(EDGE), [door({ headers })]);
  assert.deepEqual(found, { entries: {}, hosts: { 'a.test': EDGE }, headers: { 'X-Forwarded-Proto': 'https' } });
  assert.deepEqual(movedPlaceholder(project(EDGE), withDoors(project(EDGE), found)), []);
  assert.deepEqual(foundDoors(project([EDGE, ADMIN]), [door({ headers }), door({ entry: ADMIN, target: ADMIN })]).headers, {});
});

test('URLs that somebody wrote keep the entries that they begin with', () => {
  const written = { ...project([EDGE, ADMIN]), load: { urls: ['GET /', `GET ${ADMIN}users`] } };
  assert.deepEqual(foundDoors(written, [door({ target: SECURED })]).entries, {});
  const paths = { ...project(EDGE), load: { urls: ['GET /a'] } };
  assert.deepEqual(foundDoors(paths, [door({ target: SECURED })]).entries, { [EDGE]: SECURED });
});

test('a page is named by its path at the first entry and its first host, else by its URL', () => {
  const known = { entry: [EDGE, ADMIN], hosts: { 'a.test': EDGE, 'b.test': EDGE } };
  const at = (/** @type {string} */ entry, /** @type {string} */ host) => urlOfPage({ path: '/x', entry, host }, known);
  assert.deepEqual([at(EDGE, 'a.test'), at(EDGE, 'b.test'), at(ADMIN, '')], ['/x', 'http://b.test/x', 'http://admin:8080/x']);
});
