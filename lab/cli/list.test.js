import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures } from '../catalog/architectures.js';
import { experiments } from '../catalog/experiments.js';
import { failingResult } from '../report/fixtures/results.js';
import { describeList, listed } from './list.js';

/** @type {import('../catalog/project-schema.js').Project} */
const project = {
  compose: ['compose.yaml'],
  entry: 'http://edge:8000/',
  services: { edge: { tier: 'load-balancer', product: 'haproxy', watch: 2 }, web: { tier: 'app', product: 'opaque', watch: 0 } },
  edges: [],
  load: { script: 'load.js' },
};
const runs = ['2a/2026-11-22T070000Z-0002', 'shop/2026-11-21T070000Z-0001'].map((path) => ({ path, result: failingResult() }));
const { validity, headline } = failingResult();

test('a user’s own system comes first, with its load and its runs, and those of the lab after it', () => {
  const text = describeList({ project, name: 'shop', runs });
  assert.ok(
    text.startsWith(
      `Your own system (doubletake run), as doubletake.yaml has it
  edge  load-balancer, haproxy, watch 2: a configuration laid over its own
  web   app, opaque, watch 0: its container

Its load
  script  load.js, with options of its own

Its runs, newest first
  reports/${runs[1].path}  ${validity.verdict}. ${headline}

Architectures (make run-<id>)
`,
    ),
    text,
  );
  assert.ok(text.endsWith(`\nRuns, newest first\n  reports/${runs[0].path}  ${validity.verdict}. ${headline}\n`), text);
  for (const id of Object.keys(architectures)) assert.match(text, new RegExp(`^  ${id} `, 'm'));
});

test('where there is no system of one’s own nothing is said of one, and every run is among the runs', () => {
  const text = describeList({ project: null, name: 'shop', runs });
  assert.ok(text.startsWith('Architectures (make run-<id>)\n'));
  for (const { path } of runs) assert.match(text.slice(text.indexOf('\nRuns, newest first\n')), new RegExp(`^  reports/${path} `, 'm'));
});

test('a heading stands only over something', () => {
  assert.doesNotMatch(describeList({ project, name: 'shop', runs: [] }), /Its runs|^Runs/m);
});

test('as data it has the same: the system, what can be run, and every run with its verdict', () => {
  const data = listed({ project, runs });
  assert.deepEqual(data.project, project);
  const idsOf = (/** @type {{ id: string }[]} */ rows) => rows.map(({ id }) => id);
  assert.deepEqual([idsOf(data.architectures), idsOf(data.experiments)], [Object.keys(architectures), Object.keys(experiments)]);
  assert.ok(data.loads.some(({ id, scenario }) => id === 'ramp' && scenario === 'documents') && idsOf(data.budgets).includes('fair'));
  assert.deepEqual(
    data.runs.map(({ folder, validity: { verdict } }) => [folder, verdict]),
    runs.map(({ path }) => [`reports/${path}`, validity.verdict]),
  );
});
