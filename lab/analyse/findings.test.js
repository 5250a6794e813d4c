import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../define/claims.js';
import { experimentFixture, quickFixture } from '../render/fixtures/experiments.js';
import { findingsFixture } from '../render/fixtures/findings.js';
import { chooseRecord, findingsOf } from './findings.js';

const OWN = { load: 'ramp' };
/** @type {(path: string, changes: Partial<import('../define/experiment-result.js').ExperimentResult>) => import('./findings.js').Found} */
const record = (path, changes) => ({ path, result: experimentFixture({ id: path, ...changes }) });
/** @type {(complete: number) => { wanted: number, complete: number, least: number, left_out: [] }} */
const blocks = (complete) => ({ wanted: 8, complete, least: 8, left_out: [] });

test('the headline counts every verdict, and what was not measured', () => {
  const { headline, counts } = findingsFixture();
  assert.equal(headline, 'Of 15 claims 1 holds here, 4 are refuted, 5 are inconclusive and 5 are not measured.');
  assert.deepEqual(counts, { HOLDS: 1, REFUTED: 4, INCONCLUSIVE: 5, 'not measured': 5 });
});

test('the headline names no verdict that none has', () => {
  const { headline } = findingsOf([], { experiments: [], anchorOf: String, index: null, command: '' });
  assert.equal(headline, 'Of 0 claims none was made.');
  const measured = experimentFixture();
  measured.claims = measured.claims.slice(0, 1);
  const about = {
    experiments: [{ ...OWN, id: 'doubling', title: '', question: '', claims: [] }],
    anchorOf: String,
    index: null,
    command: '',
  };
  assert.equal(findingsOf([{ href: 'x.html', markdown: 'x.md', result: measured }], about).headline, 'Of 1 claim 1 holds here.');
});

test('every claim that was measured leads to its place on the page of its experiment', () => {
  const [doubling, quick, missing] = findingsFixture().experiments;
  assert.deepEqual(
    doubling.claims.map(({ href }) => href),
    ['D1b', 'D2', 'D3', 'D4', 'D5c'].map((id) => `../../doubling/20260314T040000Z-1a2b/experiment.html#claim-${id}`),
  );
  assert.ok(quick.claims.every(({ href, quote }) => href && quote));
  assert.ok(missing.claims.every(({ href, quote, verdict }) => href === null && quote === null && verdict === 'not measured'));
});

test('an experiment says why it is not to be relied on, or nothing', () => {
  assert.deepEqual(
    findingsFixture().experiments.map(({ incomplete }) => incomplete),
    [null, '2 blocks are complete, and a verdict needs 8.', 'Not measured yet: make experiment-missing'],
  );
});

test('machines are named once each, and the time is from the first record to the last', () => {
  const { machines, started, ended } = findingsFixture();
  assert.deepEqual(machines, ['2 cores Intel(R) Xeon(R) Processor, 24 GiB, Debian GNU/Linux 12 (bookworm)']);
  assert.deepEqual([started, ended], [experimentFixture().started, quickFixture().ended]);
});

test('an experiment that has no claims is asked beside them, and counts as none', () => {
  const found = findingsOf([{ href: 'x.html', markdown: 'x.md', result: { ...experimentFixture(), experiment: 'unasked', claims: [] } }], {
    experiments: [],
    anchorOf: String,
    index: null,
    command: '',
  });
  assert.equal(found.headline, 'Of 0 claims none was made.');
  const { question, headline, load } = experimentFixture();
  assert.deepEqual(
    found.unclaimed.map((one) => [one.question, one.headline, one.load, one.claims, one.markdown]),
    [[question, headline, load, [], 'x.md']],
  );
  assert.equal(found.machines.length, 1);
});

test('a record under the load that the claims are about goes before a newer one under another', () => {
  const full = record('doubling/1', { started: '2026-03-14T04:00:00Z', blocks: blocks(6) });
  const smoke = record('doubling/2', { started: '2026-03-15T04:00:00Z', load: 'smoke' });
  const scale = record('doubling/3', { started: '2026-03-15T04:00:00Z', budget: 'scale' });
  assert.equal(chooseRecord([smoke, full, scale], OWN), full);
  assert.equal(chooseRecord([smoke, full, scale], { ...OWN, budget: 'scale' }), scale);
});

