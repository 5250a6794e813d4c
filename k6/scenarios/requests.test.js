/**
 * What the users of a list do when an answer is bad, with stubs in the place of k6's modules.
 */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import '../lib/fixtures/k6-modules.js';

const BEGAN = 1_800_000_000_000;
const time = { now: BEGAN };
Date.now = () => time.now;
/** @type {string[]} */
const said = [];
console.error = (/** @type {string} */ text) => said.push(text.trim());

/** @type {{ status: number, headers: Record<string, string> }[]} */
let answers = [];
/** @type {{ url: string, id: string, timeout: number }[]} */
let sent = [];
/** @type {number[]} */
let slept = [];

const stubs = {
  http: {
    /** @type {(method: string, url: string, body: string | null, params: { headers: Record<string, string>, timeout: number }) => object} */
    request: (_method, url, _body, { headers, timeout }) => {
      time.now += 20;
      sent.push({ url, id: headers['X-Request-Id'], timeout });
      return { ...(answers.shift() ?? { status: 200, headers: {} }), error_code: 0, timings: { blocked: 0.5, duration: 19.5 } };
    },
  },
  exec: { scenario: { name: 'load', startTime: BEGAN, iterationInTest: 0, iterationInInstance: 0 }, vu: { idInTest: 1 } },
  k6: {
    sleep: (/** @type {number} */ seconds) => {
      slept.push(seconds);
      time.now += seconds * 1000;
    },
    check: () => true,
  },
  Counter: class {
    add() {}
  },
};
const environment = {
  ...{ TARGET: 'http://web:8000/', SHAPE: 'constant', RATE: '50', USERS: '20', THINK_TIME_S: '0.5', SEED: '7', START_BEAT_S: '5' },
  ...{ TIMEOUT: '900', RETRIES: '2', BACKOFF: '', RETRY_BUDGET: '', RETRY_AFTER: '1' },
  ...{ REQUESTS: '[{"method":"GET","path":"/"}]', REQUEST_HEADERS: '{}', RECORD_FOLDER: '/raw' },
};
Object.assign(globalThis, { stubs, __VU: 1, __ITER: 0, __ENV: environment });

const { load, options, setup, warmup } = await import('./requests.js');

beforeEach(() => {
  time.now = BEGAN;
  answers = [];
  sent = [];
  slept = [];
  said.length = 0;
});

test('what failed is asked again as often and as late as the user may, each time by an id of its own', () => {
  answers = [
    { status: 503, headers: { 'Retry-After': '2' } },
    { status: 502, headers: {} },
    { status: 500, headers: {} },
  ];
  load();
  assert.deepEqual(slept, [2, 0]);
  assert.equal(new Set(sent.map(({ id }) => id)).size, 3);
  assert.deepEqual(
    sent.map(({ timeout }) => timeout),
    [900, 900, 900],
  );
});

test('what was answered well is not', () => {
  load();
  assert.deepEqual([sent.length, slept], [1, [0]]);
});

test('users of the warm-up think, so that they ask for less than the load', () => {
  warmup();
  assert.ok(slept[0] >= 0.25 && slept[0] <= 0.75, String(slept));
});

test('requests arrive at the rate, and users are ready on the beat that the other generators begin on too', () => {
  assert.deepEqual([options.scenarios.load.executor, options.scenarios.load.stages.at(-1)?.target], ['ramping-arrival-rate', 50]);
  setup();
  assert.deepEqual(slept, [5]);
  assert.deepEqual(
    said.map((line) => JSON.parse(line).event),
    ['waited', 'start'],
  );
});
