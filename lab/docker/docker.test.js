import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mock, test } from 'node:test';
import { UnansweredError } from '../base/errors.js';
import { endingInTime } from './docker.js';

test('a command that does not end in time is given up, one that ends is not', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const hanging = new PassThrough();
    hanging.write('so far');
    const chunks = endingInTime(hanging, 900, 'psql did not end in its container');
    assert.equal(String((await chunks.next()).value), 'so far');
    const given = assert.rejects(chunks.next(), (error) => {
      assert.ok(error instanceof UnansweredError);
      assert.equal(error.message, 'psql did not end in its container in 0.9 s.');
      return true;
    });
    mock.timers.tick(900);
    await given;
    assert.ok(hanging.destroyed);
    const ended = Readable.from([Buffer.from('all of it')]);
    assert.equal(String(await buffer(endingInTime(ended, 900, 'it did not end'))), 'all of it');
    mock.timers.tick(900);
  } finally {
    mock.timers.reset();
  }
});

test('where whoever waits for a command has a limit, it has none of its own', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const long = new PassThrough();
    const all = buffer(endingInTime(long, null, 'it did not end'));
    mock.timers.tick(10_000_000);
    long.end('at last');
    assert.equal(String(await all), 'at last');
  } finally {
    mock.timers.reset();
  }
});
