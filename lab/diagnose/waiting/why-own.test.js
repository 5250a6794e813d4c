import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.js';

test('an error of its own is said only where what it asked is on record', () => {
  const make = (/** @type {Partial<import('../../wire/connection.js').ConnectionRecord>} */ rest) => {
    const stack = new MadeStack();
    each(-5, 30, 0.1, (at, index) => stack.call('k6 api', at, at + 0.02, { status: at > 5 && index % 5 === 0 ? 500 : 200 }));
    stack.connect('api partner', -8, { ...rest, last_at: ZERO + 29 });
    return stack.follow().findings.map(said);
  };
  assert.deepEqual(make({ hidden_bytes: 0 }), ['api: own-error']);
  assert.deepEqual(make({ hidden_bytes: 9000 }), ['api: stands']);
  assert.deepEqual(make({ hidden_bytes: 9000, ended_at: ZERO - 6, outcome: 'closed', by: 'client' }), ['api: own-error']);
});

test('what could not be read hides why of the requests alone that it was asked for', () => {
  const make = (/** @type {number} */ deadFrom) => {
    const stack = new MadeStack();
    each(-5, 30, 0.05, (at, index) => {
      const isBug = index % 20 === 0;
      stack.call('k6 web', at, at + (isBug ? 0.002 : 0.01), { status: isBug ? 500 : 200 });
      if (!isBug) stack.call('web store', at + 0.003, at + 0.009, { ...SQL, on: `${index % 4}` });
      // A cache, of whose protocol nothing can be read, is asked on a connection of its own each time until it dies.
      if (at < deadFrom)
        stack.connect('web cache', at + 0.001, {
          ...{ asked_at: ZERO + at + 0.001, unknown_bytes: 12 },
          ...{ ended_at: ZERO + at + 0.0015, outcome: /** @type {const} */ ('closed'), by: /** @type {const} */ ('client') },
        });
    });
    stack.event('cache', 'die', deadFrom, 137);
    return stack.follow().findings.map(said);
  };
  assert.deepEqual(make(5), ['web: own-error']);
  assert.deepEqual(make(25), ['web: stands']);
});

test('checks of one that fail and come back are not why a balancer turns requests away while it goes on asking another', () => {
  const stack = new MadeStack();
  for (const web of ['web-1', 'web-2'])
    each(-8, 30, 1, (at, index) =>
      stack.call(`lb ${web}`, at + 0.013, at + 0.015, { template: '/health', status: web === 'web-1' && index % 6 > 3 ? 503 : 200 }),
    );
  each(-5, 29, 0.02, (at, index) => {
    const isFull = at >= 5 && index % 4 === 0;
    stack.call('k6 lb', at, at + (isFull ? 0.0005 : 0.011), { status: isFull ? 503 : 200 });
    if (!isFull) stack.call(`lb ${Math.floor(at + 8) % 6 > 3 || index % 2 ? 'web-2' : 'web-1'}`, at + 0.001, at + 0.0105);
  });
  assert.deepEqual(reported(stack), ['lb: turned-away']);
});

test('checks of those whom such requests go to explain it, while others go on to another service', () => {
  const stack = new MadeStack();
  each(-8, 30, 2, (at) => stack.call('lb web', at + 0.033, at + 0.034, { template: '/health', status: at >= 8 ? 503 : 200 }));
  each(-5, 30, 0.05, (at, index) => {
    const [template, to] = index % 2 ? ['/api', 'api'] : ['/', 'web'];
    const isOut = to === 'web' && at >= 10.1;
    stack.call('k6 lb', at, at + (isOut ? 0.0005 : 0.02), { template, status: isOut ? 503 : 200 });
    if (!isOut) stack.call(`lb ${to}`, at + 0.001, at + 0.019, { template });
  });
  assert.deepEqual(reported(stack), ['lb: checks-failed']);
});

/*
 * Pools that fail a request at once when they have none to give, as small records.
 */

const COUNT = 10;

/** Requests that go well until second 12; each second one connection more is used for good. @param {MadeStack} stack @param {(stack: MadeStack, at: number, on: string) => void} use */
function usedUp(stack, use) {
  each(-5, 12, 0.1, (at, index) => {
    const used = at < 2 ? 0 : Math.floor(at - 2) + 1;
    if (used > COUNT || (used === COUNT && index % 10 !== 0)) return;
    stack.call('k6 web', at, at + 0.02);
    if (at >= 2 && index % 10 === 0) use(stack, at + 0.005, `${used}`);
    // The next that will be used for good is asked on meanwhile.
    else stack.call('web db', at + 0.005, at + 0.01, { ...SQL, on: `${Math.min(COUNT, used + 1)}` });
  });
  stack.reads('web', () => ({ cores: 0.1 }));
}

/** @param {MadeStack} stack @param {number} from */
const failing = (stack, from) => each(from, 28, 0.1, (at) => stack.call('k6 web', at, at + 0.005, { status: 500 }));

