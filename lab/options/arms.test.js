import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameSystem, readArm, specOf, tellApart } from './arms.js';

test('an arm is an architecture, or one with variables', () => {
  assert.deepEqual(readArm('A', '2a'), { id: '2a', architecture: '2a' });
  assert.deepEqual(readArm('B', 'a:DELAY=10,BUDGET=fair'), {
    id: 'a:DELAY=10,BUDGET=fair',
    architecture: 'a',
    variables: { DELAY: '10', BUDGET: 'fair' },
  });
});

test('what is no arm is refused, with what would be one', () => {
  assert.throws(() => readArm('A', undefined), /A: expected an architecture; found none[\s\S]*make compare A=a B=2a/);
  assert.throws(() => readArm('B', 'b'), /B: expected one of a, a-lb/);
  assert.throws(() => readArm('B', 'a:LOAD=smoke'), /expected one of BUDGET, DELAY, INTEGRITY, .*FAULT; found "LOAD"/);
  assert.throws(() => readArm('B', 'a:DELAY'), /expected NAME=value/);
});

test('two arms that are alike get labels that are not, and are known for the same system', () => {
  const [base, other] = tellApart(readArm('A', 'a'), readArm('B', 'a'));
  assert.deepEqual([base.id, other.id], ['a', 'a again']);
  assert.ok(isSameSystem(base, other));
  assert.ok(!isSameSystem(base, readArm('B', 'a:DELAY=10')));
});

test('a variable at its standard value is the same as one that is left out', () => {
  assert.ok(isSameSystem(readArm('A', 'crud'), readArm('B', 'crud:WORKERS=10')));
  assert.ok(!isSameSystem(readArm('A', 'crud'), readArm('B', 'crud:WORKERS=20')));
});

test('an arm is written as it was read', () => {
  for (const text of ['2a', 'a:DELAY=10', 'tokyo:THREADS=2,FILES=4']) assert.equal(specOf(readArm('A', text)), text);
});

test('two arms of an own system are one where Compose makes the same of the same commit, whatever was typed', () => {
  /** @type {(id: string, fingerprint: string, commit?: string | null) => import('./arms.js').Arm} */
  const arm = (id, fingerprint, commit = null) => ({
    id,
    architecture: 'shop',
    own: { title: id, given: [id], compose: ['compose.yaml'], commit, absent: [], fingerprint },
  });
  assert.ok(isSameSystem(arm('shop', 'f1'), arm('POOL=8', 'f1')));
  const patient = arm('shop', 'f1');
  assert.ok(!isSameSystem(patient, { ...patient, own: patient.own && { ...patient.own, options: { RETRIES: '2' } } }));
  assert.ok(!isSameSystem(arm('shop', 'f1'), arm('POOL=9', 'f2')));
  assert.ok(!isSameSystem(arm('shop', 'f1'), arm('rev:HEAD', 'f1', '0123')));
  assert.ok(!isSameSystem(arm('shop', 'f1'), { id: 'shop', architecture: 'shop' }));
});
