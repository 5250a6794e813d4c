/**
 * A system is a folder: one that is thrown away afterwards runs like those that the lab brings along, and nothing else names it.
 */
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { COMPOSE_FOLDER } from '../../lab/define/paths.js';
import { assertRan, doubletake, make, newestRun, RUN_LIMIT_MS, readResult } from './front-door.js';

const timeout = RUN_LIMIT_MS;
const ID = 'throwaway';
const FOLDER = join(COMPOSE_FOLDER, ID);

after(() => rm(FOLDER, { recursive: true, force: true }));

test('a folder with a Compose file and a system.yaml is listed, and runs with a variable of its own', { timeout }, async () => {
  await mkdir(FOLDER);
  await writeFile(
    join(FOLDER, 'compose.yaml'),
    `name: doubletake
include: [../lab.yaml]

services:
  ${ID}-mongo:
    extends: {file: ../base.yaml, service: mongo}
    profiles: [arch-${ID}]
  ${ID}-app-1:
    extends: {file: ../base.yaml, service: app-1}
    profiles: [arch-${ID}]
    environment: {MAX_POOL_SIZE: "\${POOL:-}"}
    depends_on: [${ID}-mongo]
`,
  );
  await writeFile(
    join(FOLDER, 'system.yaml'),
    `title: one node with a pool of any size
question: What does a smaller pool cost?
entry: http://app-1:3000/
variables:
  POOL: {about: connections in the pool, standard: "50", range: [1, 500]}
`,
  );
  const { output } = await doubletake(['list']);
  assert.match(output, /^ {2}throwaway +one node with a pool of any size\. What does/m);
  assert.match(output, /^ {4}POOL= +connections in the pool \(1 to 500; 50 unless given\)/m);

  assertRan(await make(`run-${ID}`, 'LOAD=smoke', 'POOL=5'));
  const result = await readResult(await newestRun(ID));
  assert.equal(result.architecture, ID);
  assert.deepEqual(result.variables, { POOL: '5' });
  const pool = result.series.limits.find((/** @type {{ tier: string }} */ { tier }) => tier === 'pool');
  assert.equal(pool?.limit, 5);
});