test('requests fail at once while each connection of the pool is held in a transaction that nobody ends', () => {
  const stack = new MadeStack();
  usedUp(stack, (own, at, on) => own.call('web db', at, at + 0.005, { ...SQL, on, state: 'transaction' }));
  failing(stack, 12.05);
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['web: pool-held']);
  assert.deepEqual(findings[0].place.edge, { from: 'web', to: 'db' });
  assert.equal(findings[0].title, 'answered 500 at once while it held its 10 connections to db and asked nothing on most of them');
});

test('and while each waits for an answer', () => {
  const stack = new MadeStack();
  usedUp(stack, (own, at, on) => own.call('web db', at, 29, { ...SQL, on }));
  failing(stack, 12.05);
  const { findings } = stack.follow();
  assert.deepEqual(findings.map(said), ['web: pool-full']);
  assert.ok(findings[0].evidence.some((text) => text.startsWith('All 10 connections of web to db were in use when 100 % of the')));
});

test('but not where one was free, nor where good ones came when none was', () => {
  const free = new MadeStack();
  usedUp(free, (own, at, on) => own.call('web db', at, at + 0.005, { ...SQL, on, state: on === `${COUNT}` ? 'idle' : 'transaction' }));
  failing(free, 12.05);
  assert.deepEqual(reported(free), ['web: own-error']);
  const both = new MadeStack();
  usedUp(both, (own, at, on) => own.call('web db', at, 29, { ...SQL, on }));
  failing(both, 12.05);
  each(12.1, 28, 0.1, (at) => both.call('k6 web', at, at + 0.005));
  assert.deepEqual(reported(both), ['web: own-error']);
});

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

test('of names that were not found it is told which were to be looked up', () => {
  const stack = new MadeStack();
  const lookup = { protocol: 'dns', verb: 'A', template: 'stock.corp.example', status: null };
  each(-8, 30, 0.1, (at, index) => {
    const isOut = at >= 5 && at < 20;
    const answer = isOut ? { code: 'NXDOMAIN', bad: true } : {};
    stack.call('k6 api', at, at + 0.01, { status: isOut ? 502 : 200 });
    stack.call('api dns', at + 0.001, at + 0.002, { ...lookup, ...answer, on: `${index % 4}` });
    if (!isOut) stack.call('dns registry', at + 0.0012, at + 0.0018, { ...lookup, on: `${index % 4}` });
  });
  for (const at of [4.99, 9.99, 14.99]) stack.call('dns registry', at, at + 0.0003, { ...lookup, code: 'NXDOMAIN', bad: true });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'registry: own-error');
  assert.equal(
    finding.evidence[0],
    '3 times registry answered NXDOMAIN, at the median 0.3 ms after it was asked for A stock.corp.example.',
  );
  assert.ok(
    finding.evidence.some((text) => text.includes('came after a try of registry for A stock.corp.example that was answered NXDOMAIN')),
  );
});

test('but not where it asks for good ones meanwhile, or there was no try before', () => {
  assert.deepEqual(reported(pooler({ bug: true })), ['pool: own-error']);
  assert.deepEqual(reported(pooler({ triedAt: [14.99] })), ['pool: own-error']);
  assert.deepEqual(reported(pooler({ triedAt: [4.99] })), ['store: turned-away']);
});

