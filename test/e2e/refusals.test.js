/**
 * What the lab refuses, and how: before anything is changed, naming what is wrong and what would be right.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EXIT } from '../../lab/base/errors.js';
import { architectures } from '../../lab/catalog/architectures.js';
import { scenarios } from '../../lab/catalog/scenarios.js';
import { doubletake, make } from './commands.js';

const timeout = 60_000;
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

  test('a threshold given to make reaches the lab, signs and all', { timeout }, async () => {
    const { exitCode, output } = await make('run-a', 'LOAD=smoke', 'EXPECT=failure_rate<101%');
    assert.notEqual(exitCode, 0);
    assert.match(output, /EXPECT: .*found "101%" in "failure_rate<101%"/);
  });

  test('a fault that cannot be put in is refused', { timeout }, async () => {
    const { exitCode, output } = await make('run-a', 'LOAD=calm', 'FAULT=kill app-2@3s');
    assert.notEqual(exitCode, EXIT.done);
    assert.match(output, /FAULT: expected one of mongo, app-1 in "kill app-2@3s"; found "app-2"/);
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
