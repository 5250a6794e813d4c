import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demultiplex } from './docker.js';

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
