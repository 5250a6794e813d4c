import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as seeds from '../app/seeds.js';
import { DATABASES, newUser, OPERATIONS, SEEDED_USERS, SEEDS_PER_USER } from './crud-user.js';

const STEPS = 20_000;

/** Lets a user do its steps, every create answered well. @param {number} user @param {number} steps */
function stepsOf(user, steps) {
	const { next, own } = newUser(user);
	return Array.from({ length: steps }, () => {
		const step = next();
		if (step.operation === 'create') own(step.id);
		return step;
	});
}

test('operations have the published shares', () => {
	const steps = stepsOf(1, STEPS);
	const shareOf = (/** @type {string} */ name) => steps.filter(({ operation }) => operation === name).length / STEPS;
	for (const [index, share] of [0.4, 0.3, 0.2, 0.1].entries()) {
		// Four standard errors of a share of 20,000 draws are at most 0.014.
		assert.ok(Math.abs(shareOf(OPERATIONS[index]) - share) < 0.014, `${OPERATIONS[index]}: ${shareOf(OPERATIONS[index])}`);
	}
});

test('every read, update and delete aims at a document that is there, and no id is created twice', () => {
	const user = 5;
	const there = new Set(Array.from({ length: SEEDS_PER_USER }, (_, index) => `seed-${user}-${index}`));
	const created = new Set();
	for (const { operation, id } of stepsOf(user, STEPS)) {
		if (operation === 'create') {
			assert.ok(!created.has(id), id);
			created.add(id);
			there.add(id);
		} else assert.ok(there.has(id), `${operation} ${id}`);
		if (operation === 'delete') there.delete(id);
	}
});

test('a user that owns nothing creates', () => {
	const { next } = newUser(SEEDED_USERS + 1);
	assert.deepEqual(
		[next(), next()],
		[
			{ operation: 'create', id: `${SEEDED_USERS + 1}-1` },
			{ operation: 'create', id: `${SEEDED_USERS + 1}-2` },
		],
	);
});

test('users differ, and the same user does the same', () => {
	assert.deepEqual(stepsOf(3, 50), stepsOf(3, 50));
	const operations = (/** @type {number} */ user) => stepsOf(user, 50).map(({ operation }) => operation);
	assert.notDeepEqual(operations(3), operations(6));
});

test('the service seeds what its users believe to own, each in the user’s own database', () => {
	assert.deepEqual([seeds.DATABASES, seeds.SEEDED_USERS, seeds.SEEDS_PER_USER], [DATABASES, SEEDED_USERS, SEEDS_PER_USER]);
	for (const user of [1, 2, 3, SEEDED_USERS]) {
		const ids = new Set(seeds.seedsOf(newUser(user).database));
		for (const index of [0, SEEDS_PER_USER - 1]) assert.ok(ids.has(`seed-${user}-${index}`), `${user}`);
	}
});
