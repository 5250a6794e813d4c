import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, stampedLines } from './log-lines.js';

test('a line is read with the moment at which the engine took it', () => {
  const [line] = stampedLines('2026-11-21T20:00:01.250000000Z hello there\n');
  assert.equal(line.text, 'hello there');
  assert.ok(Math.abs(line.t - (Date.parse('2026-11-21T20:00:01Z') / 1000 + 0.25)) < 1e-6);
});

test('an empty line is kept, and one without a time is left out', () => {
  assert.deepEqual(
    stampedLines('2026-11-21T20:00:01Z \nno time\n').map(({ text }) => text),
    [''],
  );
});

test('lines are read one by one, of the seconds that are asked for, and no longer than they may be', () => {
  const log =
    '2026-11-21T20:00:00.900Z early\n2026-11-21T20:00:01.250000000Z hello there\nno time\n2026-11-21T20:00:01.5Z \n2026-11-21T20:00:02Z last';
  const from = Date.parse('2026-11-21T20:00:01Z') / 1000;
  assert.deepEqual(
    [...linesOf(log, (t) => t >= from, 5)],
    [
      { t: from + 0.25, text: 'hello' },
      { t: from + 0.5, text: '' },
      { t: from + 1, text: 'last' },
    ],
  );
});
