import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REQUESTS_MOST, recordedIn } from './recorded-requests.js';
import { readUrlList } from './url-list.js';

/** @param {[method: string, url: string][]} requests */
const har = (requests) =>
  JSON.stringify({ log: { version: '1.2', entries: requests.map(([method, url]) => ({ request: { method, url } })) } });

test('of a HAR the requests to the first host are taken, as often as they were sent', () => {
  const text = har([
    ['GET', 'https://shop.example/'],
    ['GET', 'https://shop.example/items?page=2#top'],
    ['GET', 'https://shop.example/items?page=2'],
    ['GET', 'https://cdn.example/font.woff'],
    ['POST', 'https://shop.example/orders'],
    ['GET', 'https://shop.example/items?access_token=abc'],
  ]);
  assert.deepEqual(recordedIn('shop.har', text), { title: 'a HAR', urls: ['2x GET /items?page=2', 'GET /'], others: 3 });
});

test('of an HTTP file each request is read, whatever stands around it', () => {
  const text = [
    '@host = http://localhost:8000',
    '# what the shop shows',
    'GET {{host}}/items HTTP/1.1',
    'Accept: application/json',
    '',
    '### one of them',
    '// it is there',
    'HEAD {{host}}/items/1',
    '### to order',
    'POST {{host}}/orders',
    '',
    '{"item": 1}',
    '###',
    'GET {{host}}/users/{{user}}',
    '###',
    '{{host}}/about',
  ].join('\r\n');
  assert.deepEqual(recordedIn('api.http', text), {
    title: 'an HTTP file',
    urls: ['GET /items', 'HEAD /items/1', 'GET /about'],
    others: 2,
  });
});

test('of a Postman collection the folders are read too, and what has a variable in its path is left out', () => {
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
  const item = [
    { name: 'Items', item: [{ request: { method: 'GET', url: { raw: '{{base}}/items?limit=5' } } }] },
    { request: { method: 'GET', url: { raw: '{{base}}/items/:id' } } },
    { request: '{{base}}/health' },
    { request: { method: 'DELETE', url: '{{base}}/items/1' } },
  ];
  assert.deepEqual(recordedIn('shop.postman_collection.json', JSON.stringify({ info: { schema }, item })), {
    title: 'a Postman collection',
    urls: ['GET /items?limit=5', 'GET /health'],
    others: 2,
  });
});

test('of a sitemap its first pages are taken', () => {
  const pages = Array.from({ length: 30 }, (_, page) => `<url><loc>https://shop.example/page/${page}?a=1&amp;b=2</loc></url>`);
  const { urls, others } = recordedIn('sitemap.xml', `<urlset>${pages.join('')}</urlset>`) ?? { urls: [], others: 0 };
  assert.deepEqual([urls.length, urls[0], others], [REQUESTS_MOST, 'GET /page/0?a=1&b=2', 10]);
});

test('what is taken can be written into doubletake.yaml, whatever the file says', () => {
  const text = har([
    ['GET', 'http://a/ '],
    ['GET', 'http://a//evil.example/'],
    ['GET', 'http://a/\\evil'],
    ['GET', 'http://a/it’s'],
    ['get', 'http://a'],
    ['GET', 'http://a?q=1'],
  ]);
  const { urls } = recordedIn('a.har', text) ?? { urls: [] };
  assert.deepEqual(urls, ['GET /it’s', 'GET /', 'GET /?q=1']);
  assert.equal(readUrlList(urls).length, 3);
});

test('a file of another form, or a broken one, is none', () => {
  assert.equal(recordedIn('package.json', '{}'), null);
  assert.equal(recordedIn('a.har', '{"log": {"entries": 5}}'), null);
  assert.equal(recordedIn('a.har', '{"log":'), null);
});
