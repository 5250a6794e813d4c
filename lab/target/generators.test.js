import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatorNames, generatorsFile, untilAfterBeat } from './generators.js';

test('the segments of several generators are the whole load, each its own', () => {
  const { services } = generatorsFile(3, 'documents');
  assert.deepEqual(Object.keys(services), generatorNames(3));
  const commands = Object.values(services).map(({ command }) => command.join(' '));
  for (const [index, segment] of ['0:1/3', '1/3:2/3', '2/3:1'].entries())
    assert.equal(
      commands[index],
      `run --quiet --paused --execution-segment ${segment} --execution-segment-sequence 0,1/3,2/3,1 /scripts/k6/scenarios/documents.js`,
    );
});

test('each writes into a folder of its own', () => {
  const { services } = generatorsFile(2, 'documents');
  assert.deepEqual(
    Object.values(services).map(({ environment }) => [environment.RECORD_FOLDER, environment.K6_LOG_OUTPUT]),
    [
      ['/raw/k6-1', 'file=/raw/k6-1/k6.log,level=error'],
      ['/raw/k6-2', 'file=/raw/k6-2/k6.log,level=error'],
    ],
  );
});

test('they are told to go on a second after a beat, with the whole span until the next one before them', () => {
  assert.deepEqual(
    [1_800_000_000_000, 1_800_000_001_000, 1_800_000_001_500, 1_800_000_009_000].map((now) => Math.round(untilAfterBeat(now))),
    [1000, 0, 4500, 2000],
  );
});
