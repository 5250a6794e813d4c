import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../base/paths.js';
import { candidatesIn } from './find-load.js';

const SCRIPT = "import http from 'k6/http';\nexport default function () { http.get('http://web:8080/'); }\n";

/** @param {Record<string, string>} files @param {(folder: string) => void} use */
function withFolder(files, use) {
  const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-found-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {Record<string, string>} files */
function found(files) {
  let names = { scripts: /** @type {string[]} */ ([]), documents: /** @type {string[]} */ ([]) };
  withFolder(files, (folder) => {
    const { scripts, documents } = candidatesIn(folder);
    names = { scripts: scripts.map(({ file }) => file), documents: documents.map(({ file }) => file) };
  });
  return names;
}

test('a script is known by what it imports and exports, whatever it is called', () => {
  const { scripts } = found({
    'visit.js': SCRIPT,
    'run.ts': `${SCRIPT}const one: number = 1;\n`,
    'app.js': "import http from 'node:http';\nexport default 1;\n",
    'helper.js': "import http from 'k6/http';\nexport const get = () => http.get('/');\n",
    'comment.js': "// import http from 'k6/http'\nexport default 1;\n",
    'broken.js': "import http from 'k6/http'; export {",
  });
  assert.deepEqual(scripts.toSorted(), ['run.ts', 'visit.js']);
});

test('a script whose scenarios name their functions is one without a default', () => {
  assert.deepEqual(
    candidatesIn(join(ROOT, 'test/own')).scripts.map(({ file }) => file),
    ['load.js'],
  );
});

test('the nearest comes first, and of those that are equally near the likeliest name', () => {
  const { scripts } = found({
    'k6/load.js': SCRIPT,
    'k6/a.js': SCRIPT,
    'smoke.js': SCRIPT,
    'z.js': SCRIPT,
    'checkout.k6.js': SCRIPT,
    'load.js': SCRIPT,
    'a/b/c/load.js': SCRIPT,
    'a/b/c/d/load.js': SCRIPT,
  });
  assert.deepEqual(scripts, ['load.js', 'checkout.k6.js', 'smoke.js', 'z.js', 'k6/load.js', 'k6/a.js', 'a/b/c/load.js']);
});

test('an OpenAPI document is known by its content, in YAML and JSON', () => {
  const { documents } = found({
    'docs/openapi.yaml': '# ours\nopenapi: "3.0.3"\npaths: {}\n',
    'api.json': '{\n  "openapi": "3.1.0",\n  "paths": {}\n}\n',
    'short.json': '{"openapi":"3.1.0"}',
    'old/swagger.yml': 'swagger: "2.0"\n',
    'compose.yaml': 'services: {web: {image: openapi}}\n',
    'nested.yaml': 'info:\n  openapi: 3\n',
  });
  assert.deepEqual(documents, ['api.json', 'short.json', 'docs/openapi.yaml', 'old/swagger.yml']);
});

test('packages, builds, hidden folders and links are left alone', () => {
  withFolder({ 'node_modules/k6/load.js': SCRIPT, '.git/load.js': SCRIPT, 'dist/load.js': SCRIPT }, (folder) => {
    withFolder({ 'load.js': SCRIPT }, (other) => {
      symlinkSync(join(other, 'load.js'), join(folder, 'load.js'));
      symlinkSync(other, join(folder, 'k6'));
      assert.deepEqual(candidatesIn(folder), { scripts: [], documents: [], recordings: [] });
    });
  });
});

test('a folder that is not there has none', () => {
  assert.deepEqual(candidatesIn('/nowhere/at/all'), { scripts: [], documents: [], recordings: [] });
});

test('recordings come as what users did, then as what a program lists', () => {
  const files = {
    'sitemap.xml': '<urlset></urlset>',
    'http/api.http': 'GET /',
    'shop.postman_collection.json': '{"info": {"schema": "https://schema.getpostman.com/"}}',
    'package.json': '{}',
    'pom.xml': '<project/>',
    'session.har': '{"log": {}}',
  };
  withFolder(files, (folder) =>
    assert.deepEqual(
      candidatesIn(folder).recordings.map(({ file }) => file),
      ['session.har', 'http/api.http', 'shop.postman_collection.json', 'sitemap.xml'],
    ),
  );
});
