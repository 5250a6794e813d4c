import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareNames, containerNames } from './container-names.ts';

test('a service with one container gives it its name, whatever number the container has', () => {
	const containers = [
		{ name: 'nginx', number: 1 },
		{ name: 'app-1', number: 3 },
	];
	assert.deepEqual(containerNames(containers), ['nginx', 'app-1']);
});

test('several containers of a service are told apart by their numbers', () => {
	const containers = [
		{ name: 'web', number: 2 },
		{ name: 'db', number: 1 },
		{ name: 'web', number: 1 },
	];
	assert.deepEqual(containerNames(containers), ['web-2', 'db', 'web-1']);
});

test('a service that is called as a container of another would be keeps its name alone', () => {
	const containers = [
		{ name: 'web', number: 1 },
		{ name: 'web', number: 2 },
		{ name: 'web-1', number: 1 },
	];
	assert.deepEqual(containerNames(containers), ['web-1-1', 'web-2', 'web-1']);
});

test('the tenth container comes after the second', () => {
	assert.deepEqual(['web-10', 'app', 'web-2'].toSorted(compareNames), ['app', 'web-2', 'web-10']);
});
