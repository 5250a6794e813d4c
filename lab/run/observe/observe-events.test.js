import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvent } from './observe-events.js';

const names = new Map([['abc', 'app-1']]);

test('an end is told with its moment, its service and its exit code', () => {
  const line = JSON.stringify({
    Action: 'die',
    Actor: { ID: 'abc', Attributes: { exitCode: '137' } },
    timeNano: 1_800_000_000_500_000_000,
  });
  assert.deepEqual(readEvent(line, names), { t: 1_800_000_000.5, name: 'app-1', action: 'die', exit_code: 137 });
});

test('an event without an exit code has none, and one of another container is left out', () => {
  assert.equal(readEvent(JSON.stringify({ Action: 'oom', Actor: { ID: 'abc' }, timeNano: 1e18 }), names)?.exit_code, null);
  assert.equal(readEvent(JSON.stringify({ Action: 'die', Actor: { ID: 'xyz' }, timeNano: 1e18 }), names), null);
});
