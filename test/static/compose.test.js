/**
 * Docker Compose takes every system: each alone, as the lab runs it, and all of them from the repository's root, where a user would call it. As
 * it is started by hand stack.test.js reads each.
 */
import { test } from 'node:test';
import { architectures, profileOf } from '../../lab/catalog/architectures.js';
import { composeFileOf } from '../../lab/catalog/shipped-services.js';
import { succeed } from './command.js';

/** @param {string[]} files @param {string[]} profiles */
async function takes(files, profiles) {
  const given = [...files.flatMap((file) => ['--file', file]), ...profiles.flatMap((profile) => ['--profile', profile])];
  await succeed('docker', ['compose', ...given, 'config', '--quiet']);
}

for (const id of Object.keys(architectures))
  test(`Compose takes ${profileOf(id)}, as the lab runs it`, () => takes([composeFileOf(id)], [profileOf(id), 'observe', 'load']));

test('Compose takes what the lab’s own cost is measured against', () => takes([composeFileOf('plain')], ['plain', 'plain-load']));

// One call: it reads all systems, whatever profile it is given.
test('Compose takes all of them from the root', () => takes([], [...Object.keys(architectures).map(profileOf), 'observe', 'load']));
