/**
 * The order of the rules, tried on the frozen runs and on the made records of the fixtures: what each rule reads, what it says, and what becomes of
 * the order when two of them change places.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FROZEN } from '../base/paths.js';
import { causes } from '../record/causes.js';
import { readRecords, withFiles } from '../verify/freeze/files.js';
import { answerCases } from './fixtures/answer-cases.js';
import { connectionCases } from './fixtures/connection-cases.js';
import { foolingCases } from './fixtures/fooling-cases.js';
import { preloadCases } from './fixtures/preload-cases.js';
import { projectCases } from './fixtures/project-cases.js';
import { factsOf, recordOf } from './fixtures/record.js';
import { placementsOf } from './placements.js';
import { readRaw } from './read-raw.js';
import { ASKED_OF, ledgerAsks, RULES } from './rules.js';
import { STEP_QUESTIONS } from './waiting/questions.js';
import { MECHANISMS } from './waiting/text.js';

/** @typedef {import('./rule.js').Row} Row */
/** @typedef {import('./ledger/facts.js').Facts} Facts */

const made = [answerCases, connectionCases, projectCases, preloadCases, foolingCases].flat().map(({ story, change }) => {
  const raw = recordOf(story);
  change?.(raw);
  return factsOf(raw);
});
/** @type {Facts[]} */
const frozen = [];
for (const group of readdirSync(FROZEN))
  for (const files of (await readRecords(FROZEN, group)).values())
    frozen.push(factsOf(/** @type {any} */ (await withFiles(files(), readRaw))));

/** @param {Facts} facts @param {Row[]} [rules] */
function placedBy(facts, rules) {
  const ask = ledgerAsks(facts, rules);
  return facts.traces.map((trace) => ask.generator(trace) ?? ask.request(trace));
}

const OF_STEPS = new Set(STEP_QUESTIONS.map(({ of }) => of));
const LEDGER_RULES = RULES.filter(({ of }) => !OF_STEPS.has(of));

/** A question may be asked of several subjects. @param {Row} rule */
const nameOf = (rule) => (OF_STEPS.has(rule.of) ? `question ${rule.id}` : `rule ${rule.id}`);

/** @returns {Map<string, Set<string>>} by rule */
const notes = () => new Map(RULES.map((rule) => [nameOf(rule), new Set()]));
/** Facts that it read; causes that it named, with whom it had asked by then; and whom it asked. */
const [read, said, asked] = [notes(), notes(), notes()];

/** @param {any} of @param {Set<string> | undefined} names @param {Row} rule @param {string} [prefix] */
const noted = (of, names, rule, prefix = '') =>
  new Proxy(of, {
    get(target, name) {
      const full = `${prefix}${String(name)}`;
      const value = Reflect.get(target, name);
      if (rule.facts.some((fact) => fact.startsWith(`${full}.`))) return noted(value, names, rule, `${full}.`);
      names?.add(full);
      return value;
    },
  });

/** @param {Row} rule @returns {Row['apply']} the same, watched */
function watchedBy(rule) {
  const { apply } = rule;
  const name = nameOf(rule);
  return (target, facts, ask) => {
    const answer = apply(target, noted(facts, read.get(name), rule), noted(ask, asked.get(name), rule));
    if (answer !== null) {
      const cause = answer.cause ?? answer.mechanism;
      if (cause !== null) said.get(name)?.add(cause);
      answering.get(name)?.add(current);
    }
    return answer;
  };
}

/** @param {Row} rule @returns {Row} */
const watched = (rule) => ({ ...rule, apply: watchedBy(rule) });

/** @param {string} of @returns {string[]} causes that rules of a subject may name, and those that they ask */
function sayable(of, known = new Set()) {
  if (known.has(of)) return [];
  known.add(of);
  return RULES.filter((rule) => rule.of === of).flatMap(({ says, asks }) => [...says, ...asks.flatMap((name) => sayable(name, known))]);
}

