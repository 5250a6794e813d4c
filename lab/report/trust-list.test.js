import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Markdown } from './markdown.js';
import { trustList } from './trust-list.js';

test('it says what the self-test, the runs and the machines were', () => {
  const list = trustList({
    selftest: { headline: new Markdown('**3 of 4** known faults.'), commit: 'abc1234' },
    runs: { VALID: 1200, SUSPECT: 29 },
    machines: ['2 cores', '4 cores'],
  }).replaceAll('\u00a0', ' ');
  assert.match(list, /^- \*\*The diagnosis\.\*\* \*\*3 of 4\*\* known faults\. By `make selftest` at commit abc1234: /);
  assert.match(list, /1,229 runs behind this page: 1,200 VALID, 29 SUSPECT, 0 INVALID\./);
  assert.match(list, /2 cores; 4 cores: generator and system share the CPU\.$/);
});
