/**
 * Lookups of names, as small records; beside each what looks the same and is not.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.js';

/*
 * Hosts outside of the stack and their names, as small records; beside each what looks the same and is not.
 */

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
const whyOutsideReported = (stack) => stack.follow().findings.map(said);

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
  assert.deepEqual(whyOutsideReported(stack), ['web: own-error']);
});

test('a slow service of the stack is not outside', () => {
  const stack = withOutside();
  each(-5, 30, 0.1, (at) => {
    const isSlow = at >= 10;
    stack.call('k6 web', at, at + (isSlow ? 4 : 0.05), isSlow ? { status: 504 } : {});
    stack.call('web store', at + 0.001, at + (isSlow ? 3.99 : 0.049));
    stack.call(`web ${PARTNER_AT}`, at, at + 0.0005);
  });
  assert.deepEqual(whyOutsideReported(stack), ['store: stands']);
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
  assert.deepEqual(whyOutsideReported(stack), ['store: stands']);
});

/** Users ask web, which asks a host outside by its name. */
function withNames() {
  const stack = new MadeStack();
  stack.holds('k6', 'web', 'store');
  stack.lookup(`web ${RESOLVER}`, -9, -8.998, PARTNER, { addresses: [PARTNER_AT] });
  return stack;
}

/** @param {MadeStack} stack @returns {string[]} */
const whyNameReported = (stack) => stack.follow().findings.map(said);

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
  assert.deepEqual(whyNameReported(stack), ['names: gone']);
});

test('a lookup that fails for good requests as well explains no bug', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at, index) => {
    stack.call('k6 web', at, at + 0.03, { status: at >= 10 && index % 4 === 0 ? 500 : 200 });
    stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, 'metrics.example', at >= 10 ? { code: 'SERVFAIL', bad: true } : {});
  });
  assert.deepEqual(whyNameReported(stack), ['web: own-error']);
});

test('names with a suffix that are never found, for good requests too, explain nothing', () => {
  const stack = withNames();
  each(-5, 30, 0.1, (at, index) => {
    stack.call('k6 web', at, at + 0.05, { status: at >= 5 && index % 4 === 0 ? 500 : 200 });
    stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, `${PARTNER}.lan`, { code: 'NXDOMAIN' });
    stack.lookup(`web ${RESOLVER}`, at + 0.004, at + 0.006, PARTNER, { addresses: [PARTNER_AT] });
  });
  assert.deepEqual(whyNameReported(stack), ['web: own-error']);
});

test('an unanswered name that a service asks for by itself all the time lies in long requests, and explains none', () => {
  const stack = withNames();
  each(-9, 30, 0.25, (at) => stack.lookup(`web ${RESOLVER}`, at, null, 'metrics.example'));
  each(-5, 30, 0.1, (at) => {
    const isSlow = at >= 10;
    stack.call('k6 web', at, at + (isSlow ? 3 : 0.02), isSlow ? { end: 'given-up', by: 'client' } : {});
  });
  assert.deepEqual(whyNameReported(stack), ['web: stands']);
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
  assert.deepEqual(whyNameReported(stack), ['web: stands']);
});

test('lookups of a helper that nobody answers lie in requests that sleep by chance, while others of the kind are quick', () => {
  const stack = withNames();
  each(-5, 28, 0.1, (at, index) => {
    const isAsleep = at >= 5 && index % 10 === 0;
    stack.call('k6 web', at, at + (isAsleep ? 1.5 : 0.02), isAsleep ? { end: 'given-up', by: 'client' } : {});
    stack.call('web store', at + 0.001, at + 0.01, { protocol: 'postgresql', verb: 'SELECT', on: `${index % 5}` });
  });
  each(5, 28, 3, (at) => stack.lookup(`web ${RESOLVER}`, at + 0.5, null, 'metrics.example'));
  assert.deepEqual(whyNameReported(stack), ['web: stands']);
});

/**
 * A program with four connections to its store, which is started again at second 5 and closes them.
 * @param {{ opensAgain?: boolean, bugFrom?: number | null }} [given]  bugFrom: an error of its own from then on, whatever the store does
 */
function storeStartedAgain({ opensAgain = false, bugFrom = null } = {}) {
  const stack = new MadeStack();
  each(-8, 30, 0.1, (at, index) => {
    const isDead = at >= 5 && !opensAgain;
    const isBug = bugFrom !== null && at >= bugFrom && index % 2 === 0;
    stack.call('k6 api', at, at + (isDead || isBug ? 0.002 : 0.01), { status: isDead || isBug ? 500 : 200 });
    if (!isDead && !isBug) stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on: `${at >= 5 ? 'new' : 'old'} ${index % 4}` });
  });
  for (const connection of stack.wire.connections) {
    const isOld =
      connection.server === 'db' && stack.wire.calls.some((call) => call.connection === connection.id && call.began_at < ZERO + 5);
    if (isOld) Object.assign(connection, { ended_at: ZERO + 5, outcome: 'closed', by: 'server' });
  }
  return stack;
}

test('who opens no connections in place of those that a store had closed goes on with dead ones', () => {
  const [finding] = storeStartedAgain().follow().findings;
  assert.deepEqual([said(finding), finding.why_basis], ['api: dead-connections', 'counted']);
  assert.equal(finding.title, 'answered 500 without asking db, which had closed 4 of its connections; none was opened in their place');
});