/** Records in which a rule had an answer. @type {Map<string, Set<Facts>>} */
const answering = new Map(RULES.map((rule) => [nameOf(rule), new Set()]));
let current = made[0];
for (const facts of [...made, ...frozen]) {
  current = facts;
  placedBy(facts, LEDGER_RULES.map(watched));
}
// Those of a step are asked within the walk, by their own table.
const raw = STEP_QUESTIONS.map(({ apply }) => apply);
/** Of two that both have an answer to a step, the one that gives it and the one that it hides. @type {Set<string>} */
const hidden = new Set();
/** Pairs of which frozen records show that their order matters; more of them are in the tests of that room. */
const SHOWN = [
  'stale-address before no-connection',
  'busy-unreached before no-connection',
  'checks-failed before own-answer',
  'pool-held before pool-full',
  'pool-held before slow-kind',
  'pool-held before own-answer',
  'no-ports before own-answer',
];
for (const [index, row] of STEP_QUESTIONS.entries()) {
  const watchedApply = watchedBy(row);
  row.apply = (step, view, ask) => {
    const answer = watchedApply(step, view, ask);
    if (answer !== null)
      for (const [later, other] of STEP_QUESTIONS.entries())
        if (later > index && other.of === row.of && raw[later](step, step, {})?.mechanism !== undefined)
          hidden.add(`${row.id} before ${other.id}`);
    return answer;
  };
}
for (const facts of frozen) placementsOf(facts);

for (const rule of RULES) {
  const { of, says, facts, asks, before } = rule;
  const name = nameOf(rule);
  test(`the ${name} reads the facts that it names, and no others`, () =>
    // No record reaches all that a question may come to ask: what it may read, its type says.
    assert.deepEqual(
      [...(read.get(name) ?? [])].sort(),
      facts.filter((fact) => !OF_STEPS.has(of) || read.get(name)?.has(fact)).toSorted(),
    ));

  test(`the ${name} asks whom it names, and nobody else`, () => {
    assert.deepEqual([...(asked.get(name) ?? [])].sort(), asks.toSorted());
    for (const target of asks) assert.ok(target in ASKED_OF);
  });

  test(`the ${name} names the causes that it says`, () => {
    const allowed = new Set([...says, ...asks.flatMap((target) => sayable(target))]);
    for (const cause of said.get(name) ?? []) assert.ok(allowed.has(cause), cause);
    for (const cause of says) assert.ok(cause in (OF_STEPS.has(of) ? MECHANISMS : causes), cause);
    assert.ok(before !== '' && of in ASKED_OF);
  });
}

test('a rule that reads what it does not name stops the analysis', () => {
  const [rule] = LEDGER_RULES;
  const careless = { ...rule, id: 'careless', apply: (/** @type {any} */ _, /** @type {any} */ { stalls }) => stalls };
  assert.throws(() => placedBy(made[0], [careless, ...LEDGER_RULES]), /the rule careless reads stalls, which it does not declare/);
});

const isLast = (/** @type {Row} */ rule) => LEDGER_RULES.findLast(({ of }) => of === rule.of) === rule;

for (const rule of LEDGER_RULES.filter((one) => !isLast(one))) {
  const isFree = rule.before.startsWith('free: ');
  test(`the rule ${rule.id} ${isFree ? 'takes what none after it does' : 'comes before the others of its subject for a reason that a record shows'}`, () => {
    const after = [...LEDGER_RULES.filter((one) => one !== rule), rule];
    const isMoved = made.some(
      (facts) => answering.get(nameOf(rule))?.has(facts) && !isDeepStrictEqual(placedBy(facts, after), placedBy(facts)),
    );
    assert.equal(isMoved, !isFree);
  });
}

test('two neighbours that change places are noticed: a breaker would be blamed for what had opened it', () => {
  const ids = LEDGER_RULES.map(({ id }) => id);
  const [one, other] = ['breaker-opened', 'refused-by-the-app'].map((id) => ids.indexOf(id));
  const swapped = LEDGER_RULES.with(one, LEDGER_RULES[other]).with(other, LEDGER_RULES[one]);
  assert.ok(made.some((facts) => !isDeepStrictEqual(placedBy(facts, swapped), placedBy(facts))));
});

for (const pair of SHOWN) test(`a frozen run tells why ${pair.replace('before', 'comes before')}`, () => assert.ok(hidden.has(pair)));
