import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependencesOf, groupsOf, heldUsers, measuredIn, SQUEEZE, squeezeFinding, turnsOf } from './squeeze-turns.ts';

const APP = { tier: 'app', product: 'node' };
const GROUPS = [
	{ group: 'app', services: ['app-1', 'app-2'] },
	{ group: 'db', services: ['db'] },
];
const LOAD = 'with 50 users held';

test('services that are one thing several times are slowed together, and others of the same name are not', () => {
	const services = {
		'app-1': APP,
		'app-2': APP,
		'db-1': { tier: 'database', product: 'postgres' },
		'db-2': { tier: 'other', product: 'postgres' },
	};
	assert.deepEqual(
		groupsOf(services).map(({ services: together }) => together),
		[['app-1', 'app-2'], ['db-1'], ['db-2']],
	);
});

test('each round has one turn of each group and one of none, one after the other, in another order', () => {
	const { turns, seconds } = turnsOf(GROUPS, 1);
	assert.equal(turns.length, SQUEEZE.rounds * 3);
	const rounds = Array.from({ length: SQUEEZE.rounds }, (_, round) => turns.slice(round * 3, round * 3 + 3).map(({ group }) => group));
	for (const round of rounds) assert.deepEqual(round.toSorted(), ['', 'app', 'db']);
	assert.ok(new Set(rounds.map(String)).size > 1);
	for (const [index, turn] of turns.slice(1).entries()) assert.ok(turn.from_s >= turns[index].to_s);
	assert.ok(seconds >= (turns.at(-1)?.to_s ?? 0));
	assert.deepEqual(turnsOf(GROUPS, 1), turnsOf(GROUPS, 1));
	const later = turnsOf(GROUPS, 1, 30);
	assert.deepEqual([later.turns[0].from_s - turns[0].from_s, later.seconds], [30, seconds]);
});

test('good answers of a turn are counted that ended within it, and a turn that failed, or in which a service stood still for longer than it was to, is left out', () => {
	const turn = { group: 'db', names: ['db'], from_s: 10, to_s: 12, slowed_s: 0.5, failed: null };
	assert.deepEqual(measuredIn([turn, { ...turn, failed: 'gone' }, { ...turn, slowed_s: 0.9 }], [10, 10.5, 11, 12, 12.1]), [
		{ group: 'db', round: 0, good_rps: 1.5, share: 0.25 },
	]);
});

/** @param kept by group, what is left of 100 good answers a second */
const rounds = (kept: Record<string, number>) =>
	[0.98, 1, 1.02, 1.01, 0.99, 1, 1.03, 0.97].flatMap((noise, round) => [
		{ group: '', round, good_rps: 100, share: 0 },
		...Object.entries(kept).map(([group, rps]) => ({ group, round, good_rps: rps * noise, share: 0.3 })),
	]);
const IDLE = { cores: { app: 0.5, db: 0.5 }, machine: { cores: 8, used: 2 } };

test('what loses as much as it is slowed has a dependence of 1, and what has time to spare none', () => {
	const found = dependencesOf(rounds({ app: 70, db: 100 }), { groups: GROUPS, ...IDLE });
	assert.deepEqual(
		found.map(({ group, dependence }) => [group, Math.round(10 * (dependence ?? 9)) / 10]),
		[
			['app', 1],
			['db', 0],
		],
	);
	const { sentence, first } = squeezeFinding(found, LOAD);
	assert.deepEqual(first, ['app']);
	assert.equal(
		sentence,
		'The throughput depends most on app, with 50 users held: while app was slowed by 30 %, 30 % fewer requests succeeded.',
	);
});

test('two that cannot be told apart are both named, and where none is sure none is', () => {
	assert.deepEqual(squeezeFinding(dependencesOf(rounds({ app: 72, db: 71 }), { groups: GROUPS, ...IDLE }), LOAD).first, ['db', 'app']);
	assert.deepEqual(squeezeFinding(dependencesOf(rounds({ app: 98, db: 99 }), { groups: GROUPS, ...IDLE }), LOAD).first, []);
	assert.deepEqual(squeezeFinding(dependencesOf([], { groups: GROUPS, ...IDLE }), LOAD).first, []);
});

test('where the cores are used up, what they did for others meanwhile is added again at most', () => {
	const full = { cores: { app: 1.6, db: 0.2 }, machine: { cores: 2, used: 2 } };
	const [app, db] = dependencesOf(rounds({ app: 90, db: 100 }), { groups: GROUPS, ...full });
	// Of 2 cores app left 0.48, with which the other 1.52 do 32 % more at most.
	assert.ok(Math.abs(app.given_back - 0.48 / 1.52) < 1e-9);
	assert.ok(Math.abs((app.dependence ?? 0) - (1 - 0.9 / (1 + 0.48 / 1.52)) / 0.3) < 0.02);
	assert.ok((db.dependence ?? 1) < 0.15);
});

test('so many users are held that half a second of work waits before what is slowest, and never more than the run had', () => {
	const stages = (...all: [number, number, number][]) =>
		all.map(([target, good, failed], index) => ({
			unit: 'users',
			target,
			goodput_rps: good,
			failure_rate: failed,
			to_s: 5 * (index + 1),
		})) as any[];
	const usersOf = (all: any[], thinkS = 0, isScript = false) => heldUsers(all, { thinkS, isScript })?.users;
	const ramp = stages([100, 225, 0], [500, 315, 0], [1000, 407, 0], [2000, 398, 0]);
	assert.equal(usersOf(ramp), 204);
	// Little's law: those who think are users too.
	assert.equal(usersOf(ramp, 1), 611);
	assert.equal(usersOf(stages([20, 400, 0], [100, 900, 0])), 100);
	assert.equal(usersOf(stages([100, 100, 0], [500, 900, 0.3])), 50);
	// A script has the users that it comes to.
	assert.deepEqual(heldUsers(ramp, { thinkS: 0, isScript: true }), { users: 500, until_s: 10 });
	assert.equal(heldUsers([], { thinkS: 0, isScript: false }), null);
	assert.equal(usersOf(stages([100, 0, 0.9])), undefined);
});

test('what was measured worse than the first is not left out, and a turn is compared with its own round', () => {
	const sure = dependencesOf(rounds({ app: 70, db: 100 }), { groups: GROUPS, ...IDLE });
	const unsure = sure.map((one) => (one.group === 'db' ? { ...one, lost: null, dependence: null, low: null, high: null } : one));
	assert.deepEqual(squeezeFinding(unsure, LOAD).first, ['app', 'db']);
	assert.match(squeezeFinding(unsure, LOAD).sentence, /what db costs is not known/);
	const wide = sure.map((one) => (one.group === 'db' ? { ...one, low: -0.2, high: 1.6 } : one));
	assert.deepEqual(squeezeFinding(wide, LOAD).first, ['app', 'db']);
	const without = rounds({ app: 70, db: 100 }).filter(({ group, round }) => !(group === '' && round === 0));
	assert.equal(dependencesOf(without, { groups: GROUPS, ...IDLE })[0].turns, 7);
});
