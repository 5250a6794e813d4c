import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import { claimsOf } from '../../catalog/claims.ts';
import type { Experiment } from '../../catalog/experiments.ts';
import { experiments } from '../../catalog/experiments.ts';
import { chooseArms, namedUnder, underLoads } from './choose-arms.ts';

const experiment: Experiment = {
	title: 'a test',
	question: 'does it work?',
	load: 'patient',
	further_loads: [{ load: 'surge', variables: { RATE: '120%' } }],
	arms: ['2a', '2a-slots'].map((id) => ({ id, architecture: id })),
	pairs: [['2a', '2a-slots']],
};

test('every arm is made under every load, and compared under the same one', () => {
	const { arms, pairs } = underLoads(experiment, {});
	assert.deepEqual(
		arms.map(({ id, load, variables }) => [id, load, variables?.RATE]),
		[
			['2a (patient)', 'patient', undefined],
			['2a-slots (patient)', 'patient', undefined],
			['2a (surge)', 'surge', '120%'],
			['2a-slots (surge)', 'surge', '120%'],
		],
	);
	assert.deepEqual(pairs, [
		['2a (patient)', '2a-slots (patient)'],
		['2a (surge)', '2a-slots (surge)'],
	]);
});

test('a load that is given is the only one, with what the experiment sets under it unless that is given too', () => {
	const under = (env: Record<string, string>) => underLoads(experiment, env).arms[0];
	assert.deepEqual(under({ LOAD: 'patient' }), experiment.arms[0]);
	assert.deepEqual(under({ LOAD: 'surge' }), { ...experiment.arms[0], variables: { RATE: '120%' } });
	assert.deepEqual(under({ LOAD: 'surge', RATE: '400' }), experiment.arms[0]);
	assert.deepEqual(under({ LOAD: 'smoke' }), experiment.arms[0]);
});

test('an experiment of one load is left as it is', () => {
	const { further_loads: _, ...single } = experiment;
	assert.deepEqual(underLoads(single, {}), single);
});

const choose: (id: string, given?: string) => ReturnType<typeof chooseArms> = (id, given) =>
	chooseArms(experiments[id], claimsOf(id), given);
const refused: (id: string, given: string, text: RegExp) => void = (id, given, text) =>
	assert.throws(
		() => choose(id, given),
		(error) => error instanceof NotReadyError && text.test(error.message),
	);

test('without a choice an experiment has all its arms and claims', () => {
	assert.deepEqual(choose('workers'), { experiment: experiments.workers, claims: claimsOf('workers'), notes: [] });
});

test('two arms bring their pair and the claims that are about no other, without the figures of others', () => {
	const { experiment, claims, notes } = choose('workers', 'workers-20, workers-10');
	assert.deepEqual(
		experiment.arms.map(({ id }) => id),
		['workers-10', 'workers-20'],
	);
	assert.deepEqual(experiment.pairs, [['workers-10', 'workers-20']]);
	assert.equal(experiment.curve, undefined);
	assert.deepEqual(
		claims.map(({ id, shown }) => [id, shown.length]),
		[
			['W1', 2],
			['W2', 1],
			['W3', 0],
		],
	);
	assert.deepEqual(notes, ["made with 2 of the experiment's 7 arms"]);
	assert.equal(claimsOf('workers')[0].shown.length, 3);
});

test('a curve keeps the points of the arms that are made', () => {
	const { experiment } = choose('workers', 'workers-5,workers-10,workers-40');
	assert.deepEqual(experiment.curve?.x, { 'workers-5': 5, 'workers-10': 10, 'workers-40': 40 });
});

test('a claim that is also about an arm left out is not judged, and that is said', () => {
	const { claims, notes } = choose('batching', 'batched-1,batched-3');
	assert.deepEqual(
		claims.map(({ id }) => id),
		['B1'],
	);
	assert.match(notes[1], /^not judged, because they are about other arms too: B2, B3$/);
});

test('an arm that is not there, and arms that are not compared, are refused', () => {
	refused('doubling', 'a,3a', /^ARMS: expected some of a,a-lb,2a,2a-slots,2a-keepalive,2a-pool500,1a-tuned,2a-tuned; found "3a"/);
	refused('doubling', 'a-lb,2a-tuned', /^ARMS: expected at least two that the experiment compares \(a and 2a; .*\); found a-lb,2a-tuned/);
});

test('a claim about arms under one of several loads is judged where these are made, and no other arm of a longer name is', () => {
	const arms = ['a', '2a', '2a-slots'].map((id) => ({ id, architecture: id }));
	const pairs = [
		['a', '2a'],
		['a', '2a-slots'],
	] as [string, string][];
	const about = (id: string, other: string) => {
		const [claim] = claimsOf('workers');
		const test = { kind: 'compare', metric: 'goodput_rps', base: namedUnder('a', 'surge'), other };
		return { ...claim, id, tests: [test], shown: [], quotes: {} } as any;
	};
	const claims = [about('C1', namedUnder('2a', 'surge')), about('C2', namedUnder('2a-slots', 'surge'))];
	const { experiment: made, claims: judged } = chooseArms({ ...experiment, arms, pairs }, claims, 'a,2a');
	assert.deepEqual([made.pairs, judged.map(({ id }) => id)], [[['a', '2a']], ['C1']]);
});
