/**
 * The order of the rules, tried on the frozen runs and on the made records of the fixtures: what each rule reads, what it says, and what becomes of
 * the order when two of them change places.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FROZEN } from '../base/paths.ts';
import { causes, mechanisms } from '../record/causes.ts';
import { readRecords, withFiles } from '../verify/freeze/files.ts';
import { answerCases } from './fixtures/answer-cases.ts';
import { connectionCases } from './fixtures/connection-cases.ts';
import { foolingCases } from './fixtures/fooling-cases.ts';
import { preloadCases } from './fixtures/preload-cases.ts';
import { projectCases } from './fixtures/project-cases.ts';
import { factsOf, recordOf } from './fixtures/record.ts';
import type { Facts } from './ledger/facts.ts';
import { placementsOf } from './placements.ts';
import { readRaw } from './read-raw.ts';
import type { Row } from './rule.ts';
import { ASKED_OF, ledgerAsks, RULES } from './rules.ts';
import { QUESTIONS } from './waiting/questions.ts';

const made = [answerCases, connectionCases, projectCases, preloadCases, foolingCases].flat().map(({ story, change }) => {
	const raw = recordOf(story);
	change?.(raw);
	return factsOf(raw);
});
const frozen: Facts[] = [];
for (const group of readdirSync(FROZEN))
	for (const files of (await readRecords(FROZEN, group)).values()) frozen.push(factsOf((await withFiles(files(), readRaw)) as any));

function placedBy(facts: Facts, rules?: Row[]) {
	const ask = ledgerAsks(facts, rules);
	return facts.traces.map((trace) => ask.generator(trace) ?? ask.request(trace));
}

/** @returns by rule */
const notes = (): Map<string, Set<string>> => new Map(RULES.map(({ id }) => [id, new Set()]));
/** Facts that it read; causes that it named, with whom it had asked by then; and whom it asked. */
const [read, said, asked] = [notes(), notes(), notes()];

const noted = (of: any, names: Set<string> | undefined, rule: Row, prefix: string = '') =>
	new Proxy(of, {
		get(target, name) {
			const full = `${prefix}${String(name)}`;
			const value = Reflect.get(target, name);
			if (rule.facts.some((fact) => fact.startsWith(`${full}.`))) return noted(value, names, rule, `${full}.`);
			names?.add(full);
			return value;
		},
	});

/** @returns the same, watched */
function watchedBy(rule: Row): Row['apply'] {
	const { apply, id: name } = rule;
	return (target, facts, ask) => {
		const answer = apply(target, noted(facts, read.get(name), rule), noted(ask, asked.get(name), rule));
		if (answer !== null) {
			said.get(name)?.add(answer.cause);
			answering.get(name)?.add(current);
		}
		return answer;
	};
}

const watched = (rule: Row): Row => ({ ...rule, apply: watchedBy(rule) });

/** @returns causes that rules of a subject may name, and those that they ask */
function sayable(of: string, known = new Set()): string[] {
	if (known.has(of)) return [];
	known.add(of);
	return RULES.filter((rule) => rule.of === of).flatMap(({ says, asks }) => [...says, ...asks.flatMap((name) => sayable(name, known))]);
}

/** Records in which a rule had an answer. */
const answering: Map<string, Set<Facts>> = new Map(RULES.map(({ id }) => [id, new Set()]));
let current = made[0];
for (const facts of [...made, ...frozen]) {
	current = facts;
	placedBy(facts, RULES.map(watched));
}
for (const rule of RULES) {
	const { of, says, facts, asks, before, id: name } = rule;
	test(`the rule ${name} reads the facts that it names, and no others`, () =>
		assert.deepEqual([...(read.get(name) ?? [])].sort(), facts.toSorted()));

	test(`the rule ${name} asks whom it names, and nobody else`, () => {
		assert.deepEqual([...(asked.get(name) ?? [])].sort(), asks.toSorted());
		for (const target of asks) assert.ok(target in ASKED_OF);
	});

	test(`the rule ${name} names the causes that it says`, () => {
		const allowed = new Set([...says, ...asks.flatMap((target) => sayable(target))]);
		for (const cause of said.get(name) ?? []) assert.ok(allowed.has(cause), cause);
		for (const cause of says) assert.ok(cause in causes, cause);
		assert.ok(before !== '' && of in ASKED_OF);
	});
}

test('a rule that reads what it does not name stops the analysis', () => {
	const [rule] = RULES;
	const careless = { ...rule, id: 'careless', apply: (_: any, { stalls }: any) => stalls };
	assert.throws(() => placedBy(made[0], [careless, ...RULES]), /the rule careless reads stalls, which it does not declare/);
});

const isLast = (rule: Row) => RULES.findLast(({ of }) => of === rule.of) === rule;

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

test('a question names the causes that it says', () => {
	for (const row of QUESTIONS) {
		const { id, says, apply } = row;
		for (const cause of says) assert.ok(cause in mechanisms, cause);
		row.apply = (target, step, ask) => {
			const answer = apply(target, step, ask);
			if (answer !== null && answer.mechanism !== null) assert.ok(says.includes(answer.mechanism), `${id}: ${answer.mechanism}`);
			return answer;
		};
	}
	for (const facts of frozen) placementsOf(facts);
});
