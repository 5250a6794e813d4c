import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { composeFilesIn } from './compose-files.js';

/** @type {(files: Record<string, string>, use: (folder: string) => void) => Promise<void>} */
async function withFolder(files, use) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-files-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the file is the one that Compose would take, with the one that it lays over it', async () => {
  await withFolder({ 'docker-compose.yml': '', 'docker-compose.yaml': '', 'docker-compose.override.yml': '' }, (folder) => {
    assert.deepEqual(composeFilesIn(folder, [], {}), ['docker-compose.yml', 'docker-compose.override.yml']);
  });
  await withFolder({ 'compose.yaml': '' }, (folder) => assert.deepEqual(composeFilesIn(folder, [], {}), ['compose.yaml']));
});

test('files that are named, by the user or in COMPOSE_FILE, come before those that are found', async () => {
  const env = '# for production\nCOMPOSE_FILE="compose.yaml:prod.yaml" # both\n';
  await withFolder({ 'compose.yaml': '', 'compose.override.yaml': '', 'prod.yaml': '', '.env': env }, (folder) => {
    assert.deepEqual(composeFilesIn(folder, [], {}), ['compose.yaml', 'prod.yaml']);
    assert.deepEqual(composeFilesIn(folder, [], { COMPOSE_FILE: 'prod.yaml' }), ['prod.yaml']);
    assert.deepEqual(composeFilesIn(folder, ['compose.yaml'], { COMPOSE_FILE: 'prod.yaml' }), ['compose.yaml']);
  });
});

test('a COMPOSE_FILE without a value names none', async () => {
  await withFolder({ 'compose.yaml': '', '.env': 'COMPOSE_FILE=\nOTHER=x\n' }, (folder) => {
    assert.deepEqual(composeFilesIn(folder, [], {}), ['compose.yaml']);
  });
});

test('a file that is not there is named, and so is a folder without any', async () => {
  await withFolder({}, (folder) => {
    assert.throws(() => composeFilesIn(folder, ['deploy/compose.yaml'], {}), /expected a Compose file "deploy\/compose\.yaml" in/);
    assert.throws(() => composeFilesIn(folder, [], {}), /expected one of compose\.yaml.*found none[\s\S]*doubletake init deploy/);
  });
});
