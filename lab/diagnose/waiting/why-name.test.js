/**
 * Lookups of names, as small records; beside each what looks the same and is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.js';

const PARTNER = 'api.partner.example';
const [PARTNER_AT, RESOLVER] = ['203.0.113.7', '198.51.100.53'];

/** Users ask web, which asks a host outside by its name. */
function withNames() {
  const stack = new MadeStack();
  stack.holds('k6', 'web', 'store');
  stack.lookup(`web ${RESOLVER}`, -9, -8.998, PARTNER, { addresses: [PARTNER_AT] });
  return stack;
}

/** @param {MadeStack} stack @returns {string[]} */
const told = (stack) => stack.follow().findings.map(said);

test('a name that is not answered fails the requests that need it', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at) => {
    const isSilent = at >= 10;
    stack.call('k6 web', at, at + (isSilent ? 5.02 : 0.05), isSilent ? { status: 502 } : {});
    stack.lookup(`web ${RESOLVER}`, at + 0.001, isSilent ? null : at + 0.003, PARTNER, isSilent ? {} : { addresses: [PARTNER_AT] });
    if (!isSilent) stack.call(`web ${PARTNER_AT}`, at + 0.004, at + 0.049);
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'web: name-unanswered');
  assert.equal(finding.title, `got no answer when it asked for the address of ${PARTNER}`);
});

test('a name that its resolver cannot find fails them at once', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at, index) => {
    const isBad = at >= 5 && index % 3 === 0;
    stack.call('k6 web', at, at + (isBad ? 0.01 : 0.05), { status: isBad ? 500 : 200 });
    stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, PARTNER, isBad ? { code: 'SERVFAIL', bad: true } : {});
    if (!isBad) stack.call(`web ${PARTNER_AT}`, at + 0.004, at + 0.049);
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'web: name-unanswered');
  assert.ok(
    finding.evidence.some((text) => text.includes('answered SERVFAIL')),
    finding.evidence.join('\n'),
  );
});

test('a resolver of the stack that is gone is a service that is gone', () => {
  const stack = withNames();
  stack.holds('names');
  each(-5, 30, 0.1, (at) => {
    const isGone = at >= 10;
    stack.call('k6 web', at, at + (isGone ? 5.02 : 0.05), isGone ? { status: 502 } : {});
    stack.lookup('web names', at + 0.001, isGone ? null : at + 0.003, PARTNER);
    if (!isGone) stack.call(`web ${PARTNER_AT}`, at + 0.004, at + 0.049);
  });
  stack.event('names', 'die', 10, 137);
  assert.deepEqual(told(stack), ['names: gone']);
});

test('a lookup that fails for good requests as well explains no bug', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at, index) => {
    stack.call('k6 web', at, at + 0.03, { status: at >= 10 && index % 4 === 0 ? 500 : 200 });
    stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, 'metrics.example', at >= 10 ? { code: 'SERVFAIL', bad: true } : {});
  });
  assert.deepEqual(told(stack), ['web: own-error']);
});

test('names with a suffix that are never found, for good requests too, explain nothing', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at, index) => {
    stack.call('k6 web', at, at + 0.05, { status: at >= 5 && index % 4 === 0 ? 500 : 200 });
    stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, `${PARTNER}.lan`, { code: 'NXDOMAIN' });
    stack.lookup(`web ${RESOLVER}`, at + 0.004, at + 0.006, PARTNER, { addresses: [PARTNER_AT] });
  });
  assert.deepEqual(told(stack), ['web: own-error']);
});

test('an unanswered name that a service asks for by itself all the time lies in long requests, and explains none', () => {
  const stack = withNames();
  each(-9, 30, 0.25, (at) => stack.lookup(`web ${RESOLVER}`, at, null, 'metrics.example'));
  each(-5, 30, 0.1, (at) => {
    const isSlow = at >= 10;
    stack.call('k6 web', at, at + (isSlow ? 3 : 0.02), isSlow ? { end: 'given-up', by: 'client' } : {});
  });
  assert.deepEqual(told(stack), ['web: stands']);
});

test('lookups that the engine’s resolver leaves waiting are seen by their sockets alone', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at) => stack.call('k6 web', at, at + (at >= 10 ? 5 : 0.02), at >= 10 ? { status: 502 } : {}));
  stack.reads('web', (second) => ({ cores: 0.02, lookups: second >= 10 ? 4 : 0 }));
  const [finding] = stack.follow().findings;
  assert.deepEqual([said(finding), finding.why_basis], ['web: name-unanswered', 'timed']);
});

test('lookups that wait as often in calm seconds explain nothing', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at) => stack.call('k6 web', at, at + (at >= 10 ? 5 : 0.02), at >= 10 ? { status: 502 } : {}));
  stack.reads('web', () => ({ cores: 0.02, lookups: 2 }));
  assert.deepEqual(told(stack), ['web: stands']);
});

test('lookups of a helper that nobody answers lie in requests that sleep by chance, while others of the kind are quick', () => {
  const stack = withNames();
  each(-5, 28, 0.1, (at, index) => {
    const isAsleep = at >= 5 && index % 10 === 0;
    stack.call('k6 web', at, at + (isAsleep ? 1.5 : 0.02), isAsleep ? { end: 'given-up', by: 'client' } : {});
    stack.call('web store', at + 0.001, at + 0.01, { protocol: 'postgresql', verb: 'SELECT', on: `${index % 5}` });
  });
  each(5, 28, 3, (at) => stack.lookup(`web ${RESOLVER}`, at + 0.5, null, 'metrics.example'));
  assert.deepEqual(told(stack), ['web: stands']);
});
