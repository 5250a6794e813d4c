/**
 * The order of the rules, tried on the frozen runs and on the made records of the fixtures: what each rule reads, what it says, and what becomes of
 * the order when two of them change places.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FROZEN } from '../base/paths.js';
import { causes } from '../record/causes.js';
import { namesIn, readFrozenFiles, withFiles } from '../verify/freeze/files.js';
import { answerCases } from './fixtures/answer-cases.js';
import { connectionCases } from './fixtures/connection-cases.js';
import { foolingCases } from './fixtures/fooling-cases.js';
import { heldCases } from './fixtures/held-cases.js';
import { ownCases } from './fixtures/own-cases.js';
import { preloadCases } from './fixtures/preload-cases.js';
import { factsOf, recordOf } from './fixtures/record.js';
import { readRaw } from './read-raw.js';
import { ledgerAsks, RULES, SUBJECTS } from './rules.js';

/** @typedef {import('./rule.js').Row} Row */
/** @typedef {import('./ledger/facts.js').Facts} Facts */

const made = [answerCases, connectionCases, ownCases, preloadCases, heldCases, foolingCases].flat().map(({ story, change }) => {
  const raw = recordOf(story);
  change?.(raw);
  return factsOf(raw);
});
/** @type {Facts[]} */
const frozen = [];
for (const group of readdirSync(FROZEN))
  for (const name of await namesIn(join(FROZEN, group)))
    frozen.push(factsOf(/** @type {any} */ (await withFiles(await readFrozenFiles(FROZEN, `${group}/${name}`), readRaw))));

/** @param {Facts} facts @param {Row[]} [rules] */
function placedBy(facts, rules) {
  const ask = ledgerAsks(facts, rules);
  return facts.traces.map((trace) => ask.generator(trace) ?? ask.request(trace));
}

/** @type {Map<string, Set<string>>} */
const read = new Map(RULES.map(({ id }) => [id, new Set()]));
/** What each named, with whom it had asked by then. @type {Map<string, Set<string>>} */
const said = new Map(RULES.map(({ id }) => [id, new Set()]));
/** @type {Map<string, Set<string>>} */
const asked = new Map(RULES.map(({ id }) => [id, new Set()]));

/** @param {Row} rule @returns {Row} the same, watched */
function watched(rule) {
  const { id, apply } = rule;
  const noted = (/** @type {any} */ of, /** @type {Map<string, Set<string>>} */ notes) =>
    new Proxy(of, {
      get(target, name) {
        notes.get(id)?.add(String(name));
        return Reflect.get(target, name);
      },
    });
  return {
    ...rule,
    apply(subject, facts, ask) {
      const answer = apply(subject, noted(facts, read), noted(ask, asked));
      if (answer !== null) {
        said.get(id)?.add(answer.cause);
        answering.get(id)?.add(current);
      }
      return answer;
    },
  };
}

/** @param {string} of @returns {string[]} causes that rules of a subject may name, and those that they ask */
function sayable(of, known = new Set()) {
  if (known.has(of)) return [];
  known.add(of);
  return RULES.filter((rule) => rule.of === of).flatMap(({ says, asks }) => [...says, ...asks.flatMap((name) => sayable(name, known))]);
}

/** Records in which a rule had an answer. @type {Map<string, Set<Facts>>} */
const answering = new Map(RULES.map(({ id }) => [id, new Set()]));
let current = made[0];
for (const facts of [...made, ...frozen]) {
  current = facts;
  placedBy(facts, RULES.map(watched));
}

for (const { id, of, says, facts, asks, before } of RULES) {
  test(`the rule ${id} reads the facts that it names, and no others`, () =>
    assert.deepEqual([...(read.get(id) ?? [])].sort(), facts.toSorted()));

  test(`the rule ${id} asks whom it names, and nobody else`, () => {
    assert.deepEqual([...(asked.get(id) ?? [])].sort(), asks.toSorted());
    for (const name of asks) assert.ok(RULES.some((rule) => rule.of === name));
  });

  test(`the rule ${id} names the causes that it says`, () => {
    const allowed = new Set([...says, ...asks.flatMap((name) => sayable(name))]);
    for (const cause of said.get(id) ?? []) assert.ok(allowed.has(cause), cause);
    for (const cause of says) assert.ok(cause in causes, cause);
    assert.ok(before !== '' && of in SUBJECTS);
  });
}

test('a rule that reads what it does not name stops the analysis', () => {
  const [rule] = RULES;
  const careless = { ...rule, id: 'careless', apply: (/** @type {any} */ _, /** @type {any} */ { stalls }) => stalls };
  assert.throws(() => placedBy(made[0], [careless, ...RULES]), /the rule careless reads stalls, which it does not declare/);
});

const isLast = (/** @type {Row} */ rule) => RULES.findLast(({ of }) => of === rule.of) === rule;

for (const rule of RULES.filter((one) => !isLast(one))) {
  const isFree = rule.before.startsWith('free: ');
  test(`the rule ${rule.id} ${isFree ? 'takes what none after it does' : 'comes before the others of its subject for a reason that a record shows'}`, () => {
    const after = [...RULES.filter((one) => one !== rule), rule];
    const isMoved = made.some((facts) => answering.get(rule.id)?.has(facts) && !isDeepStrictEqual(placedBy(facts, after), placedBy(facts)));
    assert.equal(isMoved, !isFree);
  });
}

test('two neighbours that change places are noticed: a breaker would be blamed for what had opened it', () => {
  const ids = RULES.map(({ id }) => id);
  const [one, other] = ['breaker-opened', 'refused-by-the-app'].map((id) => ids.indexOf(id));
  const swapped = RULES.with(one, RULES[other]).with(other, RULES[one]);
  assert.ok(made.some((facts) => !isDeepStrictEqual(placedBy(facts, swapped), placedBy(facts))));
});
