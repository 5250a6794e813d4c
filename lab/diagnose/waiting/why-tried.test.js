import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL, said, told } from './fixtures/made-stack.js';

/**
 * A pooler that is turned away by its store from second 5 to 20, tries again every five seconds, and answers everybody with an error meanwhile.
 * @param {{ bug?: boolean, triedAt?: number[] }} [given]  bug: it answers so in half the cases, and asks the store in the others
 */
function pooler({ bug = false, triedAt = [4.99, 9.99, 14.99] } = {}) {
  const stack = new MadeStack();
  each(-8, 30, 0.1, (at, index) => {
    const isOut = at >= 5 && at < 20 && (!bug || index % 2 === 0);
    stack.call('k6 api', at, at + 0.01, { status: isOut ? 500 : 200 });
    stack.call('api pool', at + 0.001, at + 0.008, { ...SQL, code: isOut ? '08P01' : null, bad: isOut, on: `${index % 4}` });
    if (!isOut) stack.call('pool store', at + 0.002, at + 0.006, { ...SQL, on: `${at >= 5 ? 'new' : 'old'} ${index % 2}` });
  });
  for (const at of triedAt)
    stack.call('pool store', at, at + 0.003, { ...SQL, role: 'connect', bad: true, code: '53300', verb: 'CONNECT' });
  return stack;
}

test('who keeps in mind that its last try was turned away is followed to who did so', () => {
  const [finding] = pooler().follow().findings;
  assert.deepEqual([said(finding), finding.why_basis, finding.basis], ['store: turned-away', 'counted', 'inferred']);
  assert.ok(
    finding.evidence.includes(
      '100 % of the failed requests, and 0 % of the good ones, came after a try of store that was answered 53300 and before the next, up to 4.91 s later; pool asked nobody for them.',
    ),
    `${finding.evidence}`,
  );
});

test('but not where it asks for good ones meanwhile, or there was no try before', () => {
  assert.deepEqual(told(pooler({ bug: true })), ['pool: own-error']);
  assert.deepEqual(told(pooler({ triedAt: [14.99] })), ['pool: own-error']);
  assert.deepEqual(told(pooler({ triedAt: [4.99] })), ['store: turned-away']);
});

test('where no request went well it is doubted that they are asked for at all', () => {
  const stack = new MadeStack();
  each(-8, 30, 0.1, (at, index) => {
    stack.call('k6 api', at, at + 0.01, { status: 500 });
    stack.call('api pool', at + 0.001, at + 0.008, { ...SQL, code: '08P01', bad: true, on: `${index % 4}` });
  });
  each(-9, 30, 5, (at) => stack.call('pool store', at, at + 0.003, { ...SQL, role: 'connect', bad: true, code: '53300', verb: 'CONNECT' }));
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'store: turned-away');
  assert.ok(finding.doubts.includes('no such request went well in pool: whether it asks store for them is not known'), `${finding.doubts}`);
});
