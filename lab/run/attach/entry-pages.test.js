import assert from 'node:assert/strict';
import { test } from 'node:test';
import { besideIt, followed, kindOf } from './entry-pages.js';

const FROM = { scheme: 'http', host: 'web', port: 80, path: '/' };
const led = (/** @type {string} */ location) => ({ status: 302, location, error: '' });
const page = (/** @type {string} */ text = '') => ({ status: 200, location: '', error: '', page: text });

/** @param {Record<string, any>} site by path */
const asker = (site) => async (/** @type {string} */ path) => site[path] ?? { status: 404, location: '', error: '' };

test('redirects within the place are followed to the page at their end', async () => {
  const ask = asker({ '/a': led('http://web/b?x=1'), '/b?x=1': page() });
  assert.deepEqual((await followed({ ask, answer: led('/a'), from: FROM }))?.paths, ['/', '/a', '/b?x=1']);
  assert.deepEqual((await followed({ ask, answer: page(), from: FROM }))?.paths, ['/']);
});

test('a way that leaves the place, goes in a circle or ends badly has no page', async () => {
  const ask = asker({ '/a': led('/b'), '/b': led('/a') });
  for (const location of ['/a', 'https://web/', 'http://elsewhere/', '/none'])
    assert.equal(await followed({ ask, answer: led(location), from: FROM }), null, location);
  assert.equal(await followed({ ask: asker({ '/a': page() }), answer: led('/a'), from: { ...FROM, path: '/x/' }, base: '/x' }), null);
});

test('first steps and log-ins are known by where the way leads, and by a field for a password', () => {
  const password = '<form><input name=p type="password"></form>';
  const kindAt = (/** @type {string} */ path, text = '') => kindOf({ paths: ['/', path], page: text });
  for (const path of ['/install', '/setup', '/wp-admin/install.php', '/admin/first-run', '/onboarding?x', '/api/v1/initialize'])
    assert.equal(kindAt(path, password), 'set-up', path);
  for (const path of ['/login', '/users/sign_in', '/accounts/login/', '/auth/realms/x']) assert.equal(kindAt(path), 'log-in', path);
  for (const path of ['/dashboard', '/installations', '/blog/authors', '/sessions']) assert.equal(kindAt(path), 'page', path);
  assert.equal(kindAt('/Anmelden', password), 'log-in');
  assert.equal(kindOf({ paths: ['/'], page: password }), 'log-in');
  const shop = `${password}${['a', 'b', 'c', 'd'].map((path) => `<a href="/${path}">x</a>`).join('')}`;
  assert.equal(kindOf({ paths: ['/'], page: shop }), 'page', 'a page with more than a log-in on it');
});

test('what a page loads and links to is taken as far as it answers well', async () => {
  const text =
    '<link rel=stylesheet href="/x/s.css?v=1"><script src="/x/a.js"></script><a href="/x/b">b</a><a href="/x/gone">g</a><a href="/y">y</a>';
  const ask = asker({ '/x/s.css?v=1': page(), '/x/a.js': page(), '/x/b': page(), '/y': page() });
  assert.deepEqual(await besideIt({ ask, page: text, path: '/x/', base: '/x', most: 9 }), ['/x/s.css?v=1', '/x/a.js', '/x/b']);
});
