import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNamedAfter, namedUnder, underLoads } from './under-loads.js';

/** @type {import('../../catalog/experiments.js').Experiment} */
const experiment = {
  title: 'a test',
  question: 'does it work?',
  load: 'patient',
  further_loads: [{ load: 'surge', variables: { RATE: '120%' } }],
  arms: ['2a', '2a-slots'].map((id) => ({ id, architecture: id })),
  pairs: [['2a', '2a-slots']],
};

test('every arm is made under every load, and compared under the same one', () => {
  const { arms, pairs } = underLoads(experiment, {});
  assert.deepEqual(
    arms.map(({ id, load, variables }) => [id, load, variables?.RATE]),
    [
      ['2a (patient)', 'patient', undefined],
      ['2a-slots (patient)', 'patient', undefined],
      ['2a (surge)', 'surge', '120%'],
      ['2a-slots (surge)', 'surge', '120%'],
    ],
  );
  assert.deepEqual(pairs, [
    ['2a (patient)', '2a-slots (patient)'],
    ['2a (surge)', '2a-slots (surge)'],
  ]);
});

test('a load that is given is the only one, with what the experiment sets under it unless that is given too', () => {
  const under = (/** @type {Record<string, string>} */ env) => underLoads(experiment, env).arms[0];
  assert.deepEqual(under({ LOAD: 'patient' }), experiment.arms[0]);
  assert.deepEqual(under({ LOAD: 'surge' }), { ...experiment.arms[0], variables: { RATE: '120%' } });
  assert.deepEqual(under({ LOAD: 'surge', RATE: '400' }), experiment.arms[0]);
  assert.deepEqual(under({ LOAD: 'smoke' }), experiment.arms[0]);
});

test('an experiment of one load is left as it is', () => {
  const { further_loads: _, ...single } = experiment;
  assert.deepEqual(underLoads(single, {}), single);
});

test('an arm is known by its name under any of the loads, and no other arm is', () => {
  for (const name of ['2a', namedUnder('2a', 'surge')]) assert.ok(isNamedAfter(name, '2a'), name);
  for (const name of ['2a-slots', namedUnder('2a-slots', 'surge')]) assert.ok(!isNamedAfter(name, '2a'), name);
});
