import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult } from '../../report/fixtures/results.js';
import { formatCsv } from './csv.js';
import { runSeries } from './run-series.js';

test('a run has a line for each second and series, and none for what was not recorded', () => {
  const result = failingResult();
  const series = runSeries(result);
  const lines = formatCsv(
    series,
    result.timeline.map(({ t_s: second }) => second),
  ).split('\n');
  assert.equal(lines.shift(), 't_s,series,tier,service,value,unit');
  assert.equal(lines.pop(), '');
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  assert.deepEqual(
    lines.map((line) => Number(line.split(',')[4])),
    values,
  );
  const row = result.timeline.find(({ t_s: second }) => second === 5);
  assert.ok(lines.includes(`5,goodput_rps,,,${row?.goodput_rps},{request}/s`));
  assert.ok(lines.some((line) => /^5,cpu_share,app,app-1,[\d.]+,1$/.test(line)));
});

test('a text with a comma or a quote in it is quoted', () => {
  const series = [{ name: 'a,b', about: '', tier: 'x"y', service: '', unit: '1', values: [null, 0.5] }];
  assert.equal(formatCsv(series, [1, 2]), 't_s,series,tier,service,value,unit\n2,"a,b","x""y",,0.5,1\n');
});
