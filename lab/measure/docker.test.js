import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mock, test } from 'node:test';
import { UnansweredError } from '../define/errors.js';
import { demultiplex, endingInTime } from './docker.js';

const STDOUT = 1;
const STDERR = 2;

/** @type {(stream: number, text: string) => Buffer} */
function frame(stream, text) {
  const body = Buffer.from(text);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

test('output and errors come out in the order in which they were written', () => {
  assert.equal(demultiplex(Buffer.concat([frame(STDOUT, 'one\n'), frame(STDERR, 'two\n'), frame(STDOUT, 'three\n')])), 'one\ntwo\nthree\n');
});

test('a character that is split between two frames is whole again', () => {
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  const split = Buffer.concat([frame(STDOUT, 'x').fill(first, 8), frame(STDOUT, 'x').fill(second, 8)]);
  assert.equal(demultiplex(split), 'é');
});

test('a length above 255 is read from all four bytes', () => {
  const text = 'x'.repeat(70_000);
  assert.equal(demultiplex(frame(STDOUT, text)), text);
});

test('nothing, an empty frame and a cut header are empty', () => {
  assert.equal(demultiplex(Buffer.alloc(0)), '');
  assert.equal(demultiplex(frame(STDOUT, '')), '');
  assert.equal(demultiplex(frame(STDOUT, 'cut').subarray(0, 5)), '');
});

test('a frame that was cut off gives what is there of it', () => {
  assert.equal(demultiplex(frame(STDOUT, 'complete').subarray(0, 12)), 'comp');
});

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
