/**
 * Hosts outside of the stack and their names, as small records; beside each what looks the same and is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.js';

const PARTNER = 'api.partner.example';
const [PARTNER_AT, RESOLVER] = ['203.0.113.7', '198.51.100.53'];

/** Users ask web, which asks a host outside. */
function withOutside() {
  const stack = new MadeStack();
  stack.holds('k6', 'web', 'store');
  stack.lookup(`web ${RESOLVER}`, -9, -8.998, PARTNER, { addresses: [PARTNER_AT] });
  return stack;
}

/** @param {MadeStack} stack @returns {string[]} */
const told = (stack) => stack.follow().findings.map(said);

test('a host outside that answers late is the end of the way, by the name that was looked up for it', () => {
  const stack = withOutside();
  each(-5, 30, 0.1, (at) => {
    const isSlow = at >= 10;
    stack.call('k6 web', at, at + (isSlow ? 4 : 0.05), isSlow ? { status: 504 } : {});
    stack.call(`web ${PARTNER_AT}`, at + 0.001, at + (isSlow ? 3.99 : 0.049));
  });
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['web: outside-slow']);
  assert.deepEqual(findings[0].place.edge, { from: 'web', to: PARTNER });
  assert.equal(findings[0].title, `waited for ${PARTNER}, outside of the stack`);
  assert.equal(findings[0].why_basis, 'timed');
});

test('one that does not answer at all, until its caller gives up, too', () => {
  const stack = withOutside();
  each(-5, 30, 0.1, (at) => {
    const isDead = at >= 10;
    stack.call('k6 web', at, at + (isDead ? 5.01 : 0.05), isDead ? { status: 504 } : {});
    stack.call(`web ${PARTNER_AT}`, at + 0.001, at + (isDead ? 5.001 : 0.049), isDead ? { end: 'given-up', by: 'client' } : {});
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'web: outside-slow');
  assert.ok(finding.evidence.some((text) => text.includes('given up before a byte of the answer, each after 5.00 s')));
});

test('one that answers with errors has failed, and is not slow', () => {
  const stack = withOutside();
  each(-5, 30, 0.1, (at, index) => {
    const isBad = at >= 5 && index % 3 === 0;
    stack.call('k6 web', at, at + 0.05, { status: isBad ? 500 : 200 });
    stack.call(`web ${PARTNER_AT}`, at + 0.001, at + 0.049, { status: isBad ? 429 : 200 });
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'web: outside-failed');
  assert.equal(finding.title, `had its calls to ${PARTNER}, outside of the stack, answered 429`);
});

test('a slow host outside that good requests ask as well does not explain a bug', () => {
  const stack = withOutside();
  each(-5, 30, 0.1, (at, index) => {
    stack.call('k6 web', at, at + 1, { status: at >= 5 && index % 4 === 0 ? 500 : 200 });
    stack.call(`web ${PARTNER_AT}`, at + 0.001, at + 0.9);
  });
  assert.deepEqual(told(stack), ['web: own-error']);
});

test('a slow service of the stack is not outside', () => {
  const stack = withOutside();
  each(-5, 30, 0.1, (at) => {
    const isSlow = at >= 10;
    stack.call('k6 web', at, at + (isSlow ? 4 : 0.05), isSlow ? { status: 504 } : {});
    stack.call('web store', at + 0.001, at + (isSlow ? 3.99 : 0.049));
    stack.call(`web ${PARTNER_AT}`, at, at + 0.0005);
  });
  assert.deepEqual(told(stack), ['store: stands']);
});

test('a service that is asked by a port of this machine is followed through it', () => {
  const stack = withOutside();
  stack.wire.services.push({ address: 'host', service: 'host', name: 'host', container: '', from: 0, to: null });
  each(-5, 30, 0.1, (at) => {
    const isSlow = at >= 10;
    stack.call('k6 web', at, at + (isSlow ? 4 : 0.05), isSlow ? { status: 504 } : {});
    stack.call('web host', at + 0.001, at + (isSlow ? 3.99 : 0.049));
    stack.call('host store', at + 0.002, at + (isSlow ? 3.98 : 0.048));
  });
  assert.deepEqual(told(stack), ['store: stands']);
});
