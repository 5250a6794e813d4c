/**
 * What the lab refuses, and how: before anything is changed, naming what is wrong and what would be right.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { architectures } from '../../lab/define/architectures.js';
import { EXIT } from '../../lab/define/errors.js';
import { REPORTS } from '../../lab/define/paths.js';
import { scenarios } from '../../lab/define/scenarios.js';
import { assertNothingIsLeft, doubletake, make } from './front-door.js';

const timeout = 60_000;
const BALANCER_PORT = 8080;
/** Nothing of them is measured, and each is one process. */
const concurrency = 2;

describe('before anything is brought up', { concurrency }, () => {
  test('an unknown architecture ends with 2 and the names of the known ones', { timeout }, async () => {
    const { exitCode, output } = await doubletake(['run', '3z']);
    assert.equal(exitCode, EXIT.notReady, output);
    for (const id of Object.keys(architectures)) assert.ok(output.includes(id), output);
  });

  test('an unknown load ends with 2 and the names of the known ones', { timeout }, async () => {
    const { exitCode, output } = await doubletake(['run', 'a'], { LOAD: 'tsunami' });
    assert.equal(exitCode, EXIT.notReady, output);
    for (const id of Object.keys(scenarios.documents.loads)) assert.ok(output.includes(id), output);
  });

  test('a variable given to make reaches the lab', { timeout }, async () => {
    const { exitCode, output } = await make('run-a', 'BUDGET=lavish');
    assert.notEqual(exitCode, 0);
    assert.match(output, /BUDGET: .*"lavish"/);
  });

  for (const [args, name, what] of /** @type {const} */ ([
    [['run', 'a'], 'WORKERS', 'a'],
    [['run', 'a'], 'REPEATS', 'a'],
    [['calibrate'], 'LOAD', 'a calibration'],
    [['bench-overhead'], 'DELAY', 'bench-overhead'],
    [['experiment', 'doubling'], 'FAULTS', 'any arm of the experiment doubling'],
  ])) {
    test(`${args.join(' ')} refuses ${name}, which would change nothing about it`, { timeout }, async () => {
      const { exitCode, output } = await doubletake([...args], { [name]: '3' });
      assert.equal(exitCode, EXIT.notReady, output);
      assert.ok(output.includes(`error: ${name}: expected none, because it changes nothing about ${what}; found "3".`), output);
    });
  }

  test('a rate is refused by a load that has none, and what holds for the machine by nobody', { timeout }, async () => {
    const { exitCode, output } = await make('run-a', 'RATE=100');
    assert.notEqual(exitCode, 0);
    assert.match(output, /RATE: expected none, because LOAD=ramp has no rate to be set; found "100"\.\n.*LOAD=open/);
    assert.equal((await doubletake(['list'], { IMAGES: 'local', BUSY: 'allow', LOAD: 'smoke' })).exitCode, EXIT.done);
  });

  test(
    'a variable that the lab does not know is refused by make with the one that was meant, and so is a target without a name',
    { timeout },
    async () => {
      for (const args of [
        ['run-2a', 'LOADS=smoke'],
        ['run-2a', 'load=smoke'],
      ]) {
        const { exitCode, output } = await make(...args);
        assert.notEqual(exitCode, 0);
        assert.match(output, /error: (LOADS|load): expected an option of the lab.*\n.*write LOAD=smoke/);
      }
      assert.match((await doubletake(['run', '2a', '--lod', 'smoke'])).output, /unknown option '--lod'\n.*write "--load"/);
      const { output } = await make('run-');
      assert.match(output, /expected doubletake\.yaml in .*, or the name of an architecture; found neither/);
    },
  );

  test('a threshold that cannot be read ends with 2 before anything is measured', { timeout }, async () => {
    const runs = () => readdir(join(REPORTS, 'a')).catch(() => []);
    const before = await runs();
    const { exitCode, output } = await doubletake(['run', 'a'], { LOAD: 'calm', EXPECT: 'latency<800' });
    assert.equal(exitCode, EXIT.notReady, output);
    assert.match(output, /EXPECT: expected one of .*latency_ms_p95_ok.*; found "latency"/);
    assert.deepEqual(await runs(), before);
    await assertNothingIsLeft();
  });

  test('a threshold given to make reaches the lab, signs and all', { timeout }, async () => {
    const { exitCode, output } = await make('run-a', 'LOAD=smoke', 'EXPECT=failure_rate<101%');
    assert.notEqual(exitCode, 0);
    assert.match(output, /EXPECT: .*found "101%" in "failure_rate<101%"/);
  });

  test('an unknown command, and a command without its argument, end with 2', { timeout }, async () => {
    for (const args of [['juggle'], ['run'], ['report']]) {
      const { exitCode, output } = await doubletake(args);
      assert.equal(exitCode, EXIT.notReady, `${args.join(' ')}: ${output}`);
    }
  });

  test('a run that is not there cannot be reported again, and that ends with 2', { timeout }, async () => {
    const { exitCode, output } = await doubletake(['report', 'a/nowhere']);
    assert.equal(exitCode, EXIT.notReady, output);
    assert.match(output, /nowhere/);
  });

  test('make without a target says what there is', { timeout }, async () => {
    const { exitCode, output } = await make();
    assert.equal(exitCode, 0, output);
    for (const word of ['make run-', 'make list', 'make report', 'make test', 'make clean', 'LOAD', 'BUDGET', 'IMAGES']) {
      assert.ok(output.includes(word), word);
    }
  });

  test('the list names every architecture and every load', { timeout }, async () => {
    const { exitCode, output } = await make('list');
    assert.equal(exitCode, 0, output);
    for (const id of [...Object.keys(architectures), ...Object.values(scenarios).flatMap(({ loads }) => Object.keys(loads))])
      assert.ok(output.includes(id), id);
  });
});

test('a busy port ends with 2, named, and leaves nothing', { timeout }, async () => {
  const neighbour = net.createServer().listen(BALANCER_PORT, '127.0.0.1');
  await once(neighbour, 'listening');
  try {
    const { exitCode, output } = await doubletake(['run', '2a'], { LOAD: 'smoke' });
    assert.equal(exitCode, EXIT.notReady, output);
    assert.match(output, new RegExp(`\\b${BALANCER_PORT}\\b`));
  } finally {
    neighbour.close();
  }
  await assertNothingIsLeft();
});
