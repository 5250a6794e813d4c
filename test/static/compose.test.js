/**
 * Docker Compose takes every profile, from the repository's root as a user would call it.
 */
import { test } from 'node:test';
import { architectures, profileOf } from '../../lab/define/architectures.js';
import { succeed } from './command.js';

const HOW = { 'as started by hand': [], 'as the lab runs it': ['--profile', 'observe', '--profile', 'load'] };

for (const id of Object.keys(architectures)) {
  for (const [how, profiles] of Object.entries(HOW)) {
    test(`Compose takes ${profileOf(id)}, ${how}`, async () => {
      await succeed('docker', ['compose', '--profile', profileOf(id), ...profiles, 'config', '--quiet']);
    });
  }
}

test('Compose takes what the lab’s own cost is measured against', async () => {
  await succeed('docker', ['compose', '--profile', 'plain', '--profile', 'plain-load', 'config', '--quiet']);
});
