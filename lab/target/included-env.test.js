import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { withoutEnvFile } from './included-env.js';

const TEXT = `include:
  - other.yaml
  - path: sub/compose.yaml
    env_file: [./a.env, "\${PLACE}/b.env"]
  - { path: x.yaml, env_file: sub/b.env }
services: {}
`;
const given = { missing: '/shop/sub/b.env', folder: '/shop', replaced: (/** @type {string} */ path) => path.replace(`\${PLACE}`, 'sub') };

test('a file of variables for an included file has its example in its place, or nothing', () => {
  const files = (/** @type {string | null} */ instead) =>
    parse(withoutEnvFile(TEXT, { ...given, instead }) ?? '').include.map((/** @type {any} */ one) => one.env_file);
  assert.deepEqual(files('/shop/b.env.example'), [undefined, ['./a.env', '/shop/b.env.example'], ['/shop/b.env.example']]);
  assert.deepEqual(files(null), [undefined, ['./a.env'], undefined]);
});

test('a file that includes nothing so stays as it is', () => {
  for (const text of ['services: {}\n', 'include: [a.yaml]\n', TEXT.replaceAll('b.env', 'c.env')])
    assert.equal(withoutEnvFile(text, { ...given, instead: null }), null);
});