test("a record under the experiment's own load goes before one under a load that is judged too, and that before any other", () => {
  const full = record('doubling/1', { started: '2026-03-14T04:00:00Z', blocks: blocks(6) });
  const smoke = record('doubling/2', { started: '2026-03-14T05:00:00Z', load: 'smoke', blocks: blocks(7) });
  const hold = record('doubling/3', { started: '2026-03-15T04:00:00Z', load: 'hold' });
  assert.equal(chooseRecord([hold, smoke, full], { ...OWN, judged_under: [{ load: 'smoke', claims: [] }] }), full);
  assert.equal(chooseRecord([hold, smoke], { ...OWN, judged_under: [{ load: 'smoke', claims: [] }] }), smoke);
});

test('more complete blocks go before newer ones, newer ones before older, and a record before its copy', () => {
  const old = record('doubling/1', { started: '2026-03-14T04:00:00Z' });
  const recent = record('doubling/2', { started: '2026-03-15T04:00:00Z' });
  const fewer = record('doubling/3', { started: '2026-03-16T04:00:00Z', blocks: blocks(7) });
  const copy = { path: 'examples/doubling', result: recent.result };
  assert.equal(chooseRecord([fewer, old, copy, recent], OWN), recent);
  assert.equal(chooseRecord([fewer, old], OWN), old);
  assert.equal(chooseRecord([], OWN), null);
});

test('with blocks enough, a record that judges more claims goes before a newer one with fewer arms', () => {
  const full = record('doubling/1', { started: '2026-03-14T04:00:00Z', blocks: blocks(8) });
  const narrow = record('doubling/2', { started: '2026-03-15T04:00:00Z', blocks: blocks(9), claims: full.result.claims.slice(0, 2) });
  const look = record('doubling/3', { started: '2026-03-16T04:00:00Z', blocks: blocks(2) });
  assert.equal(chooseRecord([look, narrow, full], OWN), full);
  assert.equal(chooseRecord([look, narrow], OWN), narrow);
});

test('a claim about an arm that was left out stands in the table as not measured', () => {
  const result = experimentFixture();
  const all = result.claims.map(({ id, statement, source, published }) => ({
    ...claimsOf('doubling')[0],
    id,
    statement,
    source,
    published,
  }));
  const asked = { ...OWN, id: 'doubling', title: '', question: '', claims: all };
  const narrow = { ...result, claims: result.claims.slice(0, 4) };
  const found = findingsOf([{ href: 'x.html', markdown: 'x.md', result: narrow }], {
    experiments: [asked],
    anchorOf: String,
    index: null,
    command: '',
  });
  assert.equal(found.counts['not measured'], 1);
  const left = found.experiments[0].claims.at(-1);
  assert.deepEqual([left?.id, left?.verdict, left?.quote, left?.href], ['D5c', 'not measured', null, null]);
});

test('a record of before arms knew of doubt says it all the same, and its claims are read again', () => {
  const result = experimentFixture();
  const fixed = claimsOf('doubling');
  for (const claim of result.claims) delete claim.doubts;
  const lb = result.arms.find(({ id }) => id === 'a-lb');
  for (const run of lb?.all_runs ?? []) run.validity = { verdict: 'SUSPECT', reasons: ['a reason'] };
  const about = {
    experiments: [{ ...OWN, id: 'doubling', title: '', question: '', claims: fixed }],
    anchorOf: String,
    index: null,
    command: '',
  };
  const { experiments, headline, counts } = findingsOf([{ href: 'x.html', markdown: 'x.md', result, fixed }], about);
  const d4 = experiments[0].claims.find(({ id }) => id === 'D4');
  assert.equal(d4?.doubt, 'a-lb: 8 of 8 runs SUSPECT: a reason');
  assert.deepEqual([d4?.verdict, d4?.reread.map(({ verdict }) => verdict)], ['REFUTED', ['INCONCLUSIVE']]);
  assert.match(headline, /Read again after the runs, these come out otherwise: .*D4.* INCONCLUSIVE\.$/);
  assert.equal(counts.REFUTED, 4);
});
