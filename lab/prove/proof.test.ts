import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextCopy } from './decide.ts';
import { proofOf } from './proof.ts';

const PROBES: any[] = [
	{
		id: 'knob:api:WORKERS',
		kind: 'knob',
		service: 'api',
		title: 'WORKERS of api at 32 instead of 4',
		line: 'services.api.environment.WORKERS',
	},
	{ id: 'knob:api:POOL', kind: 'knob', service: 'api', title: 'POOL of api at 40 instead of 5', line: 'services.api.environment.POOL' },
	{ id: 'two-of-it:api', kind: 'two-of-it', service: 'api', title: 'two containers of api instead of one' },
];
const TROUBLE = {
	failed: 50,
	requests: 100,
	share: 0.5,
	slow_ms: null,
	places: [{ service: 'api', cause: 'pool-wait', title: 'its pool was full', count: 50 }],
} as any;
const copy: (probe: string | null, failed: number, place?: string) => any = (probe, failed, place = failed > 0 ? 'api/pool-wait' : '') => ({
	probe,
	failed,
	requests: 200,
	good_rps: 9.96,
	place,
	run: `shop/proofs/1/${failed}`,
});

function proof(copies: any[], refused: Record<string, string> = {}, probes: any[] = PROBES) {
	const able = probes.filter(({ id }) => refused[id] === undefined);
	const found = nextCopy(copies, able, 0.5);
	const state = 'end' in found ? found : { end: 'undecided' as const };
	return proofOf({
		run: 'shop/1',
		started: '',
		tookS: 200.4,
		trouble: TROUBLE,
		load: 'for the first 20 s of the load',
		probes,
		copies,
		switched: {},
		refused,
		state,
	});
}

test('What is proved is said with both shares and the number of copies, and the others with what they did', () => {
	const pool = 'knob:api:POOL';
	const made = [
		copy(null, 100),
		copy('knob:api:WORKERS', 98),
		copy(pool, 0),
		copy(null, 104),
		copy(pool, 2),
		copy(null, 96),
		copy(pool, 0),
		copy(pool, 0),
	];
	const found = proof(made);
	assert.equal(found.outcome, 'proved');
	assert.equal(
		found.sentence,
		'Proved by relief: with POOL of api at 40 instead of 5, 0 to 1.0 % failed in 4 copies. Without a change, 48 to 52 % failed in 3 copies.',
	);
	assert.deepEqual(
		found.probes.map(({ verdict }) => verdict),
		['acquitted', 'proved', 'untried'],
	);
	assert.equal(found.as_it_was.length, 3);
	assert.equal(found.as_it_was[0].good_rps, 10);
});

test('A change that is proved and only puts the failures off is told so', () => {
	const pool = 'knob:api:POOL';
	const made = (failed: number) => [
		copy(null, 100),
		copy(pool, 0),
		copy(null, 100),
		{ ...copy(pool, 0), later: { from_s: 20, failed, requests: 200 } },
		copy(null, 100),
	];
	assert.match(
		proof(made(60), {}, [PROBES[1]]).sentence,
		/The change only delays the failures: when .* after second 20, 30 % failed with it\.$/,
	);
	assert.doesNotMatch(proof(made(9), {}, [PROBES[1]]).sentence, /delays/);
	assert.deepEqual(
		[60, 9].map((failed) => proof(made(failed), {}, [PROBES[1]]).probes[0].puts_off),
		[true, undefined],
	);
});

test('Where nothing ended it, what the accused was relieved of is named, and what no copy came up with', () => {
	const found = proof([copy(null, 100), copy('knob:api:WORKERS', 99), copy('two-of-it:api', 101, 'db/refused')], {
		'knob:api:POOL': 'api did not come up',
	});
	assert.equal(found.outcome, 'undecided');
	assert.match(
		found.sentence,
		/^Not decided: no change that was tried ended the trouble\. Without a change, 50 % failed in one copy\. To relieve api changed nothing: WORKERS of api at 32 instead of 4\.$/,
	);
	assert.deepEqual(
		found.probes.map(({ verdict }) => verdict),
		['acquitted', 'refused', 'moved'],
	);
	assert.match(found.probes[2].text, /most of them fail elsewhere now: db\/refused/);
});

test('What one user at a time meets as well does not depend on the load', () => {
	const probes = [{ id: 'one-user', kind: 'one-user', service: '', title: 'the same requests from one user at a time' }];
	const { sentence } = proof([copy(null, 100), copy('one-user', 90)], {}, probes as any);
	assert.match(sentence, /It does not depend on the load: of one user at a time 45 % failed in one copy\./);
});

test('A trouble that no copy shows is not decided, whatever was to be tried', () => {
	assert.match(proof([copy(null, 2)]).sentence, /a copy as it was did not show the trouble/);
	assert.match(
		proof([copy(null, 100), copy('knob:api:WORKERS', 0), copy(null, 0)]).sentence,
		/some copies show the trouble and others of the same kind do not/,
	);
});

test('What else is otherwise in all copies with a change is told', () => {
	const using = (one: any, cores: number, mib: number) => ({
		...one,
		used: { api: { cores, mib } },
	});
	const copies = [
		using(copy(null, 100), 0.4, 100),
		using(copy('knob:api:WORKERS', 0), 1.1, 110),
		using(copy(null, 104), 0.5, 105),
		using(copy('knob:api:WORKERS', 0), 1.3, 120),
		using(copy(null, 96), 0.6, 100),
	];
	const [workers] = proof(copies).probes;
	assert.deepEqual([workers.verdict, workers.beside], ['proved', ['api used 1.20 cores instead of 0.50']]);
});

test('Where nothing ended it, the change under which the fewest failed is named', () => {
	const [workers, pool] = ['knob:api:WORKERS', 'knob:api:POOL'];
	const { sentence } = proof([copy(null, 100), copy(workers, 40), copy(pool, 22)], {}, PROBES.slice(0, 2));
	assert.match(sentence, / Fewest failed with POOL of api at 40 instead of 5: 11 % failed in one copy\./);
	assert.doesNotMatch(sentence, /WORKERS/);
});
