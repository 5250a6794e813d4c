import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.js';
import { judgeTest } from '../claims/tests.js';
import { claimsIn, loadUnder, parseQuestion, saidOf } from './experiment-file.js';

const LEAST = 'question: Are four better?\narms: { two: WORKERS=2, four: [WORKERS=4, POOL=8], today: }\n';
const CLAIM = 'id: C1, statement: Four serve more., metric: goodput_rps, arm: four';

/** @type {(text: string, expected: RegExp) => void} */
const refused = (text, expected) =>
  assert.throws(
    () => parseQuestion(text, 'experiment.yaml'),
    (error) => error instanceof NotReadyError && expected.test(error.message),
  );

test('a question and its arms are enough, and each arm is said as a side of a comparison', () => {
  const { question, arms } = parseQuestion(LEAST, 'experiment.yaml');
  assert.equal(question, 'Are four better?');
  assert.deepEqual(
    Object.entries(arms).map(([name, said]) => [name, saidOf(said)]),
    [
      ['two', ['WORKERS=2']],
      ['four', ['WORKERS=4', 'POOL=8']],
      ['today', []],
    ],
  );
});

test('what is wrong is reported with its line, what was expected and what was found', () => {
  refused('arms: { two: A=2, four: A=4 }\n', /^experiment\.yaml, line 1: expected an entry "question"; found none\./);
  refused('question: Q\narms: { two: A=2 }\n', /line 2, arms: expected at least two arms by their names/);
  refused(
    'question: Q\narms: { two: A=2, four: { set: A=4 } }\n',
    /line 2, arms\.four: expected what compare takes as --a, or a list of that/,
  );
  refused('question: Q\narms: { a/b: A=2, four: A=4 }\n', /expected a name of at most 40 letters/);
  refused(
    'question: Q\narms: { two: A=2, Two: A=4 }\n',
    /expected names that differ in more than capitals and punctuation; found "Two" beside "two"/,
  );
  refused(`${LEAST}quest: x\n`, /line 3: expected one of question, title, arms/);
  refused(`${LEAST}repeats: 0\n`, /line 3, repeats: expected a whole number from 1 to 100; found 0/);
  refused(`${LEAST}pairs: [[two, for]]\n`, /line 3, pairs\.0: expected one of two, four, today; found "for"/);
  refused(`${LEAST}pairs: [[two, two]]\n`, /expected two arms; found "two" twice/);
  refused(`${LEAST}loads: { heavy: { user: 5 } }\n`, /line 3, loads\.heavy: expected one of script, shape, users, think_ms; found "user"/);
  refused(`${LEAST}loads: { heavy: { users: many } }\n`, /loads\.heavy\.users: expected a whole number from 1 to /);
});

test('what is wrong in a claim is told too', () => {
  refused(`${LEAST}claims: [{ ${CLAIM} }]\n`, /claims\.0: expected at_least or at_most; found neither/);
  refused(`${LEAST}claims: [{ ${CLAIM}, at_least: 1, at_most: 2 }]\n`, /expected at_least or at_most; found at_least and at_most/);
  refused(
    `${LEAST}claims: [{ ${CLAIM}, at_least: 1, against: three }]\n`,
    /claims\.0\.against: expected one of two, four, today; found "three"/,
  );
  refused(`${LEAST}claims: [{ ${CLAIM}, at_least: 1, against: four }]\n`, /claims\.0\.against: expected another arm; found "four"/);
  refused(
    `${LEAST}claims: [{ ${CLAIM.replace('goodput_rps', 'goodput')}, at_least: 1 }]\n`,
    /claims\.0\.metric: expected one of goodput_rps, /,
  );
  refused(
    `${LEAST}claims: [{ ${CLAIM}, at_least: 1 }, { ${CLAIM}, at_least: 1 }]\n`,
    /claims\.1\.id: expected each id once; found C1 twice/,
  );
  refused(
    `${LEAST}loads: { light: {}, heavy: {} }\nclaims: [{ ${CLAIM}, at_least: 1 }]\n`,
    /expected an entry "load" \(light, heavy\); found none/,
  );
});

test('a claim about two arms is one of their ratio, and is judged as those of the lab', () => {
  const question = parseQuestion(`${LEAST}claims: [{ ${CLAIM}, against: two, at_least: 1.5 }]\n`, 'experiment.yaml');
  const [claim] = claimsIn(question, 'experiment', 'experiment.yaml');
  assert.deepEqual(
    [claim.source, claim.test, claim.shown],
    ['experiment.yaml', 'goodput, four over two: at least 1.5 times as much.', ['four: {goodput_rps@four}', 'two: {goodput_rps@two}']],
  );
  const plan = planOf({ arms: ['two', 'four'].map((id) => ({ id, architecture: 'a' })), pairs: [['two', 'four']] });
  const judged = judgeTest(claim.tests[0], runsOf(plan, { two: { goodput: 500 }, four: { goodput: 900 } }));
  assert.equal(judged.verdict, 'HOLDS');
});

test('a claim about one arm is one of its share, else of how many of its runs are so', () => {
  const of = (/** @type {string} */ claim) =>
    claimsIn(parseQuestion(`${LEAST}claims: [{ ${claim} }]\n`, 'e.yaml'), 'e', 'e.yaml')[0].tests[0].kind;
  assert.equal(of('id: C1, statement: S, metric: failure_rate, arm: four, at_most: 0.01'), 'level');
  assert.equal(of('id: C1, statement: S, metric: latency_ms_p95_ok, arm: four, at_most: 800'), 'outcome');
});

test('under several loads a claim is about the arm under the one that it names', () => {
  const text = `${LEAST}loads: { light: { users: 5 }, heavy: { users: 50 } }\nclaims: [{ ${CLAIM}, against: two, at_least: 1, load: heavy }]\n`;
  const [{ tests }] = claimsIn(parseQuestion(text, 'e.yaml'), 'e', 'e.yaml');
  assert.deepEqual([/** @type {any} */ (tests[0]).base, /** @type {any} */ (tests[0]).other], ['two (heavy)', 'four (heavy)']);
});

test('a load differs from doubletake.yaml’s in what it says, and users of a script are no such thing', () => {
  assert.deepEqual(loadUnder({ urls: ['GET /'], users: 5 }, 'heavy', { users: 50 }), { urls: ['GET /'], users: 50 });
  assert.deepEqual(loadUnder({ urls: ['GET /'], users: 5 }, 'heavy', { script: 'heavy.js' }), { script: 'heavy.js' });
  assert.throws(
    () => loadUnder({ script: 'load.js' }, 'heavy', { users: 50 }),
    /^NotReadyError: loads\.heavy: expected no "users" beside a script, which says itself who comes when; found 50/,
  );
});
