import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mechanism } from '../../record/causes.ts';
import { choose } from './choose.ts';
import { each, MadeStack } from './fixtures/made-stack.ts';
import { EXPLAINS, explains, FAMILIES, OF_QUESTIONS, SYMPTOMS } from './graph.ts';
import { QUESTIONS } from './questions.ts';
import type { Basis } from './step.ts';
import { written } from './writing.ts';

const all = [...FAMILIES.keys(), ...OF_QUESTIONS];

test('the graph knows no families but those of causes and of questions', () => {
	for (const [one, others] of Object.entries(EXPLAINS)) for (const family of [one, ...others]) assert.ok(all.includes(family), family);
	for (const { family } of QUESTIONS) assert.ok(family === null || all.includes(family), String(family));
});

test('nothing explains itself over others: the graph has no circle', () => {
	for (const one of all) for (const other of all) assert.ok(!(explains(one, other) && explains(other, one)), `${one} and ${other}`);
	for (const symptom of SYMPTOMS) assert.ok(!(symptom in EXPLAINS), symptom);
});

const candidate = (family: string, basis: Basis, mechanism: Mechanism) => ({
	family,
	why: { mechanism, basis, evidence: [`${mechanism} is on record.`], doubts: [] },
});
const POOL = candidate('pool-full', 'counted', 'pool-full');
const WORKERS = candidate('workers', 'counted', 'workers-taken');

/** The same in every order. */
function chosen(...candidates: ReturnType<typeof candidate>[]) {
	const why = choose(candidates);
	assert.deepEqual(choose(candidates.toReversed()), why);
	assert.deepEqual(choose([...candidates.slice(1), candidates[0]]), why);
	return why;
}

test('what explains the others is the reason, however many of them there are', () => {
	const starved = candidate('starved', 'timed', 'cpu-throttled');
	assert.equal(chosen(WORKERS, POOL, starved)?.mechanism, 'cpu-throttled');
	assert.equal(chosen(WORKERS, POOL)?.mechanism, 'pool-full');
	assert.equal(chosen(candidate('outcome', 'counted', 'own-error'), candidate('starved', 'inferred', 'cpu-taken'))?.mechanism, 'cpu-taken');
	assert.equal(choose([]), null);
});

test('what is only inferred does not explain away what is counted, and is said beside it', () => {
	const why = chosen(candidate('pool-full', 'inferred', 'pool-full'), WORKERS);
	assert.deepEqual([why?.mechanism, why?.basis], ['workers-taken', 'counted']);
	assert.deepEqual(why?.doubts?.map(written), [
		'it may also be that it had every connection of its pool in use: more workers or more connections in its pool would tell',
	]);
});

test('two that have nothing to do with each other are both said, with what would tell them apart', () => {
	const why = chosen(candidate('given', 'counted', 'not-shared'), WORKERS);
	assert.equal(written(why?.title ?? ''), 'did not know what another container of its kind had given, or had all its workers taken');
	assert.equal(why?.basis, 'inferred');
	assert.match(String(why?.doubts?.map(written)), /is not known: more workers would tell$/);
});

/**
 * Requests stand in a web service from second 10 on.
 * @param throttled of its quota periods then
 */
function standing(throttled: number) {
	const stack = new MadeStack();
	each(-5, 29, 0.2, (at) => stack.call('k6 web', at, at + (at >= 10 ? 2 : 0.05), at >= 10 ? { end: 'given-up', by: 'client' } : {}));
	stack.reads('web', (second) => ({ cores: 0.2, throttled: second >= 10 ? throttled : 0 }));
	return stack.follow().findings[0];
}

test('a reading that narrowly misses what would say why is said where nothing says it, and not where it is far from it', () => {
	const nearly = standing(0.22);
	assert.notEqual(nearly.mechanism, 'cpu-throttled');
	assert.ok(nearly.doubts.includes('nearly: web was throttled in 22 % of its quota periods; 25 % would count'), String(nearly.doubts));
	assert.doesNotMatch(String(standing(0.1).doubts), /nearly/);
	assert.deepEqual([standing(0.3).mechanism, /nearly/.test(String(standing(0.3).doubts))], ['cpu-throttled', false]);
});
