/**
 * Docker Compose takes every profile, from the repository's root as a user would call it.
 */
import { test } from 'node:test';
import { architectures, profileOf } from '../../lab/define/architectures.js';
import { succeed } from './command.js';

const LAB_PROFILES = ['--profile', 'observe', '--profile', 'load'];

for (const id of Object.keys(architectures)) {
  const own = ['--profile', profileOf(id)];
  test(`Compose takes ${profileOf(id)}, as started by hand`, () => succeed('docker', ['compose', ...own, 'config', '--quiet']));
  test(`Compose takes ${profileOf(id)}, as the lab runs it`, () => succeed('docker', ['compose', ...own, ...LAB_PROFILES, 'config', '--quiet']));
}
