import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../base/paths.js';
import { LOAD_DEFAULTS } from '../catalog/project-schema.js';
import { chooseLoad } from './choose-load.js';

const system = { entries: ['http://edge:8000/'], services: ['edge', 'web'] };
const own = { file: 'load.js', text: readFileSync(join(ROOT, 'test/own/load.js'), 'utf8') };
const api = { file: 'docs/openapi.yaml', text: 'openapi: 3.0.0\npaths:\n  /items: { get: {} }\n  /orders: { get: {}, post: {} }\n' };

/** A script that asks an address. @param {string} address @param {string} [file] */
const asking = (address, file = 'load.js') => ({
  file,
  text: `import http from 'k6/http';\nexport default () => http.get('${address}');\n`,
});

/** @typedef {import('./find-load.js').Found[]} Files */
/** @type {(scripts: Files, documents?: Files, recordings?: Files) => { load: object, said: string[] }} */
const choose = (scripts, documents = [], recordings = []) => chooseLoad({ scripts, documents, recordings }, system);

test('a k6 script is the load before an OpenAPI document, and what else lies there is named', () => {
  assert.deepEqual(choose([own, asking('http://edge:8000/', 'k6/a.js')], [api]), {
    load: { script: 'load.js' },
    said: [
      'The load is load.js: a k6 script, of several the nearest to the Compose file.',
      '? It could also be k6/a.js, docs/openapi.yaml: then name that under load.',
    ],
  });
});

test('an OpenAPI document is the load where there is no script', () => {
  assert.deepEqual(choose([], [api]), {
    load: { openapi: 'docs/openapi.yaml', ...LOAD_DEFAULTS },
    said: ['The load is what docs/openapi.yaml describes: an OpenAPI document with 2 operations that can be asked without harm.'],
  });
});

test('a document that gives nothing to ask is told with why, and the next is taken', () => {
  const old = { file: 'swagger.json', text: '{"swagger": "2.0"}' };
  const writes = { file: 'openapi.yaml', text: 'openapi: 3.0.0\npaths: { /orders: { post: {} } }\n' };
  const { load, said } = choose([], [old, writes, api]);
  assert.deepEqual(load, { openapi: api.file, ...LOAD_DEFAULTS });
  assert.match(
    said.join('\n'),
    /\? swagger\.json was not taken as the load: The OpenAPI document: expected "openapi: 3\.0" or 3\.1; found "Swagger 2\.0"/,
  );
  assert.match(said.join('\n'), /\? openapi\.yaml was not taken as the load: .*expected an operation that can be sent; found none/);
});

test('requests that were recorded for another program are the load where there is neither', () => {
  const empty = { file: 'empty.http', text: 'POST http://localhost/orders\n' };
  const http = {
    file: 'api.http',
    text: 'GET http://localhost:8000/items\n\n###\nGET /orders\n\n###\nPOST http://localhost:8000/orders\n',
  };
  assert.deepEqual(choose([], [], [empty, http]), {
    load: { urls: ['GET /items'], ...LOAD_DEFAULTS },
    said: [
      'The load is one request of api.http, an HTTP file; 2 others, which may change something or name somebody, are left out.',
      '? empty.http was not taken as the load: no request in it can be sent as it is without harm.',
    ],
  });
  assert.match(choose([], [api], [http]).said.join('\n'), /It could also be api\.http/);
});

test('where there is nothing the load is one request, and that it is a placeholder is said', () => {
  assert.deepEqual(choose([]), {
    load: { urls: ['GET /'], ...LOAD_DEFAULTS },
    said: [
      'The load is a placeholder, "GET /", asked again and again: edit load.urls in doubletake.yaml. Nothing that could be the load was found.',
    ],
  });
});

test('a script that names k6 itself or a service past the entry is taken, and told', () => {
  const { load, said } = choose([asking('http://localhost:8080/')]);
  assert.deepEqual(load, { script: 'load.js' });
  assert.match(
    said.join(),
    /\? load\.js names localhost: to k6 in its container that is k6 itself\. Let it ask http:\/\/edge:8000\/, which/,
  );
  assert.match(choose([asking('http://web:3000/')]).said.join(), /\? load\.js names web: so that its requests go past the entry\./);
});

test('what a script asks of its own machine is asked of the service that is published there', () => {
  const scripts = [asking('http://localhost:8080/')];
  const { load, said } = chooseLoad({ scripts, documents: [], recordings: [] }, { ...system, places: { 8080: 'edge:8000' } });
  assert.deepEqual(
    [load, said],
    [{ script: 'load.js' }, ['The load is load.js: a k6 script.', 'What it asks of localhost:8080 is asked of edge:8000.']],
  );
});

test('a script that may load a place outside of the run is never taken, only named', () => {
  const outside = asking('https://shop.example.com/');
  const { load, said } = choose([outside, asking('http://EDGE:8000/', 'k6/b.js')]);
  assert.deepEqual(load, { script: 'k6/b.js' });
  assert.match(
    said.join('\n'),
    /\? load\.js is a k6 script and was not taken as the load: it names shop\.example\.com, outside of the run/,
  );
  assert.doesNotMatch(said.join('\n'), /could also be/);
  const alone = choose([outside]);
  assert.deepEqual(alone.load, { urls: ['GET /'], ...LOAD_DEFAULTS });
  assert.match(alone.said.join('\n'), /placeholder.*could be the load was taken\.\n\? load\.js /);
});

test('addresses in comments, imports and templates are nobody’s load', () => {
  const text = `// see https://k6.io/docs\nimport x from 'https://jslib.k6.io/x.js';\n/* http://example.com */
import http from 'k6/http'; // http://example.org
export default () => http.get(\`http://\${host}:8000/\`);\n`;
  assert.equal(choose([{ file: 'load.js', text }]).said.length, 1);
});

test('names by which users ask the entry are none outside, be they the system’s or led to the machine by the script', () => {
  const named = asking('http://shop.test/');
  assert.deepEqual(chooseLoad({ scripts: [named], documents: [], recordings: [] }, { ...system, hosts: ['shop.test'] }).load, {
    script: 'load.js',
  });
  const led = { ...named, text: `export const options = { hosts: { 'shop.test': '127.0.0.1:8080' } };\n${named.text}` };
  assert.deepEqual(choose([led]).load, { script: 'load.js' });
  const elsewhere = { ...named, text: led.text.replace('127.0.0.1', '192.0.2.7') };
  assert.equal('script' in choose([elsewhere]).load, false);
});
