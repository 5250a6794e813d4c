import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readGivenArm } from '../../target/run-options.js';
import { refuseMissingFile, refuseMissingMount, refuseOddValues } from './checked-system.js';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  await writeFile(join(folder, 'compose.yaml'), '');
});
after(() => rm(folder, { recursive: true }));

test('a Compose file that is not there is reported, with the revision in which it was looked for', () => {
  refuseMissingFile(readGivenArm('--a', []), ['compose.yaml'], folder);
  assert.throws(
    () => refuseMissingFile(readGivenArm('--a', []), ['compose.yaml', 'tuned.yaml'], folder),
    /--a: expected a Compose file "tuned\.yaml" in .*; found none/,
  );
  assert.throws(
    () => refuseMissingFile(readGivenArm('--b', ['rev:v1']), ['tuned.yaml'], folder),
    /"tuned\.yaml" in the revision v1; found none/,
  );
});

test('an arm is given no value that doubletake.yaml does not know, of what it describes', () => {
  /** @type {Record<string, import('../../catalog/project-schema.js').Variable>} */
  const variables = {
    POOL: { about: 'connections', standard: '8', range: [1, 500] },
    MODE: { about: 'how', standard: 'fast', choices: ['fast', 'safe'] },
  };
  refuseOddValues(readGivenArm('--a', ['POOL=32,MODE=safe,OTHER=what']), { variables });
  refuseOddValues(readGivenArm('--a', ['POOL=many']), {});
  const refuse = (/** @type {string} */ text) => () => refuseOddValues(readGivenArm('--b', [text]), { variables });
  assert.throws(refuse('POOL=501'), /--b POOL: expected a whole number from 1 to 500; found "501"/);
  assert.throws(refuse('MODE=sfae'), /--b MODE: expected .*fast.*safe.*; found "sfae"/);
});

test('what a service mounts out of a revision has to be in it; what lies elsewhere is not asked for', () => {
  const arm = readGivenArm('--a', ['rev:v1']);
  const mounting = (/** @type {string} */ source) => [
    { service: 'edge', mounts: [{ type: 'bind', source, target: '/etc/edge.conf', readOnly: true }] },
  ];
  refuseMissingMount(arm, mounting(join(folder, 'compose.yaml')), folder);
  refuseMissingMount(arm, mounting('/nowhere/edge.conf'), folder);
  assert.throws(
    () => refuseMissingMount(arm, mounting(join(folder, 'conf/edge.conf')), folder),
    /--a: expected conf\/edge\.conf in the revision v1, because edge mounts it/,
  );
});