test('but an error of its own beside connections that it opened again is its own, and one that was there before', () => {
  assert.deepEqual(reported(storeStartedAgain({ opensAgain: true, bugFrom: 8 })), ['api: own-error']);
  assert.deepEqual(reported(storeStartedAgain({ opensAgain: true, bugFrom: 2 })), ['api: own-error']);
});

/*
 * Connections that somebody between forgot, as small records; beside each what looks the same and is not.
 */

/**
 * A pool of twelve, of which a pause leaves all silent but three; then what is sent on those that were silent is lost, and what is sent on others is not.
 * @param {{ isLost?: (silent: boolean, index: number) => boolean }} [given]
 */
function forgetting({ isLost = (silent) => silent } = {}) {
  const stack = new MadeStack();
  const ask = (/** @type {number} */ at, /** @type {string} */ on, isBad = false) => {
    stack.call('k6 api', at, at + (isBad ? 4 : 0.02), isBad ? { status: 504 } : {});
    stack.call('api relay', at + 0.001, isBad ? null : at + 0.019, { ...SQL, on });
  };
  each(-5, 8, 0.05, (at, index) => ask(at, `p${index % 12}`));
  each(8, 18, 0.1, (at, index) => ask(at, `p${index % 3}`));
  each(18, 22, 0.05, (at, index) => {
    const silent = index % 4 === 0 && index < 36;
    ask(at, silent ? `p${3 + index / 4}` : `p${index % 3}`, isLost(silent, index));
  });
  return stack;
}

test('what is never answered on connections that were silent, and only there, was forgotten by who was asked', () => {
  const { findings } = forgetting().follow();
  assert.deepEqual(findings.map(said), ['relay: forgotten']);
  assert.match(findings[0].title ?? '', /^answered nothing any more on connections that had been silent for 1\d\.\d\d s or longer$/);
  assert.match(findings[0].evidence.join(), /9 of 9 calls of api to relay got no answer .+ of \d\d others in the same seconds 0 got none/);
});

test('but not where others got none either, or where silent ones were answered', () => {
  assert.ok(!reported(forgetting({ isLost: (silent, index) => silent || index % 3 === 0 })).includes('relay: forgotten'));
  assert.ok(!reported(forgetting({ isLost: (_, index) => index % 5 === 0 })).includes('relay: forgotten'));
});

/** One kind of call that lasts so long and fails from second 10 on, beside others. @param {(index: number) => number} lasts @param {number} [status] */
function lasting(lasts, status = 503) {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at, index) => {
    const isBad = at >= 10;
    stack.call('k6 web', at, at + (isBad ? lasts(index) : 0.005), { template: '/stock', ...(isBad ? { status, bad: status >= 500 } : {}) });
    stack.call('k6 web', at + 0.02, at + 0.023, { template: '/products' });
  });
  stack.reads('web', () => ({ cores: 0.05 }));
  return stack;
}

test('who gives up after one length of time waited for something, and was not slow', () => {
  const [finding] = lasting(() => 3).follow().findings;
  assert.deepEqual([said(finding), finding.why_basis], ['web: own-wait', 'counted']);
  assert.equal(
    finding.title,
    'waited 3.00 s each time for something that is not on record, such as a lock or a file, and then answered 503',
  );
});

test('but what takes as long as there is to do is slow', () => {
  assert.deepEqual(reported(lasting((index) => 1 + (index % 17) / 4)), ['web: slow-kind']);
});

/** A store that is throttled from second 10 on. @param {boolean} isAll  whether every kind of statement is slow then */
function throttledStore(isAll) {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at, index) => {
    const isLate = at >= 10;
    const isScan = index % 2 === 0;
    const took = isLate && (isScan || isAll) ? 1.5 : 0.01;
    stack.call('k6 api', at, at + took + 0.004, isLate && isScan ? { status: 504 } : {});
    stack.call('api db', at + 0.001, at + took, { ...SQL, template: isScan ? 'SELECT scan' : 'INSERT seen', on: `${index}` });
  });
  stack.reads('db', (second) => ({ cores: 0.5, throttled: second >= 10 ? 1 : 0 }));
  return stack.follow().findings[0];
}

test('who is short of CPU and slow for one statement alone is named with it', () => {
  const finding = throttledStore(false);
  assert.equal(said(finding), 'db: cpu-throttled');
  assert.match(
    finding.title ?? '',
    /^was throttled, having used up its CPU quota, and took 1\.50 s for each .*SELECT scan \(in calm seconds 9\.0 ms\)$/,
  );
});

test('where all statements are slow none is named', () => {
  assert.equal(throttledStore(true).title, 'was throttled, having used up its CPU quota');
});

test('a connection that the callee closed long before, and that good requests did without, is no dead one', () => {
  const stack = new MadeStack();
  const limit = 3;
  for (const on of ['idle 1', 'idle 2']) stack.call('mesh stock', -9, -8.99, { on });
  for (const { connection } of stack.wire.calls)
    Object.assign(stack.wire.connections[connection], { ended_at: ZERO + 2, outcome: 'closed', by: 'server' });
  each(-8, 29, 0.05, (at, index) => {
    const isOver = at >= 10 && index % 4 === 3;
    stack.call('k6 web', at - 0.001, at + 0.06, { status: isOver ? 502 : 200 });
    stack.call('web mesh', at, at + (isOver ? 0.0006 : 0.05), { status: isOver ? 503 : 200 });
    if (!isOver) stack.call('mesh stock', at + 0.001, at + 0.048, { on: `${index % limit}` });
  });
  assert.deepEqual(reported(stack), ['mesh: turned-away']);
});
