import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStoredRun } from '../../diagnose/fixtures/stored-run.js';
import { resultOf } from '../../diagnose/result.js';
import { programResult } from '../fixtures/results.js';
import { FORMATS } from '../format.js';
import { bottleneckSection } from './bottleneck.js';

/** As the analysis writes it of a real run. */
const stored = resultOf(await readStoredRun());

/** @param {import('../../record/result.js').Result} result */
const shown = (result) => bottleneckSection(result)?.text.replaceAll('\u00a0', ' ') ?? '';

/** @param {string} text of a table @returns {string[][]} its cells as text */
const rowsIn = (text) =>
  [...text.matchAll(/<tr><th scope="row".*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
      cell
        .replace(/<li>/g, '· ')
        .replace(/<[^>]+>/g, '')
        .trim(),
    ),
  );

/** @param {number | null} value */
const rps = (value) => FORMATS.rps(value).replaceAll('\u00a0', ' ');

test('each stage has what was measured, the bound, what binds and the evidence for it', () => {
  const rows = rowsIn(shown(stored)).slice(0, stored.stages.length);
  for (const [
    index,
    { target, tier, service, what, evidence, measured_rps: measured, bound_rps: bound },
  ] of stored.bottleneck_by_stage.entries()) {
    const [stage, measuredText, boundText, binds, proof] = rows[index];
    assert.deepEqual([stage, measuredText, boundText], [`to ${target.toLocaleString('en-US')} users`, rps(measured), rps(bound)]);
    assert.ok(binds.endsWith(tier === null ? what : `${service}: ${what}`), binds);
    assert.equal(proof, evidence.map((text) => `· ${text}`).join(''));
  }
});

test('below it stands what a request cost every service but the observers, from the user to the data', () => {
  const text = shown(stored);
  const costs = rowsIn(text).slice(stored.stages.length);
  assert.equal(costs.length, stored.stages.length);
  const [{ cpu_ms_per_request: cost }] = stored.stages;
  for (const [index, service] of ['k6', 'nginx', 'app-1', 'app-2', 'mongo'].entries())
    assert.ok(Math.abs(Number.parseFloat(costs[0][index + 1]) - Number(cost[service])) < 0.01, service);
  assert.ok(!text.includes('database-observer'));
});

test('a stage that no tier binds says what is known of it', () => {
  const [first, ...others] = stored.bottleneck_by_stage;
  const unknown = { ...first, tier: null, service: null, what: 'no watched limit explains this', evidence: [] };
  const [row] = rowsIn(shown({ ...stored, bottleneck_by_stage: [unknown, ...others] }));
  assert.deepEqual(row.slice(3), ['no watched limit explains this', '']);
});

test('a load without stages, and a result from before there were bottlenecks by stage, have no such section', () => {
  assert.equal(bottleneckSection(programResult()), null);
  const { bottleneck_by_stage: _, ...older } = stored;
  assert.equal(bottleneckSection(/** @type {import('../../record/result.js').Result} */ (older)), null);
});
