import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Shape } from '../../k6/lib/shapes.js';
import type { Plan } from './plan.ts';
import { loadsOf, partUnder } from './plan.ts';
import type { Planned } from './planned-systems.ts';
import { loadTitlesOf, systemsOf } from './planned-systems.ts';

const shapeOf: (load: string, ...architectures: string[]) => Shape = (load, ...architectures) =>
	systemsOf({ load, variables: {}, arms: architectures.map((architecture) => ({ id: architecture, architecture })) }).shape();

test("a plan's load has the shape that its arms' scenario gives it", () => {
	assert.match(shapeOf('smoke', 'a', '2a').title, /^the published ramp in 12 s$/);
	assert.equal(shapeOf('smoke', 'tickets-1').stages[0].duration_s, 5);
	assert.equal(shapeOf('smoke', 'tokyo').model, 'program');
});

test("a number of users that is an arm's own is left open, though an arm may name one", () => {
	const arms = ['5', '10'].map((WORKERS) => ({ id: WORKERS, architecture: 'crud', variables: { WORKERS } }));
	for (const variables of [{}, { WORKERS: '20' }] as Record<string, string>[])
		assert.equal(
			systemsOf({ load: 'workers', arms, variables }).shape().title,
			'some closed-loop workers for each of 3 databases, for 300 s',
		);
});

test('what is given for all arms is in the shape of the load', () => {
	const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));
	assert.equal(
		systemsOf({ load: 'open', arms, variables: { RATE: '50' } })
			.shape()
			.stages.at(-1)?.target,
		50,
	);
});

test("a load that the arms' scenario does not know has no shape", () => {
	assert.throws(() => shapeOf('ramp', 'crud'), /LOAD: expected one of workers, brief, smoke; found "ramp"/);
});

const kept: Pick<Plan, 'loads' | 'allow_data'> = {
	loads: {
		steps: {
			shape: { title: 'a load of its own', model: 'closed', unit: 'users', warmup_s: 3, stages: [] },
			change: {},
			fingerprint: 'f1',
		},
		heavy: {
			shape: { title: 'a heavy one', model: 'closed', unit: 'users', warmup_s: 3, stages: [] },
			change: { users: 9 },
			fingerprint: 'f2',
		},
	},
	allow_data: false,
};

test('the load of an own system has the shape that its plan keeps, whatever its arms are called', () => {
	const arms = [{ id: 'POOL=8', architecture: 'shop' }];
	assert.equal(systemsOf({ load: 'steps', arms, variables: {}, ...kept }).shape().title, 'a load of its own');
	assert.equal(systemsOf({ load: 'heavy', arms, variables: {}, ...kept }).shape().title, 'a heavy one');
});

const control = (plan: Planned) => systemsOf(plan).control();

test('the A/A control of an arm is a command that can be typed', () => {
	const plan = { load: 'ramp', budget: 'fair', variables: {}, command: 'make compare A=a:DELAY=5 B=2a' };
	const folder = { ...plan, command: 'doubletake compare', ...kept };
	const shipped = [{ id: 'a:DELAY=5', architecture: 'a', variables: { DELAY: '5' } }];
	assert.equal(control({ ...plan, arms: shipped }), 'make compare A=a:DELAY=5 B=a:DELAY=5 LOAD=ramp BUDGET=fair');
	assert.equal(
		control({ ...plan, arms: shipped, command: 'A=a:DELAY=5 B=2a doubletake compare' }),
		'A=a:DELAY=5 B=a:DELAY=5 LOAD=ramp BUDGET=fair doubletake compare',
	);
	const side = { title: '', given: ['rev:HEAD~1', 'POOL=8'], compose: [], commit: null, absent: [], fingerprint: '' };
	assert.equal(
		control({ ...folder, load: 'steps', arms: [{ id: 'x', architecture: 'shop', resolved: side }] }),
		"doubletake compare --a 'rev:HEAD~1' --a POOL=8 --b 'rev:HEAD~1' --b POOL=8",
	);
	assert.equal(
		control({ ...folder, load: 'steps', arms: [{ id: 'shop', architecture: 'shop', resolved: { ...side, given: [] } }] }),
		'doubletake compare --b .',
	);
	assert.equal(
		control({ ...folder, load: 'heavy', arms: [{ id: 'x', architecture: 'shop', resolved: side }] }),
		'doubletake experiment, with two arms that are alike',
	);
	const given = { LOAD: 'open', RATE: '50' };
	assert.equal(
		control({
			...folder,
			load: 'steps',
			variables: given,
			arms: [{ id: 'x', architecture: 'shop', resolved: { ...side, given: ['.:RETRIES=2'] } }],
		}),
		'LOAD=open RATE=50 doubletake compare --a .:RETRIES=2 --b .:RETRIES=2',
	);
});

