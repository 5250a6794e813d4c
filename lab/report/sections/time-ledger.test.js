import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeLine, system } from '../../diagnose/fixtures/own-cases.js';
import { ownWire, REQUESTS } from '../../diagnose/fixtures/own-wire.js';
import { recordOf } from '../../diagnose/fixtures/record.js';
import { resultOf } from '../../diagnose/result.js';
import { healthyResult } from '../fixtures/results.js';
import { timeLedgerSection } from './time-ledger.js';

/** @param {boolean} isWatched  the proxy's record of each request was read */
function ownSystem(isWatched) {
  const raw = recordOf({ balanced: true });
  const edge = Array.from({ length: 10 }, (_, at) => edgeLine(`a${at}-0`, at + 0.5, { status: 200, state: '----', timers: '0/2/1/16/19' }));
  system({ edge: isWatched ? edge.join('') : '', isWatched })(raw);
  raw.manifest.system = { files: ['compose.yaml'] };
  return timeLedgerSection(resultOf(raw))?.text ?? '';
}

test('what a user’s own proxy recorded of each request is shown by part, with who told nothing', () => {
  const shown = ownSystem(true);
  for (const text of ['in edge', 'edge connects (waits)', 'in web, pool, store', 'web: how long it had a request is not on record'])
    assert.ok(shown.includes(text), text);
  assert.ok(!shown.includes('left no record'));
  assert.match(shown, /Over the whole load the parts sum to 19.ms; k6 measured 20.ms/);
});

test('where nothing tells it, the section says which service at which level would', () => {
  const shown = ownSystem(false);
  assert.ok(!shown.includes('class="chart"'));
  assert.match(
    shown,
    /left no record of how long it had each request\..*edge: how long it had each request it tells at watch: 2 \(in doubletake\.yaml\)/s,
  );
});

test('a result from before has no list of who told nothing', () => {
  const { time_untold: _, ...older } = healthyResult();
  assert.doesNotMatch(timeLedgerSection(older)?.text ?? '', /untold/);
});

test('with a record of the wire each service and each edge has a bar, with what could not be joined', () => {
  const wire = ownWire({
    also: (made, at, index) => {
      if (index === 7) made.call('web store', at + 0.0195, at + 0.024, { protocol: 'redis' });
    },
  });
  const raw = { ...recordOf({ balanced: true, okPerS: REQUESTS / 10 }), wire };
  system({ edge: '', isWatched: false })(raw);
  raw.manifest.system = { files: ['compose.yaml'] };
  const shown = (timeLedgerSection(resultOf(raw))?.text ?? '').replaceAll('\u00a0', ' ');
  assert.match(shown, /Mean of 400 good requests, 19 ms each/);
  for (const name of ['edge', 'web', 'pool', 'store', 'k6 → edge', 'web → pool', 'pool → store'])
    assert.ok(shown.includes(`<span class="target">${name}</span>`), name);
  assert.match(shown, /web → store: 1 call joined to no request\. At most 0\.01\d* ms a request of web.{1,6}s own time went into it\./);
  assert.match(shown, /Times are those of calls on the wire/);
  assert.ok(!shown.includes('left no record'));
});