test('an answer that says what is wrong with the request is no try that failed, after which nobody asks', () => {
  const stack = new MadeStack();
  each(-8, 30, 0.1, (at, index) => {
    const isOut = at >= 5;
    const isMissing = index % 25 === 0 && !isOut;
    stack.call('k6 gate', at, at + 0.01, { status: isOut ? 503 : 200 });
    if (!isOut) stack.call('gate render', at + 0.001, at + 0.009, { status: isMissing ? 404 : 200, bad: isMissing });
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'gate: turned-away');
  assert.ok(finding.evidence.includes('When these came it had 0 calls open to render, when good ones came 0.'), `${finding.evidence}`);
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

/**
 * A proxy that gave up searches at both of its callees, took them out for eight seconds, and turned pages away meanwhile.
 * @param {{ searched?: string, page?: string, isHung?: boolean }} [given]  kinds: of the tries, and of what is turned away; isHung: the callees
 *   answered no page either while the tries went on
 */
function takenOut({ searched = '/search', page = '/page', isHung = false } = {}) {
  const stack = new MadeStack();
  each(-8, 30, 0.1, (at, index) => {
    const isOut = at >= 7 && at < 15;
    stack.call('k6 lb', at, at + (isOut ? 0.001 : 0.01), { status: isOut ? 502 : 200, template: page });
    const to = at >= 5.9 ? 'n2' : `n${(index % 2) + 1}`;
    if (!isOut && !(isHung && at > 4.9 && at < 15)) stack.call(`lb ${to}`, at + 0.001, at + 0.008, { template: page });
  });
  stack.call('k6 lb', 4.95, 6.96, { status: 504, template: searched });
  for (const [to, at] of /** @type {const} */ ([
    ['n1', 4.951],
    ['n2', 5.953],
  ]))
    stack.call(`lb ${to}`, at, at + 1, { template: searched, end: 'given-up', by: 'client' });
  return stack;
}

test('who took its callees out after tries of other requests turned these away itself', () => {
  const [finding] = takenOut().follow().findings;
  assert.deepEqual(
    [said(finding), finding.title, finding.basis],
    ['lb: checks-failed', 'took n1, n2 out after requests of another kind (GET /search) had failed there', 'counted'],
  );
});

test('where the tries were of the same kind, they took both out for one of many', () => {
  const [finding] = takenOut({ searched: '/page' }).follow().findings;
  assert.equal(said(finding), 'lb: checks-failed');
  assert.match(finding.title ?? '', /^asked n[12] no more for up to .* after one call had failed there, though others were answered$/);
});

test('but not where nothing else was answered there', () => {
  assert.notEqual(reported(takenOut({ searched: '/page', isHung: true }))[0], 'lb: checks-failed');
});

test('nor where they answered nothing else meanwhile', () => {
  assert.notEqual(takenOut({ isHung: true }).follow().findings[0].mechanism, 'checks-failed');
});

/**
 * A proxy that leaves its only living callee out for some seconds after one reset, and has but one beside it that refuses everybody.
 * @param {(at: number) => { isOut: boolean, isReset: boolean }} how  of the living one
 */
function leftWithDead(how) {
  const stack = new MadeStack();
  each(-8, 30, 0.02, (at, index) => {
    const { isOut, isReset } = how(at);
    stack.call('k6 lb', at, at + (isOut ? 0.002 : 0.01), { status: isOut || isReset ? 502 : 200 });
    if (isOut || index % 2 === 0) stack.refused('lb old', at + 0.0005);
    if (!isOut) stack.call('lb live', at + 0.001, at + 0.008, isReset ? { end: 'reset', by: 'server' } : {});
  });
  return stack;
}
const near = (/** @type {number} */ at, /** @type {number} */ moment) => Math.abs(at - moment) < 0.005;

test('who leaves a callee out that answers all others, and asks one in vain that refuses good requests too, is the place itself', () => {
  const ends = [6, 18];
  const stack = leftWithDead((at) => ({
    isOut: ends.some((end) => at > end + 0.01 && at < end + 8),
    isReset: ends.some((end) => near(at, end)),
  }));
  const [finding, ...more] = stack.follow().findings.filter(({ count }) => count > 5);
  assert.deepEqual([said(finding), more.map(said)], ['lb: checks-failed', []]);
  assert.deepEqual([finding.place.edge, finding.basis], [{ from: 'lb', to: 'live' }, 'counted']);
  assert.match(
    finding.title ?? '',
    /^asked live no more for up to 7\.9\d s after single calls had failed there, though others were answered$/,
  );
});

test('each worker of a proxy leaves it out by itself, while the other asks on', () => {
  const stack = new MadeStack();
  each(-8, 30, 0.02, (at, index) => {
    const isOfFirst = index % 4 < 2;
    const isReset = near(at, 6) || (isOfFirst && near(at, 18));
    const isOut = (at > 6.01 && at < 14) || (isOfFirst && at > 18.03 && at < 22);
    stack.call('k6 lb', at, at + (isOut ? 0.002 : 0.01), { status: isOut || isReset ? 502 : 200 });
    if (isOut || index % 2 === 0) stack.refused('lb old', at + 0.0005);
    if (!isOut) stack.call('lb live', at + 0.001, at + 0.008, isReset ? { end: 'reset', by: 'server' } : {});
  });
  const [finding] = stack.follow().findings;
  assert.equal(said(finding), 'lb: checks-failed');
  assert.ok(
    finding.doubts.some((text) => text.endsWith('that each of its workers keeps its own tries in mind is inferred')),
    `${finding.doubts}`,
  );
});

test('a callee that fails each time it is asked again is the place, and not who leaves it out', () => {
  const stack = leftWithDead((at) => {
    const isReset = at > 5.99 && near(at % 4, 2);
    return { isOut: at > 6.01 && !isReset, isReset };
  });
  const [finding] = stack.follow().findings;
  assert.match(said(finding), /^live: /);
});

test('calls of one’s own that fail all the time, of whom nobody is asked for requests, are no checks by which anybody is taken out', () => {
  const stack = new MadeStack();
  each(-8, 30, 0.31, (at, index) => stack.call('app stats', at, at + 0.002, { template: '/hit', status: index % 3 ? 200 : 500 }));
  each(-5, 29, 0.05, (at, index) => {
    const isExport = at >= 5 && index % 8 === 0;
    stack.call('k6 app', at, at + 0.003, { template: isExport ? '/export' : '/item', status: isExport ? 500 : 200 });
  });
  assert.deepEqual(reported(stack), ['app: own-error']);
});