test('of what a stored plan says in the place of a command none is made', () => {
	for (const evil of ['x.yaml; curl evil.example', '$(evil.example)', '../../evil.example.yaml', '\u001b[2Jevil.example']) {
		const side = { title: '', given: [evil], compose: [], commit: null, absent: [], fingerprint: '' };
		const arms = [{ id: evil, architecture: 'shop', resolved: { ...side, given: [`LD_PRELOAD=${evil}`] } }];
		const plan = {
			...kept,
			load: 'steps',
			arms,
			file: evil,
			experiment: evil,
			command: evil,
			variables: { [evil]: evil },
		} as any;
		const { again, control, command } = systemsOf(plan);
		for (const text of [again(), control(), command([`RESUME=${evil}`]), command([], ['report', evil])])
			assert.ok(['doubletake compare', 'doubletake experiment'].includes(text), text);
	}
});

test('a load is reported with its rate, unless arms have rates of their own', () => {
	const plan = { arms: [{ architecture: 'a' }, { architecture: 'a-limits' }], load: 'constant', variables: {} } as any;
	assert.equal(systemsOf(plan).loadTitle(), '300 requests a second for 100 s');
	assert.equal(systemsOf({ ...plan, variables: { RATE: '40' } }).loadTitle(), '40 requests a second for 100 s');
	const [first, second] = plan.arms;
	assert.equal(
		systemsOf({ ...plan, arms: [first, { ...second, variables: { RATE: '33%' } }] }).loadTitle(),
		'a rate of each arm’s own, for 100 s',
	);
});

test('a share is one rate for all arms: of what the first of them serves', () => {
	const plan = { arms: [{ architecture: '2a' }, { architecture: 'a' }], load: 'constant', variables: { RATE: '40%' } } as any;
	assert.equal(systemsOf(plan).loadTitle(), 'a rate of 40 % of what 2a serves when it is full, for 100 s');
	const settled = { ...plan, calibration: { served: { architecture: '2a', rps: 801 } } };
	assert.equal(systemsOf(settled).loadTitle(), '320 requests a second for 100 s (40 % of what 2a serves when it is full)');
	assert.equal(systemsOf(settled).shape().stages[0].target, 320);
});

test('arms may have loads of their own, each with its shape', () => {
	const arms = [
		{ id: 'a (smoke)', architecture: 'a', load: 'smoke' },
		{ id: 'a (surge)', architecture: 'a', load: 'surge', variables: { RATE: '400' } },
	];
	const plan = { load: 'smoke', arms, variables: {} };
	assert.deepEqual(loadsOf(plan), ['smoke', 'surge']);
	assert.deepEqual(partUnder(plan, 'surge').arms, [arms[1]]);
	assert.match(loadTitlesOf(plan), /^smoke: the published ramp in 12 s; surge: arrivals at 200 requests a second, a surge to 400 /);
	assert.deepEqual(loadsOf({ load: 'smoke', arms: [{ id: 'a', architecture: 'a' }] }), ['smoke']);
});
