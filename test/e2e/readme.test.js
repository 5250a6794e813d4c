/**
 * The README's commands do what it says of them.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/define/paths.js';
import { assertRan, make, newestRun, RUN_LIMIT_MS, readManifest } from './front-door.js';

/** The images are there by now, so this is what every run but the first costs. */
const OVERHEAD_LIMIT_S = 20;
const FIRST_BLOCKS = 2;

const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
const commands = blocks
  .slice(0, FIRST_BLOCKS)
  .flatMap((block) => block.split('\n'))
  .map((line) =>
    line
      .replace(/^\$ /, '')
      .replace(/\s+#.*$/, '')
      .trim(),
  );

test('the README begins with the command that runs the first architecture and the one that tests', () => {
  for (const command of ['make run-a', 'make test']) assert.ok(commands.includes(command), `${command} is among:\n${commands.join('\n')}`);
});

test('the first of them ends well, and spends under 20 s outside warm-up and load', { timeout: RUN_LIMIT_MS }, async (context) => {
  const outcome = await make('run-a', 'LOAD=smoke');
  assertRan(outcome);
  const { seconds } = outcome;
  const { warmup_began_s, load_ended_s } = await readManifest(await newestRun('a'));
  const overhead = seconds - (load_ended_s - warmup_began_s);
  context.diagnostic(`${overhead.toFixed(1)} s outside warm-up and load, ${seconds.toFixed(1)} s in all`);
  assert.ok(overhead < OVERHEAD_LIMIT_S, `${overhead.toFixed(1)} s`);
});
